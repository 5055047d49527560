"""Gauss-Seidel sweeps over soles on feet: laws, uniqueness, warm starts, cones."""

from __future__ import annotations

import numpy as np
import pytest
from structured_soles import structured

from contact.problem import Outcome, Problem, SoleDelassus, Solution, certify
from contact.solvers import GaussSeidel, solve

RESIDUALS = ("natural_map", "signorini", "cone", "dual_cone", "complementarity")


def solvable(bodies: int = 1) -> tuple[Problem, np.ndarray]:
    """Return a problem with known forces: a third of the contacts sticks, slips, is open."""
    problem, rng = structured(bodies=bodies), np.random.default_rng(3)
    K, mu = problem.contacts, problem.friction
    r, u, third = np.zeros((K, 3)), np.zeros((K, 3)), np.arange(K) % 3
    r[third < 2, 2] = rng.uniform(1.0, 2.0, (third < 2).sum())
    angle = rng.uniform(0, 2 * np.pi, K)
    away = np.c_[np.cos(angle), np.sin(angle)]
    r[:, :2] = (mu * r[:, 2] * np.where(third == 0, 0.5, 1.0))[:, None] * away
    u[third == 1, :2] = -away[third == 1]
    u[third == 2, 2] = 1.0
    return Problem(problem.operator, u - problem.operator.apply(r), mu), r


@pytest.mark.parametrize("bodies", [1, 3])
@pytest.mark.parametrize("tolerance", [1e-5, 1e-6, 1e-9])
def test_forces_meet_the_laws_to_any_tolerance(bodies, tolerance):
    """Rigid bodies, nodes with two contacts; down to 1e-9."""
    problem, known = solvable(bodies)
    rng = np.random.default_rng(1)
    for start in (None, known * rng.uniform(0.99, 1.01, known.shape)):
        found = solve(problem, tolerance=tolerance, start=start, max_sweeps=20_000)
        assert found.solved and certify(problem, found.reactions).holds(1.001 * tolerance)


def plain() -> Problem:
    """Return a problem of one contact on each node of a soft sole on a heavy foot."""
    both = structured(nodes=16).operator
    W = SoleDelassus(
        compliances=both.compliances,
        scale=both.scale,
        node=both.node[:16],
        frames=both.frames[:16],
        geometry=both.geometry,
        support=0.02 * both.support,
    )
    return Problem(W, np.random.default_rng(4).normal(size=(16, 3)), np.full(16, 0.3))


def test_forces_are_those_of_newton_s_method():
    """One contact on each node of a soft sole: forces are unique.

    The eigenvalues of W are above 0.15 times its mean diagonal: an error of the natural map of
    `tolerance` rho |q| moves the forces by less than ten times that.
    """
    problem = plain()
    W = problem.operator
    assert np.linalg.eigvalsh(W.dense())[0] > 0.15 * W.mean_diagonal
    exact = solve(problem, "newton", 1e-13).required()
    for tolerance in (1e-5, 1e-7, 1e-12):
        found = sweep(problem, tolerance)
        assert found.solved
        wrong = np.abs(found.reactions - exact.reactions).max()
        assert wrong <= 10 * tolerance * problem.rho * problem.size + 1e-12


def sweep(
    problem: Problem, tolerance: float, start: np.ndarray | None = None, most: int = 200
) -> Solution:
    """Return what at most so many sweeps find."""
    return GaussSeidel(tolerance=tolerance, max_sweeps=most).solve(problem, start)


@pytest.mark.parametrize("bodies", [1, 3])
def test_residuals_are_those_of_the_forces(bodies):
    """Residuals, velocities, statuses and displacements are those of the forces themselves."""
    problem, _ = solvable(bodies)
    found = sweep(problem, 1e-7)
    assert found.sweeps > 0
    r, seen = found.reactions, certify(problem, found.reactions)
    for name in RESIDUALS:
        assert getattr(found.certificate, name) == pytest.approx(
            getattr(seen, name), rel=1e-6, abs=1e-15
        )
    np.testing.assert_allclose(found.velocity, problem.velocity(r), atol=1e-13)
    W = problem.operator
    d, _ = W.respond(r)
    np.testing.assert_allclose(found.displacements, d, atol=1e-13)
    judged = W.judge(r, problem.offset, problem.friction, problem.rho)
    np.testing.assert_array_equal(found.status, judged.status)


def test_a_start_that_solves_the_problem_is_left_alone():
    problem, _ = solvable(3)
    exact = solve(problem, tolerance=1e-12, max_sweeps=20_000).required()
    again = sweep(problem, 1e-10, exact.reactions)
    assert again.sweeps == 0
    np.testing.assert_allclose(again.reactions, exact.reactions, atol=1e-11)


def test_sweeps_end_once_the_target_is_met():
    """One sweep less is not enough."""
    problem = plain()
    for tolerance in (1e-3, 1e-4, 1e-5, 1e-6):
        sweeps = sweep(problem, tolerance).sweeps
        assert sweeps > 2
        assert sweep(problem, tolerance, most=sweeps - 1).certificate.natural_map > tolerance


def test_forces_that_are_not_good_enough_say_so():
    """Sweeps that end too early leave a stalled solution; `solve` goes on from it."""
    problem = structured()
    found = sweep(problem, 1e-12, most=2)
    assert found.outcome is Outcome.STALLED and found.sweeps == 2
    assert not found.certificate.holds(1e-12)
    on = solve(problem, tolerance=1e-12, max_sweeps=2)
    assert on.certificate.holds(1e-12) and on.method != "gauss-seidel"


@pytest.mark.parametrize("sweeps", [1, 2, 5])
def test_forces_are_in_their_cones_after_any_sweep(sweeps):
    """Over-relaxed ones as well: round-off of mu r_n, no more."""
    for seed in range(8):
        problem, known = solvable(bodies=2)
        start = known * np.random.default_rng(seed).uniform(0.5, 1.5, known.shape)
        found = sweep(problem, 1e-14, start, most=sweeps)
        assert found.sweeps == sweeps
        r, mu = found.reactions, problem.friction
        assert (np.hypot(r[:, 0], r[:, 1]) <= mu * r[:, 2] * (1 + 1e-14)).all()
