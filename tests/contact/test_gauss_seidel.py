"""Gauss-Seidel against independent slow solvers, and its promises about seeds and structure."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from press_cases import pad
from scipy import sparse
from structured_soles import structured

from contact import coulomb as cone
from contact.one_contact_kernels import prepare_blocks
from contact.problem import (
    Compliances,
    DenseDelassus,
    Outcome,
    Problem,
    SoleDelassus,
    SparseDelassus,
    certify,
)
from contact.solvers import GaussSeidel, NewtonSolver
from contact.solvers.interior_point import InteriorPoint
from contact.sweeps.few_contacts_kernels import FEW
from sole.base.errors import SoleError


def random_problem(seed: int, contacts: int, friction: float) -> Problem:
    rng = np.random.default_rng(seed)
    n = 3 * contacts
    A = rng.normal(size=(n, n))
    W = A @ A.T / n + 0.2 * np.eye(n)
    return Problem.dense(W, rng.normal(size=(contacts, 3)), friction)


def reference(problem: Problem) -> np.ndarray:
    """Fixed point of De Saxce's projection with a tiny step: slow, obviously right."""
    W = problem.operator.matrix
    rho = 0.5 / np.linalg.eigvalsh(W)[-1]
    r = np.zeros_like(problem.offset)
    for _ in range(20_000):
        u = (W @ r.ravel()).reshape(-1, 3) + problem.offset
        new = cone.project(r - rho * cone.de_saxce(u, problem.friction), problem.friction)
        if np.abs(new - r).max() < 1e-13:
            return new
        r = new
    return r


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 12), st.floats(0.05, 0.5))
def test_agrees_with_the_reference(seed, contacts, friction):
    problem = random_problem(seed, contacts, friction)
    solution = GaussSeidel(tolerance=1e-12, max_sweeps=5000).solve(problem)
    assert solution.outcome is Outcome.SOLVED
    assert certify(problem, solution.reactions).natural_map <= 1e-11
    np.testing.assert_allclose(solution.reactions, reference(problem), atol=1e-8)


@pytest.mark.parametrize("friction", [0.0, 0.7, 2.0])
def test_large_random_problem(friction):
    problem = random_problem(5, 60, friction)
    solution = GaussSeidel(tolerance=1e-11, max_sweeps=5000).solve(problem)
    assert solution.certificate.holds(1e-10)
    assert len(np.unique(solution.status)) == (3 if friction else 2)


def test_without_friction_it_is_a_quadratic_programme():
    # min 1/2 r W r + q r over r_n >= 0, r_t = 0: non-negative least squares with W = L L'.
    from scipy.optimize import nnls

    problem = random_problem(1, 20, 0.0)
    W_n = problem.operator.matrix[2::3, 2::3]
    L = np.linalg.cholesky(W_n)
    expected, _ = nnls(L.T, -np.linalg.solve(L, problem.offset[:, 2]))
    solution = GaussSeidel(tolerance=1e-13, max_sweeps=5000).solve(problem)
    np.testing.assert_allclose(solution.reactions[:, 2], expected, atol=1e-9)
    assert not solution.reactions[:, :2].any()


def formed(problem: Problem) -> np.ndarray:
    """W of a structured problem, column by column."""
    unit = np.eye(3 * problem.contacts)
    columns = [problem.operator.apply(e.reshape(-1, 3)).ravel() for e in unit]
    return np.array(columns).T


@pytest.mark.parametrize("bodies", [1, 3])
def test_structured_operator_equals_the_formed_one(bodies):
    problem = structured(bodies=bodies)
    W = formed(problem)
    np.testing.assert_allclose(W, W.T, atol=1e-12)
    np.testing.assert_allclose(problem.operator.dense(), W, atol=1e-12)
    for k, block in enumerate(problem.blocks):
        np.testing.assert_allclose(block, W[3 * k : 3 * k + 3, 3 * k : 3 * k + 3], atol=1e-12)
    W = (W + W.T) / 2
    q, mu = problem.offset, problem.friction
    a = GaussSeidel(max_sweeps=7, tolerance=0).solve(problem)
    for same in (Problem.dense(W, q, mu), Problem.sparse(sparse.coo_array(W), q, mu)):
        b = GaussSeidel(max_sweeps=7, tolerance=0).solve(same)
        np.testing.assert_allclose(a.reactions, b.reactions, atol=1e-9)
    if bodies == 1:  # the random contacts of a rigid body need have no solution
        tight = GaussSeidel(tolerance=1e-11, max_sweeps=20_000).solve(problem)
        assert tight.certificate.holds(1e-10)


@pytest.mark.parametrize("contacts", [1, 2, FEW, FEW + 1])
def test_few_contacts_take_a_short_way_to_the_same_forces(contacts):
    rng = np.random.default_rng(contacts)
    A = rng.normal(size=(3 * contacts, 3 * contacts))
    W = A @ A.T / contacts + np.eye(3 * contacts)
    q, mu = rng.normal(size=(contacts, 3)) - [0, 0, 0.5], rng.uniform(0.2, 0.9, contacts)
    start = rng.normal(size=(contacts, 3))
    solver = GaussSeidel(tolerance=1e-11)
    full = solver.solve(Problem(DenseDelassus(W), q, mu), start)
    spread = solver.solve(Problem.sparse(sparse.coo_array(W), q, mu), start)
    assert full.certificate.holds(1e-11) and spread.certificate.holds(1e-11)
    np.testing.assert_allclose(full.reactions, spread.reactions, atol=1e-10)
    np.testing.assert_allclose(full.velocity, spread.velocity, atol=1e-10)
    np.testing.assert_array_equal(full.status, spread.status)


def test_what_the_short_way_does_not_take_goes_the_long_way():
    """Steep friction, forces and starts that are refused, a tolerance that sweeps do not meet."""
    from contact.solvers import solve as solve_by
    from contact.sweeps.few_contacts import solve_few

    taken = []

    def counted(*given):
        taken.append(solve_few(*given))
        return taken[-1]

    def solve(*given, **options):
        return solve_by(*given, **options, ways=(counted,))

    W, q = np.eye(6) + 0.3, np.array([[0.1, 0.0, -1.0], [0.4, 0.2, -1.0]])
    problem = Problem.dense(W, q, 0.5)
    found = solve(problem, tolerance=1e-10)
    assert found is taken[-1] and found.method == "gauss-seidel" and found.sweeps > 0
    told, seen = found.certificate, certify(problem, found.reactions)
    for name in ("natural_map", "signorini", "cone", "dual_cone", "complementarity"):
        assert getattr(told, name) == pytest.approx(getattr(seen, name), rel=1e-6, abs=1e-15)
    r = found.reactions
    np.testing.assert_allclose(found.velocity, (W @ r.ravel()).reshape(2, 3) + q, atol=1e-14)
    sparse_one = Problem.sparse(sparse.coo_array(W), q, problem.friction)
    other = GaussSeidel(tolerance=1e-12).solve(sparse_one)
    np.testing.assert_array_equal(found.status, other.status)
    copy = pickle.loads(pickle.dumps(found))
    assert type(copy) is type(other) and vars(copy.certificate) == vars(told)
    assert copy.sweeps == found.sweeps
    np.testing.assert_array_equal(copy.reactions, r)
    assert not r.flags.writeable
    assert solve(problem, tolerance=1e-10, start=found.reactions).sweeps == 0
    steep = solve(Problem.dense(W, q, [0.5, 1e7]))
    assert taken[-1] is None and steep.solved and steep.problem.friction.max() == 1e6
    hard = np.diag([1.0, 1e-7, 1e-3, 1.0, 1.0, 1.0]) + 0.0
    assert solve(Problem.dense(hard + 1e-8, q, 0.5), max_sweeps=1, tolerance=1e-12).solved
    assert taken[-1] is None
    with pytest.raises(SoleError, match="the start must be finite"):
        solve(problem, start=np.full((2, 3), np.nan))
    with pytest.raises(SoleError, match="start has shape"):
        solve(problem, start=np.zeros((3, 3)))
    open_ = solve(Problem.dense(W, np.zeros((2, 3)), 0.5))
    assert not open_.reactions.any() and taken[-1] is None


def test_sweeps_give_every_digit_on_a_large_sole():
    rng = np.random.default_rng(5)
    n = 3 * 130
    A = rng.normal(size=(n, n))
    operator = SoleDelassus(
        compliances=Compliances.of([A @ A.T / n + 0.3 * np.eye(n)]),
        scale=np.full(1, 3.0),
        node=np.arange(130),
        frames=np.linalg.qr(rng.normal(size=(130, 3, 3)))[0],
        geometry=rng.normal(size=(n, 6)),
        support=0.01 * np.eye(6),
    )
    problem = Problem(operator, rng.normal(size=(130, 3)), np.asarray(0.4))
    assert GaussSeidel(tolerance=1e-12).solve(problem).certificate.holds(2e-12)


def test_compliance_must_be_symmetric():
    with pytest.raises(SoleError, match="compliance is asymmetric"):
        Compliances.of([np.eye(6) + 1e-6 * np.eye(6, k=1)])


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_asymmetric_operator_is_used_as_it_is(kind):
    rng = np.random.default_rng(3)
    problem = random_problem(3, 12, 0.6)
    W = problem.operator.matrix
    W = W + 0.05 * rng.normal(size=W.shape)
    operator = DenseDelassus(W) if kind == "dense" else SparseDelassus(sparse.csr_array(W))
    skewed = Problem(operator, problem.offset, problem.friction)
    assert skewed.operator.asymmetry > 0.01
    solution = GaussSeidel(tolerance=1e-12, max_sweeps=20_000).solve(skewed)
    assert solution.solved
    u = (W @ solution.reactions.ravel()).reshape(-1, 3) + problem.offset
    force = cone.residual(solution.reactions, u, skewed.friction, skewed.rho)
    assert np.linalg.norm(force) < 1e-10 * skewed.rho * np.linalg.norm(problem.offset)


def test_extrapolated_start_is_projected_on_the_cones():
    problem = random_problem(4, 6, 0.4)
    r = GaussSeidel(tolerance=1e-12).solve(problem).reactions
    # Two steps on a straight line through the solution: the third is there already.
    ahead = GaussSeidel(tolerance=1e-10).solve(problem, start=0.9 * r, previous=0.8 * r)
    assert ahead.sweeps == 0


def test_same_seed_same_bits_other_seed_same_answer():
    problem = random_problem(8, 15, 0.4)
    solve = lambda seed: GaussSeidel(seed=seed, tolerance=1e-12).solve(problem)  # noqa: E731
    a, b, c = solve(1), solve(1), solve(2)
    np.testing.assert_array_equal(a.reactions, b.reactions)
    assert (a.reactions != c.reactions).any()
    np.testing.assert_allclose(a.reactions, c.reactions, atol=1e-9)


def test_warm_start_at_the_solution_needs_no_sweep():
    problem = random_problem(8, 15, 0.4)
    solution = GaussSeidel(tolerance=1e-12).solve(problem)
    assert solution.sweeps > 3
    assert GaussSeidel(tolerance=1e-11).solve(problem, solution.reactions).sweeps == 0


def test_reshuffling_makes_sweeps_independent_of_stiffness():
    # A pad on a support as soft and 20 times softer: six rigid motions couple all nodes.
    sole = pad()
    m = len(sole.points)
    S = np.linalg.inv(sole.foot_stiffness)
    load = np.array([100.0, 0.0, -600.0, 10.0, 5.0, 3.0])
    sweeps = []
    for softer in (1.0, 20.0):
        operator = SoleDelassus(
            compliances=Compliances.of([sole.compliance]),
            scale=np.ones(1),
            node=np.arange(m),
            frames=np.broadcast_to(np.eye(3), (m, 3, 3)),
            geometry=sole.geometry,
            support=softer * (S + S.T) / 2,
        )
        problem = Problem(operator, sole.geometry @ (softer * S @ load), np.asarray(0.7))
        solution = GaussSeidel(tolerance=1e-9, max_sweeps=5000).solve(problem)
        assert solution.outcome is Outcome.SOLVED
        sweeps.append(solution.sweeps)
    # In a fixed order the second takes twenty times as many sweeps as the first.
    assert max(sweeps) < 4 * min(sweeps)


def test_out_of_sweeps_says_so_and_hands_over_the_iterate():
    problem = random_problem(8, 15, 0.4)
    solution = GaussSeidel(tolerance=1e-13, max_sweeps=1).solve(problem)
    assert solution.outcome is Outcome.STALLED and solution.sweeps == 1
    assert solution.reactions.any()


def test_all_open_is_free():
    problem = Problem.dense(np.eye(6), np.ones((2, 3)), 0.5)
    solution = GaussSeidel().solve(problem)
    assert not solution.reactions.any() and solution.sweeps == 0


def test_empty_problem():
    problem = Problem.dense(np.zeros((0, 0)), np.zeros((0, 3)), 0.5)
    assert GaussSeidel().solve(problem).reactions.shape == (0, 3)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"friction": -0.1}, "friction"),
        ({"friction": np.nan}, "friction"),
        ({"q": np.full((2, 3), np.nan)}, "offset"),
        ({"q": np.ones(5)}, "q has 5 numbers, expected 6"),
        ({"W": np.eye(5)}, "square"),
        ({"W": np.ones((6, 3))}, "square"),
        ({"W": np.diag([1, 1, 1, 1, 1, np.inf])}, "finite"),
        ({"W": np.diag([1.0, 1, 1, 1, 1, -0.1])}, "semi-definite"),
        ({"W": np.eye(6) + 1e-7 * np.eye(6, k=1)}, "asymmetric"),
    ],
)
def test_bad_problem_is_refused(change, word):
    given_ = {"W": np.eye(6), "q": np.ones((2, 3)), "friction": 0.5, **change}
    with pytest.raises(SoleError, match=word):
        Problem.dense(**given_)
    with pytest.raises(SoleError, match=word):
        Problem.sparse(**{**given_, "W": sparse.coo_array(given_["W"])})


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"support": np.diag([1.0, 1, 1, 1, 1, -0.1])}, "semi-definite"),
        ({"support": np.eye(6) + 1e-6 * np.eye(6, k=1)}, "asymmetric"),
        ({"support": np.full((6, 6), np.nan)}, "support must be finite"),
        ({"support": np.eye(5)}, "support has shape"),
        ({"scale": np.array([-1.0])}, "scale"),
        ({"node": np.array([0, 2])}, "node"),
        ({"node": np.array([0, -1])}, "node"),
        ({"geometry": np.zeros((5, 6))}, "geometry has shape"),
    ],
)
def test_bad_sole_operator_is_refused(change, word):
    good = {
        "compliances": Compliances.of([np.eye(6)]),
        "scale": np.ones(1),
        "node": np.array([0, 1]),
        "frames": np.tile(np.eye(3), (2, 1, 1)),
        "geometry": np.zeros((6, 6)),
        "support": np.eye(6),
    }
    SoleDelassus(**good)
    with pytest.raises(SoleError, match=word):
        SoleDelassus(**{**good, **change})


@pytest.mark.parametrize("solver", [GaussSeidel(), NewtonSolver(), InteriorPoint()])
@pytest.mark.parametrize(
    ("start", "word"), [(np.zeros((3, 3)), "expected"), (np.full((2, 3), np.nan), "finite")]
)
def test_a_start_that_does_not_fit_is_refused(solver, start, word):
    problem = Problem.dense(np.eye(6), -np.ones((2, 3)), 0.5)
    with pytest.raises(SoleError, match=word):
        solver.solve(problem, start)


def test_previous_forces_that_do_not_fit_are_refused():
    problem = Problem.dense(np.eye(6), -np.ones((2, 3)), 0.5)
    with pytest.raises(SoleError, match="previous forces"):
        GaussSeidel().solve(problem, np.zeros((2, 3)), np.zeros((1, 3)))


@pytest.mark.nightly
def test_same_numbers_without_compilation():
    program = (
        "import sys; sys.path[:0] = ['tests', 'tests/contact']\n"
        "from test_gauss_seidel import structured\n"
        "from contact.solvers import GaussSeidel\n"
        "r = GaussSeidel(max_sweeps=12, tolerance=0).solve(structured(nodes=4)).reactions\n"
        "print(r.tobytes().hex())"
    )
    slow = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    fast = GaussSeidel(max_sweeps=12, tolerance=0).solve(structured(nodes=4)).reactions
    other = np.frombuffer(bytes.fromhex(slow.stdout.strip())).reshape(-1, 3)
    np.testing.assert_allclose(other, fast, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("tangential", [-1e-20, 0.0, 1e-20])
def test_a_block_without_tangential_compliance(tangential):
    """The Schur complement of a block of rank 1 is zero, or below by round-off."""
    W = np.diag([tangential, tangential, 1.0])
    local = prepare_blocks(W[None], 1e-12)
    assert np.isfinite(local).all() and local[0, 3] > 0 and local[0, 4] > 0
    solution = GaussSeidel().solve(Problem(DenseDelassus(W), np.array([[0, 0, -1.0]]), 0.5))
    np.testing.assert_allclose(solution.reactions, [[0, 0, 1]], atol=1e-6)
