"""Sweeps by velocities, against sweeps by forces of the same problems."""

from __future__ import annotations

import numpy as np
import pytest
from doors import door
from hypothesis import given, settings
from hypothesis import strategies as st
from standing_soles import standing
from step_cases import small_pad

from contact.ground import Plane
from contact.problem import Problem, SoleDelassus, Solution, certify
from contact.solvers import GaussSeidel, SweptSoles, sweep_step
from contact.step import Body
from contact.step.step_solver import StepBegin, StepSolver
from contact.sweeps import SoleStiffness, find_held_bodies, make_pack, velocity_sweeps
from contact.sweeps.held_response_kernels import multiply_symmetric, multiply_twins
from contact.sweeps.velocity_sweeps import inverse_of
from contact.swept_step import fast_step
from sole.base.arrays import sealed

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
    problem: Problem, soles: list[int], status: np.ndarray, tolerance: float = TOLERANCE
) -> Solution:
    """Solve with `soles` swept by velocities, from nothing but the statuses `status`."""
    W = problem.operator
    assert isinstance(W, SoleDelassus)
    stiffness = SoleStiffness.of(W.compliances, W.geometry)
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
    pack = make_pack(C.first)
    twists = np.zeros(6 * C.bodies)
    return SweptSoles(stiffness, pack, position, nothing, nothing, twists, status)


CASES = [(1, [0], False), (2, [0], False), (2, [1], False), (2, [0, 1], False), (2, [0], True)]


@settings(max_examples=12, deadline=None)
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
    # A copy can be written, as in a step: a read-only one is another type, compiled for a minute.
    status = slow.status.copy() if before == 2 else np.full(problem.contacts, before)
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


def begun(
    problem: Problem, soles: list[int], seed: int, loaded: float = 1.0
) -> tuple[np.ndarray, SweptSoles]:
    """Forces and soles as some step before may have left them: C f0 = d0, the rest at random."""
    W, rng = problem.operator, np.random.default_rng(seed)
    assert isinstance(W, SoleDelassus)
    C, stiffness = W.compliances, SoleStiffness.of(W.compliances, W.geometry)
    position = np.full(C.bodies, -1)
    position[soles] = stiffness.arrays.position[soles]
    f = rng.standard_normal((C.nodes, 3)) * (rng.random((C.nodes, 1)) < loaded)
    for b in range(C.bodies):
        if C.position[b] < 0:
            f[C.first[b] : C.first[b + 1]] = 0.0
    d = C.apply(f.ravel(), W.scale).reshape(-1, 3)
    start, status = rng.standard_normal((problem.contacts, 3)), rng.integers(0, 3, problem.contacts)
    pack = make_pack(C.first)
    ahead = rng.standard_normal(6 * C.bodies)
    return start, SweptSoles(stiffness, pack, position, d, f, ahead, status)


STARTS = [(1, []), (2, []), (1, [0]), (2, [1]), (2, [0, 1])]


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(STARTS), st.integers(0, 1000), st.floats(0, 0.6), st.floats(0, 0.6),
    st.sampled_from([0.0, 0.3, 1.0]),
)  # fmt: skip
def test_any_start_leads_to_the_same_forces(
    case: tuple[int, list[int]], seed: int, sliding: float, lifted: float, loaded: float
) -> None:
    bodies, soles = case
    problem = problem_of(seed, bodies, sliding, lifted, False)
    slow = GaussSeidel(tolerance=0.01 * TOLERANCE, max_sweeps=20_000).solve(problem)
    start, state = begun(problem, soles, seed, loaded=loaded)
    done = sweep_step(GaussSeidel(tolerance=TOLERANCE, max_sweeps=3000), problem, start, state)
    assert done.solved and slow.solved
    assert certify(problem, done.reactions).error <= 2 * TOLERANCE
    scale = np.abs(slow.reactions).max()
    # Residuals times the condition of W, a few hundred.
    np.testing.assert_allclose(done.reactions, slow.reactions, atol=1e-6 * scale)


@pytest.mark.parametrize("soles", [[], [0, 1]])
def test_what_a_pack_held_before_changes_no_bit(soles: list[int]) -> None:
    problems = [problem_of(seed, 2, 0.3, 0.3, False) for seed in (4, 5)]
    solver = GaussSeidel(tolerance=1e-5, max_sweeps=3000)
    start, state = begun(problems[0], soles, 4, 0.3)
    fresh = sweep_step(solver, problems[0], start, state)
    other, its = begun(problems[1], [0], 5, 1.0)  # C of one sole, all of its nodes
    for _ in range(2):
        sweep_step(solver, problems[1], other, its)  # fills its own pack
        again = sweep_step(solver, problems[0], start, state._replace(pack=its.pack))
        np.testing.assert_array_equal(again.reactions, fresh.reactions)
        np.testing.assert_array_equal(again.displacements, fresh.displacements)
        assert (again.sweeps, again.generator) == (fresh.sweeps, fresh.generator)
    assert fresh.sweeps > 2


@pytest.mark.parametrize("soles", [[], [0]])
def test_forces_that_need_no_sweep_have_exact_displacements(soles: list[int]) -> None:
    problem = problem_of(4, 1, 0.3, 0.3, False)
    W = problem.operator
    exact = GaussSeidel(tolerance=1e-13, max_sweeps=20_000).solve(problem)
    r = np.asarray(exact.reactions)
    _, state = begun(problem, soles, 4, 0.0)
    if soles:  # begins with the velocities, which x is
        d = W.compliances.apply(W.nodal(r), W.scale).reshape(-1, 3)
        state = state._replace(displacements=d, forces=W.nodal(r).reshape(-1, 3))
    state = state._replace(status=np.array(exact.status))
    done = sweep_step(GaussSeidel(tolerance=1e-4, max_sweeps=3000), problem, r, state)
    assert done.sweeps == 0
    d = W.compliances.apply(W.nodal(done.reactions), W.scale)
    # Round-off of sums over 45 terms. By velocities, u is x.
    error = np.abs(done.displacements - d).max() / np.abs(d).max()
    assert error < (1e-5 if soles else 1e-14)


@pytest.mark.parametrize("twins", [False, True])
def test_the_product_with_a_symmetric_stiffness(twins: bool) -> None:
    """Its products and sums are made in double precision: only what K~ lost is lost."""
    rng = np.random.default_rng(1)
    half = rng.standard_normal((300, 300))
    C = half @ half.T + 30.0 * np.eye(300)
    K = np.linalg.inv(C)
    z, f = rng.standard_normal(600), np.zeros(600)
    multiply = multiply_twins if twins else multiply_symmetric
    door(multiply)(sealed(K.ravel()), 0, 300, z, 0, f)
    for n in range(1 + twins):
        part = slice(300 * n, 300 * n + 300)
        wrong = np.linalg.norm(C @ f[part] - z[part])
        off = np.linalg.norm(C @ K - np.eye(300))
        assert wrong <= off * np.linalg.norm(z[part])


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
    soles = at_rest(moved, stiffness, stiffness.arrays.position.copy(), status)
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
    scene = fast_step([Body.of(small_pad())] * 2, Plane())
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
    by_forces = at_rest(problem.operator, solver.unknown, np.full(2, -1), status)
    only = sweep_step(solver.sweeps, problem, nothing, by_forces)
    np.testing.assert_array_equal(slow.reactions, only.reactions)
    assert (quick.reactions != slow.reactions).any()


def test_an_inverse_is_made_once_and_only_equal_soles_share_it(monkeypatch):
    rng = np.random.default_rng(0)
    half = rng.standard_normal((2, 30, 30))
    first, second = half @ half.transpose(0, 2, 1) + np.eye(30)
    K, error = inverse_of(first)
    other, _ = inverse_of(second)
    np.testing.assert_allclose(first @ K, np.eye(30), atol=1e-10)
    np.testing.assert_allclose(second @ other, np.eye(30), atol=1e-10)
    assert inverse_of(first.copy())[0] is K and error < 1e-10
    for seed in range(20):  # old ones are forgotten
        inverse_of((1.0 + seed) * np.eye(3))
    again, _ = inverse_of(first)
    assert again is not K
    np.testing.assert_array_equal(again, K)
    monkeypatch.setattr(velocity_sweeps, "LARGEST", 8 * 30 * 30 - 1)
    large = 2.0 * first
    assert inverse_of(large)[0] is not inverse_of(large)[0]
