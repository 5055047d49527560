"""A step by sweeps in one compiled call: the numbers of the general way, bit for bit."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from step_cases import Guided, go, is_stuck, is_swept, made_by, small_pad, thrown, world

from contact.ground import parse_ground
from contact.rigid_bodies import RigidBodies
from contact.step import (
    Body,
    CompliantStep,
    SoleState,
    StepResult,
    compliant_step,
    end_kernels,
    step_frame,
    step_solver,
)
from contact.step.step_solver import HELD
from contact.sweeps.solve_step_kernels import LONG
from contact.swept_step import swept_step, ways_of
from contact.swept_step.swept_solve_kernels import DONE, ODD, STIFFNESS, UNSOLVED
from sole.base.arrays import frozen

STATE = ("displacement", "elastic", "forces", "earlier", "outside", "status", "solid")
RESULT = ("wrenches", "twists", "mean_twists", "gaps", "nodes", "slots", "positions")
SOLUTION = ("reactions", "velocity", "status", "displacements")
FRAME = ("friction", "geometry", "outside", "forces", "earlier")


def stepper(scene: RigidBodies) -> CompliantStep:
    """The time step of a scene, which sweeps in one call."""
    found = scene.stepper
    assert isinstance(found, CompliantStep)
    return found


def assert_same(one: StepResult, other: StepResult) -> None:
    """All that a step tells, bit for bit."""
    for name in STATE:
        np.testing.assert_array_equal(getattr(one.state, name), getattr(other.state, name), name)
    for name in RESULT:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    for name in ("steady", "substeps", "lost", "run"):
        assert getattr(one.state, name) == getattr(other.state, name)
    for name in ("energy", "residual", "iterations", "contacts", "solved", "slips"):
        assert getattr(one, name) == getattr(other, name)
    first = np.array([0])
    np.testing.assert_array_equal(one.least_gaps(first), other.least_gaps(first))
    np.testing.assert_allclose(one.state.elastic_energy, other.state.elastic_energy, rtol=1e-12)
    for name in FRAME:
        np.testing.assert_array_equal(getattr(one.frame, name), getattr(other.frame, name), name)
    if not one.contacts:
        assert one.laws == other.laws == () and one.solution is other.solution is None
        return
    for mine, its in zip(one.laws[0], other.laws[0], strict=True):
        np.testing.assert_array_equal(mine, its)
    a, b = one.solution, other.solution
    assert a is not None
    assert b is not None
    assert vars(a.certificate) == vars(b.certificate)
    assert (a.method, a.outcome, a.generator) == (b.method, b.outcome, b.generator)
    for name in SOLUTION:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)
    np.testing.assert_array_equal(a.problem.offset, b.problem.offset)
    assert (a.problem.rho, a.problem.size) == (b.problem.rho, b.problem.size)
    r = np.asarray(a.reactions)
    np.testing.assert_array_equal(a.problem.velocity(r), b.problem.velocity(r))


@pytest.mark.parametrize(
    ("ground", "options"),
    [
        pytest.param(ground, options, marks=() if i == j else pytest.mark.nightly)
        for i, ground in enumerate(("plane", "step:0.005,0.02", "gravel:300,0.004"))
        for j, options in enumerate(({}, {"theta": 0.6, "gains": True}, {"theta": 0.7}))
    ],
)
def test_it_is_the_general_way(ground, options, seed=5):
    # A foot lands tilted, slides and rolls: its nodes land, slide and leave.
    body = Body.of(small_pad(), eta=0.002, friction=0.5)
    scene = world(body, parse_ground(ground), **options)
    state = thrown(scene, np.random.default_rng(seed), 0.1, 0.5)
    swept = compared = 0
    for _ in range(150):
        step = scene.step(state, 1e-3)
        if is_swept(step.contact):
            swept += 1
            ways_of(stepper(scene))[1].allowed = False
            general = scene.step(state, 1e-3).contact
            ways_of(stepper(scene))[1].allowed = True
            assert general.certified and made_by(general) == ""
            assert_same(step.contact, general)
            compared += any((law.status == 2).any() for law in step.contact.laws)
        state = step.state
    assert swept > 30
    assert compared > 5  # in which nodes slide


def test_its_state_is_an_ordinary_one():
    body = Body.of(small_pad(), friction=0.5)
    scene = world(body)
    state = thrown(scene, np.random.default_rng(5), 0.1, 0.5)
    steps = [s for s in go(scene, state, 1e-3, 120) if is_swept(s.contact)]
    soles = steps[-1].contact.state
    restored = SoleState.from_arrays({k: np.array(a) for k, a in soles.arrays().items()})
    for other in (restored, copy.deepcopy(soles), pickle.loads(pickle.dumps(soles))):
        assert type(other) is SoleState
        for name in STATE:
            np.testing.assert_array_equal(getattr(other, name), getattr(soles, name))
            assert not getattr(soles, name).flags.writeable
        assert other.steady == soles.steady
        assert soles.of(slice(0, 3)).nodes == 3


def answers(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by every answer of the kernel."""
    found, kernel = [], swept_step.step_swept_soles

    def step(*arguments):
        found.append(kernel(*arguments))
        return found[-1]

    monkeypatch.setattr(swept_step, "step_swept_soles", step)
    return found


def test_a_contact_that_was_not_examined_and_closed_is_examined(monkeypatch):
    found = answers(monkeypatch)
    # It has no reach and moves by the others' forces.
    monkeypatch.setattr(swept_step, "SPEED_SLACK", -10.0)
    monkeypatch.setattr(step_frame, "SPEED_SLACK", -10.0)
    seen, list_missed = [], end_kernels.list_missed_contacts

    def missed(*arguments):
        seen.append(list_missed(*arguments))
        return seen[-1]

    monkeypatch.setattr(compliant_step, "list_missed_contacts", missed)
    scene = world(Body.of(small_pad(), friction=0.5))
    state, compared = thrown(scene, np.random.default_rng(5), 0.1, 0.5), 0
    for _ in range(120):
        step = scene.step(state, 1e-3)
        if is_swept(step.contact):
            seen.clear()
            ways_of(stepper(scene))[1].allowed = False
            general = scene.step(state, 1e-3).contact
            ways_of(stepper(scene))[1].allowed = True
            if any(seen):
                assert_same(step.contact, general)
                compared += 1
        state = step.state
    assert compared > 0
    assert set(found) <= {DONE, STIFFNESS}


def test_soles_in_the_air_are_swept_over_nothing(monkeypatch):
    found = answers(monkeypatch)
    scene = world(Body.of(small_pad(), eta=2e-3))
    state = go(scene, scene.at(np.array([[0, 0, 0.0201]])), 1e-3, 60)[-1].state  # it is deformed
    state = replace(state, twists=frozen([0.0, 0.0, 1.0, 0.0, 2.0, 0.0]))
    flown = 0
    for _ in range(150):
        step = scene.step(state, 1e-3)
        one = step.contact
        if is_swept(one) and one.contacts == 0:
            assert not one.slips and one.residual == 0.0
            ways_of(stepper(scene))[1].allowed = False
            assert_same(one, scene.step(state, 1e-3).contact)
            ways_of(stepper(scene))[1].allowed = True
            flown += 1
        state = step.state
    assert flown > 50
    assert np.abs(state.soles.displacement).max() > 0.0
    assert ODD not in found


@pytest.mark.parametrize(("gains", "least"), [(True, 1 - HELD), (False, 0.7)])
def test_a_sole_that_velocities_do_not_solve_is_swept_by_forces(monkeypatch, gains, least):
    # All but a few nodes stick, so they come first; they get no sweep, which is
    # too few to tell whether there is a gain where a third of them does not.
    monkeypatch.setattr(swept_step, "AGAIN", 0)
    found = answers(monkeypatch)
    scene = world(Body.of(small_pad(), friction=0.5), gains=gains)
    solver = stepper(scene).solver
    solver.velocities = replace(solver.velocities, max_sweeps=0)
    ways_of(stepper(scene))[0].allowed = False
    # It stands; then it is kicked, so that it rocks and slides.
    state, compared = go(scene, scene.at(np.array([[0, 0, 0.0201]])), 1e-3, 60)[-1].state, 0
    state = replace(state, twists=frozen([0.03, 0.0, 0.0, 0.0, 0.3, 0.0]))
    for _ in range(100):
        step = scene.step(state, 1e-3)
        one = step.contact
        pressed = (state.soles.status == 1).any(axis=1).mean() >= least
        if is_swept(one) and pressed and one.iterations > 0:
            ways_of(stepper(scene))[1].allowed = False
            assert_same(one, scene.step(state, 1e-3).contact)
            ways_of(stepper(scene))[1].allowed = True
            compared += 1
        state = step.state
    assert compared > 2 and UNSOLVED not in found


def test_sweeps_that_come_to_a_standstill_end_early(monkeypatch):
    # Nothing is exact to 1e-17 of q: after rounds that no longer halve what is left, each calmer
    # than the one before, there is no other, of so many that 2000 sweeps allow.
    scene = world(Body.of(small_pad(), friction=0.5))
    state = thrown(scene, np.random.default_rng(5), 0.1, 0.5)
    for _ in range(100):
        state = scene.step(state, 1e-3).state
    solver, ended = stepper(scene).solver, []
    sweep_step = step_solver.sweep_step

    def sweep(solver, *arguments):
        ended.append(sweep_step(replace(solver, tolerance=1e-17, max_sweeps=2000), *arguments))
        return ended[-1]

    monkeypatch.setattr(step_solver, "sweep_step", sweep)
    ways_of(stepper(scene))[0].allowed = ways_of(stepper(scene))[1].allowed = False
    solver.closed_first = False
    scene.step(state, 1e-3)
    assert ended and all(LONG <= done.sweeps <= 6 * LONG for done in ended)
    assert all(done.certificate.holds(1e-12) for done in ended)


@pytest.mark.parametrize("seed", [2, 12])
def test_sweeps_that_go_round_become_calmer(monkeypatch, seed):
    # A node between two stones: full sweeps throw its two forces to and fro for hundreds of times.
    found = answers(monkeypatch)
    scene = world(Body.of(small_pad(), friction=0.8), parse_ground("gravel:3000,0.003"))
    state, most = thrown(scene, np.random.default_rng(seed), 0.1, 0.5), 0
    for _ in range(110):
        step = scene.step(state, 1e-3)
        if is_swept(step.contact):
            most = max(most, step.contact.iterations)
        state = step.state
    assert UNSOLVED not in found
    assert most > LONG


def test_what_sticks_is_swept_where_no_run_has_begun(monkeypatch):
    found = answers(monkeypatch)
    scene = world(Body.of(small_pad()))
    steps = [s.contact for s in go(scene, scene.at(np.array([[0, 0, 0.0201]])), 1e-3, 80)]
    steps = [step for step in steps if step.contacts]
    assert DONE in found
    assert all(map(made_by, steps))
    swept = [step for step in steps if is_swept(step)]
    assert any(step.state.steady > 0 for step in swept)
    assert is_stuck(steps[-1])


def test_what_sticks_is_in_closed_form_where_sweeps_fail(monkeypatch):
    scene = world(Body.of(small_pad()))
    solver = stepper(scene).solver
    step = go(scene, scene.at(np.array([[0, 0, 0.02]])), 1e-3, 40)[-1]
    ways_of(stepper(scene))[0].allowed = False
    swept = scene.step(step.state, 1e-3).contact
    assert swept.solution.method == "gauss-seidel"
    ways_of(stepper(scene))[1].allowed = False
    assert_same(swept, scene.step(step.state, 1e-3).contact)
    none = replace(solver.sweeps, max_sweeps=0)
    monkeypatch.setattr(solver, "_swept", lambda problem, *_: none.solve(problem))
    assert scene.step(step.state, 1e-3).contact.solution.method == "sticking"


@pytest.mark.parametrize("theta", [1.0, 0.6])
@pytest.mark.parametrize("sweeps", [60, 3])  # 3 do not solve the step that pushes
def test_a_step_that_may_gain_energy_is_repeated(monkeypatch, theta, sweeps):
    found = answers(monkeypatch)
    monkeypatch.setattr(swept_step, "AGAIN", sweeps)
    scene = world(Body.of(small_pad()), theta=theta)
    start = scene.at(np.array([[0, 0, 0.02 - 1e-3]]), inside=True)  # 1 mm inside the ground
    step = scene.step(start, 1e-3)
    assert found == [DONE]
    energy = step.contact.energy
    # Normal forces do no work but what the residual of the solver allows.
    assert energy.push <= 1e-6 * (energy.elastic + energy.numerical)
    ways_of(stepper(scene))[1].allowed = False
    assert_same(step.contact, scene.step(start, 1e-3).contact)


def test_a_push_that_losses_pay_for_is_kept(monkeypatch):
    found = answers(monkeypatch)
    pad = small_pad()
    hard = Body(points=pad.points, compliance=1e-4 * pad.compliance)
    scene = world(hard, theta=0.6)
    # 1 um inside, it falls fast: (theta - 1/2) dv'M dv is more than the work of pushing it out.
    start = scene.at(np.array([[0, 0, 0.02 - 1e-6]]), twists=[0, 0, -0.1, 0, 0, 0], inside=True)
    step = scene.step(start, 1e-3)
    assert found == [DONE]
    energy = step.contact.energy
    assert energy.push + energy.friction > energy.numerical
    ways_of(stepper(scene))[1].allowed = False
    assert_same(step.contact, scene.step(start, 1e-3).contact)


def stood(theta: float, eta: float) -> tuple[RigidBodies, Any]:
    """A pad that has come to rest, then put 1 um into the ground."""
    scene = world(Body.of(small_pad(), eta=eta), theta=theta)
    ways_of(stepper(scene))[0].allowed = False
    state = go(scene, scene.at(np.array([[0, 0, 0.0201]])), 1e-3, 200)[-1].state
    return scene, replace(state, places=frozen(state.places - [[0, 0, 1e-6]]))


@pytest.mark.parametrize("eta", [0.0, 5e-3])
def test_a_push_that_would_gain_is_not_tried_again(monkeypatch, eta):
    """Where what bears force is inside, steps are made without first: as if it had been tried."""
    found = answers(monkeypatch)
    scene, state = stood(1.0, eta)
    for _ in range(20):
        step = scene.step(state, 1e-3)
        assert is_swept(step.contact)
        assert step.contact.energy.push <= 1e-9  # J, of 4e-5 that pushing out would do
        ways_of(stepper(scene))[1].allowed = False
        general = scene.step(state, 1e-3).contact
        ways_of(stepper(scene))[1].allowed = True
        assert_same(step.contact, general)
        state = step.state
    assert set(found) <= {DONE, STIFFNESS}
    assert (step.contact.gaps[:, 0] < -5e-7).any()  # still inside


COUNT = """
import contact.swept_step.swept_step_kernels as kernels
import numpy as np
from dataclasses import replace
from contact.step import Body
from sole.base.arrays import frozen
from contact.swept_step import ways_of
from step_cases import go, world

tried, solve = [], kernels.solve_swept_contacts


def counted(*arguments):
    tried[-1].append(arguments[5][2] > 0.0)  # whether it pushes
    return solve(*arguments)


kernels.solve_swept_contacts = counted
pad = np.load({pad!r})
scene = world(Body(points=pad["points"], compliance=pad["compliance"]))
ways_of(scene.stepper)[0].allowed = False
tried.append([])
state = go(scene, scene.at(np.array([[0, 0, 0.0200001]])), 1e-3, 120)[-1].state
for deep, speed in ((1e-6, 0.0), (0.0, 0.0), (1e-6, -0.5)):
    tried.append([])
    places, twists = state.places - [[0, 0, deep]], [0, 0, speed, 0, 0, 0]
    scene.step(replace(state, places=frozen(places), twists=frozen(twists)), 1e-3)
print(tried[1:])
"""


def test_how_often_a_step_is_solved(tmp_path):
    """Inside and at rest once, without push; outside once, with; inside and fast, both."""
    pad, file = small_pad(), str(tmp_path / "pad.npz")
    np.savez(file, points=pad.points, compliance=pad.compliance)
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", COUNT.replace("{pad!r}", repr(file))],
        capture_output=True, text=True, check=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path},
    )  # fmt: skip
    assert done.stdout.strip() == "[[False], [True], [False, True]]"


@pytest.mark.parametrize("speed", [-0.02, -0.5, 0.1])
@pytest.mark.parametrize(("theta", "eta"), [(1.0, 0.0), (0.6, 0.0), (1.0, 5e-3)])
def test_a_push_that_losses_pay_for_is_made_though_none_was_before(theta, eta, speed):
    """What is made without first stands only if pushing would gain: as the general way finds."""
    scene, state = stood(theta, eta)
    state = replace(state, twists=frozen([0.2 * speed, 0.0, speed, 0.0, 0.0, 0.0]))
    for _ in range(5):
        step = scene.step(state, 1e-3)
        assert is_swept(step.contact)
        ways_of(stepper(scene))[1].allowed = False
        assert_same(step.contact, scene.step(state, 1e-3).contact)
        ways_of(stepper(scene))[1].allowed = True
        state = step.state


@pytest.mark.parametrize(
    "ground",
    [
        pytest.param("plane", marks=pytest.mark.nightly),
        pytest.param("step:0.005,0.02", marks=pytest.mark.nightly),
        "gravel:300,0.004",
    ],
)
def test_a_push_that_landing_pays_for_is_made(ground):
    """What lands loses energy by theta = 1/2, too, where the time step loses none."""
    inside = 0
    for seed in range(10, 13):
        scene = world(Body.of(small_pad(), friction=0.5), parse_ground(ground), theta=0.5)
        state = thrown(scene, np.random.default_rng(seed), 0.1, 0.5)
        for _ in range(160):
            step = scene.step(state, 1e-3)
            contact = step.contact
            if is_swept(contact) and contact.contacts:
                if contact.gaps.min() < -1e-10:
                    inside += 1
                    ways_of(stepper(scene))[1].allowed = False
                    assert_same(contact, scene.step(state, 1e-3).contact)
                    ways_of(stepper(scene))[1].allowed = True
            state = step.state
    assert inside > 20


def test_sweeps_that_do_not_end_leave_it_too(monkeypatch):
    found = answers(monkeypatch)
    monkeypatch.setattr(swept_step, "PATIENCE", 0)
    monkeypatch.setattr(swept_step, "AGAIN", 0)
    body = Body.of(small_pad(), friction=0.5)
    foot = Guided(body, np.diag([0.05] * 3 + [0.0] * 3))
    foot.twist[:3] = 1.0, 0.0, -0.5
    foot.place[2] = 0.02 + 1e-4
    done = foot.step(1e-3)
    assert found == [UNSOLVED]
    assert made_by(done) == "" and done.solved


def test_where_it_does_not_apply():
    rigid = world(Body(points=frozen(small_pad().points), friction=0.5))
    assert not ways_of(stepper(rigid))[1].allowed
    for options in ({"substeps": 2}, {"error": 1e-3}, {"sticking": False}):
        assert not ways_of(stepper(world(Body.of(small_pad()), **options)))[1].allowed
    assert ways_of(stepper(world(Body.of(small_pad()))))[1].allowed
    assert DONE == 0
