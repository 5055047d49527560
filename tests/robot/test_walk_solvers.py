"""Six steps by Gauss-Seidel on K_c alone, against the closed forms of steps that stick."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from robot.control import plan_table
from robot.control.plan_table import PlanTable, table_of
from robot.gait import Walking
from robot.measures import metrics
from robot.recorder import Recorder
from robot.walk import ControlChoice, Scenario, SoleChoice, assemble_walk, replace_values
from sole.base.errors import ConfigError

SIX = Scenario(
    sole=SoleChoice(young=3e6, size=0.06, element="p1"),
    gait=Walking(steps=6, forward=0.08, initial=0.8, final=0.8, single=0.5, double=0.1),
    settle=0.1,
    control=ControlChoice(period=2e-3),
    dt=2e-3,
)


def walked(scenario):
    """Walk; return the run, q of all steps, and how often each method solved."""
    walk = assemble_walk(scenario)
    if scenario.contact.solver == "gauss-seidel":
        assert not walk.simulator.stepper.options.sticking
    recorder = Recorder(walk.simulator, walk.start, scenario.dt, feet=walk.feet)
    methods: Counter = Counter()
    q = []
    for step, command in walk.steps():
        recorder.record(step, command)
        q.append(step.state.q)
        methods[step.contact.solution.method if step.contact.slips else "affine"] += 1
        assert step.contact.solved
    return recorder.run(), np.array(q), methods


@pytest.mark.nightly
def test_six_steps_by_gauss_seidel_alone():
    closed, q, methods = walked(SIX)
    alone = replace_values(SIX, contact={"solver": "gauss-seidel"})
    swept, q_swept, only = walked(alone)
    assert set(only) == {"gauss-seidel"} and methods["affine"] > 0.8 * len(q)
    # A residual of 1e-6 leaves nodes that stick 1e-6 |q|, up to 1e-7 m/s, in each step of 2 ms:
    # 2e-10 m in each of 2850, if all went one way.
    assert np.abs(q - q_swept).max() < 6e-7
    a, b = metrics(closed), metrics(swept)
    for name, metric in a.items():
        if name in ("iterations", "contact residual") or metric.value is None:
            continue
        assert b[name].value == pytest.approx(metric.value, rel=1e-3, abs=1e-8), name
    assert closed["residual"].max() < 1e-6 and swept["residual"].max() < 1e-6


def test_an_unknown_solver_is_refused():
    with pytest.raises(ConfigError, match="contact: solver"):
        replace_values(SIX, contact={"solver": "jacobi"})


def test_one_plan_for_many_models_does_not_fill_the_memory():
    walk = assemble_walk(replace(SIX, duration=0.05))
    frames = walk.controller.frames
    models = [walk.feet.robot.model.copy() for _ in range(10)]
    for k, model in enumerate(models):
        model.armature = model.armature + 1e-12 * k
    tables = [table_of(walk.plan, model, frames) for model in models]
    gone = [weakref.ref(table) for table in tables]
    last = tables[-1]
    del tables
    gc.collect()
    assert sum(table() is not None for table in gone) == plan_table.MOST
    assert table_of(walk.plan, models[-1], frames) is last


def test_equal_models_share_the_table_of_a_plan():
    walk = assemble_walk(replace(SIX, duration=0.05))
    frames, model = walk.controller.frames, walk.feet.robot.model
    table = table_of(walk.plan, model, frames)
    twin, other = model.copy(), model.copy()
    other.armature = other.armature + 1e-12
    assert table_of(walk.plan, twin, frames) is table
    assert table_of(walk.plan, other, frames) is not table
    assert table_of(walk.plan, model, frames[:1]) is not table


def test_the_feed_forward_of_a_plan_is_kept(monkeypatch):
    walk = assemble_walk(replace(SIX, duration=0.05))
    plan, robot = walk.plan, walk.feet.robot
    table = table_of(plan, robot.model, walk.controller.frames)
    assert table is table_of(plan, robot.model, walk.controller.frames)
    first = [step.state.q for step, _ in walk.steps()]
    known = int(table.known.sum())
    assert 20 < known < len(plan.times) // 10
    again = [step.state.q for step, _ in walk.steps()]
    assert int(table.known.sum()) == known
    np.testing.assert_array_equal(first, again)
    fresh = PlanTable(plan, robot.model, walk.controller.frames)
    monkeypatch.setattr(plan_table, "LARGEST", 0)
    bare = PlanTable(plan, robot.model, walk.controller.frames)
    for k in np.flatnonzero(table.known)[:3]:
        for a, b, c in zip(table.row(k), fresh.row(k), bare.row(k), strict=True):
            np.testing.assert_array_equal(a, b)
            np.testing.assert_array_equal(a, c)
    assert not bare.known.any() and fresh.known.sum() == plan_table.AHEAD
