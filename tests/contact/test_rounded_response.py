"""The response to forces with C in single precision: its error stays below what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from step_cases import small_pad, thrown, world

from contact.problem import ComplianceArrays, Compliances, SoleArrays
from contact.solvers.step_contacts_kernels import StepStart, answer_forces, keep_lost
from contact.step import Body, CompliantStep, SoleState
from contact.step.stuck_result import StuckStepResult
from contact.step.swept_result import SweptStepResult
from sole.base.errors import SoleError

NODES, SCALE = 60, 1000.0
FIRST, POSITION, NONE = np.array([0, NODES]), np.array([0]), np.array([-1])


def compliance(seed: int) -> np.ndarray:
    """A compliance whose entries fall off with distance, as those of a sole do [m/N]."""
    place = np.random.default_rng(seed).random((NODES, 3))
    far = np.linalg.norm(place[:, None] - place[None], axis=2)
    C = np.kron(np.exp(-4 * far), np.eye(3) + 0.2)
    return 1e-7 * (C + 0.1 * np.eye(len(C)))


def answer(C, f, f0, most, d0=None, kind=np.float32, lost=0.0):
    """Return d, the bound and the error of d, |d - scale C f|, with C swept in a precision."""
    rounded = C.astype(kind)
    d0 = SCALE * C @ f0.ravel() if d0 is None else d0
    frames = np.tile(np.eye(3), (NODES, 1, 1))
    W = SoleArrays(
        np.array([SCALE]), np.arange(NODES), np.zeros(NODES, np.int64), frames,
        np.zeros((NODES, 3, 6)), np.zeros((6, 6)),
    )  # fmt: skip
    begin = StepStart(f0, np.zeros(NODES, np.int64), d0.reshape(-1, 3), f0, np.zeros(6), lost)
    d = np.full(3 * NODES, np.nan)
    bound = answer_forces(
        NONE, ComplianceArrays(rounded.ravel(), FIRST, POSITION),
        ComplianceArrays(C.ravel(), FIRST, POSITION), W, begin, f,
        float(np.linalg.norm(rounded - C)), most, d,
    )  # fmt: skip
    return d, bound, float(np.linalg.norm(d - SCALE * C @ f.ravel()))


def forces(seed: int, kind: str) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind == "all one way":  # no rounding cancels another
        return 100 * rng.random((NODES, 3))
    f = 100 * rng.standard_normal((NODES, 3))
    return f if kind == "any" else np.where(rng.random((NODES, 1)) < 0.1, f, 0.0)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["any", "few", "all one way"]), st.floats(-4, 0))
def test_the_error_is_below_the_bound(seed, kind, size):
    C, f = compliance(seed % 7), forces(seed, kind)
    f0 = f - 10**size * forces(seed + 1, kind)
    d, bound, error = answer(C, f, f0, np.inf)
    # d0 is exact; d0 + change itself is rounded in double precision.
    assert error <= bound + 1e-14 * np.linalg.norm(d)
    assert (bound == 0.0) == np.array_equal(f, f0)


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_holds_where_all_sums_round_one_way(seed):
    # All products are alike. Sums of 96 in single precision lose 100 times what C has lost.
    rng = np.random.default_rng(seed)
    C = np.full((3 * NODES, 3 * NODES), 1e-7 * (1 + rng.random())) + 1e-9 * np.eye(3 * NODES)
    f0 = forces(seed, "any")
    f = f0 + np.full_like(f0, 1 + rng.random())
    d, bound, error = answer(C, f, f0, np.inf)
    assert error <= bound + 1e-14 * np.linalg.norm(d)


def test_what_single_precision_holds_is_answered_exactly():
    # Of a compliance from a file in single precision nothing is lost, and nothing is counted.
    C, f = compliance(0).astype(np.float32).astype(float), forces(1, "any")
    d, bound, error = answer(C, f, 0.9 * f, np.inf)
    assert bound == 0.0
    assert error <= 1e-14 * np.linalg.norm(d)


def test_where_the_bound_is_too_large_the_exact_compliance_answers():
    C, f = compliance(0), forces(1, "any")
    _, bound, error = answer(C, f, 0.9 * f, np.inf)
    assert error > 1e-10 * np.linalg.norm(SCALE * C @ f.ravel())
    d, none, error = answer(C, f, 0.9 * f, 0.99 * bound)
    assert none == 0.0
    assert error <= 1e-13 * np.linalg.norm(d)


@pytest.mark.parametrize("kind", [np.float32, float])
def test_a_sole_without_forces_is_undeformed(kind):
    # Whatever earlier steps have rounded is gone with the last force.
    C, f0 = compliance(0), forces(1, "any")
    d0 = SCALE * C.astype(np.float32) @ f0.ravel()
    d, bound, _ = answer(C, np.zeros((NODES, 3)), f0, np.inf, d0, kind)
    assert bound == 0.0
    np.testing.assert_array_equal(d, 0.0)


@pytest.mark.parametrize("kind", ["any", "a largest one that stays"])
def test_errors_of_earlier_steps_are_counted_and_do_not_add_up(kind):
    C, mean, d, lost = compliance(0), forces(1, "any"), np.zeros(3 * NODES), 0.0
    mean[0] = 500.0
    f0, rng, bounds = np.zeros((NODES, 3)), np.random.default_rng(2), []
    most = 4 * SCALE * np.linalg.norm(C - C.astype(np.float32)) * 10 * np.sqrt(3 * NODES)
    for _ in range(400):
        f = mean + 10 * rng.standard_normal(mean.shape)
        if kind != "any":
            f[0] = mean[0]
        d, bound, error = answer(C, f, f0, most, d, lost=lost)
        assert error <= bound + 1e-14 * np.linalg.norm(d)
        assert bound <= most
        bounds.append(bound)
        f0, lost = f, bound / SCALE
    # A change of f is some sqrt(2) times the 10 sqrt(3 NODES) of `most`: two steps of three.
    assert 0.2 < np.mean(np.array(bounds) == 0.0) < 0.5


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
def test_what_steps_leave_is_below_what_their_states_say(monkeypatch, options):
    # A foot lands, slides, sticks and slides on: in sweeps, closed forms and runs of sticking.
    monkeypatch.setattr("contact.problem.compliances.CACHE", 0)
    scene = world(Body.of(small_pad(), eta=0.001, friction=0.4), **options)
    state, kinds, rounded = thrown(scene, np.random.default_rng(5), 0.1, 0.5), set(), 0
    off = 260 * 45 * 2.0**-53  # round-off of sums over 45 terms, step by step
    for k in range(260):
        if k == 200:  # a push
            state = replace(state, twists=state.twists + np.array([0.3, 0, 0, 0, 0, 0]))
        step = scene.step(state, 1e-3)
        soles = step.state.soles
        assert left(scene.stepper, soles) <= soles.lost + off * np.linalg.norm(soles.displacement)
        kinds.add(type(step.contact).__name__)
        rounded += soles.lost > 0.0
        if k % 50 == 49:
            again = SoleState.from_arrays(soles.arrays())
            assert again.lost == soles.lost
            assert soles.of(slice(0, 3)).lost == soles.lost
            one, other = (
                scene.step(replace(step.state, soles=s), 1e-3).state.soles for s in (soles, again)
            )
            assert other.lost == one.lost
            np.testing.assert_array_equal(other.displacement, one.displacement)
        if isinstance(step.contact, SweptStepResult) and step.contact.contacts:
            (solution,) = step.contact.solutions
            W = solution.problem.operator
            d = W.compliances.apply(W.nodal(solution.reactions), W.scale)
            error = np.linalg.norm(solution.displacements - d)
            assert error <= solution.unsure + off * np.linalg.norm(d)
        state = step.state
    assert {"SweptStepResult", "StuckStepResult"} <= kinds
    assert rounded > 20


def test_steps_that_cannot_count_what_was_left_are_made_exactly(monkeypatch):
    monkeypatch.setattr("contact.problem.compliances.CACHE", 0)
    scene = world(Body.of(small_pad(), friction=0.4))
    state, kinds = thrown(scene, np.random.default_rng(5), 0.1, 0.5), set()
    for _ in range(200):
        step = scene.step(state, 1e-3)
        kind = type(step.contact)
        if kind in (SweptStepResult, StuckStepResult):
            kinds.add(kind)
            spoiled = replace(state, soles=replace(state.soles, lost=1e-3))  # 1 m/s in d
            exact = scene.step(spoiled, 1e-3)
            assert exact.contact.solved
            assert type(exact.contact) is not StuckStepResult
            assert exact.state.soles.lost <= 1e-13 * 1e-3  # without viscosity nothing stays
        state = step.state
    assert kinds == {SweptStepResult, StuckStepResult}


@pytest.mark.parametrize("lost", [-1e-9, np.inf, np.nan])
def test_a_state_that_says_no_bound_is_refused(lost):
    arrays = SoleState.at_rest(3).arrays()
    with pytest.raises(SoleError, match=r"lost is .*, expected a bound"):
        SoleState.from_arrays(arrays | {"lost": np.array(lost)})
    del arrays["lost"]  # of an older version
    assert SoleState.from_arrays(arrays).lost == 0.0


def test_rounding_of_compliances_is_that_of_the_worst_body(monkeypatch):
    a, b = compliance(1), 5 * compliance(2)
    assert Compliances.of([a, b, a]).rounding == 0.0
    monkeypatch.setattr("contact.problem.compliances.CACHE", 0)
    both = Compliances.of([a, b, a])
    expected = max(np.linalg.norm(C - C.astype(np.float32)) for C in (a, b))
    assert both.rounding == pytest.approx(expected, rel=1e-12)
