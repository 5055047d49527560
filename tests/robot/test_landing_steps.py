"""Shorter time steps while a foot lands: the same walk as with short steps throughout."""

from __future__ import annotations

import pickle
from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest
from step_cases import made_by

from robot.gait import Walking
from robot.recorder import Recorder
from robot.run import Run
from robot.simulator import SimStep, join_steps
from robot.walk import PushPlan, Scenario, SoleChoice, assemble_walk, landing
from sole.base.errors import ConfigError

PUSHED = PushPlan(force=(40.0, 0.0, 0.0), start=0.1, duration=0.0503)
STEP = Scenario(
    sole=SoleChoice(young=3e6, size=0.06, element="p1"),
    gait=Walking(steps=2, forward=0.1, initial=1.0, final=0.8, single=0.6),
    push=(PUSHED,),
    tolerance=1e-9,
    settle=0.1,
)


def recorded(scenario: Scenario) -> Run:
    """Return the run of a scenario, which ends amid a motion: nobody asks what comes after it."""
    made = assemble_walk(scenario)
    recorder = Recorder(made.simulator, made.start, scenario.dt, feet=made.feet)
    for step, command in made.steps():
        recorder.record(step, command)
    return recorder.run()


@pytest.mark.parametrize("landing_dt", [0.0, -1e-4, nan, inf, 2e-3, 3e-4, 1e-6])
def test_a_step_that_does_not_divide_dt_is_refused(landing_dt):
    with pytest.raises(ConfigError, match="landing_dt"):
        Scenario(landing_dt=landing_dt)


def test_short_steps_throughout_are_the_walk_at_that_step(monkeypatch):
    """Commands, pushes and the times of rows do not notice that steps are joined."""
    monkeypatch.setattr(landing, "NEAR", inf)
    monkeypatch.setattr(landing, "TOUCHDOWN", inf)
    monkeypatch.setattr(landing.LandingWatch, "landing", lambda *_: True)
    brief = replace(STEP, duration=0.4)
    joined, fine = recorded(replace(brief, landing_dt=2.5e-4)), recorded(replace(brief, dt=2.5e-4))
    assert len(joined) == 400
    assert joined.time == pytest.approx(fine.time[3::4], abs=1e-12)
    for name in ("q", "v"):  # the times of the controller differ in the last digit
        assert np.abs(joined[name] - fine[name][3::4]).max() < 1e-8, name
    # The drives' work and the losses are those of all short steps.
    for name in ("joint_work", "friction_work", "numerical_loss", "outer_work"):
        assert joined[name][-1] == pytest.approx(fine[name][-1], rel=1e-6, abs=1e-9), name


def test_a_joined_step_keeps_momentum_and_energy():
    made = assemble_walk(replace(STEP, landing_dt=2.5e-4))
    joined: list[SimStep] = []
    for step, _ in made.steps():
        if step.parts:
            joined.append(step)
    assert 0 < len(joined) < 0.6 * made.duration / 1e-3
    swung = max(joined, key=lambda s: float(np.abs(s.contact.wrenches).max()))
    for step in (joined[0], swung):
        parts, n = step.parts, len(step.parts)
        assert n == 4
        v = parts[0].state.v - 2.5e-4 * parts[0].acceleration
        assert step.state.v - v == pytest.approx(1e-3 * step.acceleration, abs=1e-12)
        for name in ("torques", "stops"):
            mean = np.mean([getattr(part, name) for part in parts], axis=0)
            assert getattr(step, name) == pytest.approx(mean, abs=1e-12), name
        # The same force on every foot, and the same moment about one fixed point.
        for b in range(2):
            force, moment = np.zeros(3), np.zeros(3)
            for part in parts:
                f, m = part.wrenches[b].reshape(2, 3)
                force += f / n
                moment += (m + np.cross(part.start.places[b], f)) / n
            f, m = step.wrenches[b].reshape(2, 3)
            assert f == pytest.approx(force, abs=1e-9)
            assert m + np.cross(step.start.places[b], f) == pytest.approx(moment, abs=1e-9)
        assert step.contact.energy.imbalance == pytest.approx(0.0, abs=1e-10)
        assert step.contact.energy.elastic == pytest.approx(
            step.state.soles.elastic_energy - _before(step), abs=1e-10
        )


def _before(step: SimStep) -> float:
    """Return the elastic energy at the start of a joined step [J]."""
    first = step.parts[0]
    return first.state.soles.elastic_energy - first.contact.energy.elastic


def test_one_step_is_itself():
    made = assemble_walk(replace(STEP, push=(), duration=0.05))
    for step, _ in made.steps():
        assert join_steps([step]) is step
        assert step.parts == ()


def test_only_landings_have_short_steps():
    """Two steps: 2 mm before a touch, 50 ms after it, and 2 mm of every lift."""
    made = assemble_walk(replace(STEP, push=(), landing_dt=5e-4))
    short = np.array([bool(step.parts) for step, _ in made.steps()])
    touching = np.array(
        [step.contact.wrenches[:, 2] > 0 for step, _ in made.steps()], dtype=np.bool_
    )
    first = [
        int(k) for f in range(2) for k in np.flatnonzero(np.diff(touching[:, f].astype(int)) > 0)
    ]
    assert len(first) >= 2
    for k in first:  # the step of the touch, known only afterwards, and those after it
        assert short[k + 2 : k + 50].all()
        assert short[k - 3 : k + 1].all()
    assert short[150:900].sum() == 0  # both feet stand before the first step


def test_joined_contacts_are_those_of_their_parts(monkeypatch):
    """Put together when asked for, in a copy and after pickling; a copy with a change too."""
    monkeypatch.setattr(landing.LandingWatch, "landing", lambda *_: True)
    made = assemble_walk(replace(STEP, duration=1.3, landing_dt=5e-4))
    kinds = set()
    for step, _ in made.steps():
        parts = [part.contact for part in step.parts]
        joined = step.contact
        if {made_by(c) for c in parts} <= kinds:
            continue
        kinds |= {made_by(c) for c in parts}
        assert joined.iterations == sum(c.iterations for c in parts)
        assert joined.residual == max(c.residual for c in parts)
        assert joined.solved == all(c.solved for c in parts)
        first = np.array([0])
        np.testing.assert_array_equal(joined.least_gaps(first), parts[0].least_gaps(first))
        assert joined.contacts == parts[-1].contacts == len(joined.nodes)
        assert joined.slips == any(c.slips for c in parts)
        for one in (
            joined,
            replace(joined, twists=joined.twists),
            pickle.loads(pickle.dumps(joined)),
        ):
            assert len(one.solutions) == sum(len(c.solutions) for c in parts)
            assert one.energy == joined.energy
            np.testing.assert_array_equal(one.gaps, parts[0].gaps)
            np.testing.assert_array_equal(one.nodes, parts[-1].nodes)
            np.testing.assert_array_equal(one.positions, parts[-1].positions)
            np.testing.assert_array_equal(one.wrenches, joined.wrenches)
        force = sum(
            part.start.rotations[0] @ part.contact.wrenches[0, :3] for part in step.parts
        ) / len(parts)
        own = step.start.rotations[0].T @ force
        np.testing.assert_allclose(joined.wrenches[0, :3], own, atol=1e-9)
    assert kinds >= {"StuckDetails", "SweptDetails"}
