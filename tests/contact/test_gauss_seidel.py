"""Gauss-Seidel against independent slow solvers, and its promises about seeds and structure."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from press_cases import pad

from contact import cone
from contact.gauss_seidel import GaussSeidel
from contact.problem import Problem
from contact.solution import Outcome, certify
from sole.errors import SoleError


def random_problem(seed: int, contacts: int, friction: float) -> Problem:
    rng = np.random.default_rng(seed)
    n = 3 * contacts
    A = rng.normal(size=(n, n))
    W = A @ A.T / n + 0.2 * np.eye(n)
    return Problem.dense(W, rng.normal(size=(contacts, 3)), friction)


def reference(problem: Problem) -> np.ndarray:
    """Fixed point of De Saxce's projection with a tiny step: slow, obviously right."""
    W = problem.compliance
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
    W_n = problem.compliance[2::3, 2::3]
    L = np.linalg.cholesky(W_n)
    expected, _ = nnls(L.T, -np.linalg.solve(L, problem.offset[:, 2]))
    solution = GaussSeidel(tolerance=1e-13, max_sweeps=5000).solve(problem)
    np.testing.assert_allclose(solution.reactions[:, 2], expected, atol=1e-9)
    assert not solution.reactions[:, :2].any()


def structured(seed: int = 2, nodes: int = 10) -> Problem:
    """Two contacts on every node, as on a ground of two solids."""
    rng = np.random.default_rng(seed)
    n = 3 * nodes
    A = rng.normal(size=(n, n))
    Q = np.linalg.qr(rng.normal(size=(2 * nodes, 3, 3)))[0]
    S = rng.normal(size=(6, 6))
    return Problem(
        compliance=A @ A.T / n + 0.3 * np.eye(n),
        node=np.tile(np.arange(nodes), 2),
        frames=Q,
        geometry=rng.normal(size=(n, 6)),
        support=S @ S.T / 6,
        offset=rng.normal(size=(2 * nodes, 3)),
        friction=np.full(2 * nodes, 0.3),
    )


def formed(problem: Problem) -> np.ndarray:
    """W of a structured problem, column by column."""
    K = len(problem.node)
    unit = np.eye(3 * K)
    columns = [problem.velocity(e.reshape(-1, 3)).ravel() - problem.offset.ravel() for e in unit]
    return np.array(columns).T


def test_structured_operator_equals_the_formed_one():
    problem = structured()
    W = formed(problem)
    np.testing.assert_allclose(W, W.T, atol=1e-12)
    for k, block in enumerate(problem.blocks):
        np.testing.assert_allclose(block, W[3 * k : 3 * k + 3, 3 * k : 3 * k + 3], atol=1e-12)
    dense = Problem.dense((W + W.T) / 2, problem.offset, problem.friction)
    a = GaussSeidel(max_sweeps=7, tolerance=0).solve(problem)
    b = GaussSeidel(max_sweeps=7, tolerance=0).solve(dense)
    np.testing.assert_allclose(a.reactions, b.reactions, atol=1e-10)
    tight = GaussSeidel(tolerance=1e-11, max_sweeps=20_000).solve(problem)
    assert tight.certificate.holds(1e-10)


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
        problem = Problem(
            compliance=sole.compliance,
            node=np.arange(m),
            frames=np.broadcast_to(np.eye(3), (m, 3, 3)),
            geometry=sole.geometry,
            support=softer * (S + S.T) / 2,
            offset=(sole.geometry @ (softer * S @ load)).reshape(m, 3),
            friction=np.full(m, 0.7),
        )
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
        ({"W": np.eye(5)}, "shape"),
    ],
)
def test_bad_problem_is_refused(change, word):
    given_ = {"W": np.eye(6), "q": np.ones((2, 3)), "friction": 0.5, **change}
    with pytest.raises(SoleError, match=word):
        Problem.dense(**given_)


def test_same_numbers_without_compilation():
    program = (
        "import sys; sys.path[:0] = ['tests', 'tests/contact']\n"
        "from test_gauss_seidel import structured\n"
        "from contact.gauss_seidel import GaussSeidel\n"
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
