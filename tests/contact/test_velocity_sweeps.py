"""Sweeps by velocities, against sweeps by forces of the same problems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from standing_soles import standing
from step_cases import small_pad

from contact.ground import Plane
from contact.problem import Problem, SoleDelassus, Solution, certify
from contact.solvers import (
    GaussSeidel,
    SoleStiffness,
    SweptSoles,
    find_held_bodies,
    make_pack,
    sweep_step,
    velocity_sweeps,
)
from contact.solvers.velocity_sweeps import inverse_of
from contact.step import Body, CompliantStep
from contact.step.step_solver import StepBegin, StepSolver

TOLERANCE = 1e-10


def problem_of(seed: int, bodies: int, sliding: float, lifted: float, rigid: bool) -> Problem:
    """Nodes of two soles that stick, but for parts of them that slide or hang in the air."""
    base = standing(small_pad(), bodies=bodies, rigid_second=rigid, seed=seed)
    rng = np.random.default_rng(seed)
    q, mu = base.offset.copy(), np.full(base.contacts, 1.5)
    pushed, raised = rng.random((2, base.contacts))
    q[:, 2] = -0.05
    q[pushed < sliding, 0] += 0.1
    mu[pushed < sliding] = 0.2
    q[raised < lifted, 2] = rng.uniform(0.0, 0.5)
    if rigid:  # the rigid points keep what makes them touch
        second = base.contacts // 2
        q[second:], mu[second:] = base.offset[second:], 1.5
    return Problem(base.operator, q, mu)


def by_velocities(
    problem: Problem, soles: list[int], status: np.ndarray, tolerance: float = TOLERANCE,
    compact: bool = False,
) -> Solution:  # fmt: skip
    """Solve with `soles` swept by velocities, from nothing but the statuses `status`."""
    W = problem.operator
    assert isinstance(W, SoleDelassus)
    stiffness = SoleStiffness.of(W.compliances, W.geometry, compact)
    position = np.full(W.compliances.bodies, -1)
    position[soles] = stiffness.arrays.position[soles]
    solver = GaussSeidel(tolerance=tolerance, max_sweeps=3000)
    return sweep_step(
        solver, problem, np.zeros_like(problem.offset), at_rest(W, stiffness, position, status)
    )


def at_rest(
    W: SoleDelassus, stiffness: SoleStiffness, position: np.ndarray, status: np.ndarray
) -> SweptSoles:
    """Soles that begin undeformed."""
    C, nothing = W.compliances, np.zeros((W.compliances.nodes, 3))
    pack = make_pack(C.first, C.compact.dtype if stiffness.single == 0.0 else np.float32)
    twists = np.zeros(6 * C.bodies)
    return SweptSoles(stiffness, pack, position, nothing, nothing, twists, status)


CASES = [(1, [0], False), (2, [0], False), (2, [1], False), (2, [0, 1], False), (2, [0], True)]


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(CASES), st.integers(0, 1000), st.floats(0, 0.6), st.floats(0, 0.6),
    st.integers(0, 2),
)  # fmt: skip
def test_equal_sweeps_by_forces(
    case: tuple[int, list[int], bool], seed: int, sliding: float, lifted: float, before: int
) -> None:
    bodies, soles, rigid = case
    problem = problem_of(seed, bodies, sliding, lifted, rigid)
    # Sweeps over redundant rigid points converge slowly, whoever sweeps.
    tolerance = 1e-7 if rigid else TOLERANCE
    slow = GaussSeidel(tolerance=0.01 * tolerance, max_sweeps=20_000).solve(problem)
    status = slow.status if before == 2 else np.full(problem.contacts, before)
    fast = by_velocities(problem, soles, status, tolerance)
    assert fast.solved
    # Its own certificate, which never reads C, agrees with one that does.
    assert certify(problem, fast.reactions).error <= 2 * tolerance
    scale = np.abs(slow.reactions).max()
    if not rigid:  # forces of rigid points are not unique
        assert slow.solved
        # Residuals times the condition of W, a few hundred.
        np.testing.assert_allclose(fast.reactions, slow.reactions, atol=1e-6 * scale)
    W, d = problem.operator, fast.displacements
    assert d is not None and isinstance(W, SoleDelassus)
    np.testing.assert_allclose(
        d,
        W.compliances.apply(W.nodal(fast.reactions), W.scale),
        atol=1e-9 * np.abs(d).max(),
    )


@pytest.mark.parametrize("seed", range(6))
def test_what_single_precision_leaves_is_in_the_certificate(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(velocity_sweeps, "CACHE", 0)
    monkeypatch.setattr(velocity_sweeps, "_inverses", [])
    problem = problem_of(seed, 2, 0.3, 0.3, False)
    W = problem.operator
    assert isinstance(W, SoleDelassus)
    stiffness = SoleStiffness.of(W.compliances, W.geometry, True)
    assert stiffness.arrays.compact.dtype == np.float32
    C, K = W.compliances.matrix(0), stiffness.arrays.compact[: 45 * 45].reshape(45, 45)
    assert C is not None
    off = float(np.linalg.norm(C @ K.astype(float) - np.eye(45)))
    assert stiffness.single == pytest.approx(off, rel=1e-6)
    assert 1e-8 < off < 1e-5
    status = np.ones(problem.contacts, np.int64)
    done = by_velocities(problem, [0, 1], status, 1e-4, True)
    exact = certify(problem, done.reactions)
    # What the certificate bounds is there: more than double precision would leave, less than said.
    assert exact.worst <= done.certificate.worst
    assert done.certificate.worst - exact.worst < 1e-4
    moved = np.linalg.norm(done.velocity)  # the start is u = 0
    unseen = 2 * (1 + problem.steepest) * stiffness.single * moved / problem.size
    assert done.certificate.worst > 0.5 * unseen
    plain = by_velocities(problem, [0, 1], status, 1e-4)
    assert plain.certificate.worst < done.certificate.worst
    assert not SoleStiffness.of(W.compliances, W.geometry).single


def test_forces_are_inside_the_cones_and_zero_where_open() -> None:
    problem = problem_of(3, 2, 0.3, 0.3, False)
    done = by_velocities(problem, [0, 1], np.ones(problem.contacts, np.int64), 1e-6)
    r, status = done.reactions, done.status
    assert done.solved and {0, 1, 2} <= set(status.tolist())
    assert not r[status == 0].any()
    room = problem.friction * r[:, 2] - np.hypot(r[:, 0], r[:, 1])
    assert room.min() >= -1e-15 * np.abs(r).max()


def test_the_motions_of_deformed_soles_are_seen() -> None:
    """G of the nodes where they are now, far from G0: the sweeps repeat until u is right."""
    straight = problem_of(5, 2, 0.2, 0.2, False)
    W = straight.operator
    G = W.geometry + 0.05 * np.random.default_rng(5).normal(size=W.geometry.shape)
    moved = SoleDelassus(
        compliances=W.compliances, scale=W.scale, node=W.node, frames=W.frames, geometry=G,
        support=W.support,
    )  # fmt: skip
    problem = Problem(moved, straight.offset, straight.friction)
    stiffness = SoleStiffness.of(W.compliances, W.geometry)
    status = np.ones(problem.contacts, np.int64)
    soles = at_rest(moved, stiffness, stiffness.arrays.position, status)
    solver = GaussSeidel(tolerance=1e-8, max_sweeps=2000)
    done = sweep_step(solver, problem, np.zeros_like(problem.offset), soles)
    assert done.solved == done.certificate.holds(2e-8)
    true = certify(problem, done.reactions).error
    assert done.certificate.error == pytest.approx(true, rel=1e-3, abs=1e-11)


def test_which_soles_are_swept_by_velocities() -> None:
    W = problem_of(1, 2, 0.0, 0.0, False).operator
    C, m = W.compliances, W.compliances.first[1]

    def count(status: np.ndarray, operator: SoleDelassus = W) -> list[bool]:
        held, number = find_held_bodies(status, operator.arrays, C.first, C.position, 0.25)
        assert number == (held >= 0).sum()
        return (held >= 0).tolist()

    sticks = np.ones(2 * m, np.int64)
    assert count(sticks) == [True, True]
    sticks[: m // 4] = 2
    assert count(sticks) == [True, True]
    sticks[: m // 4 + 1] = 0
    assert count(sticks) == [False, True]
    part = SoleDelassus(  # a node that is no contact; it may hang in the air
        compliances=C, scale=W.scale, node=W.node[1:], frames=W.frames[1:], geometry=W.geometry,
        support=W.support,
    )  # fmt: skip
    assert count(np.ones(2 * m - 1, np.int64), part) == [False, True]


def test_a_step_falls_back_to_forces() -> None:
    scene = CompliantStep([Body.of(small_pad())] * 2, Plane())
    solver: StepSolver = scene.solver
    problem = problem_of(2, 2, 0.1, 0.0, False)
    nothing, still = np.zeros_like(problem.offset), np.zeros((problem.contacts, 3))
    begin = StepBegin(still, still, np.zeros(12))
    status = np.ones(problem.contacts, np.int64)
    status[0] = 2
    quick = solver.solve(problem, nothing, status, 0, begin)
    assert quick.solved and quick.certificate.holds(1e-6)
    solver.velocities = GaussSeidel(tolerance=1e-6, max_sweeps=0)
    slow = solver.solve(problem, nothing, status, 0, begin)
    assert slow.solved
    np.testing.assert_array_equal(slow.reactions, solver.sweeps.solve(problem, nothing).reactions)
    assert (quick.reactions != slow.reactions).any()


def test_an_inverse_is_made_once_and_only_equal_soles_share_it(monkeypatch):
    rng = np.random.default_rng(0)
    half = rng.standard_normal((2, 30, 30))
    first, second = half @ half.transpose(0, 2, 1) + np.eye(30)
    K, error, _ = inverse_of(first)
    other, _, _ = inverse_of(second)
    np.testing.assert_allclose(first @ K, np.eye(30), atol=1e-10)
    np.testing.assert_allclose(second @ other, np.eye(30), atol=1e-10)
    assert inverse_of(first.copy())[0] is K and error < 1e-10
    for seed in range(20):  # old ones are forgotten
        inverse_of((1.0 + seed) * np.eye(3))
    again, _, _ = inverse_of(first)
    assert again is not K
    np.testing.assert_array_equal(again, K)
    monkeypatch.setattr(velocity_sweeps, "LARGEST", 8 * 30 * 30 - 1)
    large = 2.0 * first
    assert inverse_of(large)[0] is not inverse_of(large)[0]
