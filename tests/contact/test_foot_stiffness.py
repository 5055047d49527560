"""The explicit contact model U: the paper's formulas, condensed soles, singular contacts."""

from __future__ import annotations

import numpy as np
import pytest
from box_mesh import box_mesh
from hypothesis import assume, given
from hypothesis import strategies as st
from measuring.pad_ratios import stiffness_ratios
from press_cases import LENGTH, WIDTH, pad

from contact.ground import Plane
from contact.papers.foundation import (
    PadModuli,
    WinklerFoundation,
    confined_modulus,
    directions,
    four_pads,
    gent_lindley_modulus,
    held_stiffness,
    instantaneous_U,
    inverse,
    motion_gradient,
    pad_moduli,
    pad_U,
    points_region,
    polygon_region,
    pressed_U,
    rectangle_region,
    regularised_inverse,
    segments_region,
    slipping_U,
    sole_U,
    status_of_step,
)
from contact.press import RigidMotion, press
from contact.rigid_bodies import RigidBodies, RigidBody
from contact.step import Body, SoleState
from sole.base.errors import ConfigError, MaterialError, ShapeError, SoleError
from sole.condense import condense
from sole.material import Material

C_A = 5e7
FOOT = WinklerFoundation(region=rectangle_region(0.2, 0.1, (0.03, -0.01)), c_A=C_A)


def integrated(x_f, cosines):
    """Equations (2) to (5) over FOOT by Gauss-Legendre: exact for the products of degree two."""
    node, weight = np.polynomial.legendre.leggauss(3)
    x, y = np.meshgrid(0.03 + 0.1 * node, -0.01 + 0.05 * node, indexing="ij")
    dA = np.outer(weight, weight) * 0.1 * 0.05
    sx, sy, z = x_f
    f_z = C_A * (x * sy - y * sx - z)
    cx, cy = (np.sqrt(1 - sx**2), np.sqrt(1 - sy**2)) if cosines else (1.0, 1.0)
    return np.array([(f_z * y * cx * dA).sum(), -(f_z * x * cy * dA).sum(), (f_z * dA).sum()])


@pytest.mark.parametrize("x_f", [(0.02, 0, 0), (0, -0.03, 0), (0, 0, -1e-3), (0.3, 0.4, -0.01)])
def test_U_is_the_integral_of_the_springs(x_f):
    scale = C_A * 0.02 * 0.02  # c_A A times a displacement of 2 cm
    assert FOOT.wrench(x_f) == pytest.approx(integrated(x_f, False), abs=1e-13 * scale)
    U = FOOT.U_with_cosines(x_f)
    assert U @ x_f == pytest.approx(integrated(x_f, True), abs=1e-13 * scale)


def test_U_has_the_papers_entries():
    A, x, y = 0.02, 0.03, -0.01
    I_xx, I_yy, I_xy = A * (0.1**2 / 12 + y * y), A * (0.2**2 / 12 + x * x), A * x * y
    expected = [[-I_xx, I_xy, -y * A], [I_xy, -I_yy, x * A], [-y * A, x * A, -A]]
    assert FOOT.U == pytest.approx(C_A * np.array(expected), rel=1e-12)
    assert WinklerFoundation.of_layer(FOOT.region, 1e6, 0.02).c_A == 5e7
    assert WinklerFoundation.measured(FOOT.region, 1e6).c_A == pytest.approx(5e7)


def test_a_foot_that_sinks_is_pushed_up_and_turned_back():
    assert FOOT.wrench([0, 0, -1e-3])[2] == pytest.approx(C_A * 0.02 * 1e-3)
    level = WinklerFoundation(region=rectangle_region(0.2, 0.1), c_A=C_A)
    assert (level.wrench(0.01 * np.eye(3)) * np.eye(3) <= 0).all()


@given(
    st.lists(
        st.tuples(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3)), min_size=3, max_size=3, unique=True
    )
)
def test_U_is_symmetric_and_definite_for_any_area(corners):
    try:
        region = polygon_region(corners)
    except ShapeError:
        return  # no area
    U = WinklerFoundation(region=region, c_A=C_A).U
    assert (U == U.T).all()
    size = np.sqrt(-np.diag(U))
    # About the centre a triangle's moments differ by its slenderness squared; round-off 1e-15.
    assert np.linalg.eigvalsh(U / np.outer(size, size))[-1] < 1e-15
    assert np.linalg.det(-region.gram) < 0


def test_with_cosines_U_is_not_symmetric():
    x_f = np.array([0.3, -0.4, -0.01])
    U = FOOT.U_with_cosines(x_f)
    assert (U[2] == FOOT.U[2]).all()
    cosines = np.sqrt(1 - x_f[:2] ** 2)
    assert U[:2, 2] / U[2, :2] == pytest.approx(cosines)  # 1 if it were symmetric
    assert U[0, 1] / U[1, 0] == pytest.approx(cosines[0] / cosines[1])
    h = 1e-6
    gradient = [
        (w(x_f + d) - w(x_f - d)) / (2 * h) for w in [_cosine_wrench] for d in h * np.eye(3)
    ]
    assert FOOT.gradient_with_cosines(x_f) == pytest.approx(np.transpose(gradient), rel=1e-7)


def _cosine_wrench(x_f):
    return FOOT.U_with_cosines(x_f) @ x_f


def test_pieces_in_contact():
    pads = WinklerFoundation(region=four_pads(0.26, 0.15, 0.08, 0.05), c_A=C_A)
    touching = np.array([[1, 1, 1, 1], [1, 0, 0, 0], [0, 1, 1, 0]], dtype=bool)
    U = pads.U_of_pieces(touching)
    assert U[0] == pytest.approx(pads.U, rel=1e-12)
    alone = rectangle_region(0.08, 0.05, (0.09, 0.05))
    assert U[1] == pytest.approx(-C_A * alone.gram, rel=1e-12)
    assert U[1] + U[2] + pads.U_of_pieces([0, 0, 0, 1]) == pytest.approx(pads.U, rel=1e-12)


@given(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), st.floats(-0.02, 0.02))
def test_springs_that_only_push(a, b, z):
    """lambda_f = U x_f and U = d lambda_f/d x_f, though the contact changes with the pose."""
    pads = WinklerFoundation(region=four_pads(0.26, 0.15, 0.08, 0.05), c_A=C_A)
    x_f, full, tilt = np.array([a, b, z]), np.abs(pads.U).max(), np.hypot(a, b)
    got = pads.pressed(x_f)
    assert got.wrench == pytest.approx(got.U @ x_f, abs=1e-12 * full)
    assert got.wrench[2] >= 0
    assume(tilt > 0.02)  # a level foot touches all at once: no gradient at z = 0
    steps = 1e-7 * np.eye(3)
    rise = (pads.pressed(x_f + steps).wrench - pads.pressed(x_f - steps).wrench).T / 2e-7
    # The border of the contact, at most 0.3 m long, moves by step/tilt, and U with it.
    assert got.U == pytest.approx(rise, abs=C_A * 0.3 * 1e-7 / tilt)


def test_an_obstacle_under_a_pad():
    pads = WinklerFoundation(region=four_pads(0.26, 0.15, 0.08, 0.05), c_A=C_A)
    lifted = pads.pressed([0, 0, 1e-3], heights=[2e-3, 0, 0, 0])
    alone = WinklerFoundation(region=rectangle_region(0.08, 0.05, (0.09, 0.05)), c_A=C_A)
    assert lifted.wrench == pytest.approx(alone.wrench([0, 0, -1e-3]))
    assert lifted.U == pytest.approx(alone.U)
    region = pads.contact_region([0, 0, 1e-3], heights=[2e-3, 0, 0, 0])
    assert (region.area, lifted.area) == pytest.approx((0.004, 0.004))
    assert pads.contact_region([0, 0, 1e-3]) is None


# A condensed sole


def test_the_whole_tread_stuck_is_a_block_of_the_foot_stiffness():
    sole = pad()
    U = sole_U(sole)
    K6 = sole.foot_stiffness
    assert U == pytest.approx(-K6[np.ix_([3, 4, 2], [3, 4, 2])])
    stuck = np.ones(len(sole.points), int)
    # Through C = K_c^-1 and back: round-off times its condition, some 1e3.
    assert instantaneous_U(sole, stuck) == pytest.approx(U, abs=1e-11 * np.abs(U).max())
    assert np.linalg.eigvalsh(U)[-1] < 0


def test_held_nodes_are_the_mesh_condensed_again():
    """(C_cc)^-1 = K_cc - K_cn K_nn^-1 K_nc: no need to condense for every contact set."""
    sole = pad()
    status = np.where(sole.points[:, 0] > 0.02, 1, 0)
    status[sole.points[:, 0] > 0.07] = 2  # normal only
    held = np.zeros((len(status), 3), bool)
    held[status == 1], held[status == 2, 2] = True, True
    c, n = np.flatnonzero(held), np.flatnonzero(~held)
    K, G = sole.stiffness, sole.geometry
    again = K[np.ix_(c, c)] - K[np.ix_(c, n)] @ np.linalg.solve(K[np.ix_(n, n)], K[np.ix_(n, c)])
    expected = G[c].T @ again @ G[c]
    got = held_stiffness(sole, status)
    assert got == pytest.approx(expected, abs=1e-11 * np.abs(expected).max())


def test_more_contact_is_stiffer_and_friction_too():
    sole = pad()
    x = sole.points[:, 0]
    sets = np.array([np.where(x > limit, 1, 0) for limit in (0.08, 0.04, 0.0, -0.2)])
    K = held_stiffness(sole, np.concatenate([sets, 2 * sets]))  # all stick, all slip
    assert K.shape == (8, 6, 6)
    tiny = 1e-10 * np.abs(K).max()
    for more, less in [*zip(K[1:4], K[:3], strict=True), *zip(K[:4], K[4:], strict=True)]:
        assert np.linalg.eigvalsh(more - less)[0] > -tiny
    assert np.abs(K[4:, [0, 1, 5]]).max() < tiny  # nothing holds x, y and yaw
    assert (instantaneous_U(sole, np.zeros(len(x), int)) == 0).all()


def test_frames_turned_about_the_normal_do_not_matter():
    sole = pad()
    status = np.where(sole.points[:, 0] > 0, 1, 2)
    c, s = np.cos(0.7), np.sin(0.7)
    frames = np.tile([[c, s, 0], [-s, c, 0], [0, 0, 1.0]], (len(status), 1, 1))
    K6 = held_stiffness(sole, status)
    turned = held_stiffness(sole, status, frames)
    assert turned == pytest.approx(K6, abs=1e-10 * np.abs(K6).max())


def test_frictionless_pad_without_lateral_strain_is_the_papers_foundation():
    """For nu = 0 the exact field is u_z = x z, u_x = -z^2/2: quadratic, so P2 has it."""
    E, t = 1e6, 0.03
    sole = condense(box_mesh(0.1, 0.06, t, (3, 2, 2)), Material(young_modulus=E, poisson_ratio=0.0))
    springs = WinklerFoundation.of_layer(rectangle_region(0.1, 0.06), E, t)
    U = instantaneous_U(sole, np.full(len(sole.points), 2))
    assert U == pytest.approx(springs.U, abs=1e-9 * np.abs(springs.U).max())


@pytest.mark.parametrize(
    ("friction", "roll", "pitch", "statuses"),
    [
        (0.0, 2e-5, -2e-5, {0, 2}),  # frictionless, part lifted
        (0.7, 5e-6, -3e-6, {1}),  # all stick
        (0.3, 0.0, 0.0, {1, 2}),  # the border slips
        (0.3, 2e-5, -2e-5, {0, 1, 2}),  # everything at once
    ],
)
def test_U_is_the_gradient_of_a_press(friction, roll, pitch, statuses):
    sole, base = pad(), np.array([roll, pitch, -1e-6])
    steps = np.diag([1e-8, 1e-8, 1e-9])

    def pressed(x):
        return press(sole, RigidMotion(roll=x[0], pitch=x[1], sink=-x[2]), friction=friction)

    here = pressed(base)
    assert set(here.status) == statuses
    rise = np.zeros((3, 3))
    for j, step in enumerate(steps):
        ahead, behind = pressed(base + step), pressed(base - step)
        assert (ahead.status == here.status).all()
        assert (behind.status == here.status).all()
        rise[:, j] = (ahead.wrench - behind.wrench)[[3, 4, 2]] / (2 * step[j])
    size = np.sqrt(np.abs(np.diag(rise)))
    size = np.outer(size, size)
    # Left out: the displacement, up to 4e-6 m, against the pad's half width of 0.06 m. The rest is
    # the tolerance of the press over the relative step, 1e-10/1e-3.
    assert np.abs((slipping_U(here) - rise) / size).max() < 1e-4
    if friction == 0.0 or 2 not in statuses:
        assert pressed_U(here) == pytest.approx(slipping_U(here), abs=1e-9 * size.max())
    else:
        assert np.abs((pressed_U(here) - rise) / size).max() > 1e-2  # slip follows the pressure
    # In proportion: lambda_f = U x_f (Euler), though U is that of the last small motion.
    assert slipping_U(here) @ base == pytest.approx(
        here.wrench[[3, 4, 2]], abs=1e-4 * here.wrench[2] * np.array([WIDTH, LENGTH, 1]).max()
    )


def test_status_of_a_step_takes_the_firmer_slot():
    state = SoleState.at_rest(4)
    arrays = state.arrays() | {"status": np.array([[0, 0], [2, 0], [2, 1], [0, 1]])}
    assert status_of_step(SoleState.from_arrays(arrays)).tolist() == [0, 2, 1, 1]


def test_a_foot_that_came_to_rest_stands_on_U():
    """Dropped from zero height, viscous, sticking everywhere: it ends at z = -m g/|U_zz|."""
    sole, mass = pad(), 30.0
    body = Body.of(sole, eta=0.005)
    foot = RigidBody(contact=body, mass=mass, inertia=np.array([0.3, 0.4, 0.3]))
    world = RigidBodies([foot], Plane())
    state = world.at([0, 0, sole.thickness])
    for _ in range(120):
        state = world.step(state, 1e-3).state
    U = instantaneous_U(sole, status_of_step(state.soles))
    assert U == pytest.approx(sole_U(sole), abs=1e-9 * np.abs(U).max())
    sunk = state.places[0, 2] - sole.thickness
    # Left of the motion exp(-t/tau) 1e-5; displacement over half width 2e-3 times a small tilt.
    assert sunk == pytest.approx(mass * 9.81 / U[2, 2], rel=1e-3)


def test_nothing_touches():
    lifted = press(pad(), RigidMotion(sink=-1e-3))
    assert (motion_gradient(lifted) == 0).all()
    assert (pressed_U(lifted) == 0).all()


# Lines and points


def springs_of(region):
    return WinklerFoundation(region=region, c_A=1.0).U


def test_a_line_leaves_one_rotation_and_a_point_two():
    line = directions(springs_of(segments_region([[(0.0, -0.05), (0.1, 0.05)]])), FOOT.U / C_A)
    assert line.controllable.tolist() == [True, True, False]
    (words,) = line.describe()
    assert "rotation about the line" in words
    assert "(0.707, 0.707)" in words or "(-0.707, -0.707)" in words
    assert "through (0.025, -0.025) m" in words  # the point of the line next to the TCP
    lost = line.motions[:, 2]  # phi' v = 0 on the line
    assert lost[0] * np.array([-0.05, 0.05]) - lost[1] * np.array([0, 0.1]) + lost[2] == (
        pytest.approx(0, abs=1e-9 * np.abs(lost).max())
    )
    point = directions(springs_of(points_region([(0.1, 0.05)])), FOOT.U / C_A)
    assert point.controllable.tolist() == [True, False, False]
    # All that a point can give is a force through it.
    wrench = point.reachable([3.0, -7.0, 100.0])
    assert wrench == pytest.approx(wrench[2] * np.array([0.05, -0.1, 1.0]), abs=1e-9)
    assert point.projector @ point.projector == pytest.approx(point.projector, abs=1e-9)
    # The force law with the cut inverse ends at the reachable part: U U^+ = P'.
    edge = springs_of(segments_region([[(0.0, -0.05), (0.1, 0.05)]]))
    cut = directions(edge, FOOT.U / C_A, cut=True)
    assert edge @ cut.inverse == pytest.approx(cut.projector.T, abs=1e-9)


@given(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2), st.floats(0.1, 1000), st.booleans())
def test_regularisation_knows_no_units_and_no_TCP(x, y, unit, cut):
    """T U T' for a TCP elsewhere and lengths in other units gives T^-T U^-1 T^-1."""
    U = springs_of(rectangle_region(0.01, 0.1, (0.09, 0.0)))  # nearly a line: threshold 0.01
    T = np.diag([unit, unit, 1.0]) @ np.array([[1, 0, y], [0, 1, -x], [0, 0, 1.0]])
    whole = springs_of(rectangle_region(0.2, 0.1))
    before = regularised_inverse(U, whole, cut=cut)
    after = regularised_inverse(T @ U @ T.T, T @ whole @ T.T, cut=cut)
    back = T.T @ after @ T
    assert back == pytest.approx(before, abs=1e-6 * np.abs(before).max())


def test_regularised_inverse_is_exact_above_the_threshold_and_never_too_loud():
    whole = springs_of(rectangle_region(0.2, 0.1))
    widths = np.geomspace(1e-5, 0.1, 60)
    U = np.array([springs_of(rectangle_region(0.2, w)) for w in widths])
    damped, cut = (regularised_inverse(U, whole, cut=c) for c in (False, True))
    clear = (widths / 0.1) ** 3 > 0.0101  # the share of a strip in rolling
    for many in (damped, cut):
        assert many[clear] == pytest.approx(np.linalg.inv(U[clear]), rel=1e-9)
    gain = np.linalg.eigvals(U @ damped)
    assert gain.real.max() < 1 + 1e-9
    assert gain.real.min() > -1e-9
    roll = np.abs(damped[:, 0, 0])
    assert roll.max() < 100 * np.abs(inverse(whole))[0, 0] * 1.001  # 1/threshold
    assert np.abs(np.diff(np.log(roll))).max() < 0.7  # no jump: cubed width, steps of 17 %
    assert cut[0, 0, 0] == pytest.approx(0, abs=1e-12 * roll.max())
    assert roll[0] < 1e-9 * roll.max()  # share 1e-12: it fades to nothing


def test_singular_U_is_refused_in_words():
    with pytest.raises(SoleError, match="a line, a point or nothing"):
        inverse(springs_of(segments_region([[(0.0, 0.0), (0.1, 0.0)]])))
    with pytest.raises(SoleError, match="negative definite"):
        directions(FOOT.U, springs_of(points_region([(0.0, 0.0)])))
    with pytest.raises(SoleError, match="semi-definite"):
        directions(-FOOT.U, FOOT.U)
    with pytest.raises(SoleError, match="must be symmetric"):
        directions(FOOT.U_with_cosines([0.3, 0.2, 0]), FOOT.U)
    with pytest.raises(SoleError, match="between 0 and 1"):
        directions(FOOT.U, FOOT.U, threshold=0)
    with pytest.raises(SoleError, match="finite"):
        inverse(np.full((3, 3), np.nan))


# What to take for E in E/d


@given(st.floats(0, 0.499), st.floats(0.02, 3), st.floats(0.2, 1), st.booleans())
def test_effective_moduli_lie_between_the_bounds(nu, t, width, sticks):
    E, M = 1.0, confined_modulus(1.0, nu)
    sinks, rolls, pitches = pad_moduli(E, nu, 1.0, width, t, sticks=sticks)
    assert E * (1 - 1e-9) <= sinks <= M * (1 + 1e-9)
    if not sticks:  # turning about the tread shears a pad that sticks: no such bound
        assert E * (1 - 1e-9) <= rolls <= M * (1 + 1e-9)
        assert rolls <= pitches * (1 + 1e-9)  # the longer side hinders more
    assert pad_moduli(2.0, nu, 1.0, width, t, sticks=sticks)[0] == pytest.approx(2 * sinks)


def test_thin_incompressible_pads_are_reynolds_films():
    nu, t = 0.5 - 1e-9, 0.01
    # A strip of half width a: 4/3 S^2 E vertically, a fifth of it in rolling, S = a/t.
    strip = pad_moduli(1.0, nu, 400.0, 2.0, t)
    S = 1 / t
    assert strip.vertical == pytest.approx(4 / 3 * S**2, rel=5e-3)  # ends of the strip, 1/400
    assert strip.roll == pytest.approx(4 / 15 * S**2, rel=5e-3)
    # A square: torsion's constant 0.1406 (2a)^4 for the same equation, 3 G J/t^2 over its area.
    square = pad_moduli(1.0, nu, 2.0, 2.0, t)
    assert square.vertical == pytest.approx(3 / 3 * 0.1406 * 16 / 4 * S**2, rel=2e-3)
    assert square.roll == square.pitch
    # One face that slides: a film twice as thick.
    smooth = pad_moduli(1.0, nu, 2.0, 2.0, t, sticks=False)
    assert square.vertical == pytest.approx(4 * smooth.vertical, rel=1e-3)
    # The formula of Gent and Lindley, E (1 + 2 S^2) with S = a/(2t), is 11 % below.
    assert gent_lindley_modulus(1.0, nu, 2.0, 2.0, t) == pytest.approx(square.vertical, rel=0.12)


def test_effective_moduli_are_near_finite_elements():
    """t = 0.2 half sides; on two layers of elements, which are at most 2 % too stiff."""
    for row in stiffness_ratios(0.1, 0.1, 0.2, (0.0, 0.49), layers=2):
        for ratios, sticks, within in ((row.sticks, True, 0.04), (row.slides, False, 0.09)):
            rule = pad_moduli(1.0, row.nu, 0.1, 0.1, 0.01, sticks=sticks)
            found = np.array([rule.roll, rule.pitch, rule.vertical])
            assert found == pytest.approx(ratios, rel=within)
            assert (ratios >= 1 - 1e-9).all()


def test_turning_a_thick_pad_that_sticks_shears_it():
    """nu = 0, t = half side: nothing bulges, all of the excess of 30 % is shear."""
    (row,) = stiffness_ratios(0.1, 0.1, 1.0, (0.0,), layers=2)
    rule = pad_moduli(1.0, 0.0, 0.1, 0.1, 0.05)
    assert row.sticks[0] > 1.25
    assert rule.roll == pytest.approx(row.sticks[0], rel=0.04)  # a short beam's shear
    assert row.slides == pytest.approx(1.0, abs=1e-9)


def test_U_of_several_pads():
    """With one modulus for all it is that of springs; with several, turning leans on sinking."""
    x, y = 0.09, 0.05
    at = ((x, y), (x, -y), (-x, y), (-x, -y))
    springs = WinklerFoundation(region=four_pads(0.26, 0.15, 0.08, 0.05), c_A=1.0 / 0.02)
    U = sum(pad_U(PadModuli(1.0, 1.0, 1.0), 0.08, 0.05, 0.02, centre) for centre in at)
    assert U == pytest.approx(springs.U, abs=1e-12 * np.abs(springs.U).max())
    sinking = pad_U(PadModuli(1.0, 0.0, 0.0), 0.08, 0.05, 0.02, (x, y))
    assert sinking == pytest.approx(-0.2 * np.outer([y, -x, 1], [y, -x, 1]))


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_no_stiffness(bad):
    region = rectangle_region(0.1, 0.1)
    for make in (
        lambda: WinklerFoundation(region=region, c_A=bad),
        lambda: WinklerFoundation.of_layer(region, bad, 0.01),
        lambda: WinklerFoundation.of_layer(region, 1e6, bad),
        lambda: WinklerFoundation.measured(region, bad),
        lambda: pad_moduli(bad, 0.3, 1, 1, 1),
    ):
        with pytest.raises(MaterialError):
            make()
    with pytest.raises(ConfigError):
        pad_moduli(1.0, 0.3, 1, bad, 1)
    with pytest.raises(MaterialError):
        pad_moduli(1.0, 0.5, 1, 1, 1)


def test_bad_arguments():
    sole, m = pad(), len(pad().points)
    for call in (
        lambda: FOOT.wrench([0, 0]),
        lambda: FOOT.wrench([0, 0, np.nan]),
        lambda: FOOT.U_with_cosines([1.0, 0, 0]),
        lambda: FOOT.U_of_pieces([1, 0]),
        lambda: FOOT.U_of_pieces([2.0]),
        lambda: FOOT.pressed([0, 0, 0], heights=[1, 2]),
        lambda: FOOT.contact_region(np.zeros((2, 3))),
        lambda: WinklerFoundation(region=points_region([(0, 0)]), c_A=1.0).pressed([0, 0, 0]),
        lambda: held_stiffness(sole, np.zeros(3, int)),
        lambda: held_stiffness(sole, np.full(m, 7)),
        lambda: held_stiffness(sole, np.ones(m, int), np.ones((m, 3, 3))),
    ):
        with pytest.raises(SoleError) as error:
            call()
        assert "\n" not in str(error.value)
