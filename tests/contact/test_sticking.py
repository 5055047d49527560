"""The closed form of a step that only sticks, against Gauss-Seidel."""

from __future__ import annotations

import numpy as np
import pytest
from soles_apart import two_unequal_soles
from standing_soles import standing

from contact.problem import Compliances, Problem, SoleDelassus, certify
from contact.solvers import GaussSeidel, StickFactor, solve_at_rest


@pytest.mark.parametrize("bodies", [1, 2])
def test_equals_gauss_seidel(pad, bodies):
    problem = standing(pad, bodies=bodies)
    slow = GaussSeidel(tolerance=1e-12, max_sweeps=20_000).solve(problem)
    assert slow.solved and (slow.status != 2).all() and 0 < (slow.status == 0).sum()
    factor = StickFactor.of(problem.operator, slow.status == 1)
    fast = factor.solve(problem, 1e-10)
    assert fast.solved and fast.iterations == 0
    # Both are solutions to 1e-12 of |q| rho; the condition of W (a few hundred) comes on top.
    scale = np.abs(slow.reactions).max()
    np.testing.assert_allclose(fast.reactions, slow.reactions, atol=1e-9 * scale)
    np.testing.assert_array_equal(fast.status, slow.status)
    # The same set serves the next step, with another load, frames and time step.
    later = standing(pad, bodies=bodies, seed=1)
    assert factor.solve(later, 1e-10).solved


def test_a_wrong_set_is_noticed(pad):
    problem = standing(pad)
    right = GaussSeidel(tolerance=1e-12, max_sweeps=20_000).solve(problem).status == 1
    wrong = right.copy()
    wrong[np.flatnonzero(right)[:3]] = False  # three nodes would go through the ground
    assert not StickFactor.of(problem.operator, wrong).solve(problem, 1e-6).solved
    sliding = standing(pad, push=0.5)
    assert not StickFactor.of(sliding.operator, right).solve(sliding, 1e-6).solved


def test_no_closed_form_on_rigid_bodies_or_doubled_nodes(pad):
    problem = standing(pad, rigid_second=True)
    everything = np.ones(problem.contacts, dtype=bool)
    assert StickFactor.of(problem.operator, everything) is None
    soft = everything.copy()
    soft[len(pad.points) :] = False  # nothing of the rigid body sticks
    assert StickFactor.of(problem.operator, soft) is not None
    twice = SoleDelassus(
        compliances=Compliances.of([pad.compliance]),
        scale=np.ones(1),
        node=np.array([0, 1, 1]),
        frames=np.tile(np.eye(3), (3, 1, 1)),
        geometry=pad.geometry,
        support=np.eye(6),
    )
    assert StickFactor.of(twice, np.ones(3, dtype=bool)) is None


@pytest.mark.parametrize("start", [True, False])
def test_soft_and_rigid_bodies_together(pad, start):
    """Soft forces as Gauss-Seidel has them, the rigid ones up to what changes no motion."""
    problem = standing(pad, rigid_second=True)
    W, m = problem.operator, len(pad.points)
    slow = GaussSeidel(tolerance=1e-12, max_sweeps=20_000).solve(problem)
    assert slow.solved
    first = W.body == 0
    assert 2 not in slow.status[first]
    reference = W.geometry.copy()
    reference[:, 3:] *= 1.03  # the nodes have moved since the factor was made
    factor = StickFactor.of(W, first & (slow.status == 1), reference)
    near = slow.reactions if start else None
    fast = solve_at_rest(factor, problem, ~first & (slow.status != 0), 1e-9, near)
    assert fast is not None and fast.solved
    size = np.abs(slow.reactions).max()
    np.testing.assert_allclose(fast.reactions[:m], slow.reactions[:m], atol=1e-7 * size)
    wrenches = [W.wrenches(W.nodal(x.reactions)) for x in (fast, slow)]
    np.testing.assert_allclose(*wrenches, atol=1e-7 * np.abs(wrenches[0]).max())
    np.testing.assert_allclose(fast.velocity, problem.velocity(fast.reactions), atol=1e-13)
    assert np.abs(fast.velocity[~first & (fast.status == 1)]).max() < 1e-10
    moved = W.compliances.apply(W.nodal(fast.reactions), W.scale)
    np.testing.assert_allclose(fast.displacements, moved, atol=1e-11 * np.abs(moved).max())


def test_sticking_contacts_of_unequal_soles_stand_still():
    W = two_unequal_soles()
    q = np.random.default_rng(5).normal(size=(W.contacts, 3))
    sticking = np.array([True, False, True, False, True, True])  # one contact per node
    problem = Problem(W, q, np.asarray(1.0))
    r = StickFactor.of(W, sticking).solve(problem, 1e-9).reactions
    assert (r[~sticking] == 0).all()
    # u_A = 0, the law itself: round-off of W r, times the condition of C (below 10).
    tight = 1e-12 * np.abs(W.dense()).max() * np.abs(r).max()
    np.testing.assert_allclose(problem.velocity(r)[sticking], 0.0, atol=tight)


@pytest.mark.parametrize(("start", "tolerance"), [(True, 1e-9), (False, 1e-9), (False, 0.9)])
def test_velocities_motions_and_certificate_are_those_of_the_operator(pad, start, tolerance):
    """Also after one pass (a tolerance of 0.9), when much is left at the contacts."""
    problem = standing(pad)
    W = problem.operator
    slow = GaussSeidel(tolerance=1e-12, max_sweeps=20_000).solve(problem)
    # The factor knows the undeformed sole; the nodes are elsewhere now, by a few percent.
    reference = W.geometry.copy()
    reference[:, 3:] *= 1.03
    factor = StickFactor.of(W, slow.status == 1, reference)
    fast = factor.solve(problem, tolerance, slow.reactions if start else None)
    assert fast.solved
    assert (fast.certificate.error > 1e-6) == (tolerance > 0.5)
    scale = np.abs(problem.velocity(np.zeros_like(slow.reactions))[slow.status == 1]).max()
    np.testing.assert_allclose(
        fast.velocity, problem.velocity(fast.reactions), atol=1e-11 * scale, rtol=1e-11
    )
    moved = W.compliances.apply(W.nodal(fast.reactions), W.scale)
    np.testing.assert_allclose(fast.displacements, moved, atol=1e-11 * np.abs(moved).max())
    assert certify(problem, fast.reactions).error <= fast.certificate.error <= tolerance


def test_a_wrong_inverse_shows_in_the_certificate(pad):
    problem = standing(pad)
    slow = GaussSeidel(tolerance=1e-12, max_sweeps=20_000).solve(problem)
    factor = StickFactor.of(problem.operator, slow.status == 1)
    for sole in factor.soles:
        assert sole.error < 1e-10
        object.__setattr__(sole, "error", 1e-6)  # as of a matrix near singular
    assert not factor.solve(problem, 1e-8).solved
