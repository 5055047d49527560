"""The interior point method on rigid, rank-deficient problems, and its parts."""

import numpy as np
import packings
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from contact import coulomb as cone
from contact.problem import DenseDelassus, Problem, SparseDelassus, certify
from contact.solvers import interior_point
from contact.solvers.block_system import DenseBlocks, PenalisedBlocks, SparseBlocks
from contact.solvers.interior_point import InteriorPoint
from contact.solvers.second_order_cone import det, divide, longest_step, product, scaling
from sole.base.errors import SoleError

SEEDS = st.integers(0, 2**32 - 1)


def inside(rng, count):
    """Points of the cones, some very close to the border."""
    x = rng.normal(size=(count, 3))
    x[:, 2] = np.hypot(x[:, 0], x[:, 1]) * (1 + 10.0 ** rng.uniform(-6, 2, count))
    return x


@given(SEEDS)
@settings(deadline=None, max_examples=30)
def test_algebra_of_the_cones(seed):
    rng = np.random.default_rng(seed)
    x, z = inside(rng, 20), inside(rng, 20)
    np.testing.assert_allclose(product(x, divide(x, z)), z, rtol=1e-8, atol=1e-8)
    G, G_inv = scaling(x, z)
    l = np.einsum("kab,kb->ka", G, z)
    # 1e-6 from the border det loses six digits, its root three
    np.testing.assert_allclose(np.einsum("kab,kb->ka", G_inv, x), l, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(G @ G_inv, np.broadcast_to(np.eye(3), G.shape), atol=1e-6)
    dx = rng.normal(size=x.shape)
    alpha = longest_step(x, dx)
    if np.isfinite(alpha):
        assert (det(x + (1 - 1e-9) * alpha * dx) > -1e-12).all()
        beyond = x + (1 + 1e-6) * alpha * dx
        assert (det(beyond) < 0).any() or (beyond[:, 2] < 0).any()


@given(SEEDS)
@settings(deadline=None, max_examples=10)
def test_sparse_and_dense_blocks_agree(seed):
    rng = np.random.default_rng(seed)
    K = 12
    L = sparse.random_array((3 * K, 20), density=0.1, rng=rng)
    W = sparse.csr_array(L @ L.T)
    T, D = rng.normal(size=(2, K, 3, 3))
    D += 10 * np.eye(3)  # well conditioned: the solutions agree to round-off
    b, x = rng.normal(size=(2, K, 3))
    dense, thin = DenseBlocks(W.toarray()), SparseBlocks.of(W)
    for left in (None, T):
        for a, c in ((dense, thin), (PenalisedBlocks(dense, 7.0), PenalisedBlocks(thin, 7.0))):
            np.testing.assert_allclose(a.apply(x), c.apply(x), atol=1e-12)
            y = a.factor(left, D, 0.1)(b)
            np.testing.assert_allclose(c.factor(left, D, 0.1)(b), y, rtol=1e-7, atol=1e-9)
            moved = a.apply(y) + 0.1 * y
            if left is not None:
                moved = np.einsum("kab,kb->ka", T, moved)
            back = moved + np.einsum("kab,kb->ka", D, y)
            np.testing.assert_allclose(back, b, atol=1e-8)


@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("name", sorted(packings.FEASIBLE))
def test_rigid_packings(name, mu):
    """Masses 1e-6 to 1e6 kg, sizes 1e-2 to 1e2 m, impacts from none to hard."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        problem = packings.FEASIBLE[name](
            seed, mu, mass=10.0 ** rng.uniform(-6, 6), length=10.0 ** rng.uniform(-2, 2)
        )
        solution = InteriorPoint(tolerance=1e-9).solve(problem)
        assert solution.solved
        assert certify(problem, solution.reactions).holds(1e-9)


def test_friction_differs_by_contact():
    mu = np.tile([0.0, 0.2, 2.0, 1e-4], 25)
    problem = packings.wall(4, 4, 3, mu=mu)
    solution = InteriorPoint(tolerance=1e-9).solve(problem)
    assert solution.solved
    assert not solution.reactions[mu == 0, :2].any()


def test_four_corners_carry_equal_shares():
    """The analytic centre of the forces of a box that rests: all four alike."""
    problem = packings.box_on_plane(4, kick=0.0, mass=3.0)
    solution = InteriorPoint().solve(problem)
    share = 3.0 * packings.GRAVITY * packings.STEP / 4
    # closing steps start where the path has a residual of 1e-4 and its gap is far below
    np.testing.assert_allclose(solution.reactions[:, 2], share, rtol=1e-4)
    np.testing.assert_allclose(solution.reactions[:, :2], 0.0, atol=1e-4 * share)


def test_rounds_when_the_path_is_not_followed(monkeypatch):
    """Convex programmes, sweeps and proximal points alone get there too."""
    monkeypatch.setattr(interior_point, "FOLLOWED", 1)
    for problem in (packings.tower(4, 2, kick=2.0), packings.confetti(6, 1, mu=0.7)):
        solution = InteriorPoint(tolerance=1e-9).solve(problem)
        assert solution.solved
        assert solution.interior > 0


def test_the_path_alone_is_enough_where_bodies_are_alike():
    """No sweeps, and a number of steps that does not know the number of contacts."""
    for mu in (0.0, 0.3):
        for problem in (
            packings.box_on_plane(40, 1, mu),
            packings.tower(6, 1, mu),
            packings.wall(5, 4, 1, mu),
            packings.arch(15, 1, mu),
            packings.confetti(9, 1, mu),
        ):
            solution = InteriorPoint(tolerance=1e-9).solve(problem)
            assert solution.solved
            assert solution.sweeps == 0
            assert solution.interior <= 25


def test_lost_path_is_found_again():
    """Problems on which steps with moving slip alone end early."""
    for problem in (packings.chain(14, 4, 0.7), packings.tower(5, 8, 1.0, kick=2.0)):
        solution = InteriorPoint(tolerance=1e-9).solve(problem)
        assert solution.solved
        assert solution.sweeps == 0


@given(SEEDS)
@settings(deadline=None, max_examples=20)
def test_random_singular_problems(seed):
    """W = L L', q = L w: u = 0 is possible, so a solution exists [AcaryEtAl2011] or nearly."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(1, 12))
    L = rng.normal(size=(3 * K, int(rng.integers(1, 3 * K + 1))))
    q = L @ rng.normal(size=L.shape[1])
    mu = rng.uniform(0, 0.5, K)
    solution = InteriorPoint().solve(Problem.dense(L @ L.T, q, mu))
    assert solution.certificate.finite
    assert cone.distance_to_cone(solution.reactions, mu).max() <= 1e-6 * (1 + abs(q).max())
    if solution.solved:
        assert certify(solution.problem, solution.reactions).holds(1e-8)


def test_dense_and_sparse_give_the_same_forces():
    problem = packings.tower(3)
    dense = Problem.dense(problem.operator.dense(), problem.offset, problem.friction)
    a, b = InteriorPoint().solve(problem), InteriorPoint().solve(dense)
    scale = np.abs(a.reactions).max()
    np.testing.assert_allclose(a.reactions, b.reactions, atol=1e-6 * scale)


def test_large_sparse_problem_uses_the_sparse_factor():
    problem = packings.tower(24)
    assert problem.contacts > 600
    solution = InteriorPoint(tolerance=1e-9).solve(problem)
    assert solution.solved
    assert solution.method == "interior-point"


def test_warm_start_at_the_solution_costs_nothing():
    problem = packings.wall()
    first = InteriorPoint(tolerance=1e-9).solve(problem)
    again = InteriorPoint(tolerance=1e-8).solve(problem, start=first.reactions)
    assert again.iterations == 0
    near = InteriorPoint(tolerance=1e-9).solve(problem, start=1.01 * first.reactions)
    assert near.solved


def test_asymmetric_matrices_are_refused_unless_asked_for():
    problem = packings.box_on_plane(4)
    W = problem.operator.dense().copy()
    W[0, 1] += 1e-4 * W[0, 0]
    asymmetric = Problem(DenseDelassus(W), problem.offset, problem.friction)
    with pytest.raises(SoleError, match=r"asymmetric by .*Gauss-Seidel"):
        InteriorPoint().solve(asymmetric)
    assert InteriorPoint(asymmetric=True).solve(asymmetric).solved


def test_contacts_without_compliance():
    """W_kk = 0: open, it carries nothing; closing, nothing helps and that is said."""
    W = np.zeros((6, 6))
    W[:3, :3] = np.eye(3)
    q = np.array([0.1, 0.0, -1.0, 0.5, 0.0, 0.2])
    solution = InteriorPoint().solve(Problem.dense(W, q, 0.5))
    assert solution.solved
    np.testing.assert_allclose(solution.reactions[0], [-0.1, 0.0, 1.0], atol=1e-7)
    assert not solution.reactions[1].any()
    q[5] = -0.2
    assert not InteriorPoint().solve(Problem.dense(W, q, 0.5)).solved


def test_trivial_problems():
    empty = Problem(SparseDelassus(sparse.csr_array((0, 0))), np.zeros((0, 3)), 0.5)
    assert InteriorPoint().solve(empty).solved
    still = packings.box_on_plane(4)
    still = Problem(still.operator, np.zeros((4, 3)), still.friction)
    solution = InteriorPoint().solve(still)
    assert solution.solved
    assert not solution.reactions.any()
    with pytest.raises(SoleError, match="not be negative"):
        InteriorPoint(max_iterations=-1)
