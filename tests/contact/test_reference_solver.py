"""The slow solver against closed forms, so that the others can be held against it."""

from __future__ import annotations

import numpy as np
import pytest
from reference_solver import ReferenceSolver
from solver_problems import definite, rigid_body, skewed

from contact import coulomb as cone
from contact.problem import Outcome, Problem


def test_one_contact_in_closed_form():
    """W = w 1: open, stick r = -q/w, slip |r_t| = mu r_n against q_t."""
    mu, w = 0.5, 2.0
    q = np.array([[1.0, 0.0, 0.5], [0.3, 0.2, -1.0], [3.0, 4.0, -1.0]])
    exact = np.array([[0.0, 0.0, 0.0], -q[1] / w, [-0.6 * mu / w, -0.8 * mu / w, 1 / w]])
    for k in range(3):
        solution = ReferenceSolver().solve(Problem.dense(w * np.eye(3), q[k : k + 1], mu))
        assert solution.solved
        np.testing.assert_allclose(solution.reactions[0], exact[k], atol=1e-12)


def test_block_on_a_plane_pushed_at_its_centre():
    """Rigid, four contacts: the sum of the forces is known, their distribution is not."""
    mu, push = 0.3, np.array([2.0, 0.0, -1.0])
    W = np.kron(np.ones((4, 4)), np.eye(3))
    solution = ReferenceSolver().solve(Problem.dense(W, np.tile(push, (4, 1)), mu))
    assert solution.solved
    np.testing.assert_allclose(solution.reactions.sum(axis=0), [-mu, 0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(solution.velocity, np.tile([2.0 - mu, 0, 0], (4, 1)), atol=1e-12)


@pytest.mark.parametrize("problem", [definite(1, 8, 0.4), rigid_body(2, 6, 0.5), skewed(3, 6, 0.6)])
def test_meets_the_law_written_out(problem):
    solution = ReferenceSolver(tolerance=1e-12).solve(problem)
    assert solution.solved
    r, mu = solution.reactions, problem.friction
    u = (problem.operator.dense() @ r.ravel()).reshape(-1, 3) + problem.offset
    scale = problem.rho * np.linalg.norm(problem.offset)
    small_r, small_u = 1e-11 * scale, 1e-11 * scale / problem.rho
    assert (r[:, 2] >= -small_r).all() and (u[:, 2] >= -small_u).all()
    assert (cone.distance_to_cone(r, mu) <= small_r).all()
    assert (np.minimum(r[:, 2] / scale, u[:, 2] * problem.rho / scale) <= 1e-11).all()
    slides = np.hypot(u[:, 0], u[:, 1]) > 1e-6 * scale / problem.rho
    t = u[slides, :2] / np.hypot(u[slides, 0], u[slides, 1])[:, None]
    against = -mu[slides, None] * r[slides, 2:] * t
    # the direction is known to residual / |u_t| <= 1e-11/1e-6
    np.testing.assert_allclose(r[slides, :2], against, atol=1e-5 * scale)


def test_says_when_it_did_not_arrive():
    solution = ReferenceSolver(max_iterations=3).solve(rigid_body(2, 6, 0.5))
    assert solution.outcome is Outcome.STALLED
    assert ReferenceSolver().solve(Problem.dense(np.zeros((0, 0)), np.zeros(0), 1.0)).solved
