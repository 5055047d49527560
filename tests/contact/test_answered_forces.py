"""The response to forces from that of the step before: what it lacks stays below what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from doors import door
from hypothesis import given, settings
from hypothesis import strategies as st
from step_cases import is_stuck, is_swept, made_by, small_pad, thrown, world

from contact.problem import ComplianceArrays, SoleArrays
from contact.step import Body, CompliantStep, SoleState
from contact.sweeps.step_contacts_kernels import StepStart, answer_forces, keep_lost
from sole.base.errors import SoleError

NODES, SCALE = 60, 1000.0
FIRST, POSITION, NONE = np.array([0, NODES]), np.array([0]), np.array([-1])


def compliance(seed: int) -> np.ndarray:
    """A compliance whose entries fall off with distance, as those of a sole do [m/N]."""
    place = np.random.default_rng(seed).random((NODES, 3))
    far = np.linalg.norm(place[:, None] - place[None], axis=2)
    C = np.kron(np.exp(-4 * far), np.eye(3) + 0.2)
    return 1e-7 * (C + 0.1 * np.eye(len(C)))


def answer(C, f, f0, most, d0=None, lost=0.0):
    """Return d, the bound and the error of d, |d - scale C f|."""
    d0 = SCALE * C @ f0.ravel() if d0 is None else d0
    frames = np.tile(np.eye(3), (NODES, 1, 1))
    W = SoleArrays(
        np.array([SCALE]), np.arange(NODES), np.zeros(NODES, np.int64), frames,
        np.zeros((NODES, 3, 6)), np.zeros((6, 6)),
    )  # fmt: skip
    begin = StepStart(f0, np.zeros(NODES, np.int64), d0.reshape(-1, 3), f0, np.zeros(6), lost)
    d = np.full(3 * NODES, np.nan)
    known = ComplianceArrays(C.ravel(), FIRST, POSITION)
    bound = door(answer_forces)(NONE, known, W, begin, f, most, d)
    return d, bound, float(np.linalg.norm(d - SCALE * C @ f.ravel()))


def forces(seed: int, kind: str) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind == "all one way":  # no rounding cancels another
        return 100 * rng.random((NODES, 3))
    f = 100 * rng.standard_normal((NODES, 3))
    return f if kind == "any" else np.where(rng.random((NODES, 1)) < 0.1, f, 0.0)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["any", "few", "all one way"]), st.floats(-4, 0))
def test_the_change_of_forces_is_answered(seed, kind, size):
    C, f = compliance(seed % 7), forces(seed, kind)
    f0 = f - 10**size * forces(seed + 1, kind)
    d, bound, error = answer(C, f, f0, np.inf)
    assert bound == 0.0 and error <= 1e-14 * np.linalg.norm(d)


def test_what_earlier_steps_left_stays_until_it_is_too_much():
    C, f0 = compliance(0), forces(1, "any")
    f, off = 0.9 * f0, 1e-6 * np.random.default_rng(0).standard_normal(3 * NODES)
    lost = float(np.linalg.norm(off))
    d0 = SCALE * (C @ f0.ravel() + off)
    d, bound, error = answer(C, f, f0, np.inf, d0, lost)
    assert bound == SCALE * lost and 0.5 * bound < error <= bound * (1 + 1e-9)
    d, bound, error = answer(C, f, f0, 0.99 * SCALE * lost, d0, lost)
    assert bound == 0.0 and error <= 1e-13 * np.linalg.norm(d)


def test_a_sole_without_forces_is_undeformed():
    # Whatever earlier steps have left is gone with the last force.
    C, f0 = compliance(0), forces(1, "any")
    d0 = 1.0001 * SCALE * C @ f0.ravel()
    d, bound, _ = answer(C, np.zeros((NODES, 3)), f0, np.inf, d0)
    assert bound == 0.0
    np.testing.assert_array_equal(d, 0.0)


def test_what_is_left_of_a_step_is_bounded():
    # U = (1 - k) U0 + k d/scale, likewise e: for theta 1, 0.6 with and without eta, one by one.
    rng, C = np.random.default_rng(3), compliance(2)
    for dt, scale in ((1e-3, 1e3), (1e-3, 1e3 / 0.6), (1e-3, 200.0)):
        e0, f, off, more = rng.standard_normal((4, 3 * NODES))
        U0, k = C @ e0 + off, dt * scale
        for d in (scale * C @ f, scale * (C @ f + more)):
            unsure = float(np.linalg.norm(d - scale * C @ f)) * (d[0] != (scale * C @ f)[0])
            U, e = (1 - k) * U0 + k * d / scale, (1 - k) * e0 + k * f
            bound = keep_lost(float(np.linalg.norm(off)), unsure, np.array([scale]), dt)
            assert np.linalg.norm(U - C @ e) <= bound * (1 + 1e-12) + 1e-16
            if unsure == 0.0:
                assert bound == pytest.approx(abs(1 - k) * np.linalg.norm(off))


def left(stepper: CompliantStep, soles: SoleState) -> float:
    """|U - C e| [m]."""
    C = stepper.bodies.compliances
    return float(np.linalg.norm(soles.displacement.ravel() - C.apply(soles.elastic.ravel())))


@pytest.mark.parametrize("options", [{}, {"theta": 0.7}])
def test_what_steps_leave_is_below_what_their_states_say(options):
    # A foot lands, slides, sticks and slides on: in sweeps, closed forms and runs of sticking.
    scene = world(Body.of(small_pad(), eta=0.001, friction=0.4), **options)
    state, kinds = thrown(scene, np.random.default_rng(5), 0.1, 0.5), set()
    off = 260 * 45 * 2.0**-53  # round-off of sums over 45 terms, step by step
    for k in range(260):
        if k == 200:  # a push
            state = replace(state, twists=state.twists + np.array([0.3, 0, 0, 0, 0, 0]))
        step = scene.step(state, 1e-3)
        soles = step.state.soles
        assert left(scene.stepper, soles) <= soles.lost + off * np.linalg.norm(soles.displacement)
        kinds.add(made_by(step.contact))
        if k % 50 == 49:
            again = SoleState.from_arrays(soles.arrays())
            assert again.lost == soles.lost
            assert soles.of(slice(0, 3)).lost == soles.lost
            one, other = (
                scene.step(replace(step.state, soles=s), 1e-3).state.soles for s in (soles, again)
            )
            assert other.lost == one.lost
            np.testing.assert_array_equal(other.displacement, one.displacement)
        if is_swept(step.contact) and step.contact.contacts:
            (solution,) = step.contact.solutions
            W = solution.problem.operator
            d = W.compliances.apply(W.nodal(solution.reactions), W.scale)
            error = np.linalg.norm(solution.displacements - d)
            assert error <= solution.unsure + off * np.linalg.norm(d)
        state = step.state
    assert {"SweptDetails", "StuckDetails"} <= kinds


def test_steps_that_cannot_count_what_was_left_are_made_exactly():
    scene = world(Body.of(small_pad(), friction=0.4))
    state, kinds = thrown(scene, np.random.default_rng(5), 0.1, 0.5), set()
    for _ in range(200):
        step = scene.step(state, 1e-3)
        if kind := made_by(step.contact):
            kinds.add(kind)
            spoiled = replace(state, soles=replace(state.soles, lost=1e-3))  # 1 m/s in d
            exact = scene.step(spoiled, 1e-3)
            assert exact.contact.solved
            assert not is_stuck(exact.contact)
            assert exact.state.soles.lost <= 1e-13 * 1e-3  # without viscosity nothing stays
        state = step.state
    assert kinds == {"SweptDetails", "StuckDetails"}


@pytest.mark.parametrize("lost", [-1e-9, np.inf, np.nan])
def test_a_state_that_says_no_bound_is_refused(lost):
    arrays = SoleState.at_rest(3).arrays()
    with pytest.raises(SoleError, match=r"lost is .*, expected a bound"):
        SoleState.from_arrays(arrays | {"lost": np.array(lost)})
    del arrays["lost"]  # of an older version
    assert SoleState.from_arrays(arrays).lost == 0.0
