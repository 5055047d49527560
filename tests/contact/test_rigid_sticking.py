"""The closed form of rigid bodies at rest on many points."""

from __future__ import annotations

import numpy as np
import pytest

from contact.problem import Compliances, ContactStatus, Problem, SoleDelassus
from contact.solvers import GaussSeidel, StickFactor, solve_at_rest

DT, MASS, HALF = 1e-3, 20.0, (0.12, 0.07)
STUCK = ContactStatus.STICK


def rigidly_stuck(problem, status, tolerance):
    nothing = StickFactor.of(problem.operator, np.zeros(problem.contacts, dtype=bool))
    return solve_at_rest(nothing, problem, status != ContactStatus.OPEN, tolerance)


def standing(force=(0.0, 0.0, -200.0), at=(0.0, 0.0)):
    """A rigid body on 5 x 3 points in the plane z = 0, pushed by `force` [N] at (x, y, 0.1)."""
    x, y = np.meshgrid(np.linspace(-1, 1, 5) * HALF[0], np.linspace(-1, 1, 3) * HALF[1])
    points = np.column_stack([x.ravel(), y.ravel(), np.zeros(15)])
    G = np.zeros((15, 3, 6))
    G[:, :, :3] = np.eye(3)
    for i, (a, b, c) in enumerate(points):
        G[i, :, 3:] = [[0, c, -b], [-c, 0, a], [b, -a, 0]]
    S = DT * np.diag([1 / MASS] * 3 + [2.0, 2.0, 1.0])
    operator = SoleDelassus(
        compliances=Compliances.of([15]),
        scale=np.full(1, 1 / DT),
        node=np.arange(15),
        frames=np.tile(np.eye(3), (15, 1, 1)),
        geometry=G.reshape(45, 6),
        support=S,
    )
    wrench = np.r_[force, np.cross([*at, 0.1], force)]
    q = G @ (S @ wrench)
    return Problem(operator, q, np.asarray(0.7)), points, wrench


def test_the_body_stands_still_and_the_forces_are_those_of_equal_springs():
    problem, points, wrench = standing(at=(0.03, -0.01))
    found = rigidly_stuck(problem, np.full(15, STUCK), 1e-12)
    assert found is not None and found.solved
    assert np.abs(found.velocity).max() < 1e-15
    # Equal springs: forces linear in x and y, f = N/15 + M_y-like parts, by hand.
    N, Mx, My = -wrench[2], -wrench[3], -wrench[4]
    x, y = points[:, 0], points[:, 1]
    assert found.reactions[:, 2] == pytest.approx(
        N / 15 + Mx * y / (y @ y) - My * x / (x @ x), rel=1e-12
    )
    assert found.reactions[:, :2] == pytest.approx(0.0, abs=1e-12)
    slow = GaussSeidel(tolerance=1e-10, max_sweeps=5000).solve(problem)
    assert slow.solved
    assert slow.reactions.sum(axis=0) == pytest.approx(found.reactions.sum(axis=0), abs=1e-6)


def test_points_that_were_open_carry_too_where_they_touch():
    """Two were open: they are at rest, so they carry; where nothing touched there is no answer."""
    problem, *_ = standing()
    status = np.full(15, STUCK)
    status[[0, 7]] = ContactStatus.OPEN
    found = rigidly_stuck(problem, status, 1e-12)
    assert found is not None and found.solved
    assert (found.reactions[:, 2] > 10.0).all()
    assert rigidly_stuck(problem, np.full(15, ContactStatus.OPEN), 1e-12) is None


def test_a_point_above_the_ground_carries_nothing():
    problem, *_ = standing()
    q = problem.offset.copy()
    q[2, 2] += 1e-4 / DT  # a gap
    status = np.full(15, STUCK)
    status[2] = ContactStatus.OPEN
    found = rigidly_stuck(Problem(problem.operator, q, np.asarray(0.7)), status, 1e-12)
    assert found is not None and found.solved
    assert not found.reactions[2].any()
    assert found.reactions[:, 2].sum() == pytest.approx(200.0)


def test_points_that_would_pull_are_let_go():
    """Near the toes equal springs would pull at the heel: the front columns carry it alone."""
    problem, points, _ = standing(at=(0.11, 0.0))
    found = rigidly_stuck(problem, np.full(15, STUCK), 1e-12)
    assert found is not None and found.solved
    N = found.reactions[:, 2]
    assert (N[points[:, 0] < 0.05] == 0).all() and (N[points[:, 0] > 0.05] > 1.0).all()
    assert N.sum() == pytest.approx(200.0) and N @ points[:, 0] == pytest.approx(22.0)
    assert np.abs(found.velocity).max() < 1e-15
    problem, *_ = standing(at=(0.13, 0.0))  # tips over its toes, which stick
    found = rigidly_stuck(problem, np.full(15, STUCK), 1e-12)
    assert found is not None and found.solved
    assert (found.status == np.where(points[:, 0] < 0.1, ContactStatus.OPEN, STUCK)).all()
    assert found.velocity[points[:, 0] < 0.1, 2].min() > 1e-6


@pytest.mark.parametrize(
    "case",
    [
        {"force": (150.0, 0.0, -200.0)},  # slides
        {"force": (0.0, 0.0, 100.0)},  # is lifted
    ],
)
def test_what_does_not_stick_is_no_answer(case):
    found = rigidly_stuck(standing(**case)[0], np.full(15, STUCK), 1e-8)
    assert found is None or not found.solved
