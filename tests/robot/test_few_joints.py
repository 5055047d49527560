"""Legs of four and five joints: which axes of the feet follow, and what is planned for the rest."""

from __future__ import annotations

import re

import numpy as np
import pinocchio as pin
import pytest
from scaled_humanoid import copy_of

from robot.control.stabiliser import leg_columns, leg_motions
from robot.gait import BodyKinematics, GaitError, Walking, usual_step
from robot.measures import verdict
from robot.model import export_urdf, free_axes_of, knees_of, load_robot
from robot.model.bent_posture import tilt_of
from robot.walk import RecordingOptions, Scenario, SoleChoice, assemble_walk, execute
from sole.base.errors import SoleError

FEWER = {  # joints that are fixed: axes that follow
    ("hip_yaw",): (2,),
    ("ankle_roll",): (0,),
    ("hip_yaw", "ankle_roll"): (0, 2),
    (): (),
}
WORDS = {(2,): "5 joints: yaw of its foot follows", (0,): "5 joints: roll of",
         (0, 2): "4 joints: roll and yaw of its foot follow"}  # fmt: skip


def without(folder, fixed):
    """Return `hrp2-like` from a URDF with these joints of each leg fixed."""
    urdf, _ = export_urdf(load_robot("hrp2-like"), folder / "robot.urdf")
    text = urdf.read_text()
    for joint in fixed:
        text, n = re.subn(f'(_{joint}" type=)"revolute"', r'\1"fixed"', text)
        assert n == 2
    urdf.write_text(text)
    return load_robot(urdf)


@pytest.mark.parametrize("fixed", FEWER)
def test_axes_that_no_joint_turns_follow(tmp_path, fixed):
    robot, axes = without(tmp_path, fixed), FEWER[fixed]
    assert free_axes_of(robot) == (axes, axes)
    told = [note for note in robot.warnings if "of its foot follow" in note]
    assert len(told) == 2 * bool(fixed) and all(WORDS[axes] in note for note in told)
    assert usual_step(robot).single == (0.35 if 0 in axes else 0.7)


@pytest.mark.parametrize("fixed", [key for key in FEWER if key])
def test_feet_are_where_they_should_be_and_turn_about_free_axes_alone(tmp_path, fixed):
    """The plan's feet are the robot's own, at the planned places; v is the derivative of q."""
    robot, axes = without(tmp_path, fixed), FEWER[fixed]
    plan = Walking(steps=3).plan(robot, 2e-3, 0.02)
    data, turned = robot.model.createData(), np.zeros(3)
    for k in range(0, len(plan.times), 40):
        pin.framesForwardKinematics(robot.model, data, plan.q_ref[k])
        for side, foot in enumerate(robot.feet):
            pose = data.oMf[foot.frame]
            # the feet are read from the same q
            assert plan.feet[k, side] == pytest.approx(pose.homogeneous, abs=1e-12)
            turned = np.maximum(turned, np.abs(pin.log3(pose.rotation)))
            if plan.supports[k].all() and plan.phase[k] < 1 and plan.step[k] < 0:
                # Newton's tolerance and the interpolation between its solutions
                assert pose.translation[2] == pytest.approx(0.02, abs=1e-6)
    still = [axis for axis in range(3) if axis not in axes]
    # a turn about one free axis is exact; of two, pitch changes by the product of both
    assert turned[still].max() < (1e-6 if len(axes) == 1 else turned[0] * turned[2] + 1e-6)
    assert turned[0] < 1e-6 or turned[0] > 0.01  # radians: a foot that follows does roll
    h = 2e-3
    difference = pin.difference(robot.model, plan.q_ref[1000], plan.q_ref[1001]) / h
    mean = (plan.v_ref[1000] + plan.v_ref[1001]) / 2
    jerk = np.abs(np.diff(plan.a_ref[995:1007], axis=0)).max() / h
    assert np.abs(difference - mean).max() < h**2 / 12 * jerk * 1.1  # error of the trapezium


def test_the_stabiliser_asks_nobody_for_turns_that_follow(tmp_path):
    robot = without(tmp_path, ("hip_yaw", "ankle_roll"))
    columns, more = leg_motions(robot)
    nv = robot.model.nv
    assert columns.shape == (2, 6) and more.shape == (2, 6, 4)
    assert columns[:, 4:].tolist() == [[nv, nv + 1], [nv + 2, nv + 3]]
    assert np.argwhere(more).tolist() == [[0, 3, 0], [0, 5, 1], [1, 3, 2], [1, 5, 3]]
    with pytest.raises(SoleError, match="needs six joints per leg, hrp2-like has 4"):
        leg_columns(robot)


def test_online_plans_need_six_joints(tmp_path):
    robot = without(tmp_path, ("hip_yaw",))
    with pytest.raises(GaitError, match="an online plan needs six joints per leg"):
        BodyKinematics(robot).follow(None, None, 1e-3, robot.q0, None, None)


def test_joints_that_mimic_are_in_no_leg(tmp_path):
    """As of NAO, whose hip yaws are one joint."""
    urdf, _ = export_urdf(load_robot("hrp2-like"), tmp_path / "robot.urdf")
    text = urdf.read_text()
    mimic = '<mimic joint="left_hip_yaw"/></joint>'
    start = text.index('<joint name="right_hip_yaw"')
    end = text.index("</joint>", start)
    urdf.write_text(text[:end] + mimic + text[end + len("</joint>") :])
    robot = load_robot(urdf)
    names = [robot.model.names[j] for leg in robot.legs for j in leg]
    assert len(names) == 10 and not any("hip_yaw" in name for name in names)
    assert free_axes_of(robot) == ((2,), (2,))


@pytest.mark.nightly
@pytest.mark.parametrize("fixed", [key for key in FEWER if key])
def test_legs_of_four_and_five_joints_walk(tmp_path, fixed):
    scenario = Scenario(gait=Walking(steps=2), sole=SoleChoice(size=0.06))
    run, error = execute(
        assemble_walk(scenario, robot=without(tmp_path, fixed)), RecordingOptions()
    )
    assert error is None and "and stands" in verdict(run)


def test_soles_that_the_zero_posture_tilts_are_levelled(tmp_path):
    """As of Wolfgang: 20 degrees are taken up by a posture."""
    urdf, srdf = export_urdf(load_robot("hrp2-like"), tmp_path / "robot.urdf")
    srdf.unlink()
    turned, n = re.subn(
        r'(_ankle_pitch" type="revolute">.*?<origin xyz="[^"]*") rpy="[^"]*"',
        rf'\1 rpy="0 {np.radians(20):.6f} 0"',
        urdf.read_text(),
        flags=re.DOTALL,
    )
    assert n == 2
    urdf.write_text(turned)
    robot = load_robot(urdf)
    for foot in robot.feet:
        assert tilt_of(robot.model, np.array(robot.q0), foot) < 1e-6  # of the search


def test_a_small_robot_without_a_posture_bends_its_knees(tmp_path):
    """Singular values mix metres and radians: those of short legs count as of long ones."""
    urdf, srdf = export_urdf(copy_of(0.3), tmp_path / "robot.urdf")
    srdf.unlink()
    robot = load_robot(urdf)
    knees = knees_of(robot.model, np.array(robot.q0), robot.legs)
    assert all(abs(np.degrees(angle)) > 30 for _, angle in knees)
