"""Walks out of reach: what would do is found, named, and does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from robot.gait import GaitError, Landing, Walking, describe_change, is_usual
from robot.gait.reach import _first, _longest, within_reach
from robot.model import load_robot
from robot.walk import Scenario, SoleChoice, assemble_walk

LONG = Walking(forward=0.2, lift=0.06, single=0.7, double=0.1)  # the step of long legs


def limited(step=9.0, lift=9.0, low=0.0, high=9.0, single=0.0):
    """Return why a walk is out of reach of a robot with these limits, in place of a plan."""

    def why_not(gait):
        height = gait.com_height or 0.7
        if not low <= height <= high:
            return "out of reach: before step 1, joint left_ankle"
        if gait.forward > step or gait.lift > lift:
            return "out of reach: step 2"
        return "too fast: step 2" if gait.single < single else None

    return why_not


@pytest.mark.parametrize(
    ("limits", "found"),
    [
        ({"high": 0.69}, {"com_height": 0.679}),
        ({"low": 0.71}, {"com_height": 0.721}),
        ({"step": 0.127}, {"forward": 0.12}),
        ({"lift": 0.04}, {"lift": 0.039}),
        ({"single": 1.0}, {"single": 1.12}),
        ({"single": 1.2, "high": 0.69}, {"single": 1.4, "com_height": 0.679}),
        (
            {"step": 0.1, "lift": 0.04, "low": 0.71},
            {"forward": 0.1, "lift": 0.039, "com_height": 0.721},
        ),
        ({"high": 0.3}, None),
    ],
)
def test_the_nearest_walk_is_found(limits, found):
    why_not, asked = limited(**limits), LONG
    first = _first(asked, 0.7, why_not)
    if found is None:
        assert first is None
        return
    longest = _longest(asked, first, why_not)
    assert longest == replace(asked, **found)
    assert why_not(longest) is None


def test_hopeless_heights_are_not_tried_again():
    tried = []

    def why_not(gait):
        tried.append(gait)
        return limited(step=0.0, low=0.7)(gait)

    assert _first(LONG, 0.7, why_not) is None
    assert len([g for g in tried if (g.com_height or 0.7) < 0.7]) == 3


def test_what_would_do_is_told_with_options():
    asked = Walking()
    found = replace(LONG, forward=0.12, com_height=0.68)
    told = describe_change(LONG, found)
    assert told == "steps of 0.12 m and com_height = 0.68 m (--forward 0.12 --com-height 0.68)"
    slow = describe_change(LONG, replace(LONG, single=0.88))
    assert slow == "0.88 s on one foot (gait.single = 0.88)"
    assert is_usual(asked) and is_usual(replace(asked, steps=2))
    listed = Walking(footstep=(Landing(foot="left", x=0.1, y=0.1),))
    assert not is_usual(found) and not is_usual(listed)
    assert within_reach(listed, load_robot("rengifo14"), 0.02) is None


@pytest.mark.nightly
def test_romeo_walks_by_default():
    """Its ankles bend by 30 degrees only: the usual walk is fitted."""
    made = assemble_walk(Scenario(robot="romeo", settle=0.0, sole=SoleChoice(size=0.06)))
    took = made.scenario.gait
    assert 0.1 <= took.forward < 0.2 and took.lift < LONG.lift
    assert made.notes[-1].startswith("the usual walk is out of reach: step 2, joint RAnklePitch")
    assert f"--forward {took.forward:g}" in made.notes[-1]


@pytest.mark.nightly
def test_longer_steps_of_romeo_get_advice():
    made = assemble_walk(Scenario(robot="romeo", settle=0.0, sole=SoleChoice(size=0.06)))
    took = made.scenario.gait
    asked = replace(took, forward=0.3)
    with pytest.raises(GaitError, match=r"out of reach: step .*; within reach: steps of 0\.\d+ m"):
        assemble_walk(replace(made.scenario, gait=asked))


def test_steps_beyond_any_leg_get_the_same_advice():
    asked = Scenario(robot="hrp2-like", gait=Walking(forward=0.6), sole=SoleChoice(size=0.06))
    told = (
        r"0\.6\d+ m from the standing foot, .*; within reach: steps of 0\.\d+ m .*--forward 0\.\d+"
    )
    with pytest.raises(GaitError, match=told):
        assemble_walk(asked)
