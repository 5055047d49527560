"""Proofs of infeasibility: found where there is one, never claimed where there is none."""

import numpy as np
import packings
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contact.problem import DenseDelassus, Problem
from contact.solvers import check_direction
from contact.solvers.infeasible import find_direction
from contact.solvers.interior_point import InteriorPoint


@pytest.mark.parametrize(
    ("contacts", "mu"),
    [
        pytest.param(contacts, mu, marks=() if i == j else pytest.mark.nightly)
        for i, contacts in enumerate((1, 4, 30))
        for j, mu in enumerate((0.4, 0.0, 2.0))
    ],
)
def test_a_box_between_closing_walls_is_proven_stuck(contacts, mu):
    problem = packings.squeezed(contacts, seed=contacts, mu=mu, mass=10.0 ** (contacts - 3))
    z = find_direction(problem)
    assert z is not None
    certificate = check_direction(problem, z)
    assert certificate.holds(1e-8)
    assert certificate.normal == 0.0  # so Coulomb's law has no solution either
    assert np.linalg.norm(z) == pytest.approx(1.0)
    assert not InteriorPoint(max_iterations=30).solve(problem).solved


@pytest.mark.parametrize("others", [0, 12])
def test_a_wedge_is_stuck_by_friction_alone(others):
    """tan(0.2) < mu: the forces that balance are oblique, none of them is normal."""
    problem = packings.jammed(0.2, seed=2, mu=0.4, others=others, mass=1e-3)
    z = find_direction(problem)
    assert z is not None
    certificate = check_direction(problem, z)
    assert certificate.holds(1e-8)
    # only the four contacts of the wedge, at the angle 0.2 from their normals
    assert np.abs(z[4:]).max(initial=0.0) <= 1e-8
    assert certificate.normal == pytest.approx(np.sin(0.2), abs=1e-6)


def test_a_wedge_beyond_the_friction_angle_slips_out():
    """tan(0.6) > mu: the wedge leaves, and the solution says how fast."""
    problem = packings.jammed(0.6, seed=1, mu=0.4)
    assert find_direction(problem) is None
    assert InteriorPoint().solve(problem).solved


@pytest.mark.parametrize("name", sorted(packings.FEASIBLE))
def test_nothing_is_claimed_of_feasible_packings(name):
    for seed in range(3):
        for mu in (0.0, 0.5):
            assert find_direction(packings.FEASIBLE[name](seed, mu, mass=10.0**seed)) is None


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=25)
def test_nothing_is_claimed_of_random_feasible_problems(seed):
    """q = L w + v with v in K_mu*: u = v is in the dual cone, so no direction exists."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(1, 8))
    L = rng.normal(size=(3 * K, int(rng.integers(1, 3 * K + 1))))
    mu = rng.uniform(0, 1, K)
    v = rng.normal(size=(K, 3)) * (rng.random((K, 1)) < 0.5)
    v[:, 2] = mu * np.hypot(v[:, 0], v[:, 1])  # on the border, the hardest case
    q = (L @ rng.normal(size=L.shape[1])).reshape(-1, 3) + v
    assert find_direction(Problem.dense(L @ L.T, q, mu)) is None


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=25)
def test_planted_directions_are_found(seed):
    """W z = 0 for a z inside the cones and q'z < 0: every proof is checked, most are found."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 8))
    mu = rng.uniform(0.2, 1, K)
    z = np.concatenate([0.3 * mu[:, None] * rng.normal(size=(K, 2)), np.ones((K, 1))], axis=1)
    size = np.hypot(z[:, 0], z[:, 1])
    z[:, :2] *= np.minimum(1.0, 0.9 * mu / size)[:, None]
    z /= np.linalg.norm(z)
    L = rng.normal(size=(3 * K, K))
    L -= np.outer(z.ravel(), z.ravel() @ L)
    q = rng.normal(size=3 * K)
    q -= (q @ z.ravel() + 0.5) * z.ravel()
    problem = Problem.dense(L @ L.T, q, mu)
    found = find_direction(problem)
    assert found is not None
    assert check_direction(problem, found).holds(1e-8)


def test_a_contact_without_compliance_that_closes():
    W = np.zeros((6, 6))
    W[:3, :3] = np.eye(3)
    z = find_direction(Problem.dense(W, [0, 0, -1, 0, 0, -1], 0.5))
    np.testing.assert_array_equal(z, [[0, 0, 0], [0, 0, 1]])


def test_trivial_problems_have_no_direction():
    problem = packings.squeezed()
    still = Problem(problem.operator, np.zeros_like(problem.offset), problem.friction)
    assert find_direction(still) is None
    empty = Problem(DenseDelassus(np.zeros((0, 0))), np.zeros((0, 3)), 0.5)
    assert find_direction(empty) is None
    W = problem.operator.dense().copy()
    W[0, 1] += 1e-3
    skew = Problem(DenseDelassus(W), problem.offset, problem.friction)
    assert find_direction(skew) is None


def test_the_check_rejects_wrong_directions():
    problem = packings.squeezed(2, mu=0.3)
    z = find_direction(problem)
    assert z is not None
    assert check_direction(problem, 5 * z).holds(1e-8)  # length does not matter
    assert not check_direction(problem, -z).holds(1e-8)  # pulls, and climbs
    assert check_direction(problem, -z).cone > 0.5
    assert check_direction(problem, -z).descent > 0
    oblique = z.copy()
    oblique[0, 0] += 1e-3
    assert check_direction(problem, oblique).null_space > 1e-8
    assert not check_direction(problem, np.zeros_like(z)).holds(1.0)
    assert not check_direction(problem, np.full_like(z, np.nan)).holds(1.0)


def test_light_bodies_do_not_hide_heavy_ones():
    """A heavy block on the ground beside a light one: W z = 0 to 1e-10 of the light W, not 0."""
    W = np.diag([1.0, 1.0, 1.0, 1e-10, 1e-10, 1e-10])
    problem = Problem.dense(W, [0, 0, 1, 0, 0, -1], 0.5)
    z = np.array([[0, 0, 0], [0, 0, 1.0]])
    assert np.linalg.norm(W @ z.ravel()) <= 1e-9
    assert not check_direction(problem, z).holds(1e-8)
    assert find_direction(problem) is None


@pytest.mark.parametrize("ratio", [1e-9, 1e-10, 1e-12])
@pytest.mark.parametrize("q", [[0, 0, 0, 0, 0, -1.0], [0.1, 0, -9.81e-3, 0, 0, 0]])
def test_bodies_of_very_different_mass_are_not_stuck(ratio, q):
    """Masses 1 and 1/ratio on each other can be lifted: W z = ratio z for z = (n, n), not 0."""
    W = np.kron([[1.0, -1.0], [-1.0, 1.0 + ratio]], np.eye(3))
    problem = Problem.dense(W, q, 0.5)
    assert find_direction(problem) is None
    z = np.array([[0, 0, 1.0], [0, 0, 1.0]])
    assert not check_direction(problem, z).holds(1e-8)


def test_a_definite_w_whose_rows_differ_by_decades_is_not_stuck():
    """One contact, W_ii from 1e4 to 5e-12, cond 20 with a unit diagonal: r = -W^-1 q sticks."""
    W = np.array(
        [
            [12683.2, -0.0011255, -0.00019998],
            [-0.0011255, 2.3066e-9, 7.079e-11],
            [-0.00019998, 7.079e-11, 5.42e-12],
        ]
    )
    d = np.sqrt(np.diag(W))
    assert np.linalg.eigvalsh(W / np.outer(d, d))[0] > 0.05
    problem = Problem.dense(W, [-1.25, 0.465, -10.75], 0.64)
    r = np.linalg.solve(W, -problem.offset.ravel())
    assert np.hypot(r[0], r[1]) < 0.1 * 0.64 * r[2]
    assert find_direction(problem) is None
    # What W z = 0 to 1e-16 of its largest row looked like; the stiff rows resist it.
    z = np.array([[1.41928386e-08, -1.77148011e-02, 9.99843081e-01]])
    assert np.linalg.norm(W @ z.ravel()) < 1e-9 * np.trace(W)
    certificate = check_direction(problem, z)
    assert not certificate.holds(1e-8) and certificate.null_space > 0.05


@pytest.mark.parametrize("decades", [2.0, 5.0])
def test_planted_directions_are_found_in_any_units_of_the_contacts(decades):
    """z and D^-1 z prove the same for W and D W D, D a factor per contact."""
    rng = np.random.default_rng(5)
    z = np.array([0, 0, 1.0, 0, 0, 2.0, 0, 0, 0])
    L = rng.normal(size=(9, 4))
    L -= np.outer(z, z @ L) / (z @ z)
    q = rng.normal(size=9)
    q -= (q @ z + 1) * z / (z @ z)
    D = np.repeat(10 ** (decades * np.array([-0.5, 0.5, 0.2])), 3)
    problem = Problem.dense(np.outer(D, D) * (L @ L.T), D * q, 0.5)
    found = find_direction(problem)
    assert found is not None
    expected = (z / D).reshape(-1, 3)
    np.testing.assert_allclose(found, expected / np.linalg.norm(expected), atol=1e-9)
