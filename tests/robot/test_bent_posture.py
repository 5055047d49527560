"""URDFs without a posture: straight knees bend by themselves, the way their ranges allow."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from command_line import in_this_process

from robot.gait import Walking
from robot.model import (
    example_robots,
    export_posture,
    export_urdf,
    knees_of,
    load_robot,
    stands_straight,
)
from sole.base.errors import SoleError


@pytest.fixture
def straight(tmp_path):
    """Return a function that writes rengifo14 as a URDF without SRDF, knees with a range [rad]."""

    def write(low: float, high: float) -> Path:
        path = tmp_path / "biped.urdf"
        _, srdf = export_urdf(load_robot("rengifo14"), path)
        srdf.unlink()
        tree = ET.parse(path)
        for joint in tree.getroot().iter("joint"):
            if joint.get("name", "").endswith("knee"):
                joint.find("limit").attrib |= {"lower": str(low), "upper": str(high)}
        tree.write(path)
        return path

    return write


def placed(robot):
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, robot.q0)
    return [data.oMf[foot.frame] for foot in robot.feet], pin.centerOfMass(robot.model, data)


@pytest.mark.parametrize(
    ("low", "high"), [(-2.4, 0.0), (-2.4, 2.4), pytest.param(0.0, 2.4, marks=pytest.mark.nightly)]
)
def test_knees_bend_the_way_their_ranges_allow(straight, low, high):
    """Soles level on one height, below the centre of mass; forward where both ways are free."""
    robot = load_robot(straight(low, high), rotor=0.1)
    names, bends = zip(*((robot.model.names[j], a) for j, a in knees(robot)), strict=True)
    assert names == ("left_knee", "right_knee")
    assert bends[0] == pytest.approx(bends[1], abs=1e-6)  # mirrored
    assert 0.6 < (bends[0] if high > 0 else -bends[0]) < 1.1
    assert not stands_straight(robot)
    soles, com = placed(robot)
    for sole in soles:
        np.testing.assert_allclose(sole.rotation, np.eye(3), atol=1e-6)
        assert sole.translation[2] == pytest.approx(0.0, abs=1e-6)
    assert com[0] == pytest.approx(0.0, abs=2e-3)  # the last move of the feet was smaller
    angles = robot.q0[7:]
    assert (angles >= robot.lower).all() and (angles <= robot.upper).all()
    (told,) = [w for w in robot.warnings if "posture" in w]
    assert f"left_knee {np.degrees(bends[0]):.0f} degrees" in told and "sole robot posture" in told


def knees(robot):
    return knees_of(robot.model, robot.q0, robot.legs)


def test_a_hip_that_is_bent_more_than_the_knee_is_not_called_knee():
    """Nor where the legs are straight, or one is lifted to the side."""
    robot = load_robot("hrp2-like")
    legs, model = robot.legs, robot.model
    for name, angle in (("hip_roll", 0.6), ("hip_pitch", -1.5), ("ankle_pitch", -1.2)):
        q = np.array(robot.q0)
        for side in ("left", "right"):
            q[model.joints[model.getJointId(f"{side}_{name}")].idx_q] = angle
            q[model.joints[model.getJointId(f"{side}_knee")].idx_q] = 0.3
        found = [(model.names[j], a) for j, a in knees_of(model, q, legs)]
        assert found == [("left_knee", 0.3), ("right_knee", 0.3)]
    straight = [model.names[j] for j, _ in knees_of(model, pin.neutral(model), legs)]
    assert straight == ["left_knee", "right_knee"]
    points = knees_of(model, robot.q0, (legs[0][:4], legs[1][:4]))  # legs without ankles
    assert [model.names[j] for j, _ in points] == ["left_knee", "right_knee"]
    assert len(knees_of(model, robot.q0, (legs[0][:2], legs[1][:2]))) == 2  # no knee at all


def test_knees_without_room_stay_straight_and_the_report_says_so(straight, monkeypatch, capsys):
    path = straight(0.0, 0.1)
    robot = load_robot(path, rotor=0.1)
    assert stands_straight(robot)
    assert any(w.startswith("legs straight, and no posture") for w in robot.warnings)
    sole = in_this_process(monkeypatch, capsys, "robot", "info")
    export_urdf(robot, path)
    code, out, _ = sole(path)
    assert code == 0 and "half-sitting" not in out and "legs straight" in out
    code, out, _ = sole("rengifo14")
    assert "half-sitting" in out and "left_knee" in out


def test_a_posture_that_was_found_is_the_same_from_its_srdf(straight, tmp_path):
    """Also with a posture given nothing is searched, whatever its knees."""
    path = straight(0.0, 2.4)
    robot = load_robot(path, rotor=0.1)
    again = load_robot(path, srdf=export_posture(robot, tmp_path / "mine.srdf"), rotor=0.1)
    np.testing.assert_allclose(again.q0, robot.q0, atol=1e-11)
    assert not any("posture" in w for w in again.warnings)
    srdf = ET.parse(tmp_path / "mine.srdf").getroot()
    free, group = srdf.find("virtual_joint"), srdf.find("group")
    assert free.attrib["type"] == "floating" and group.get("name") == "all"
    links = {link.get("name") for link in ET.parse(path).getroot().iter("link")}
    assert free.get("child_link") in links
    joints = srdf.findall("group_state/joint")
    assert [j.get("name") for j in joints] == [j.get("name") for j in group]
    assert joints[0].get("name") == free.get("name")
    assert not any("e-" in j.get("value") for j in joints)  # no -1e-19
    with pytest.raises(SoleError, match=r"expected an \.srdf file"):
        export_posture(robot, tmp_path / "mine.toml")
    assert not (tmp_path / "mine.toml").exists()


def data_file(urdf: str) -> Path:
    return example_robots._share("talos", "talos_data/robots/talos_reduced.urdf") / (
        f"example-robot-data/robots/{urdf}"
    )


def test_angles_outside_of_their_ranges_go_to_the_nearer_end(straight):
    """An arm that cannot hang at 0 would be thrown by its stop; here a hip that must spread."""
    path = straight(0.0, 2.4)
    tree = ET.parse(path)
    left, right = (tree.getroot().find(f"joint[@name='{s}_hip_yaw']") for s in ("left", "right"))
    if left is None:
        pytest.fail("the robot has no such joints")
    left.find("limit").attrib |= {"lower": "0.05", "upper": "0.5"}
    right.find("limit").attrib |= {"lower": "-0.5", "upper": "-0.05"}
    tree.write(path)
    robot = load_robot(path)
    assert any("ranges that leave out 0: stands with" in told for told in robot.warnings)
    angles = robot.q0[7:]
    assert (angles > robot.lower).all() and (angles < robot.upper).all()


def test_a_robot_that_faces_backwards_is_turned():
    """The base of iCub looks along -x: its feet point along x, the left one is on the left."""
    urdf = data_file("icub_description/robots/icub_reduced.urdf")
    robot = load_robot(urdf, foot_size=(0.19, 0.09))
    soles, _ = placed(robot)
    assert soles[0].translation[1] > 0.05 and soles[1].translation[1] < -0.05
    for sole in soles:
        np.testing.assert_allclose(sole.rotation, np.eye(3), atol=1e-6)
    assert all(bend < -0.6 for _, bend in knees(robot))  # its knees have -125 to 23 degrees


def test_a_robot_with_straight_knees_walks(monkeypatch, capsys, tmp_path):
    """Unitree's G1, as its file is: feet and knees are found, the usual walk has a plan."""
    urdf = data_file("g1_description/urdf/g1_29dof_rev_1_0.urdf")
    robot = load_robot(urdf)
    plan = Walking(steps=2).plan(robot, 1e-2, 0.02)
    assert plan.q_ref[:, 7 + robot.joint("left_knee_joint")].min() > 0.1
    sole = in_this_process(monkeypatch, capsys, "robot", "posture")
    code, out, _ = sole(urdf, "-o", tmp_path / "g1.srdf", "--json")
    said = json.loads(out)
    assert code == 0 and said["posture"] == "half_sitting"
    again = load_robot(urdf, srdf=tmp_path / "g1.srdf")
    np.testing.assert_allclose(again.q0, robot.q0, atol=1e-14)
