"""What every `RobotModel` promises, whatever it was made from."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.model import humanoids, load_robot, robot_names
from robot.model.check import InertiaError, check_body, check_mass_matrix
from robot.model.urdf_source import RobotError
from sole.base.errors import SoleError

G = 9.81


@pytest.fixture(scope="module", params=robot_names())
def robot(request):
    return load_robot(request.param)


def frames(robot, q):
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, q)
    return data.oMf


def test_joints_are_those_of_the_model(robot):
    model = robot.model
    assert robot.joints == tuple(model.names)[2:]
    assert [model.joints[j].idx_v for j in range(2, model.njoints)] == list(range(6, model.nv))
    assert np.all(robot.lower < robot.upper)
    assert np.all(robot.torque > 0) and np.all(robot.velocity > 0)
    np.testing.assert_array_equal(model.armature[:6], 0.0)
    np.testing.assert_array_equal(model.armature[6:], robot.armature)


def test_it_stands_on_the_origin_with_level_soles(robot):
    """Talos' own posture tilts its soles by 0.098 degrees, 1.7e-3 rad; all others are flat."""
    placed = frames(robot, robot.q0)
    left, right = (placed[foot.frame] for foot in robot.feet)
    level = 1.8e-3 if robot.name == "talos" else 1e-6 if robot.name == "romeo" else 1e-15
    for sole in (left, right):
        assert np.abs(sole.rotation - np.eye(3)).max() <= level
    assert np.abs(left.translation + right.translation).max() < 1e-14
    assert left.translation[1] > 0.05
    assert abs(left.translation[2] - right.translation[2]) < 1e-9
    inside = (robot.q0[7:] >= robot.lower) & (robot.q0[7:] <= robot.upper)
    assert inside.all(), np.array(robot.joints)[~inside]


def test_com_is_over_the_feet(robot):
    """By a tenth of the foot's length at least, and between the feet."""
    data = robot.model.createData()
    com = pin.centerOfMass(robot.model, data, robot.q0)
    assert abs(com[0]) < 0.4 * 2 * robot.left.half_size[0]
    assert abs(com[1]) < 0.01
    assert 0.5 < com[2] < 1.2


def test_drives_can_hold_it(robot):
    """Half the weight under each foot balances the base and stays within the limits."""
    model, data, q = robot.model, robot.model.createData(), robot.q0
    com = np.array(pin.centerOfMass(model, data, q))
    tau = np.array(pin.rnea(model, data, q, np.zeros(model.nv), np.zeros(model.nv)))
    pin.computeJointJacobians(model, data, q)
    pin.framesForwardKinematics(model, data, q)
    share = 0.5 + np.array([0.5, -0.5]) * com[1] / data.oMf[robot.left.frame].translation[1]
    for foot, part in zip(robot.feet, share, strict=True):
        force = np.array([0.0, 0.0, part * robot.mass * 9.81])
        arm = np.array([com[0], 0.0, 0.0]) - [data.oMf[foot.frame].translation[0], 0.0, 0.0]
        wrench = np.concatenate([force, np.cross(arm, force)])
        J = pin.getFrameJacobian(model, data, foot.frame, pin.LOCAL_WORLD_ALIGNED)
        tau -= J.T @ wrench
    assert np.abs(tau[:6]).max() < 1e-9 * robot.mass * G
    assert np.all(np.abs(tau[6:]) < robot.torque)


def test_feet_are_mirror_images(robot):
    left, right = robot.feet
    assert (left.side, right.side) == ("left", "right")
    np.testing.assert_allclose(left.half_size, right.half_size, atol=1e-6)
    for a, b in zip(left.pads, right.pads, strict=True):
        ours = a.corners[np.lexsort(a.corners.T)]
        image = b.corners * [1, -1]
        np.testing.assert_allclose(ours, image[np.lexsort(image.T)], atol=1e-6)
    for foot in robot.feet:
        for pad in foot.pads:
            x, y = (pad.corners - np.roll(pad.corners, 1, axis=0)).T
            turn = x * np.roll(y, -1) - y * np.roll(x, -1)
            assert np.all(turn > 0)  # convex and anticlockwise
        placement = robot.model.frames[foot.frame].placement
        np.testing.assert_array_equal(placement.homogeneous, foot.sole_to_joint)
        assert robot.model.frames[foot.frame].name == foot.frame_name
        assert foot.joint == robot.model.frames[foot.frame].parentJoint


def test_legs_lead_from_the_waist_to_the_feet(robot):
    """A turn of a leg's joint moves its own sole and not the other one."""
    model = robot.model
    assert not set(robot.legs[0]) & set(robot.legs[1])
    for leg, own, other in zip(robot.legs, robot.feet, robot.feet[::-1], strict=True):
        assert len(leg) == (7 if robot.name == "rengifo14" else 6)
        assert leg[-1] == own.joint
        for before, after in pairwise(leg):
            assert model.parents[after] == before
        still = frames(robot, robot.q0)
        for joint in leg:
            q = robot.q0.copy()
            q[model.joints[joint].idx_q] += 0.1
            moved = frames(robot, q)
            assert not moved[own.frame].isApprox(still[own.frame], 1e-3)
            assert moved[other.frame].isApprox(still[other.frame], 1e-12)


def test_a_foot_is_a_shape_of_a_sole(robot):
    for foot in robot.feet:
        shape = foot.shape(0.02)
        np.testing.assert_allclose(shape.size, [*(2 * foot.half_size), 0.02], atol=1e-9)
        assert len(shape.outlines) == len(foot.pads)


def test_arrays_are_read_only(robot):
    for array in (robot.q0, robot.lower, robot.armature, robot.left.half_size):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_named_frames(robot):
    assert robot.model.frames[robot.waist].parentJoint == 1
    for name, frame in robot.contact_points.items():
        assert robot.model.frames[frame].name == name
    assert 0 < robot.imu < robot.model.nframes


def test_joint_by_name():
    robot = load_robot("rengifo14")
    assert robot.joints[robot.joint("right_knee")] == "right_knee"
    with pytest.raises(SoleError, match="no joint 'left_wing'; there are left_hip_yaw"):
        robot.joint("left_wing")


def test_a_model_that_contradicts_itself_is_refused():
    robot = load_robot("rengifo14")
    with pytest.raises(SoleError, match=r"lower must have shape \(14,\)"):
        replace(robot, lower=robot.lower[1:])
    with pytest.raises(SoleError, match="armature differs from that of the joints"):
        replace(robot, armature=robot.armature + 1e-6)
    with pytest.raises(SoleError, match="must be at the centre of the outline"):
        replace(robot.left, half_size=robot.left.half_size + 1e-3)


def test_unknown_names_and_options():
    with pytest.raises(RobotError, match=r"no robot 'asimo'; there are hrp2-like, .*talos"):
        load_robot("asimo")
    with pytest.raises(RobotError, match="left_foot: options are for a URDF only, got 'hrp2-like'"):
        load_robot("hrp2-like", left_foot="left_foot")
    assert humanoids() == ("hrp2-like", "hrp4-like", "lola-like", "rengifo14")


# bodies


def of_points(points, masses):
    """Mass, centre and inertia about it of point masses: physical by construction."""
    m = masses.sum()
    com = masses @ points / m
    r = points - com
    inertia = (masses * (r**2).sum(axis=1)).sum() * np.eye(3) - (masses[:, None] * r).T @ r
    return m, com, inertia


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_every_cloud_of_points_is_a_body(seed, count):
    """One point, points on a line, in a plane and in space: all pass."""
    rng = np.random.default_rng(seed)
    check_body("cloud", *of_points(rng.normal(size=(count, 3)), rng.uniform(0.1, 2.0, count)))


@given(st.integers(0, 2**32 - 1), st.floats(1.01, 10.0))
def test_the_triangle_inequality_is_found_in_any_axes(seed, excess):
    rng = np.random.default_rng(seed)
    small = rng.uniform(0.1, 1.0, 2)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    inertia = R @ np.diag([*small, excess * small.sum()]) @ R.T
    with pytest.raises(InertiaError, match=r"cloud: .* triangle inequality"):
        check_body("cloud", 1.0, np.zeros(3), inertia)


@pytest.mark.parametrize(
    ("mass", "inertia", "said"),
    [
        (-1.0, np.eye(3), "negative mass -1 kg"),
        (0.0, 0.1 * np.eye(3), "no mass, but principal moments 0.1, 0.1, 0.1"),
        (1.0, np.diag([-0.1, 1.0, 1.0]), "not positive definite: principal moments -0.1, 1, 1"),
        (np.nan, np.eye(3), "must be finite"),
        (1.0, np.full((3, 3), np.inf), "must be finite"),
    ],
)
def test_impossible_bodies_say_why(mass, inertia, said):
    with pytest.raises(InertiaError, match=f"arm: .*{said}"):
        check_body("arm", mass, np.zeros(3), inertia)


def chain(masses):
    """Free flyer with a chain of joints about x, y, z in turn, half a metre apart."""
    model = pin.Model()
    kinds = [pin.JointModelFreeFlyer(), pin.JointModelRX(), pin.JointModelRY(), pin.JointModelRZ()]
    parent = 0
    for number, mass in enumerate(masses):
        kind = kinds[0] if number == 0 else kinds[1 + (number - 1) % 3]
        place = pin.SE3(np.eye(3), np.array([0.0, 0.5 * (number > 0), 0.0]))
        parent = model.addJoint(parent, kind, place, f"joint{number}")
        model.appendBodyToJoint(parent, pin.Inertia.FromSphere(mass, 0.1), pin.SE3.Identity())
        model.addBodyFrame(f"body{number}", parent, pin.SE3.Identity(), 0)
    return model


def test_a_joint_that_moves_nothing_is_named():
    model = chain([1.0, 1.0, 0.0])
    with pytest.raises(InertiaError, match="'body2' on joint 'joint2' moves 0 kg m2"):
        check_mass_matrix("chain", model, pin.neutral(model))
    armature = model.armature
    armature[-1] = 0.1
    model.armature = armature
    check_mass_matrix("chain", model, pin.neutral(model))  # a rotor is inertia enough
    check_mass_matrix("chain", chain([1.0, 0.0, 1.0]), pin.neutral(model))  # so is a child


def test_two_joints_on_one_axis_without_mass_between_are_named():
    model = pin.Model()
    root = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    model.appendBodyToJoint(root, pin.Inertia.FromSphere(1.0, 0.1), pin.SE3.Identity())
    first = model.addJoint(root, pin.JointModelRX(), pin.SE3.Identity(), "first")
    second = model.addJoint(first, pin.JointModelRX(), pin.SE3.Identity(), "second")
    model.appendBodyToJoint(second, pin.Inertia.FromSphere(1.0, 0.1), pin.SE3.Identity())
    with pytest.raises(InertiaError, match=r"'first' and .*'second' can move without inertia"):
        check_mass_matrix("twin", model, pin.neutral(model))
