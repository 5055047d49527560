"""The one compiled call of `solve` for soles, against the general way and the certificate."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from structured_soles import structured

from contact.problem import Outcome, Problem, SoleDelassus, Solution, certify
from contact.solvers import GaussSeidel, solve, solve_problem
from contact.solvers.soles_at_once import solve_soles_quickly
from contact.solvers.solved_sheet import SolvedSheet, sweep_rule

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


def test_forces_are_those_of_the_general_way():
    """One contact on each node of a soft sole: forces are unique.

    The eigenvalues of W are above 0.15 times its mean diagonal: an error of the natural map of
    `tolerance` rho |q| moves the forces by less than ten times that.
    """
    problem = plain()
    W = problem.operator
    assert np.linalg.eigvalsh(W.dense())[0] > 0.15 * W.mean_diagonal
    exact = GaussSeidel(tolerance=1e-14, max_sweeps=20_000).solve(problem)
    for tolerance in (1e-5, 1e-7, 1e-12):
        found = quickly(problem, tolerance)
        assert found.solved
        wrong = np.abs(found.reactions - exact.reactions).max()
        assert wrong <= 10 * tolerance * problem.rho * problem.size + 1e-13


def quickly(problem: Problem, tolerance: float, start: np.ndarray | None = None) -> SolvedSheet:
    sweeps = GaussSeidel(tolerance=0.9 * tolerance, max_sweeps=200)
    found = solve_soles_quickly(problem, start, sweep_rule(sweeps, tolerance, 1e6))
    assert found is not None
    return found


@pytest.mark.parametrize("bodies", [1, 3])
def test_the_sheet_tells_what_the_forces_are_worth(bodies):
    """Residuals, velocities, statuses and displacements are those of the forces themselves."""
    problem, _ = solvable(bodies)
    found = quickly(problem, 1e-7)
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
    copy = pickle.loads(pickle.dumps(found))
    assert type(copy) is Solution
    np.testing.assert_array_equal(copy.displacements, found.displacements)
    for array in (found.reactions, found.velocity, found.status, found.displacements):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


def test_a_start_that_solves_the_problem_is_left_alone():
    problem, _ = solvable(3)
    exact = solve(problem, tolerance=1e-12, max_sweeps=20_000).required()
    again = quickly(problem, 1e-10, exact.reactions)
    assert again.sweeps == 0
    np.testing.assert_allclose(again.reactions, exact.reactions, atol=1e-11)


def test_sweeps_end_soon_after_the_target_is_met():
    """Residuals are measured near the end only, but not too late: two sweeps less are not enough.

    A sweep lowers the residual of this problem by a third and more.
    """
    problem = plain()
    for tolerance in (1e-3, 1e-4, 1e-5, 1e-6):
        sweeps = quickly(problem, tolerance).sweeps
        less = GaussSeidel(tolerance=0.9 * tolerance, max_sweeps=sweeps - 2)
        found = solve_soles_quickly(problem, None, sweep_rule(less, tolerance, 1e6))
        assert sweeps > 2 and found is not None and found.certificate.natural_map > 0.9 * tolerance


def test_forces_that_are_not_good_enough_say_so():
    """Sweeps that end too early leave a stalled solution; `solve` goes on from it."""
    problem = structured()
    rule = sweep_rule(GaussSeidel(tolerance=1e-12, max_sweeps=2), 1e-12, 1e6)
    found = solve_soles_quickly(problem, None, rule)
    assert found is not None and found.outcome is Outcome.STALLED and found.sweeps == 2
    assert not found.certificate.holds(1e-12)
    on = solve(problem, tolerance=1e-12, max_sweeps=2)
    assert on.certificate.holds(1e-12) and on.method != "gauss-seidel"


def test_what_it_does_not_take_goes_the_general_way(monkeypatch):
    """Steep friction, huge or tiny q, starts that are refused."""
    taken = []

    def counted(*given):
        taken.append(solve_soles_quickly(*given))
        return taken[-1]

    monkeypatch.setattr(solve_problem, "solve_soles_quickly", counted)
    problem = plain()
    assert solve(problem) is taken[-1]
    steep = Problem(problem.operator, problem.offset, np.full(problem.contacts, 1e7))
    assert solve(steep).solved and taken[-1] is None
    small = Problem(problem.operator, 1e-120 * problem.offset, problem.friction)
    assert solve(small).solved and taken[-1] is None
    start = np.zeros_like(problem.offset)
    start[0, 0] = np.nan
    with pytest.raises(Exception, match="the start must be finite"):
        solve(problem, start=start)
    assert taken[-1] is None
    with pytest.raises(Exception, match="the start has shape"):
        solve(problem, start=start[:-1])
    assert taken[-1] is None


@pytest.mark.parametrize("sweeps", [1, 2, 5])
def test_forces_are_in_their_cones_after_any_sweep(sweeps):
    """Over-relaxed ones as well: round-off of mu r_n, no more."""
    for seed in range(8):
        problem, known = solvable(bodies=2)
        start = known * np.random.default_rng(seed).uniform(0.5, 1.5, known.shape)
        rule = sweep_rule(GaussSeidel(tolerance=1e-14, max_sweeps=sweeps), 1e-14, 1e6)
        found = solve_soles_quickly(problem, start, rule)
        assert found is not None and found.sweeps == sweeps
        r, mu = found.reactions, problem.friction
        assert (np.hypot(r[:, 0], r[:, 1]) <= mu * r[:, 2] * (1 + 1e-14)).all()
