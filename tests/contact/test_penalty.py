"""Equations (15)-(20) of penalty contact: the law, the forces of least norm, the saturation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from contact.papers.penalty import (
    ContactSpace,
    PenaltyLaw,
    desired_accelerations,
    penalty_forces,
    required_forces,
    saturate_forces,
)
from sole.base.errors import SoleError

G = 9.81
LAW = PenaltyLaw(kp=500.0, kv=250.0)
EPS = np.finfo(float).eps


def arm(x, y, z):
    """Rows of the velocity of a point in (v, omega)."""
    return np.block([np.eye(3), np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])])


def box(mass=58.0, half=(0.1, 0.05), height=0.8, com=(0.0, 0.0)):
    """A and D of a free box on four vertices, velocities taken at the centre of mass."""
    A = np.diag([mass, mass, mass, 2.0, 3.0, 1.0])
    corners = [
        (x - com[0], y - com[1], -height) for x in (-half[0], half[0]) for y in (-half[1], half[1])
    ]
    return A, np.vstack([arm(*c) for c in corners]).T


def standing(mass=58.0, com=(0.0, 0.0), force=(0.0, 0.0, 0.0)):
    A, D = box(mass, com=com)
    load = np.array([*force, 0.0, 0.0, 0.0]) - [0, 0, mass * G, 0, 0, 0]
    return ContactSpace.of_dynamics(A, D, load, np.zeros(12))


def chain(rng, v, n):
    """A mechanism of v coordinates and n contacts without any structure."""
    M = rng.normal(size=(v, v))
    return (
        M @ M.T + np.eye(v),
        rng.normal(size=(v, 3 * n)),
        rng.normal(size=v),
        rng.normal(size=3 * n),
    )


# --- the desired accelerations


def test_desired_accelerations_are_equation_17():
    law = PenaltyLaw(kp=3.0, kv=5.0, epsilon=-0.01)
    got = desired_accelerations(law, [-0.1, 0.0], [[1, 2, -4], [-1, 0, 4]])
    np.testing.assert_allclose(got, [[-5, -10, 3 * 0.09 + 20], [5, 0, -0.03]], rtol=4 * EPS)


@given(p=st.floats(-1, 1), v=st.floats(-9, 9))
def test_equations_3_and_7_are_its_parts(p, v):
    normal = desired_accelerations(LAW, [p], [[0, 0, v]])[0]
    assert normal[2] == -LAW.kp * p - LAW.kv * min(0.0, v)
    tangential = desired_accelerations(LAW, [0.0], [[v, 0, 0]])[0]
    assert tangential[0] == -LAW.kv * v
    assert (normal[:2] == 0).all() and tangential[2] == 0


def test_desired_accelerations_of_a_whole_trajectory():
    rng = np.random.default_rng(1)
    p, v = rng.normal(size=(50, 4)), rng.normal(size=(50, 4, 3))
    whole = desired_accelerations(LAW, p, v)
    for k in range(50):
        np.testing.assert_array_equal(whole[k], desired_accelerations(LAW, p[k], v[k]))


# --- the contact space


def test_space_is_what_the_equations_of_motion_say():
    """A qa + H = Gamma_e + D F and P'' = D^T qa + B, solved as they stand."""
    rng = np.random.default_rng(2)
    A, D, load, B = chain(rng, 20, 8)
    F = rng.normal(size=(8, 3))
    qa = np.linalg.solve(A, load + D @ F.ravel())
    got = ContactSpace.of_dynamics(A, D, load, B).accelerations(F)
    np.testing.assert_allclose(got.ravel(), D.T @ qa + B, rtol=1e-10, atol=1e-10)  # cond(A) ~ 1e2


def test_active_space_is_the_space_of_the_active_columns():
    rng = np.random.default_rng(3)
    A, D, load, B = chain(rng, 20, 8)
    mask = np.array([1, 0, 0, 1, 1, 0, 1, 0], dtype=bool)
    columns = np.repeat(mask, 3)
    part = ContactSpace.of_dynamics(A, D, load, B).active(mask)
    alone = ContactSpace.of_dynamics(A, D[:, columns], load, B[columns])
    np.testing.assert_allclose(part.operator, alone.operator, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(part.drift, alone.drift, rtol=1e-12, atol=1e-12)


# --- the required forces


@pytest.mark.parametrize("v, n", [(20, 8), (6, 4), (6, 1), (30, 8)])
def test_required_forces_are_those_of_the_pseudo_inverse(v, n):
    """Against SciPy's: full rank, and rank v < 3n as for a rigid foot."""
    rng = np.random.default_rng(v)
    A, D, load, B = chain(rng, v, n)
    W = ContactSpace.of_dynamics(A, D, load, B).operator
    y = rng.normal(size=3 * n)
    F, rank, residual = required_forces(W, y)
    assert rank == min(v, 3 * n)
    exact = np.linalg.pinv(W, rcond=1e-10, hermitian=True) @ y
    np.testing.assert_allclose(F, exact, atol=1e-9 * np.abs(exact).max())  # cond of W's range ~ 1e4
    assert residual == pytest.approx(np.linalg.norm(W @ exact - y), rel=1e-8, abs=1e-9)


@given(seed=st.integers(0, 10_000), v=st.integers(1, 9), n=st.integers(1, 4))
def test_required_forces_are_least_squares_of_least_norm(seed, v, n):
    """The residual is orthogonal to the range of W, F' to its kernel."""
    rng = np.random.default_rng(seed)
    W = ContactSpace.of_dynamics(*chain(rng, v, n)).operator
    y = rng.normal(size=3 * n)
    F, rank, residual = required_forces(W, y)
    w, V = np.linalg.eigh(W)
    kernel = V[:, w <= 1e-10 * w[-1]]
    assert rank == 3 * n - kernel.shape[1]
    assert np.abs(kernel.T @ F).max(initial=0) <= 1e-10 * np.linalg.norm(F)
    error = W @ F - y
    scale = w[-1] / w[w > 1e-10 * w[-1]].min()  # of the condition: solving loses that much
    assert np.abs(W @ error).max() <= 100 * EPS * scale * w[-1] * np.linalg.norm(y)
    assert residual == pytest.approx(np.linalg.norm(error), rel=1e-6, abs=100 * EPS * scale)


def test_threshold_decides_the_rank():
    W, y = np.diag([1.0, 1e-6, 1e-12]), np.ones(3)
    assert required_forces(W, y)[1] == 2
    assert required_forces(W, y, rcond=1e-3)[1] == 1
    F, rank, residual = required_forces(W, y, rcond=1e-13)
    assert rank == 3
    np.testing.assert_allclose(F, [1, 1e6, 1e12], rtol=1e-12)
    assert residual <= 1e-12
    F, rank, residual = required_forces(np.zeros((3, 3)), y)
    assert rank == 0 and not F.any() and residual == pytest.approx(3**0.5)


def test_an_operator_unsymmetric_by_round_off_is_its_symmetric_part():
    rng = np.random.default_rng(5)
    W = ContactSpace.of_dynamics(*chain(rng, 6, 2)).operator
    y, noise = rng.normal(size=6), rng.normal(size=(6, 6))
    noise *= 1e-10 * np.abs(W).max()
    F = required_forces(W + noise, y)[0]
    even = required_forces(W + (noise + noise.T) / 2, y)[0]
    np.testing.assert_allclose(F, even, rtol=1e-11)  # cond(W) ~ 1e4; one triangle alone: 1e-6


# --- the saturation


@given(f=arrays(float, (4, 3), elements=st.floats(-1e6, 1e6)), mu=st.floats(0, 10))
def test_saturation_is_20_with_absolute_cosines(f, mu):
    got = saturate_forces(f, mu)
    f_n = np.maximum(0, f[:, 2])
    theta = np.arctan2(f[:, 1], f[:, 0])
    for k, part in ((0, np.cos(theta)), (1, np.sin(theta))):
        want = np.sign(f[:, k]) * np.minimum(np.abs(f[:, k]), mu * f_n * np.abs(part))
        np.testing.assert_allclose(got[:, k], want, rtol=1e-12, atol=1e-12 * np.abs(f).max())
    np.testing.assert_array_equal(got[:, 2], f_n)
    assert (np.hypot(got[:, 0], got[:, 1]) <= mu * f_n * (1 + 4 * EPS) + 1e-300).all()  # (12)


def test_equation_20_as_printed_points_the_wrong_way():
    """In the second quadrant min(|f_x|, mu f_n cos theta) is negative."""
    f_x, mu_fn, theta = -1.0, 0.7, np.arctan2(1.0, -1.0)
    printed = np.sign(f_x) * min(abs(f_x), mu_fn * np.cos(theta))
    assert printed > 0
    assert saturate_forces([[-1.0, 1.0, 1.0]], 0.7)[0, 0] == pytest.approx(-0.7 / 2**0.5)


def test_forces_within_the_cone_stay_as_they_are():
    f = np.array([[[0.3, 0.4, 1.0], [0.0, 0.0, 0.0]], [[-0.1, 0.0, 9.0], [0.0, 0.0, 5.0]]])
    np.testing.assert_array_equal(saturate_forces(f, 0.5), f)


# --- all together


def test_a_point_mass_feels_equations_4_and_8():
    m, mu = 3.0, 0.4
    law = PenaltyLaw(kp=200.0, kv=30.0, friction=mu)
    alpha, v, p = 0.5, np.array([0.2, 0.0, -0.1]), -0.003
    load = m * G * np.array([np.sin(alpha), 0.0, -np.cos(alpha)])
    space = ContactSpace.of_dynamics(m * np.eye(3), np.eye(3), load, np.zeros(3))
    f = penalty_forces(law, space, [p], [v]).forces[0]
    f_n = m * G * np.cos(alpha) + m * (-law.kp * p - law.kv * v[2])
    f_r = m * G * np.sin(alpha) + m * law.kv * v[0]
    assert f_r > mu * f_n  # saturated
    np.testing.assert_allclose(f, [-mu * f_n, 0, f_n], rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("com", [(0.0, 0.0), (0.03, -0.02)])
def test_a_standing_box_shares_its_weight_by_the_least_norm(com):
    """f_i = m g/4 (1 + sgn x c_x/a + sgn y c_y/b)."""
    forces = penalty_forces(LAW, standing(com=com), np.zeros(4), np.zeros((4, 3)))
    x, y = np.array([-1, -1, 1, 1]), np.array([-1, 1, -1, 1])
    want = 58 * G / 4 * (1 + x * com[0] / 0.1 + y * com[1] / 0.05)
    np.testing.assert_allclose(forces.forces[:, 2], want, rtol=1e-11)
    np.testing.assert_allclose(forces.forces[:, :2], 0, atol=1e-10 * 58 * G)
    assert forces.rank == 6
    assert forces.residual <= 1e-11 * G


def test_within_the_cones_the_accelerations_are_the_desired_ones():
    """The linearisation: P'' = P''^d exactly where W has full rank and nothing saturates."""
    rng = np.random.default_rng(8)
    A, D, load, B = chain(rng, 20, 4)
    law = PenaltyLaw(kp=1e4, kv=1e2, friction=1e3)
    space = ContactSpace.of_dynamics(A, D, load, B)
    gaps = np.array([-0.5, 0.2, -0.5, 0.0])
    found = penalty_forces(law, space, gaps, 0.01 * rng.normal(size=(4, 3)))
    np.testing.assert_array_equal(found.active, gaps <= 0)
    assert not found.forces[1].any() and not found.required[1].any() and not found.desired[1].any()
    np.testing.assert_array_equal(found.forces, found.required)  # nothing saturates here
    got = space.accelerations(found.forces)[found.active]
    np.testing.assert_allclose(got, found.desired[found.active], rtol=1e-9, atol=1e-6)


def test_masses_do_not_matter_to_the_motion():
    """Scale A, H and Gamma by 1000: the same accelerations, forces 1000 times as large."""
    A, D = box()
    load, gaps = np.array([5.0, 3.0, -58 * G, 1.0, -2.0, 0.3]), np.array([-1e-3, 1e-3, -2e-3, 0.0])
    v = 0.1 * np.random.default_rng(4).normal(size=(4, 3))
    light = ContactSpace.of_dynamics(A, D, load, np.zeros(12))
    heavy = ContactSpace.of_dynamics(1e3 * A, D, 1e3 * load, np.zeros(12))
    f, F = (penalty_forces(LAW, s, gaps, v).forces for s in (light, heavy))
    assert np.abs(f).max() > 1
    np.testing.assert_allclose(F, 1e3 * f, rtol=1e-10, atol=1e-7 * np.abs(f).max())
    np.testing.assert_allclose(heavy.accelerations(F), light.accelerations(f), rtol=1e-9, atol=1e-9)


def test_no_contact_no_force():
    found = penalty_forces(LAW, standing(), np.full(4, 1e-9), np.zeros((4, 3)))
    assert not found.forces.any() and not found.active.any() and found.rank == 0
    nothing = ContactSpace(np.zeros((0, 0)), np.zeros(0))
    assert penalty_forces(LAW, nothing, np.zeros(0), np.zeros((0, 3))).forces.shape == (0, 3)


def test_a_pull_of_more_than_the_weight_lifts_the_box():
    space = standing(force=(0, 0, 60 * G))
    found = penalty_forces(LAW, space, np.zeros(4), np.zeros((4, 3)))
    assert (found.required[:, 2] < 0).all()
    assert not found.forces.any()


# --- what is refused


@pytest.mark.parametrize("name", ["kp", "kv", "friction"])
@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, "1", None, True])
def test_law_refuses(name, value):
    with pytest.raises(SoleError, match=name):
        PenaltyLaw(**{"kp": 1.0, "kv": 1.0, name: value})


def test_law_refuses_the_printed_sign_of_epsilon():
    with pytest.raises(SoleError, match=r"pushed out of contact.*epsilon = -1e-06"):
        PenaltyLaw(500, 250, epsilon=1e-6)
    with pytest.raises(SoleError, match="epsilon"):
        PenaltyLaw(500, 250, epsilon=np.nan)


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda A: np.diag([58, 58, 58, 2, 3, 0.0]), "singular or indefinite"),
        (lambda A: -A, "singular or indefinite"),
        (lambda A: np.diag([58, 58, 58, 2, 3, 1e-17]), "singular or indefinite"),
        (lambda A: A + np.triu(np.ones((6, 6))), "symmetric"),
        (lambda A: A[:5], "shape"),
        (lambda A: A * np.nan, "finite"),
    ],
)
def test_inertia_matrices_that_are_refused(change, words):
    A, D = box()
    with pytest.raises(SoleError, match=words):
        ContactSpace.of_dynamics(change(A), D, np.zeros(6), np.zeros(12))


@pytest.mark.parametrize(
    "change, words",
    [
        ({"D": np.zeros((6, 11))}, r"\(v, 3n\)"),
        ({"D": np.zeros(6)}, r"\(v, 3n\)"),
        ({"D": np.zeros((0, 12))}, r"\(v, 3n\)"),
        ({"generalized_forces": np.zeros(5)}, "generalized_forces"),
        ({"bias": np.zeros(9)}, "bias"),
        ({"bias": np.full(12, np.inf)}, "bias"),
    ],
)
def test_dynamics_that_are_refused(change, words):
    A, D = box()
    given = {"A": A, "D": D, "generalized_forces": np.zeros(6), "bias": np.zeros(12)}
    with pytest.raises(SoleError, match=words):
        ContactSpace.of_dynamics(**(given | change))


@pytest.mark.parametrize(
    "W, y, words",
    [
        (np.eye(3), np.zeros(4), "operator W"),
        (np.triu(np.ones((3, 3))), np.zeros(3), "symmetric"),
        (np.eye(3) + 1e-6 * np.eye(3, k=1), np.zeros(3), "symmetric"),
        (np.diag([1.0, 1.0, -1e-3]), np.zeros(3), "semidefinite"),
        (-np.eye(3), np.zeros(3), "semidefinite"),
        (np.eye(3) * np.nan, np.zeros(3), "finite"),
        (np.eye(3), [0, np.nan, 0], "finite"),
    ],
)
def test_operators_that_are_refused(W, y, words):
    with pytest.raises(SoleError, match=words):
        required_forces(W, y)


@pytest.mark.parametrize("rcond", [-1e-3, 1.0, np.nan, "small"])
def test_thresholds_that_are_refused(rcond):
    with pytest.raises(SoleError, match="rcond"):
        required_forces(np.eye(3), np.zeros(3), rcond)


def test_shapes_that_are_refused():
    space = standing()
    for gaps, velocities, words in [
        (np.zeros(3), np.zeros((4, 3)), "gaps"),
        (np.zeros(4), np.zeros((4, 2)), "velocities"),
        (np.full(4, np.nan), np.zeros((4, 3)), "gaps"),
    ]:
        with pytest.raises(SoleError, match=words):
            penalty_forces(LAW, space, gaps, velocities)
    with pytest.raises(SoleError, match="velocities"):
        desired_accelerations(LAW, np.zeros(4), np.zeros((3, 3)))
    with pytest.raises(SoleError, match="gaps"):
        desired_accelerations(LAW, ["deep"], np.zeros((1, 3)))
    with pytest.raises(SoleError, match="forces"):
        saturate_forces(np.zeros((4, 2)), 0.7)
    with pytest.raises(SoleError, match="forces must be finite"):
        saturate_forces(np.full((4, 3), np.nan), 0.7)
    with pytest.raises(SoleError, match="velocities must be finite"):
        desired_accelerations(LAW, np.zeros(1), np.full((1, 3), np.inf))
    with pytest.raises(SoleError, match="friction"):
        saturate_forces(np.zeros((4, 3)), -0.7)
    with pytest.raises(SoleError, match="mask"):
        space.active([0, 1, 2, 3])
    with pytest.raises(SoleError, match="drift"):
        ContactSpace(np.eye(4), np.zeros(4))
    with pytest.raises(SoleError, match="operator"):
        ContactSpace(np.eye(3), np.zeros(6))
    with pytest.raises(SoleError, match="forces"):
        space.accelerations(np.zeros((3, 3)))


def test_what_is_handed_out_cannot_be_changed():
    space = standing()
    found = penalty_forces(LAW, space, np.zeros(4), np.zeros((4, 3)))
    handed = (
        space.operator,
        space.drift,
        found.forces,
        found.required,
        found.desired,
        found.active,
    )
    assert not any(array.flags.writeable for array in handed)


def test_cut_forces_are_named_and_may_leave_a_sinking_point_without_any():
    # W couples x and z: to stop both, F' = W^-1 kv (2.6, 0, 2.3) pulls down; (19), (20) leave 0.
    W = np.array([[1.0, 0.0, 0.95], [0.0, 1.0, 0.0], [0.95, 0.0, 1.0]])
    law = PenaltyLaw(kp=500.0, kv=250.0)
    sinking = penalty_forces(law, ContactSpace(W, np.zeros(3)), [-1e-6], [[-2.6, 0.0, -2.3]])
    assert sinking.required[0, 2] < 0 < sinking.required[0, 0]
    assert not sinking.forces.any()
    assert sinking.cut.tolist() == [True]
    assert sinking.residual < 1e-9
    held = penalty_forces(law, ContactSpace(np.eye(3), np.zeros(3)), [-1e-6], [[0.0, 0.0, -2.3]])
    assert held.cut.tolist() == [False]
