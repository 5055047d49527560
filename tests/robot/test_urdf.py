"""Robots of others: Talos and Romeo by name, any URDF with named feet, export and back."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from contextlib import suppress
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robot.model import example_robots, export_urdf, load_robot, robot_names
from robot.model.check import InertiaError
from robot.model.srdf import read_srdf
from robot.model.urdf import pose_of
from robot.model.urdf_source import RobotError
from sole.base.errors import ConfigError, SoleError

FEET = {"left_foot": "left_sole", "right_foot": "right_sole"}


@pytest.fixture(scope="module")
def biped(tmp_path_factory):
    """The URDF of rengifo14, with its SRDF."""
    path = tmp_path_factory.mktemp("urdf") / "biped.urdf"
    export_urdf(load_robot("rengifo14"), path)
    return path


@pytest.fixture
def edited(biped, tmp_path):
    """Return a function that changes the XML of the biped and returns the new file.

    Its SRDF knows the posture alone, where the test needs none found: that takes a second.
    """

    def edit(change, posture=True):
        tree = ET.parse(biped)
        change(tree.getroot())
        path = tmp_path / "edited.urdf"
        tree.write(path)
        if not posture:
            return path
        marks = ET.parse(biped.with_suffix(".srdf"))
        for element in [e for e in marks.getroot() if e.tag not in ("group", "group_state")]:
            marks.getroot().remove(element)
        marks.write(path.with_suffix(".srdf"))
        return path

    return edit


def data_file(urdf):
    return example_robots._share("talos", urdf) / "example-robot-data" / "robots" / urdf


# by name


def test_talos():
    robot = load_robot("talos")
    assert len(robot.joints) == 32
    assert robot.mass == pytest.approx(90.272192, abs=1e-6)
    np.testing.assert_allclose(2 * robot.left.half_size, [0.2207, 0.1344], atol=1e-4)
    knee = robot.joint("leg_left_4_joint")
    assert (robot.torque[knee], robot.velocity[knee]) == (300.0, 7.0)
    assert robot.armature[knee] == pytest.approx(1e-5 * 100**2)
    assert robot.model.frames[robot.imu].name == "imu_link"
    # its own half-sitting posture: tilted by 0.098 degrees about x
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, robot.q0)
    up = data.oMf[robot.left.frame].rotation[:, 2]
    assert np.degrees(np.arccos(up[2])) == pytest.approx(0.098, abs=1e-3)
    assert {s.kind for s in robot.solids} >= {"mesh"}
    assert all(s.path.is_file() for s in robot.solids if s.kind == "mesh")


def test_romeo_with_its_right_arm_mended():
    robot = load_robot("romeo")
    assert len(robot.joints) == 31
    assert robot.mass == pytest.approx(40.529, abs=1e-3)
    assert "RShoulderYawLink" in robot.warnings[0]
    left, right = (
        robot.model.inertias[robot.model.getJointId(f"{s}ShoulderYaw")] for s in ("L", "R")
    )
    np.testing.assert_allclose(
        np.linalg.eigvalsh(left.inertia), np.linalg.eigvalsh(right.inertia), rtol=0.02
    )


def test_romeo_as_in_its_file_is_refused():
    path = data_file("romeo_description/urdf/romeo_small.urdf")
    with pytest.raises(InertiaError, match=r"body 'RShoulderYawLink': .*triangle inequality"):
        load_robot(path, left_foot="l_sole", right_foot="r_sole")


def test_romeo_with_massless_fingers_is_refused():
    path = data_file("romeo_description/urdf/romeo.urdf")
    with pytest.raises(InertiaError, match=r"body 'LFinger.*mass matrix is singular"):
        load_robot(path, left_foot="l_sole", right_foot="r_sole", foot_size=(0.24, 0.12))


def test_without_the_extra(monkeypatch, tmp_path):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(example_robots, "distribution", missing)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with pytest.raises(RobotError, match=r"pip install 'compliant-sole\[robots\]'"):
        load_robot("talos")


# export and back


@pytest.mark.parametrize("name", robot_names())
def test_export_and_back(name, tmp_path):
    """Mass matrix, centre of mass and frames to 1e-12; limits, rotors and posture too."""
    robot = load_robot(name)
    urdf, srdf = export_urdf(robot, tmp_path / "robot.urdf")
    assert (urdf.name, srdf.name) == ("robot.urdf", "robot.srdf")
    left, right = robot.feet
    again = load_robot(
        urdf,
        left_foot=left.frame_name,
        right_foot=right.frame_name,
        foot_size=2 * left.half_size,
        imu=robot.model.frames[robot.imu].name,
        contact_points=tuple(robot.contact_points),
    )
    assert again.joints == robot.joints and again.legs == robot.legs
    assert list(again.contact_points) == list(robot.contact_points)
    for limit in ("lower", "upper", "torque", "velocity", "armature"):
        np.testing.assert_allclose(getattr(again, limit), getattr(robot, limit), rtol=1e-15)
    np.testing.assert_allclose(again.q0, robot.q0, atol=1e-14)
    rng = np.random.default_rng(2)
    for _ in range(3):
        q = np.concatenate([rng.normal(size=7), rng.uniform(-1, 1, len(robot.joints))])
        q[3:7] /= np.linalg.norm(q[3:7])
        data = [r.model.createData() for r in (robot, again)]
        M, N = (np.triu(pin.crba(r.model, d, q)) for r, d in zip((robot, again), data, strict=True))
        assert np.abs(M - N).max() <= 1e-12 * np.abs(M).max()
        com = [pin.centerOfMass(r.model, d, q) for r, d in zip((robot, again), data, strict=True)]
        np.testing.assert_allclose(com[1], com[0], atol=1e-12)
        for r, d in zip((robot, again), data, strict=True):
            pin.framesForwardKinematics(r.model, d, q)
        for number, frame in enumerate(robot.model.frames):
            if frame.type in (pin.FrameType.BODY, pin.FrameType.OP_FRAME):
                other = again.model.getFrameId(frame.name, pin.FrameType.BODY)
                assert data[1].oMf[other].isApprox(data[0].oMf[number], 1e-12), frame.name


@pytest.mark.parametrize("name", robot_names())
def test_the_exported_robot_needs_no_options(name, tmp_path):
    """Feet with their pads and toes, posture, waist, sensor and contact points come back."""
    robot = load_robot(name)
    again = load_robot(export_urdf(robot, tmp_path / "robot.urdf")[0])

    def frame(r, number):
        return r.model.frames[number].name

    assert frame(again, again.waist) == frame(robot, robot.waist)
    assert frame(again, again.imu) == frame(robot, robot.imu)
    assert list(again.contact_points) == list(robot.contact_points)
    assert again.warnings == ()
    for old, new in zip(robot.feet, again.feet, strict=True):
        assert (new.side, new.link, new.frame_name) == (old.side, old.link, old.frame_name)
        np.testing.assert_array_equal(new.half_size, old.half_size)
        assert [frame(again, p.frame) for p in new.pads] == [
            frame(robot, p.frame) for p in old.pads
        ]
        for a, b in zip(old.pads, new.pads, strict=True):
            np.testing.assert_array_equal(b.corners, a.corners)


def test_feet_by_their_usual_names(edited):
    """No marks in the SRDF: the sole frames are found, and a warning says so."""
    robot = load_robot(edited(lambda root: None), rotor=0.1)
    assert [foot.frame_name for foot in robot.feet] == ["left_sole", "right_sole"]
    assert "common names: left_sole and right_sole" in robot.warnings[0]


def test_the_waist_is_on_the_floating_base(biped):
    robot = load_robot(biped, waist="trunk")
    assert robot.model.frames[robot.waist].name == "trunk"
    with pytest.raises(RobotError, match="waist 'left_foot' is not on the floating base"):
        load_robot(biped, waist="left_foot")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('side="left"', 'side="lift"', "a foot of side 'left'"),
        ('frame="left_sole"', 'frame="left_toe"', "no frame 'left_toe'; there are trunk"),
        ('half_size="0.11', 'half_size="0.12', "left foot: pads span"),
        ('corners="0.11 ', 'corners="x ', "not a readable SRDF"),
        ('corners="0.11 ', 'corners="', "pads of three corners or more"),
    ],
)
def test_a_bad_mark_is_refused(biped, tmp_path, old, new, said):
    text = biped.with_suffix(".srdf").read_text()
    assert old in text
    path = tmp_path / "marks.srdf"
    path.write_text(text.replace(old, new))
    with pytest.raises(SoleError, match=said):
        load_robot(biped, srdf=path)


def test_foot_size_from_the_geometry(biped, edited):
    """The exported foot is a box of 0.22 x 0.12 m: its underside is the sole frame."""
    robot = load_robot(edited(lambda root: None), **FEET, rotor=0.1)
    for foot in robot.feet:
        np.testing.assert_allclose(2 * foot.half_size, [0.22, 0.12], atol=1e-12)
        assert foot.frame_name == f"{foot.side}_sole"
        assert foot.rectangular


def test_a_foot_frame_away_from_the_underside_gets_its_own_sole_frame(biped):
    """The ankle's link is named: the sole frame lies 0.08 m below, at the foot's middle."""
    robot = load_robot(biped, left_foot="left_foot", right_foot="right_foot")
    assert robot.left.link == "left_foot"
    assert robot.left.frame_name == "left_foot_underside"  # left_sole is taken
    np.testing.assert_allclose(robot.left.sole_to_joint[:3, 3], [0.0, 0.0, -0.08], atol=1e-12)


def test_export_only_as_urdf(tmp_path):
    with pytest.raises(SoleError, match=r"expected an .urdf"):
        export_urdf(load_robot("rengifo14"), tmp_path / "robot.xml")
    assert list(tmp_path.iterdir()) == []


# bad input


def test_a_missing_frame_lists_those_there_are(biped):
    with pytest.raises(RobotError, match=r"no frame 'l_sole'.*there are trunk, .*left_sole"):
        load_robot(biped, left_foot="l_sole", right_foot="right_sole")
    told = r"left_foot: no frame 'left_sol' \(did you mean 'left_sole'\?\)"  # not: name the other
    with pytest.raises(RobotError, match=told):
        load_robot(biped, left_foot="left_sol")
    with pytest.raises(RobotError, match="no frame 'gyro'"):
        load_robot(biped, **FEET, imu="gyro")


def renamed(sole, others=None):
    """Return a change of a URDF: feet called `*_end`, sole frames `*` + `sole`, then `others`."""

    def change(root):
        for element in root.iter():
            for key in ("name", "link"):
                word = element.get(key, "").replace("_sole", sole).replace("_foot", "_end")
                if key in element.attrib:
                    element.set(key, (others or {}).get(word, word))

    return change


def test_feet_are_found_where_the_legs_end(edited):
    robot = load_robot(edited(renamed("_base")), rotor=0.1)
    assert "where the legs end: left_end and right_end" in robot.warnings[0]
    usual = load_robot(edited(lambda root: None), rotor=0.1)
    for found, foot in zip(robot.feet, usual.feet, strict=True):
        assert found.joint == foot.joint
        np.testing.assert_allclose(found.half_size, foot.half_size, atol=1e-12)
        np.testing.assert_allclose(found.sole_to_joint, foot.sole_to_joint, atol=1e-12)


def test_arms_are_no_legs(tmp_path):
    """The humanoid has left and right hands, too: the lower ends are its feet."""
    path, srdf = export_urdf(load_robot("hrp2-like"), tmp_path / "h.urdf")
    srdf.unlink()
    tree = ET.parse(path)
    renamed("_base")(tree.getroot())
    tree.write(path)
    assert [foot.link for foot in load_robot(path, rotor=0.1).feet] == ["left_end", "right_end"]


def test_an_ankle_above_another_joint_is_no_foot(edited):
    """H2's ankle rolls first and pitches below: the link named ankle_roll is not the foot."""
    names = {f"{s}_shank": f"{s}_ankle_roll_link" for s in ("left", "right")}

    def change(root):
        renamed("_base")(root)
        for element in root.iter():
            for key in ("name", "link"):
                if element.get(key) in names:
                    element.set(key, names[element.get(key)])

    robot = load_robot(edited(change), rotor=0.1)
    assert [foot.link for foot in robot.feet] == ["left_end", "right_end"]


@pytest.mark.parametrize(
    "quarters", [pytest.param(n, marks=() if n == 1 else pytest.mark.nightly) for n in (1, 2, 3)]
)
def test_feet_that_are_found_point_where_the_robot_faces(edited, quarters):
    """A base whose x looks sideways or back; left and right are what the names say."""

    def turn(root):
        renamed("_base")(root)
        trunk = root.find("joint/parent").get("link")
        ET.SubElement(root, "link", name="root")
        joint = ET.SubElement(root, "joint", name="turned", type="fixed")
        ET.SubElement(joint, "origin", rpy=f"0 0 {quarters * np.pi / 2!r}", xyz="0 0 0")
        ET.SubElement(joint, "parent", link="root")
        ET.SubElement(joint, "child", link=trunk)

    robot = load_robot(edited(turn, posture=False), rotor=0.1)
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, robot.q0)
    left, right = (data.oMf[foot.frame] for foot in robot.feet)
    np.testing.assert_allclose(left.rotation, np.eye(3), atol=1e-6)
    assert left.translation[1] > 0.05 > -0.05 > right.translation[1]
    usual = load_robot(edited(lambda root: None), rotor=0.1)
    np.testing.assert_allclose(robot.left.half_size, usual.left.half_size, atol=1e-9)


def test_a_continuous_joint_has_no_range(edited):
    def free(root):
        root.find("joint[@name='left_knee']").set("type", "continuous")

    robot = load_robot(edited(free), rotor=0.1)
    knee = robot.joint("left_knee")
    assert (robot.lower[knee], robot.upper[knee]) == (-np.inf, np.inf)
    assert robot.model.nq == robot.model.nv + 1  # one angle, as the simulator wants it


def test_feet_must_be_named(biped, edited):
    """Or marked in the SRDF, have usual names, or be left and right ends of legs."""
    path = edited(renamed("_base", {"left_end": "port", "right_end": "starboard"}))
    with pytest.raises(
        RobotError, match=r"left_foot and right_foot missing: .* trunk, .*left_base"
    ):
        load_robot(path)
    with pytest.raises(RobotError, match=r"edited\.urdf: right_foot missing"):
        load_robot(path, left_foot="left_base")
    feet = {"left_foot": "left_base", "right_foot": "right_base"}
    assert load_robot(path, **feet, rotor=0.1).left.frame_name == "left_base"
    with pytest.raises(RobotError, match="no option 'hat' for a URDF"):
        load_robot(biped, **FEET, hat=True)


def test_feet_that_are_one_or_swapped_are_refused(biped):
    with pytest.raises(RobotError, match="two different feet"):
        load_robot(biped, left_foot="left_sole", right_foot="left_foot")
    with pytest.raises(RobotError, match=r"0\.18 m to the right of 'left_sole': swap them"):
        load_robot(biped, left_foot="right_sole", right_foot="left_sole")


def inertial(root, link, **values):
    inertia = root.find(f"link[@name='{link}']/inertial")
    for key, value in values.items():
        if key == "mass":
            inertia.find("mass").set("value", value)
        else:
            inertia.find("inertia").set(key, value)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"mass": "-1"}, "negative mass -1 kg"),
        ({"ixx": "-0.1"}, "not positive definite"),
        ({"izz": "9.0"}, "triangle inequality"),
        ({"ixy": "nan"}, "finite"),
        ({"mass": "heavy"}, "heavy"),
    ],
)
def test_a_bad_body_is_refused_by_name(edited, values, said):
    path = edited(lambda root: inertial(root, "left_shank", **values))
    with pytest.raises(SoleError, match=rf"edited\.urdf:\d+: .*'left_shank'.*{said}"):
        load_robot(path, **FEET)


def test_a_centre_of_mass_that_is_far_outside_the_robot_is_asked_about(edited):
    """One slip of a decimal point in an origin; the same one within the robot is left alone."""

    def moved(z):
        def change(root):
            shank = root.find("link[@name='left_shank']/inertial")
            shank.find("origin").set("xyz", f"0 0 {z}")

        return change

    (told,) = load_robot(edited(moved(-19)), **FEET).doubts
    assert "link 'left_shank' lies 19 m from its frame" in told
    assert re.match(r".*edited\.urdf:\d+: the centre of mass", told)
    assert not load_robot(edited(moved(-0.19)), **FEET).doubts


def test_a_negative_mass_is_shown_in_its_own_line(edited):
    path = edited(lambda root: inertial(root, "left_shank", mass="-1"))
    with pytest.raises(SoleError) as caught:
        load_robot(path, **FEET)
    line = int(str(caught.value).split("edited.urdf:")[1].split(":")[0])
    assert '<mass value="-1"' in path.read_text().splitlines()[line - 1]


def test_a_body_without_inertia_on_a_moving_joint_is_refused(edited):
    """No rotors here: the SRDF of the edited file has none."""

    def strip(root):
        foot = root.find("link[@name='left_foot']")
        foot.remove(foot.find("inertial"))

    path = edited(strip)
    # from the foot upwards: the ankle's three joints move nothing
    with pytest.raises(InertiaError, match=r"'left_ankle\w*' on joint .*singular"):
        load_robot(path, **FEET)
    assert load_robot(path, **FEET, rotor=0.1).mass == pytest.approx(42.0)


def test_a_sole_frame_on_its_side_is_refused(edited):
    def tip(root):
        root.find("joint[@name='left_sole_fixed']/origin").set("rpy", "1.5 0 0")

    with pytest.raises(RobotError, match=r"z of the left sole frame .* 86 degrees off"):
        load_robot(edited(tip), **FEET, foot_size=(0.2, 0.1))


def test_a_foot_without_geometry_needs_its_size(edited):
    def bare(root):
        foot = root.find("link[@name='left_foot']")
        for kind in ("visual", "collision"):
            foot.remove(foot.find(kind))

    path = edited(bare)
    with pytest.raises(RobotError, match="give foot_size"):
        load_robot(path, **FEET)
    robot = load_robot(path, **FEET, foot_size=(0.2, 0.1))
    np.testing.assert_allclose(robot.left.half_size, [0.1, 0.05])


@pytest.mark.parametrize("size", [(0.2,), (0.2, -0.1), (0.2, float("nan"))])
def test_a_bad_foot_size(biped, size):
    with pytest.raises(RobotError, match="foot_size must be length and width > 0"):
        load_robot(biped, **FEET, foot_size=size)


@pytest.mark.parametrize(
    ("text", "line"), [("not xml", ":1"), ("<robot/>", ""), ("<sdf><link/></sdf>", "")]
)
def test_what_is_no_urdf(tmp_path, text, line):
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    with pytest.raises(RobotError, match=rf"robot\.urdf{line}: not a "):
        load_robot(path, **FEET)
    with pytest.raises(RobotError, match="no such file"):
        load_robot(tmp_path / "absent.urdf", **FEET)


def test_a_truncated_urdf_is_refused(biped, tmp_path):
    text = biped.read_text()
    path = tmp_path / "half.urdf"
    for length in np.linspace(1, len(text) - 20, 10).astype(int):
        path.write_text(text[:length])
        with pytest.raises(RobotError, match=r"half\.urdf:\d+: not a "):
            load_robot(path, **FEET)


BROKEN = {
    "a vector of two numbers": (
        ("joint[@name='left_knee']/origin", "xyz", "0 0"),
        r"edited\.urdf:\d+: joint 'left_knee'.*expected 3 numbers, got 2",
    ),
    "a child that is not there": (
        ("joint[@name='left_knee']/child", "link", "left_shin"),
        r"child link \[left_shin\] of joint \[left_knee\] not found",
    ),
    "two links of one name": (("link[@name='left_shank']", "name", "trunk"), "trunk.*not unique"),
    "a loop": (
        ("joint[@name='left_hip_yaw']/parent", "link", "left_foot"),
        r"not connected to the first link: left_hip, .*a loop of joints",
    ),
    "no axis": (("joint[@name='left_knee']/axis", "xyz", "0 0 0"), "'left_knee': axis must be"),
    "a limit in words": (("joint[@name='left_knee']/limit", "upper", "far"), "left_knee.*far"),
    "not a number": (("joint[@name='left_knee']/origin", "xyz", "0 0 nan"), "nan"),
    "a flat box": (("link[@name='trunk']/visual/geometry/box", "size", "1 1"), "link 'trunk'"),
    "a picture at no place": (
        ("link[@name='trunk']/visual/origin", "xyz", "0 0 nan"),
        "nan.*finite",
    ),
    "a picture of no size": (("link[@name='trunk']/visual/geometry/box", "size", "1 1 inf"), "inf"),
    "a floating joint": (("joint[@name='left_knee']", "type", "floating"), "'left_knee' has 6"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_urdf_names_the_fault_and_nothing_else_is_printed(edited, case, capfd):
    (where, key, value), said = BROKEN[case]
    path = edited(lambda root: root.find(where).set(key, value), posture=False)
    with pytest.raises(SoleError, match=said):
        load_robot(path, **FEET, foot_size=(0.2, 0.1))
    assert capfd.readouterr() == ("", "")


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_whatever_is_damaged_is_an_error_of_ours_or_a_robot(biped, seed):
    """Some value of some element is replaced: no other exception comes out."""
    rng = np.random.default_rng(seed)
    tree = ET.parse(biped)
    elements = [e for e in tree.iter() if e.attrib]
    element = elements[rng.integers(len(elements))]
    key = list(element.attrib)[rng.integers(len(element.attrib))]
    words = ["", "nan", "inf", "-1", "0", "0 0 0", "1e300", "x", "left_knee", "trunk", "1 2"]
    element.set(key, words[rng.integers(len(words))])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "damaged.urdf"
        tree.write(path)
        with suppress(SoleError):
            robot = load_robot(path, **FEET, foot_size=(0.2, 0.1))
            assert np.isfinite(robot.q0).all()


# SRDF


def test_srdf(tmp_path, biped):
    path = tmp_path / "r.srdf"
    path.write_text(
        '<robot name="r"><group_state name="sit" group="all">'
        '<joint name="left_knee" value="0.2"/></group_state><rotor_params>'
        '<joint name="left_knee" mass="1e-4" gear_ratio="50"/></rotor_params></robot>'
    )
    posture = read_srdf(path, "sit")
    assert posture.angles == {"left_knee": (0.2,)}
    assert posture.rotors == {"left_knee": pytest.approx(0.25)}
    robot = load_robot(biped, **FEET, srdf=path, posture="sit", rotor=0.02)
    knee = robot.joint("left_knee")
    assert robot.q0[7 + knee] == 0.2
    assert robot.armature[knee] == pytest.approx(0.25)
    assert robot.armature[knee + 1] == 0.02
    with pytest.raises(ConfigError, match="no posture 'half_sitting'; there are sit"):
        load_robot(biped, **FEET, srdf=path)
    path.write_text("<robot")
    with pytest.raises(ConfigError, match=r"r\.srdf: not a readable SRDF"):
        read_srdf(path, "sit")


def test_rpy_is_about_fixed_axes_in_turn():
    element = ET.fromstring('<origin xyz="1 2 3" rpy="0.3 -0.4 1.1"/>')
    pose = pose_of(element)
    np.testing.assert_allclose(pose[:3, :3], pin.rpy.rpyToMatrix(0.3, -0.4, 1.1), atol=1e-15)
    np.testing.assert_array_equal(pose[:3, 3], [1, 2, 3])


def test_only_the_foot_needs_its_mesh(edited):
    """A mesh that is missing elsewhere, or a material without a name, does not hide the foot."""

    def change(root):
        ET.SubElement(
            ET.SubElement(ET.SubElement(root.find("link"), "visual"), "geometry"),
            "mesh",
            filename="package://lost/trunk.stl",
        )
        for link in root.findall("link"):
            for shape in link.findall("collision"):  # materials belong to visual shapes alone
                shape.tag = "visual"
            for shape in link.findall("visual"):
                ET.SubElement(shape, "material")

    found = load_robot(edited(change), rotor=0.1).left.half_size
    np.testing.assert_allclose(found, load_robot("rengifo14").left.half_size, atol=1e-9)


def test_a_joint_without_a_range_is_endless_and_said(edited):
    def edit(root):
        limit = root.find("joint[@name='left_knee']/limit")
        del limit.attrib["lower"], limit.attrib["upper"]

    robot = load_robot(edited(edit), **FEET)
    place = robot.joints.index("left_knee")
    assert robot.lower[place] == -np.inf and robot.upper[place] == np.inf
    assert any(text.startswith("no range of left_knee: taken as endless") for text in robot.doubts)

    def half(root):
        del root.find("joint[@name='left_knee']/limit").attrib["lower"]

    with pytest.raises(SoleError, match="needs 'lower'; without it, it would be 0"):
        load_robot(edited(half), **FEET)
