"""`sole robot info` on one page: what was guessed, what is doubtful, and what corrects it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from command_line import in_this_process

from robot.model import export_urdf, load_robot
from robot.summaries.robot_doubts import doubts_of, guesses_of

KNOWN = "rengifo14"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return export_urdf(load_robot(KNOWN), tmp_path_factory.mktemp("doubts") / "biped.urdf")


@pytest.fixture
def changed(files, tmp_path):
    """Return a function that sets attributes of the URDF's and SRDF's elements, and loads it."""

    def load(urdf=(), srdf=()):
        for file, changes in zip(files, (urdf, srdf), strict=True):
            tree = ET.parse(file)
            for place, values in changes:
                found = tree.findall(place)
                assert found, place
                for element in found:
                    element.attrib.update(values)
            tree.write(tmp_path / file.name)
        return load_robot(tmp_path / files[0].name)

    return load


def inertial(link):
    return f"link[@name='{link}']/inertial"


def inertia(xx, yy, zz):
    return {"ixx": xx, "iyy": yy, "izz": zz, "ixy": "0", "ixz": "0", "iyz": "0"}


STRETCHED = [
    (f"group_state/joint[@name='{side}_{joint}']", {"value": value})
    for side in ("left", "right")
    for joint, value in (("hip_pitch", "-0.15"), ("knee", "0.3"), ("ankle_pitch", "-0.15"))
]
BACK = [
    (f"group_state/joint[@name='left_{joint}']", {"value": value})
    for joint, value in (("hip_pitch", "0.4"), ("knee", "-0.8"), ("ankle_pitch", "0.4"))
]


def test_a_sound_robot_gives_no_doubt(changed):
    assert doubts_of(changed()) == ()
    assert guesses_of(load_robot(KNOWN)) == ()


@pytest.mark.parametrize(
    ("urdf", "srdf", "said"),
    [
        ([(inertial("left_foot") + "/mass", {"value": "0.2"})], [],
         "under 1 % of the mass: left_foot; if not meant, correct <mass>"),
        ([(inertial("left_foot") + "/mass", {"value": "0.2"})], [],
         "'left_ankle_yaw' is unlike 'right_ankle_yaw': masses [kg] 0.2, "),
        ([(inertial("trunk") + "/mass", {"value": "40"})], [], "'trunk' has 68% of the mass"),
        ([(inertial("left_shank") + "/inertia", inertia("0.1", "0.1", "0.20001"))], [],
         "'left_shank' keeps the triangle rule within round-off only: 0.1 + 0.1 < 0.2 kg m2"),
        ([(inertial("left_shank") + "/inertia", inertia("90", "90", "90"))], [],
         "'left_shank' is that of a body larger than the robot"),
        ([(inertial("left_shank") + "/inertia", inertia("1e-9", "1e-9", "1e-9"))], [],
         "'left_shank' is that of a point"),
        ([("joint[@name='left_knee']/limit", {"effort": "3"})], [],
         "'left_knee' is unlike 'right_knee': torques [N m] 3, "),
        ([("joint[@name='left_hip_roll']/limit", {"upper": "0.9"})], [],
         "'left_hip_roll' is unlike 'right_hip_roll': ranges "),
        ([("joint[@name='right_knee']/limit", {"lower": "0.3", "upper": "1.2"})], [],
         "the knee 'right_knee' bends by 52 degrees only; correct its <limit>"),
        ([("joint[@name='left_knee']/limit", {"lower": "-2"})], BACK,
         "the knee 'left_knee' bends backwards"),
        ([], STRETCHED, "the leg of 'left_knee' is stretched to 98.9% of "),
    ],
)  # fmt: skip
def test_each_doubt_is_named_with_what_corrects_it(changed, urdf, srdf, said):
    assert any(said in text for text in doubts_of(changed(urdf, srdf)))


def test_what_a_file_lacks_is_named(changed):
    limits = [("joint[@name='left_knee']/limit", {"effort": "0", "velocity": "0"})]
    robot = changed(limits, [("rotor_params/joint[@name='left_knee']", {"mass": "0"})])
    told = guesses_of(robot)
    assert [text.split(":")[0] for text in told] == [
        "no limit of torque for left_knee",
        "no limit of velocity for left_knee",
        "no rotor inertia for left_knee",
    ]


def test_the_page_and_its_json(changed, tmp_path, monkeypatch, capsys):
    changed([(inertial("trunk") + "/mass", {"value": "40"})])
    sole = in_this_process(monkeypatch, capsys)
    code, page, _ = sole("robot", "info", str(tmp_path / "biped.urdf"))
    assert code == 0 and page.count("\n") < 50
    assert "doubtful:\n- 'trunk' has 68% of the mass" in page and "guessed" not in page
    code, out, _ = sole("robot", "info", str(tmp_path / "biped.urdf"), "--json")
    data = json.loads(out)
    assert code == 0 and data["guessed"] == [] and len(data["doubtful"]) == 1
