"""The press test against mechanics: equilibrium, energy, bounds, symmetry, limits."""

from __future__ import annotations

from dataclasses import replace
from math import radians

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from press_cases import CASES, LENGTH, NU, THICKNESS, WIDTH, E, block, pad, symmetric_pad

from contact.ground import Bump, Plane, Slope, Step
from contact.ground.simple_grounds import Bar
from contact.press import PressOptions, PressResult, RigidMotion, Wrench, press
from contact.press.first_touch import motion_of
from contact.problem import ContactStatus
from contact.summaries.press_summary import describe_press
from sole.base.errors import ConfigError, ConvergenceError, EquilibriumError

AREA = LENGTH * WIDTH
standing = Wrench.standing


@pytest.fixture(scope="module", params=CASES)
def case(request) -> tuple[PressResult, Wrench]:
    load, ground = CASES[request.param]
    return press(pad(), load, ground), load


def contact_law(result: PressResult):
    """World gaps, normals, forces and node motion, from the stored arrays and nothing else."""
    R, t = result.pose[:3, :3], result.pose[:3, 3]
    world = (result.points + result.displacements) @ R.T + t
    gaps, normals = result.ground.gaps(world, result.start)
    forces = result.contact_forces @ R.T
    normal_force = np.einsum("fmi,fmi->fm", forces, normals)
    tangent_force = forces - normal_force[:, :, None] * normals
    moved = (world - result.start)[None]
    tangent_motion = moved - np.einsum("fmi,fmi->fm", moved, normals)[:, :, None] * normals
    return gaps, normal_force, tangent_force, tangent_motion


def test_nodal_forces_add_up_to_the_wrench(case):
    result, load = case
    """In the axes of the ground's frame, which the load keeps whatever the foot's tilt."""
    turn = result.ground.frame.T @ result.pose[:3, :3]
    f, x = result.forces @ turn.T, (result.points - result.sole.origin) @ turn.T
    moment = np.cross(x, f).sum(axis=0)
    wrench = np.concatenate([f.sum(axis=0), moment])
    np.testing.assert_allclose(wrench, load.vector, atol=1e-9 * load.fz)
    np.testing.assert_allclose(result.cop, [-load.ty / load.fz, load.tx / load.fz], atol=1e-9)


def test_signorini_and_coulomb_hold_in_the_world(case):
    result, load = case
    gaps, n, t, moved = contact_law(result)
    tiny, short = 1e-8 * load.fz, 1e-8 * THICKNESS
    assert gaps.min() > -short and n.min() > -tiny
    assert np.abs(gaps * n).max() < short * load.fz
    t_size, m_size = np.linalg.norm(t, axis=2), np.linalg.norm(moved, axis=2)
    assert (t_size <= result.friction * n + tiny).all()
    inside = t_size < result.friction * n * (1 - 1e-6)
    assert m_size[inside & (n > tiny)].max(initial=0) < short
    # Friction opposes the motion: t . m = -|t||m|.
    work = np.einsum("fmi,fmi->fm", t, moved)
    np.testing.assert_allclose(
        work[n > tiny], -(t_size * m_size)[n > tiny], atol=tiny * short * 1e3
    )


def test_displacements_are_those_of_the_forces(case):
    result, _ = case
    u = result.sole.compliance @ result.forces.ravel()
    np.testing.assert_allclose(result.displacements.ravel(), u, atol=1e-15)
    K_c = result.sole.stiffness
    assert result.energy == pytest.approx(u @ (K_c @ u) / 2, rel=1e-9)


def test_certificate_holds_and_notices_a_wrong_result(case):
    result, _ = case
    assert result.certificate.holds(1e-9)
    assert not replace(result, contact_forces=result.contact_forces * 1.001).certificate.holds(1e-5)
    moved = result.pose.copy()
    moved[2, 3] += 1e-5
    assert not replace(result, pose=moved).certificate.holds(1e-5)
    broken = result.contact_forces.copy()
    broken[0, 0, 0] = np.nan
    assert not replace(result, contact_forces=broken).certificate.finite


def test_slip_and_status_are_those_of_the_motion(case):
    result, load = case
    R = result.pose[:3, :3]
    world = (result.points + result.displacements) @ R.T + result.pose[:3, 3]
    moved = (world - result.start) @ R
    for axis in (0, 1):
        expected = np.einsum("kb,kb->k", result.frames[:, axis], moved)
        np.testing.assert_allclose(result.slip[:, axis], expected, atol=1e-15)
    moving = np.linalg.norm(result.slip, axis=1)
    assert (moving[result.status == ContactStatus.STICK] < 1e-7 * THICKNESS).all()
    slipping = result.status == ContactStatus.SLIP
    assert (moving[slipping] > 0).all()
    f = np.einsum("kab,kb->ka", result.frames, result.contact_forces.max(axis=0, initial=-np.inf))
    if len(result.contact_forces) == 1:
        cone = result.friction * f[slipping, 2] - np.hypot(f[slipping, 0], f[slipping, 1])
        assert (np.abs(cone) < 1e-9 * load.fz).all()


def test_pose_is_a_rigid_motion(case):
    R = case[0].pose[:3, :3]
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-13)
    assert np.linalg.det(R) > 0


# --- Held foot: stiffness against closed forms --------------------------------------------------


def lift(result: PressResult) -> float:
    return float(result.wrench[2])


@pytest.mark.parametrize("friction", [0.0, 0.7])
@pytest.mark.parametrize("element", ["p1", "p2", "ccr"])
def test_pad_that_does_not_bulge_is_under_uniform_pressure(element, friction):
    # nu = 0: u_z = -d z/t everywhere, p = E d/t at every node, exactly in each element.
    d = 1e-4
    result = press(pad((5, 4, 2), element, nu=0.0), RigidMotion(sink=d), friction=friction)
    np.testing.assert_allclose(result.pressure, E * d / THICKNESS, rtol=1e-9)
    assert lift(result) == pytest.approx(E * AREA / THICKNESS * d, rel=1e-9)
    assert result.contact_area == pytest.approx(AREA, rel=1e-12)


def test_frictionless_stiffness_lies_between_the_bounds():
    # E A/t (free sides) <= F/d <= E (1-nu) A/((1+nu)(1-2nu) t) (confined): equations.md 6.
    d = 1e-5
    F = lift(press(pad(), RigidMotion(sink=d), friction=0.0))
    uniform = E * AREA / THICKNESS
    confined = uniform * (1 - NU) / ((1 + NU) * (1 - 2 * NU))
    assert uniform < F / d < confined
    # Friction only adds constraints: stiffer, and still below the confined layer.
    stuck = lift(press(pad(), RigidMotion(sink=d), friction=10.0))
    assert F < stuck < confined * d


def test_stuck_foot_is_the_foot_stiffness():
    # Small motions with enough friction and full contact: wrench = -K_6 motion.
    sole = pad()
    motion = RigidMotion(sink=1e-5, x=2e-7, y=-1e-7, roll=3e-6, pitch=-2e-6, yaw=4e-6)
    result = press(sole, motion, friction=50.0)
    assert (result.status == ContactStatus.STICK).all()
    expected = -sole.foot_stiffness @ motion.vector
    # The rotation is finite: relative error of its size.
    np.testing.assert_allclose(result.wrench, expected, rtol=1e-5, atol=1e-5 * abs(expected[2]))


def test_stuck_foot_under_load_moves_by_the_inverse_stiffness():
    sole = pad().scaled(1e4)  # so stiff that the motion is infinitesimal
    load = standing(600, cop=(0.01, 0.005), shear=(30, -20), yaw=2)
    result = press(sole, load, friction=50.0)
    assert (result.status == ContactStatus.STICK).all()
    expected = -np.linalg.solve(sole.foot_stiffness, load.vector)
    np.testing.assert_allclose(result.motion, expected, rtol=1e-4, atol=1e-5 * abs(expected[2]))


def test_frictionless_work_is_the_stored_energy():
    # dW = F dd along frictionless loading; the pad is linear, so W = F d/2 = 1/2 f' C f.
    d = 2e-5
    result = press(pad(), RigidMotion(sink=d), friction=0.0)
    assert result.energy == pytest.approx(lift(result) * d / 2, rel=1e-9)
    loaded = press(pad(), standing(600, cop=(0.02, 0.01)), friction=0.0)
    work = -loaded.wrench[2:5] @ loaded.motion[2:5] / 2
    assert loaded.energy == pytest.approx(work, rel=3 * abs(loaded.motion[3:]).max())


def test_friction_loses_work_on_the_way():
    # Work of the hand = elastic energy + frictional loss >= elastic energy, on any path.
    # Pressed, then dragged: the loss is the work of the sliding forces at the nodes.
    n, sink, shift = 24, 1e-4, 6e-4
    path = [RigidMotion(sink=sink)] + [
        RigidMotion(sink=sink, x=shift * k / n) for k in range(1, n + 1)
    ]
    work, loss, wrench, motion = 0.0, 0.0, np.zeros(6), np.zeros(6)
    traction = np.zeros((len(pad().points), 3))
    for k in range(1, len(path) + 1):
        result = press(pad(), path[:k])
        work -= (result.wrench + wrench) @ (result.motion - motion) / 2
        slip = np.einsum("ka,kab->kb", result.slip, result.frames[:, :2])
        loss -= float(np.vdot(result.forces + traction, slip)) / 2
        wrench, motion, traction = result.wrench, result.motion, result.forces
    assert (result.status == ContactStatus.SLIP).sum() > 0.5 * len(pad().points)
    assert loss > 0.5 * result.energy > 0
    assert work == pytest.approx(result.energy + loss, rel=1e-2)


# --- Symmetry, scaling, objectivity -------------------------------------------------------------


def test_stiffer_sole_moves_in_proportion():
    # On flat ground with a flat, untilted foot all laws are homogeneous: u ~ 1/E, f unchanged.
    load = RigidMotion(sink=1e-4, x=3e-5)
    soft, hard = press(pad(), load), press(pad().scaled(2), load)
    np.testing.assert_allclose(hard.forces, 2 * soft.forces, atol=1e-8 * lift(soft))
    np.testing.assert_allclose(hard.displacements, soft.displacements, atol=1e-9 * 1e-4)
    half = press(pad().scaled(2), RigidMotion(sink=0.5e-4, x=1.5e-5))
    np.testing.assert_allclose(half.forces, soft.forces, atol=1e-8 * lift(soft))
    np.testing.assert_allclose(half.displacements, soft.displacements / 2, atol=1e-9 * 1e-4)


def test_forces_do_not_know_how_the_ground_lies_in_the_world():
    load = standing(600, cop=(0.03, 0.01), shear=(200, 50), yaw=3)
    flat = press(pad(), load)
    for ground in (Slope(angle=radians(25)), Slope(angle=radians(-70), heading=radians(33))):
        sloped = press(pad(), load, ground)
        np.testing.assert_allclose(sloped.forces, flat.forces, atol=1e-7)
        np.testing.assert_allclose(sloped.motion, flat.motion, atol=1e-11)
        turned = ground.frame @ flat.pose[:3, :3]
        np.testing.assert_allclose(sloped.pose[:3, :3], turned, atol=1e-10)


@pytest.mark.parametrize("ground", [Plane(), Step(rise=0.006, x=0.004)], ids=str)
def test_mirror_symmetry(ground):
    # The mirrored sole under the mirrored load feels the mirrored forces.
    load = standing(570, cop=(0.03, 0.02), shear=(60, 40), yaw=2)
    mirrored_load = standing(570, cop=(0.03, -0.02), shear=(60, -40), yaw=-2)
    a, b = press(pad(), load, ground), press(pad().mirrored(), mirrored_load, ground)
    np.testing.assert_allclose(b.forces, a.forces * [1, -1, 1], atol=1e-6)
    np.testing.assert_allclose(b.displacements, a.displacements * [1, -1, 1], atol=1e-11)


def test_symmetric_load_on_a_symmetric_pad_stays_in_the_plane():
    result = press(symmetric_pad(), standing(600, cop=(0.04, 0.0), shear=(100, 0)))
    x, y, _, roll, _, yaw = result.motion
    assert abs(y) < 1e-10 and abs(roll) < 1e-9 and abs(yaw) < 1e-9 and abs(x) > 1e-5


# --- Against other solutions --------------------------------------------------------------------


def test_frictionless_press_is_a_quadratic_programme():
    # min 1/2 f_n C_nn f_n + g0 f_n over f_n >= 0, as non-negative least squares.
    from scipy.optimize import nnls

    sole = pad()
    motion = RigidMotion(sink=2e-4, roll=0.008, pitch=0.002)
    result = press(sole, motion, friction=0.0)
    # Ground normal in the sole frame, the same for all nodes of a plane.
    n = result.pose[2, :3]
    m = len(sole.points)
    N = np.zeros((3 * m, m))
    for i in range(m):
        N[3 * i : 3 * i + 3, i] = n
    rigid = (sole.points @ result.pose[:3, :3].T + result.pose[:3, 3])[:, 2]
    L = np.linalg.cholesky(N.T @ sole.compliance @ N)
    f_n, _ = nnls(L.T, -np.linalg.solve(L, rigid))
    assert 5 < (f_n > 0).sum() < m - 5
    np.testing.assert_allclose(result.forces, np.outer(f_n, n), atol=1e-7 * f_n.sum())


def test_gauss_seidel_alone_finds_the_same_state():
    load, ground = CASES["sheared"]
    alone = press(pad(), load, ground, options=PressOptions(polish=False, tolerance=1e-8))
    assert alone.newton == 0 and alone.sweeps > 10
    np.testing.assert_allclose(alone.forces, press(pad(), load, ground).forces, atol=1e-4)


@pytest.mark.parametrize("name", ["centre", "sheared", "turned", "step"])
def test_newton_gives_the_last_digits_at_once(name):
    result = press(pad(), *CASES[name])
    assert result.newton <= 5 and result.outer <= 4
    assert result.certificate.holds(1e-10)


ROUND = {
    "bar": (Bar(rise=0.005, radius=0.01, angle=radians(10)), 0.0),
    "bump": (Bump(rise=0.01, radius=0.02), 0.0),
    "rough bar": (Bar(rise=0.005, radius=0.01, angle=radians(10)), 5.0),
    "rough bump": (Bump(rise=0.01, radius=0.02), 100.0),
}


@pytest.mark.parametrize("name", ROUND)
def test_round_ground_that_turns_the_normals_a_lot(name):
    # Newton steps need the curvature of the ground; very rough ground a walk over friction.
    ground, friction = ROUND[name]
    load = standing(600, cop=(0.02, 0.01), shear=(126 if friction else 0, 0))
    result = press(pad(), load, ground, friction)
    assert result.certificate.holds(1e-9)
    assert result.outer < 20 or name == "rough bar"
    assert len(result.path) == 1


def test_newton_is_quadratic_on_round_ground():
    # From 1e-6 away two steps reach round-off; without curvature each gains one digit at most.
    from contact.press.press_newton import newton_step
    from contact.press.press_state import PressState, PressView

    result = press(pad(), standing(600, cop=(0.02, 0.01)), ROUND["bump"][0], 0.4)
    s = result.view.state
    noise = 1 + 1e-4 * np.random.default_rng(1).standard_normal((len(s.forces), 1))
    near = PressState(forces=s.forces * noise, rotation=s.rotation, place=s.place, start=s.start)
    view = PressView(result.view.setting, near)
    assert view.residual > 1e-6
    for _ in range(2):
        state = newton_step(view, standing(600, cop=(0.02, 0.01)).vector, np.ones(6, dtype=bool))
        assert state is not None
        view = PressView(view.setting, state)
    assert view.residual < 1e-11


@settings(max_examples=8, deadline=None)
@given(
    st.floats(-0.07, 0.07),
    st.floats(-0.04, 0.04),
    st.floats(-150, 150),
    st.floats(-150, 150),
    st.floats(1, 100),
)
def test_any_moderate_load_is_solved(x, y, fx, fy, stiffer):
    load = standing(600, cop=(x, y), shear=(fx, fy))
    result = press(pad().scaled(stiffer), load)
    assert result.certificate.holds(1e-9)


def test_other_seed_same_answer_same_seed_same_bits():
    load = CASES["step heel"]
    a, b = press(pad(), *load), press(pad(), *load)
    np.testing.assert_array_equal(a.forces, b.forces)
    c = press(pad(), *load, options=PressOptions(seed=7))
    np.testing.assert_allclose(a.forces, c.forces, atol=1e-5)


# --- Punch and Hertz ----------------------------------------------------------------------------


E_STAR = E / (1 - NU**2)
# Thickness of a bonded layer, first-order correction (Dimitriadis et al. 2002):
# the surface sinks by ALPHA/pi F/(E* depth) less than that of a half-space.
ALPHA = (1.2876 - 1.4678 * NU + 1.3442 * NU**2) / (1 - NU)


def test_square_punch():
    # The analogue of a charged square plate of side L: K = 0.36679 pi E* L on a half-space.
    patch, depth = 0.01, 0.05
    sole = block(patch, 4, 0.08, depth)
    d = 1e-5
    K = lift(press(sole, RigidMotion(sink=d), friction=0.0)) / d
    half_space = 0.36679 * np.pi * E_STAR * 2 * patch
    exact = 1 / (1 / half_space - ALPHA / (np.pi * E_STAR * depth))
    # Singular edge pressure: the error is first order in h/L; the fields stiffen from above.
    h = 1 / 8
    assert abs(K / exact - 1) < 0.5 * h


def test_hertz():
    # F = 4/3 E* sqrt(R) d^1.5 on a half-space.
    patch, depth, R, d = 0.01, 0.05, 0.08, 8e-4
    sole = block(patch, 5, 0.08, depth)
    result = press(sole, RigidMotion(sink=d), Bump(rise=0.02, radius=R), friction=0.0)
    a = np.sqrt(R * d)
    chi = a / depth
    exact = 4 / 3 * E_STAR * np.sqrt(R) * d**1.5
    s = 2 * ALPHA / np.pi
    exact *= 1 + s * chi + (s * chi) ** 2  # finite depth, next term below 1e-3
    assert a < 0.85 * patch
    # The contact circle is resolved to half a cell; F ~ a^3 at given d varies by (h/a)^2.
    h = patch / 5
    assert abs(lift(result) / exact - 1) < (h / a) ** 2 + chi**2
    inside = np.linalg.norm(sole.points[result.status != 0][:, :2], axis=1)
    assert abs(inside.max() - a) < h
    # Peak pressure p0 = 3F/(2 pi a^2).
    p0 = 1.5 * lift(result) / (np.pi * a**2)
    assert result.pressure.max() == pytest.approx(p0, rel=2 * (h / a))


# --- Path ---------------------------------------------------------------------------------------


def test_path_dependence_of_friction():
    # Push forward until it slides, then back: friction now points forward; straight it has none.
    forth = [RigidMotion(sink=1e-4), RigidMotion(sink=1e-4, x=1e-3), RigidMotion(sink=1e-4)]
    back = press(pad(), forth)
    straight = press(pad(), RigidMotion(sink=1e-4))
    assert back.wrench[0] > 0.05 * lift(straight)
    assert abs(straight.wrench[0]) < 1e-3 * lift(straight)
    assert len(back.path) == 3


def test_a_little_slip_is_slip():
    # Dragged until all slides, then by 0.1 um more: every node moves, none sticks.
    drag = [
        RigidMotion(sink=1e-4),
        RigidMotion(sink=1e-4, x=1e-3),
        RigidMotion(sink=1e-4, x=1e-3 + 1e-7),
    ]
    result = press(pad(), drag)
    np.testing.assert_allclose(np.linalg.norm(result.slip, axis=1), 1e-7, rtol=0.5)
    assert (result.status != ContactStatus.STICK).all()


def test_more_increments_converge():
    # Steps of the path integrate a rate law: first order, so halving the step halves the error.
    load = standing(600, cop=(0.03, 0.02), shear=(250, 0), yaw=8)
    f = {n: press(pad(), load, increments=n).forces for n in (1, 2, 4, 8, 64)}
    error = {n: np.linalg.norm(f[n] - f[64]) / np.linalg.norm(f[64]) for n in (1, 2, 4, 8)}
    assert error[1] > 1e-4  # the history matters
    for n in (1, 2, 4):
        assert 0.35 < error[2 * n] / error[n] < 0.6
    assert len(press(pad(), load, increments=4).path) == 4


def test_a_path_has_its_own_increments():
    load = standing(600)
    with pytest.raises(ConfigError, match=r"increments = 8 goes with a single load"):
        press(pad(), [load], increments=8)
    with pytest.raises(ConfigError, match="at least one"):
        press(pad(), [])


@pytest.mark.parametrize(
    "ground", [Plane(), Slope(angle=radians(20), heading=radians(50)), Step()], ids=str
)
def test_foot_is_held_at_the_pose_asked_for(ground):
    asked = RigidMotion(sink=2e-4, x=1e-5, y=-2e-5, roll=3e-3, pitch=-2e-3, yaw=1e-3)
    result = press(pad(), asked, ground)
    np.testing.assert_allclose(result.motion, asked.vector, atol=1e-14)
    again = press(pad(), motion_of(pad(), ground, result.pose), ground)
    np.testing.assert_allclose(again.forces, result.forces, atol=1e-7)


def test_pose_that_is_no_rigid_motion():
    with pytest.raises(ConfigError, match="rigid motion"):
        motion_of(pad(), Plane(), np.diag([1.0, 1.0, 2.0, 1.0]))


def test_lifted_foot_feels_nothing():
    result = press(pad(), RigidMotion(sink=-1e-3))
    assert not result.forces.any() and result.contact_area == 0 and np.isnan(result.cop).all()
    assert result.gap.min() == pytest.approx(1e-3)


def test_warm_start_gives_the_same_state_faster():
    load = CASES["off centre"][0]
    first = press(pad(), load)
    again = press(pad(), load, start=first)
    assert again.sweeps < first.sweeps
    np.testing.assert_allclose(again.forces, first.forces, atol=1e-6)


# --- No equilibrium -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("load", "friction", "words"),
    [
        (standing(600, shear=(500, 0)), 0.7, r"slides at 4[12]\d"),
        (standing(600, shear=(0, 430)), 0.7, "slides at 4"),
        (standing(600, shear=(300, 0), yaw=30), 0.7, "% of both"),
        (standing(600, cop=(0.101, 0.0)), 0.7, r"CoP \(0.101, 0\) m is outside the tread"),
        (standing(600, cop=(0.0, -0.0601)), 0.7, "outside the tread"),
        (standing(0.0), 0.7, "cannot pull"),
        (standing(-10), 0.7, "-10 N"),
        (standing(600, yaw=1), 0.0, "without friction"),
        (standing(600, shear=(1, 0)), 0.0, "without friction"),
    ],
)
def test_no_equilibrium_names_its_reason(load, friction, words):
    with pytest.raises(EquilibriumError, match=words):
        press(pad(), load, friction=friction)


def test_loads_just_inside_the_limit_are_held():
    assert press(pad(), standing(600, shear=(415, 0))).certificate.holds(1e-9)
    assert press(pad().scaled(10), standing(600, cop=(0.098, 0.0))).certificate.holds(1e-9)


def test_a_failed_press_hands_over_the_best_iterate():
    options = PressOptions(max_outer=1, polish=False)
    load = standing(600, cop=(0.08, 0.03))
    with pytest.raises(ConvergenceError, match="did not converge") as caught:
        press(pad(), load, options=options)
    for way in ("--increments 5", "lower friction", "--pose"):
        assert way in str(caught.value)
    assert isinstance(caught.value.best, PressResult)
    best = press(pad(), load, options=options, check=False)
    assert not best.certificate.holds(1e-6)


@pytest.mark.parametrize("friction", [-0.1, np.nan, np.inf])
def test_bad_friction(friction):
    with pytest.raises(ConfigError, match="friction"):
        press(pad(), standing(600), friction=friction)


def test_results_are_read_only():
    result = press(pad(), standing(600))
    for name in ("forces", "displacements", "pose", "pressure", "status", "gap", "slip", "frames"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(result, name)[...] = 0


def test_a_press_less_exact_than_asked_for_says_so():
    """The iteration is kept from its last digits; 100 times the tolerance still comes back."""
    load = standing(600, cop=(0.05, 0.02))
    exact = press(pad(), load)
    assert not any("asked for" in note for note in describe_press(exact).warnings)
    reached = max(exact.certificate.natural_map, exact.certificate.equilibrium)
    asked = replace(exact, tolerance=reached / 2)
    (note,) = (note for note in describe_press(asked).warnings if "asked for" in note)
    assert f"residual {reached:.2g} exceeds the tolerance {reached / 2:.2g} asked for" in note


def test_a_failed_check_reads_as_a_sentence(monkeypatch):
    monkeypatch.setattr("contact.press.quasi_static.is_accepted", lambda done, options: True)
    monkeypatch.setattr("contact.press.quasi_static.SLACK", 0.0)
    with pytest.raises(ConvergenceError, match="failed its check: natural map ") as caught:
        press(pad(), standing(600, cop=(0.05, 0.02)))
    assert "PressCertificate" not in str(caught.value) and "allowed" in str(caught.value)


def test_ground_higher_than_the_sole_is_long_is_refused():
    with pytest.raises(ConfigError, match=r"rises by 5 m under a sole that is 0\.2 m long.*metres"):
        press(pad(), standing(600), Step(rise=5.0))
