"""The response to forces with C in single precision: its error stays below what it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contact.problem import ComplianceArrays, Compliances, SoleArrays
from contact.solvers.step_contacts_kernels import EXACTLY, StepStart, answer_forces

NODES, SCALE = 60, 1000.0
FIRST, POSITION, NONE = np.array([0, NODES]), np.array([0]), np.array([-1])


def compliance(seed: int) -> np.ndarray:
    """A compliance whose entries fall off with distance, as those of a sole do [m/N]."""
    place = np.random.default_rng(seed).random((NODES, 3))
    far = np.linalg.norm(place[:, None] - place[None], axis=2)
    C = np.kron(np.exp(-4 * far), np.eye(3) + 0.2)
    return 1e-7 * (C + 0.1 * np.eye(len(C)))


def answer(C, f, f0, most, d0=None, kind=np.float32):
    """Return d, the bound and the error of d, |d - scale C f|, with C swept in a precision."""
    rounded = C.astype(kind)
    d0 = SCALE * C @ f0.ravel() if d0 is None else d0
    frames = np.tile(np.eye(3), (NODES, 1, 1))
    W = SoleArrays(
        np.array([SCALE]), np.arange(NODES), np.zeros(NODES, np.int64), frames,
        np.zeros((NODES, 3, 6)), np.zeros((6, 6)),
    )  # fmt: skip
    begin = StepStart(f0, np.zeros(NODES, np.int64), d0.reshape(-1, 3), f0, np.zeros(6))
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


def is_exact(f: np.ndarray) -> bool:
    """Whether these forces choose the exact C."""
    return int(np.abs(f).max() * 2**20) % EXACTLY == 0


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["any", "few", "all one way"]), st.floats(-4, 0))
def test_the_error_is_below_the_bound(seed, kind, size):
    C, f = compliance(seed % 7), forces(seed, kind)
    f0 = f - 10**size * forces(seed + 1, kind)
    d, bound, error = answer(C, f, f0, np.inf)
    # d0 is exact; d0 + change itself is rounded in double precision.
    assert error <= bound + 1e-14 * np.linalg.norm(d)
    assert (bound == 0.0) == (is_exact(f) or np.array_equal(f, f0))


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
    assert not is_exact(f)
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


def test_errors_do_not_add_up_from_step_to_step():
    C, mean, d = compliance(0), forces(1, "any"), np.zeros(3 * NODES)
    f0, rng, errors = np.zeros((NODES, 3)), np.random.default_rng(2), []
    for _ in range(2000):
        f = mean + 10 * rng.standard_normal(mean.shape)
        d, _, error = answer(C, f, f0, np.inf, d)
        errors.append(error / np.linalg.norm(d))
        f0 = f
    # Some 16 steps between two exact ones, each within half a unit of its change, a tenth of f.
    assert max(errors) < 1.6 * np.finfo(np.float32).eps
    assert np.mean(errors[1000:]) < 1.2 * np.mean(errors[:1000])


def test_rounding_of_compliances_is_that_of_the_worst_body(monkeypatch):
    a, b = compliance(1), 5 * compliance(2)
    assert Compliances.of([a, b, a]).rounding == 0.0
    monkeypatch.setattr("contact.problem.compliances.CACHE", 0)
    both = Compliances.of([a, b, a])
    expected = max(np.linalg.norm(C - C.astype(np.float32)) for C in (a, b))
    assert both.rounding == pytest.approx(expected, rel=1e-12)
