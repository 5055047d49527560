"""The door to all solvers: they agree, limits, what it refuses, what a failure hands over."""

from __future__ import annotations

import numpy as np
import packings
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_solver import ReferenceSolver
from solver_problems import banded, definite, permuted, rigid_body, skewed, soles, turned

from contact.problem import DenseDelassus, Outcome, Problem, certify
from contact.solvers import GaussSeidel, check_direction, solve
from contact.solvers.solve_problem import METHODS, solver_of
from sole.base.errors import ConvergenceError, SoleError

KINDS = {
    "dense": definite,
    "sparse": banded,
    "soles": soles,
    "asymmetric": skewed,
    "rigid": rigid_body,
}
FRICTION = [0.0, 0.05, 0.3, 0.6, 1.0, 3.0]
EXACT = ("gauss-seidel", "newton", "interior-point")


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(KINDS)),
    st.integers(0, 100_000),
    st.integers(1, 10),
    st.sampled_from(FRICTION),
)
def test_auto_meets_the_tolerance_on_every_kind(kind, seed, contacts, friction):
    problem = KINDS[kind](seed, contacts, friction)
    solution = solve(problem, tolerance=1e-9)
    assert solution.solved and certify(problem, solution.reactions).holds(1e-9)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(["dense", "sparse", "soles"]), st.integers(0, 10_000), st.floats(0.05, 0.5))
def test_methods_agree_with_the_reference(kind, seed, friction):
    """Unique where W is well conditioned and friction moderate: all forces coincide."""
    problem = KINDS[kind](seed, 5, friction)
    exact = ReferenceSolver(tolerance=1e-12).solve(problem)
    assert exact.solved
    size = problem.rho * np.linalg.norm(problem.offset)
    for method in ("auto", *EXACT):
        solution = solve(problem, method, tolerance=1e-10, max_sweeps=5000)
        assert solution.solved, method
        # |r - r'| <= cond (natural map); eigenvalues of these W are within a factor of 1e3
        distance = np.linalg.norm(solution.reactions - exact.reactions)
        assert distance <= 1e3 * 1e-10 * size, method


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.1, 5.0))
def test_one_contact_with_strong_coupling(seed, friction):
    """m = 1, where the answer need not be unique: judged by residual alone."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    problem = Problem.dense(A @ A.T + 1e-3 * np.eye(3), rng.normal(size=(1, 3)), friction)
    for method in ("auto", "newton"):
        assert solve(problem, method, tolerance=1e-9).solved


@pytest.mark.parametrize("friction", [0.0, 0.4, 0.8, 100.0])
@pytest.mark.parametrize("build", [packings.box_on_plane, packings.tower, packings.arch])
def test_packings_of_rigid_bodies(build, friction):
    solution = solve(build(seed=1, mu=friction), tolerance=1e-8)
    assert solution.certificate.holds(1e-8)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_objectivity_and_permutation(kind):
    """From the turned (permuted) answer the turned answer, from nothing the same motion."""
    problem = KINDS[kind](3, 8, 0.4)
    r = solve(problem, tolerance=1e-12).reactions
    size = np.abs(r).max()
    other, R = turned(problem, 5)
    start = np.einsum("kab,kb->ka", R, r)
    s = solve(other, tolerance=1e-11, start=start).reactions
    np.testing.assert_allclose(s, start, atol=1e-12 * size)
    order = np.random.default_rng(2).permutation(8)
    p = solve(permuted(problem, order), tolerance=1e-11, start=r[order]).reactions
    np.testing.assert_allclose(p, r[order], atol=1e-12 * size)
    if kind != "rigid":
        cold = solve(permuted(problem, order), tolerance=1e-12).reactions
        np.testing.assert_allclose(cold, r[order], atol=1e-9 * size)


def test_without_offset_there_is_no_force():
    problem = Problem.dense(np.eye(6), np.zeros((2, 3)), 0.5)
    for method in METHODS:
        solution = solve(problem, method, start=np.ones((2, 3)))
        assert solution.solved and not solution.reactions.any()


def test_empty_problem():
    empty = Problem.dense(np.zeros((0, 0)), np.zeros(0), 0.5)
    for method in METHODS:
        assert solve(empty, method).solved


@pytest.mark.parametrize("friction", [0.0, 0.5, 100.0])
def test_squeezed_is_proved_to_have_no_solution(friction):
    problem = packings.squeezed(mu=friction)
    solution = solve(problem)
    assert solution.outcome is Outcome.INFEASIBLE
    assert check_direction(problem, solution.direction).holds(1e-8)
    with pytest.raises(ConvergenceError) as error:
        solve(problem, check=True)
    assert error.value.best.direction is not None


def slipping(seed, contacts, rank, friction, share=1.0):
    """Problem and an exact solution of it that slips, beside a z with W z = 0 and q'z < 0."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(0, 2 * np.pi, contacts)
    d = np.stack([np.cos(a), np.sin(a)], axis=1)
    force, slip, part = rng.exponential(size=(3, contacts))
    slip = np.where(rng.random(contacts) < share, slip, 0.0)
    r = np.column_stack([friction * force[:, None] * d, force])
    u = np.column_stack([-slip[:, None] * d, np.zeros(contacts)])
    z = np.column_stack([0.9 * friction * part[:, None] * d, part]).ravel()
    B = rng.normal(size=(3 * contacts, rank))
    B -= np.outer(z, z @ B) / (z @ z)
    W = B @ B.T
    return Problem.dense(W, u.ravel() - W @ r.ravel(), friction), r, z


@pytest.mark.parametrize(
    ("seed", "contacts", "rank", "friction"),
    [
        (7, 4, 3, 1.0),
        (5, 8, 10, 1.0),
        (3, 12, 12, 0.7),
        *(pytest.param(*p, marks=pytest.mark.nightly) for p in ((6, 3, 2, 2.0), (8, 20, 25, 0.7))),
    ],
)
def test_an_oblique_direction_does_not_exclude_slip(seed, contacts, rank, friction):
    """The convex problem without slip has no solution there, Coulomb's law has a known one."""
    problem, r, z = slipping(seed, contacts, rank, friction)
    assert certify(problem, r).holds(1e-10)
    assert np.sum(problem.offset.ravel() * z) < 0
    assert np.linalg.norm(problem.operator.apply(z.reshape(-1, 3))) < 1e-10 * np.linalg.norm(z)
    assert solve(problem).solved


@pytest.mark.parametrize("gap", [2.0**-40, 2.0**-34])
def test_nearly_singular_is_not_infeasible(gap):
    """W (1, 1) = gap, not 0: forces of 1/gap, exact in binary, solve the problem."""
    W = np.eye(6)
    W[2, 5] = W[5, 2] = gap - 1
    problem = Problem.dense(W, [0, 0, -1, 0, 0, -1], 0.5)
    assert certify(problem, np.array([[0, 0, 1 / gap]] * 2)).worst == 0.0
    assert solve(problem).outcome is not Outcome.INFEASIBLE


@pytest.mark.parametrize("seed", [0, 6, pytest.param(13, marks=pytest.mark.nightly)])
def test_clouds_of_rigid_bodies(seed):
    """Contacts in all directions, masses over four decades: only smoothed paths find the way."""
    assert solve(packings.cloud(5, 60, seed, 1.5)).solved


@pytest.mark.parametrize("friction", [1e6, 1e12])
@pytest.mark.parametrize("build", [packings.box_on_plane, packings.tower])
def test_huge_friction_is_stick(build, friction):
    """From 1e6 on friction counts as 1e6, where round-off of mu |u_t| is below the tolerance."""
    problem = build(seed=1, mu=friction)
    solution = solve(problem)
    assert solution.solved and solution.problem.friction.max() <= 1e6
    assert certify(solution.problem, solution.reactions).holds(1e-8)


def test_units_far_from_one():
    W, q = definite(2, 4, 0.5).operator.dense(), definite(2, 4, 0.5).offset
    for a, b in ((1e-90, 1.0), (1e90, 1.0), (1.0, 1e90), (1.0, 1e-90), (1e90, 1e90)):
        with np.errstate(all="raise", under="ignore"):
            assert solve(Problem.dense(a * W, b * q, 0.5)).solved


def test_lcp_comparison_is_not_called_solved():
    problem = definite(4, 6, 0.5)
    exact = solve(problem, tolerance=1e-11)
    errors = [solve(problem, f"lcp-{p}").certificate.natural_map for p in (4, 8, 16)]
    assert exact.certificate.natural_map < 1e-11 < errors[2] < errors[1] < errors[0]


def test_never_worse_than_the_start(monkeypatch):
    monkeypatch.setattr("sole.base.checks.FINEST", 1e-30)  # nothing meets it
    problem = rigid_body(3, 5, 0.4)
    good = solve(problem, tolerance=1e-6).reactions
    worst = certify(problem, good).worst
    kept = solve(problem, tolerance=1e-30, start=good, max_sweeps=30)
    assert kept.outcome is Outcome.STALLED and kept.certificate.worst <= worst


def test_failure_raises_on_demand_and_hands_over_the_best():
    problem = packings.tower(levels=3, seed=2)
    with pytest.raises(ConvergenceError, match="not solved by gauss-seidel") as error:
        solve(problem, "gauss-seidel", tolerance=1e-12, max_sweeps=2, check=True)
    best = error.value.best
    assert best.certificate.natural_map == certify(problem, best.reactions).natural_map > 1e-12
    assert solve(problem, check=True).solved


def test_same_seed_same_bits():
    problem = packings.heap(count=15, seed=3, mu=0.5)
    one, two = (solve(problem, seed=7) for _ in range(2))
    np.testing.assert_array_equal(one.reactions, two.reactions)
    assert one.iterations == two.iterations and one.method == two.method


def test_refusals():
    problem = definite(1, 3, 0.5)
    for name in ("simplex", "reference"):
        with pytest.raises(SoleError, match=f"'{name}' is unknown; known are auto"):
            solve(problem, name)
    with pytest.raises(SoleError, match="unknown"):
        solver_of("auto", 1e-8)
    for tolerance in (0.0, -1.0, 2.0, 5e-324, np.nan):
        with pytest.raises(SoleError, match="from 1e-14 to below 1"):
            solve(problem, tolerance=tolerance)
    with pytest.raises(SoleError, match="sweeps must be 1 to"):
        solve(problem, max_sweeps=0)
    with pytest.raises(SoleError, match=r"shape \(2, 3\), expected \(3, 3\)"):
        solve(problem, start=np.zeros((2, 3)))
    with pytest.raises(SoleError, match="finite"):
        solve(problem, start=np.full((3, 3), np.nan))
    with pytest.raises(SoleError, match=r"asymmetric by .*e-04 and 'interior-point'"):
        solve(skewed(2, 4, 0.5), "interior-point")


@pytest.mark.parametrize("shape", [(3, 2), (3, 4), (2, 3), (9,), (3, 3, 1), (1, 9), (0, 3)])
def test_a_start_of_another_shape_is_refused(shape):
    """The call of few contacts looks at its shape in machine code, which would read beyond it."""
    with pytest.raises(SoleError, match=r"the start has shape .*, expected \(3, 3\)"):
        solve(definite(5, 3, 0.5), start=np.zeros(shape))


@pytest.mark.parametrize("kind", [int, np.float32, "fortran", "rows", "read-only"])
def test_a_start_of_any_kind_gives_the_same_forces(kind):
    """Machine code is called without a look at types: what comes in is made what it expects."""
    problem, start = definite(5, 3, 0.5), np.arange(9).reshape(3, 3)
    if kind == "fortran":
        given = np.asfortranarray(start, dtype=float)
    elif kind == "rows":
        given = np.repeat(start.astype(float), 2, axis=0)[::2]
    else:
        given = start.astype(float if kind == "read-only" else kind)
        given.setflags(write=kind != "read-only")
    expected = solve(problem, start=start.astype(float)).reactions
    np.testing.assert_array_equal(solve(problem, start=given).reactions, expected)


@pytest.mark.parametrize("kind", ["fortran", "rows", "float32"])
def test_an_unchecked_problem_of_any_kind_gives_the_same_forces(kind):
    known = definite(5, 3, 0.5)
    q = known.offset
    given = {
        "fortran": np.asfortranarray(q),
        "rows": np.repeat(q, 2, axis=0)[::2],
        "float32": q.astype(np.float32),
    }[kind]
    mu = np.full((3, 2), 0.5)[:, 0]
    found = solve(Problem.unchecked(known.operator, given, mu)).reactions
    expected = solve(Problem(known.operator, given, 0.5)).reactions
    np.testing.assert_array_equal(found, expected)


def test_gauss_seidel_alone_is_enough_where_it_converges():
    problem = definite(5, 20, 0.5)
    solution = solve(problem)
    assert solution.method == "gauss-seidel" and solution.newton == 0
    same = GaussSeidel(tolerance=1e-12).solve(
        Problem(DenseDelassus(problem.operator.dense()), problem.offset, 0.5)
    )
    np.testing.assert_allclose(solution.reactions, same.reactions, atol=1e-6)
