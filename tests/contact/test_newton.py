"""Newton: its derivative, its limits, singular and asymmetric W, and agreement with others."""

from __future__ import annotations

import numpy as np
import packings
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from solver_problems import banded, definite, permuted, rigid_body, skewed, soles, turned

from contact.problem import DenseDelassus, Outcome, Problem, certify
from contact.solvers import GaussSeidel, NewtonSolver
from contact.solvers.alart_curnier import AlartCurnierLaw
from contact.solvers.newton_system import system_of
from sole.base.errors import SoleError

KINDS = {"dense": definite, "sparse": banded, "soles": soles, "asymmetric": skewed}


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(sorted(KINDS)),
    st.integers(0, 10_000),
    st.integers(1, 12),
    st.sampled_from([0.0, 0.01, 0.2, 0.5, 0.9, 1.5]),
)
def test_solves_every_kind_and_agrees_with_gauss_seidel(kind, seed, contacts, friction):
    problem = KINDS[kind](seed, contacts, friction)
    newton = NewtonSolver(tolerance=1e-11).solve(problem)
    assert newton.certificate.holds(1e-11)
    # Gauss-Seidel has no guarantee where friction couples strongly; where it arrives, Newton
    # from there stays: |r - r'| <= (L/sigma) residual, eigenvalues above 0.2, norms below 100.
    sweeps = GaussSeidel(tolerance=1e-9, max_sweeps=1000).solve(problem)
    assert sweeps.solved or friction > 0.5
    if sweeps.solved:
        again = NewtonSolver(tolerance=1e-11, sweeps=0).solve(problem, sweeps.reactions)
        assert again.certificate.holds(1e-11)
        np.testing.assert_allclose(again.reactions, sweeps.reactions, atol=1e-9 * 1e4)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_few_steps_from_a_warm_start(kind):
    problem = KINDS[kind](3, 30, 0.6)
    warm = GaussSeidel(tolerance=1e-4).solve(problem).reactions
    solution = NewtonSolver(tolerance=1e-11).solve(problem, warm)
    assert solution.solved and solution.newton <= 4


def test_derivative_of_the_equations():
    """T du + D dr = b is the linearisation: F(r + eps d) - F(r) = eps F'd + O(eps^2)."""
    problem = definite(7, 20, 0.6)
    law = AlartCurnierLaw.of(problem)
    rng = np.random.default_rng(0)
    r = np.abs(rng.normal(size=(20, 3)))
    u = rng.normal(size=(20, 3)) * 0.3
    closed = law.touching(r, u)
    assert 5 < closed.sum() < 20

    def values(r, u):
        tau_n, tau, size = law.trial(r, u)
        reach = np.maximum(tau_n, 0)
        share = np.minimum(1, law.friction * reach / size)
        return np.column_stack([r[:, :2] - share[:, None] * tau, r[:, 2] - reach])[closed]

    T, D, _ = law.linearised(r, u, closed)
    dr, du = rng.normal(size=(2, 20, 3))
    # The radius mu tau_n moves with u_n; b states that u_n + du_n = 0, so subtract that part.
    du[:, 2] = 0.0
    eps = 1e-6
    moved = (values(r + eps * dr, u + eps * du) - values(r, u)) / eps
    linear = np.einsum("kab,kb->ka", T, du[closed]) + np.einsum("kab,kb->ka", D, dr[closed])
    np.testing.assert_allclose(moved[:, :2], linear[:, :2], atol=1e-4)


@pytest.mark.parametrize("rigid", [False, True])
@pytest.mark.parametrize("bodies", [1, 2, 3])
def test_systems_of_soles_equal_the_matrix(bodies, rigid):
    problem = soles(4, 15, 0.5, bodies=bodies, rigid=rigid)
    rng = np.random.default_rng(1)
    a = np.sort(rng.permutation(15)[:11])
    T, D, b = rng.normal(size=(2, 11, 3, 3)) + 3 * np.eye(3), None, rng.normal(size=(11, 3))
    T, D = T
    x = system_of(problem.operator).solve(a, T, D, b)
    rows = (3 * a[:, None] + np.arange(3)).ravel()
    W = problem.operator.dense()[np.ix_(rows, rows)].reshape(11, 3, 33)
    M = np.matmul(T, W).reshape(33, 33)
    for k in range(11):
        M[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] += D[k]
    # Backward error of two LU factors and one Woodbury correction, all of moderate condition.
    residual = np.abs(M @ x.ravel() - b.ravel()).max()
    assert residual <= 1e-11 * np.abs(M).sum(axis=1).max() * np.abs(x).max()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.integers(3, 30), st.sampled_from([0.0, 0.3, 0.8, 100.0]))
def test_rigid_body_on_many_contacts(seed, contacts, friction):
    problem = rigid_body(seed, contacts, friction)
    solution = NewtonSolver(tolerance=1e-10).solve(problem)
    assert solution.certificate.holds(1e-10)


def test_choice_where_forces_are_not_unique_is_near_the_start():
    """A start that already solves the problem comes back unchanged, any other distribution too."""
    problem = rigid_body(5, 12, 0.5)
    one = NewtonSolver(tolerance=1e-12).solve(problem).reactions
    other = NewtonSolver(tolerance=1e-12, sweeps=300, seed=9).solve(problem).reactions
    assert np.abs(one - other).max() > 1e-3 * np.abs(one).max()
    back = NewtonSolver(tolerance=1e-10).solve(problem, other)
    np.testing.assert_allclose(back.reactions, other, rtol=1e-14)  # projected on the cones
    # A little more weight: from either start to the answer beside it.
    heavier = Problem(problem.operator, 1.001 * problem.offset, 0.5)
    for start, elsewhere in ((one, other), (other, one)):
        r = NewtonSolver(tolerance=1e-10, sweeps=0).solve(heavier, start).reactions
        assert np.linalg.norm(r - start) < 0.1 * np.linalg.norm(r - elsewhere)


def test_duplicated_contacts():
    small = definite(11, 6, 0.5)
    twice = np.repeat(np.arange(6), 2)
    rows = (3 * twice[:, None] + np.arange(3)).ravel()
    W = small.operator.dense()[np.ix_(rows, rows)]
    problem = Problem.dense(W, small.offset[twice], 0.5)
    solution = NewtonSolver(tolerance=1e-11).solve(problem)
    assert solution.certificate.holds(1e-11)
    pairs = solution.reactions.reshape(6, 2, 3).sum(axis=1)
    alone = NewtonSolver(tolerance=1e-12).solve(small).reactions
    np.testing.assert_allclose(pairs, alone, atol=1e-8)


def test_without_friction_is_the_quadratic_programme():
    problem = definite(2, 25, 0.0)
    solution = NewtonSolver(tolerance=1e-12).solve(problem)
    assert not solution.reactions[:, :2].any()
    N = problem.operator.dense()[2::3, 2::3]
    from scipy.optimize import nnls

    # min 1/2 r'Nr + q'r over r >= 0 is |L'r + L^-1 q|^2 / 2 with N = L L'.
    L = np.linalg.cholesky(N)
    exact = nnls(L.T, -np.linalg.solve(L, problem.offset[:, 2]))[0]
    np.testing.assert_allclose(solution.reactions[:, 2], exact, atol=1e-9)


@pytest.mark.parametrize("friction", [100.0, 1e4])
def test_large_friction_is_sticking(friction):
    """Everything is pressed on: for mu -> infinity the answer is r = -W^-1 q."""
    problem = definite(8, 10, friction)
    W = problem.operator.dense()
    r = np.column_stack([np.zeros((10, 2)), np.full(10, 5.0)])
    q = -(W @ r.ravel()).reshape(-1, 3) + 0.1 * problem.offset
    solution = NewtonSolver(tolerance=1e-11).solve(Problem.dense(W, q, friction))
    assert solution.solved
    exact = -np.linalg.solve(W, q.ravel()).reshape(-1, 3)
    assert (exact[:, 2] > 0).all()
    np.testing.assert_allclose(solution.reactions, exact, atol=1e-8)


def test_trivial_problems():
    none = Problem.dense(np.zeros((0, 0)), np.zeros((0, 3)), 0.5)
    assert NewtonSolver().solve(none).solved
    W = np.eye(6)
    still = NewtonSolver().solve(Problem.dense(W, np.zeros((2, 3)), 0.5), np.ones((2, 3)))
    assert still.solved and not still.reactions.any()
    lifted = NewtonSolver().solve(Problem.dense(W, np.array([[1.0, 0, 2], [0, 0, 1]]), 0.5))
    assert lifted.solved and not lifted.reactions.any()
    # No compliance at all: solvable exactly if nothing approaches.
    frozen = Problem.dense(np.zeros((3, 3)), np.array([[0.0, 0.0, 1.0]]), 0.5)
    assert NewtonSolver().solve(frozen).solved
    stuck = Problem.dense(np.zeros((3, 3)), np.array([[0.0, 0.0, -1.0]]), 0.5)
    assert NewtonSolver(max_steps=20).solve(stuck).outcome is Outcome.STALLED


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_objectivity_and_permutation(kind):
    problem = KINDS[kind](6, 14, 0.4)
    r = NewtonSolver(tolerance=1e-13).solve(problem).reactions
    size = np.abs(r).max()
    other, R = turned(problem, 3)
    s = NewtonSolver(tolerance=1e-13).solve(other, np.einsum("kab,kb->ka", R, r)).reactions
    np.testing.assert_allclose(s, np.einsum("kab,kb->ka", R, r), atol=1e-12 * size)
    cold = NewtonSolver(tolerance=1e-13).solve(other).reactions
    # Two cold answers are each within cond(W) eps of the exact one; cond(W) < 1e3 here.
    np.testing.assert_allclose(cold, np.einsum("kab,kb->ka", R, r), atol=1e-11 * size)
    order = np.random.default_rng(1).permutation(14)
    p = NewtonSolver(tolerance=1e-13).solve(permuted(problem, order)).reactions
    np.testing.assert_allclose(p, r[order], atol=1e-11 * size)


def test_same_seed_same_bits():
    problem = rigid_body(1, 20, 0.5)
    one, two = (NewtonSolver(seed=4).solve(problem) for _ in range(2))
    np.testing.assert_array_equal(one.reactions, two.reactions)
    assert (one.sweeps, one.newton, one.generator) == (two.sweeps, two.newton, two.generator)


def test_failure_hands_over_the_best_iterate():
    problem = rigid_body(1, 20, 0.5)
    few = NewtonSolver(tolerance=1e-14, sweeps=2, max_steps=1, proximal=False).solve(problem)
    none = NewtonSolver(tolerance=1e-14, sweeps=2, max_steps=0).solve(problem)
    assert few.outcome is Outcome.STALLED
    assert few.certificate.worst <= none.certificate.worst
    good = NewtonSolver(tolerance=1e-9).solve(problem).reactions
    kept = NewtonSolver(tolerance=1e-16, sweeps=0, max_steps=3).solve(problem, good)
    assert kept.certificate.worst <= 1e-9


def test_the_best_iterate_comes_back(monkeypatch):
    """Of all iterates that were looked at, not the last."""
    seen = []

    def watched(problem, r):
        certificate = certify(problem, r)
        seen.append(max(certificate.worst, certificate.cone))
        return certificate

    monkeypatch.setattr("contact.solvers.newton.certify", watched)
    problem = packings.heap(count=15, seed=5, mu=0.3)
    solution = NewtonSolver(tolerance=1e-30, max_steps=30).solve(problem)
    assert len(seen) > 10 and seen[-1] > min(seen)
    assert max(solution.certificate.worst, solution.certificate.cone) == min(seen)


def test_one_step_where_the_statuses_are_right():
    """All contacts stick or open; those that open still carry force at the start."""
    operator = definite(3, 20, 0.5).operator
    rng = np.random.default_rng(0)
    opened = rng.permutation(20) < 8
    r, u = np.zeros((20, 3)), np.zeros((20, 3))
    r[~opened] = rng.uniform([-0.2, -0.2, 1.0], [0.2, 0.2, 2.0], (12, 3))
    u[opened] = rng.uniform([-1, -1, 1.0], [1, 1, 2.0], (8, 3))
    problem = Problem(operator, u - operator.apply(r), 0.5)
    start = r.copy()
    start[opened, 2] = 0.02
    closed = AlartCurnierLaw.of(problem).touching(start, problem.velocity(start))
    np.testing.assert_array_equal(closed, ~opened)
    solution = NewtonSolver(tolerance=1e-9, sweeps=0).solve(problem, start)
    assert solution.solved and solution.newton == 1
    np.testing.assert_allclose(solution.reactions, r, atol=1e-8)


def test_scales_of_force_and_velocity_drop_out():
    problem = soles(2, 20, 0.5)
    W = problem.operator.dense()
    r = (
        NewtonSolver(tolerance=1e-12)
        .solve(Problem(DenseDelassus(W), problem.offset, 0.5))
        .reactions
    )
    for force, speed in ((1e6, 1e-3), (1e-9, 1e4)):
        scaled = Problem(DenseDelassus(W * speed / force), problem.offset * speed, 0.5)
        s = NewtonSolver(tolerance=1e-12).solve(scaled)
        assert s.solved
        np.testing.assert_allclose(s.reactions / force, r, atol=1e-9)


def test_refuses_nonsense():
    with pytest.raises(SoleError, match="negative"):
        NewtonSolver(tolerance=-1.0)
    with pytest.raises(SoleError, match="negative"):
        NewtonSolver(max_steps=-1)


def test_sparse_and_dense_take_the_same_steps():
    problem = banded(9, 40, 0.5)
    dense = Problem(DenseDelassus(problem.operator.dense()), problem.offset, 0.5)
    a, b = (NewtonSolver(tolerance=1e-12).solve(p) for p in (problem, dense))
    assert sparse.issparse(problem.operator.matrix) and a.newton == b.newton
    np.testing.assert_allclose(a.reactions, b.reactions, atol=1e-10)
