"""Rows of the table that compares contact models: what each column says."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from measuring.drop_table import exact_drop, penalty_drop, table

from contact.papers.penalty import PenaltyLaw, VertexState, restitution
from contact.rigid_bodies import RigidBody
from contact.step import Body

G, HEIGHT = 9.81, 0.01
POINT = RigidBody(contact=Body(points=np.zeros((1, 3))), mass=2.0, inertia=np.ones(3))
START = VertexState.at((0, 0, HEIGHT))


def test_highest_and_rest_of_a_bounce():
    law = PenaltyLaw(kp=1e4, kv=50.0)
    row = penalty_drop("bounce", POINT, law, START, np.linspace(0, 0.12, 1201))
    # The flight after one bounce, e^2 of the drop; sampled every 0.1 ms: g dt^2/8 at most missed.
    assert row.highest == pytest.approx(restitution(law) ** 2 * HEIGHT, abs=G * 1e-8)
    assert row.heights[-1] > 0 and row.rest == 1  # in the air at the end
    still = penalty_drop("rest", POINT, law, VertexState.at((0, 0, 0)), [0.0, 0.01])
    assert still.rest < 1e-12 and still.highest == 0


def test_times_that_do_not_begin_at_zero():
    law = PenaltyLaw(kp=500.0, kv=250.0)
    for held in (False, True):
        row = penalty_drop("late", POINT, law, START, np.linspace(1, 1.1, 101), held=held)
        assert (row.times[0], row.times[-1]) == (1.0, 1.1)
        assert abs(row.imbalance) < 1e-8


def test_the_table_shows_the_rows():
    row = exact_drop("exact", POINT, START, 1e-3, 100)
    assert row.rest < 1e-5 and row.highest < 1e-9  # residual of the contact solver, 1e-6 or so
    shown = dataclasses.replace(
        row,
        model="mine",
        depth=1.2345e-3,
        rebound=0.5,
        impulse=12.3456,
        imbalance=-2e-9,
        lost=0.25,
        gained=1e-3,
        peak=123.456,
        rest=0.5,
        way=0.02,
        solves=7,
    )
    head, rule, first, second = table([shown, row]).splitlines()
    assert head.split(" | ")[1:3] == ["depth [mm]", "rebound [m/s]"]
    assert head.count("|") == rule.count("|") == first.count("|") == second.count("|")
    assert first == (
        "| mine | 1.23 | 0.5 | 12.35 | 2e-09 | 0.25 | 1.0e-03 | 123.5 | 5e-01 | 20 | 7 |"
    )
    assert second.startswith("| exact |")
