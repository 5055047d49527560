"""Bad input of `sole retime`, `sole walk` and `sole reproduce` as typed: one line and exit code 2.

Each case is a file or a call as a user writes it; the message names place, joint or facet.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from command_line import refused_in

from robot.model import export_urdf, load_robot

HEAD = 'schema = "robot.scenario/1"\nrobot = "hrp4-like"\n'
POSTURES = f'{HEAD}[gait]\nkind = "postures"\n'
UPRIGHT = "[[gait.posture]]\ncom = [0, 0]\n"
CORNERS = '[contact]\npoints = "corners"\n'
RETIMED = {
    "no postures": (
        POSTURES,
        r'mine.toml: gait: kind "postures" needs tables \[\[gait.posture\]\], got none',
    ),
    "one posture": (POSTURES + UPRIGHT, "a path needs at least two postures, got 1"),
    "repeated": (POSTURES + 2 * UPRIGHT, "postures 1 and 2 are the same"),
    "out of range": (
        POSTURES + UPRIGHT + "[[gait.posture]]\njoints_deg = { chest_yaw = 120 }\n",
        r"out of reach: at posture 2, joint chest_yaw, .* \(120.0 > 44.7 degrees\)",
    ),
    "singular": (
        POSTURES + UPRIGHT + "[[gait.posture]]\njoints_deg.left_knee = -42\n",
        r"singular left leg at posture 2 \(a stretched knee cannot place a foot\)",
    ),
    "not standable": (
        POSTURES + UPRIGHT + "[[gait.posture]]\ncom = [0, 0.12]\n",
        r"cannot stand at posture 2: .* margin of -1\.\d+, facet 'tilt about left edge'",
    ),
    "factor": (
        POSTURES + UPRIGHT + "[[gait.posture]]\ncom = [0.02, 0]\n[retime]\nfactor = 0\n",
        "mine.toml: retime: factor must be from 0.01 to 100, got 0: 0.9 is 10 % faster",
    ),
}
WALKED = {
    "not a rectangle": (
        'robot = "lola-like"\n' + CORNERS + 'kind = "penalty"\n',
        "needs rectangular feet, but the left foot of lola-like has 4 pads",
    ),
    "rigid": (CORNERS + 'kind = "rigid"\n', "is for kind = 'penalty', got kind = 'rigid'"),
    "no kind": (CORNERS, "is for kind = 'penalty', got kind = 'compliant'"),
}
CLAIMS = {
    ("rengifoo",): "did you mean rengifo",
    ("rengifo", "fig99"): "rengifo has no claim 'fig99'; did you mean fig",
    ("rengifo", "fig3"): "did you mean caron fig3 or chardonnet fig3",
    ("fig12",): "did you mean rengifo fig12",
    ("--all", "rengifo"): "leave out one of them",
}


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    return refused_in(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("case", RETIMED)
def test_motions_that_cannot_be_retimed(refused, tmp_path, case):
    text, said = RETIMED[case]
    (tmp_path / "mine.toml").write_text(text)
    refused(said, "retime", "mine.toml")
    assert [p.name for p in tmp_path.iterdir()] == ["mine.toml"]


@pytest.mark.parametrize("case", WALKED)
def test_corners_of_feet(refused, tmp_path, case):
    text, said = WALKED[case]
    (tmp_path / "mine.toml").write_text(HEAD[: HEAD.index("robot =")] + text)
    refused(said, "walk", "mine.toml", "-o", "run.nc")
    assert not (tmp_path / "run.nc").exists()


def test_knees_too_weak_for_any_timing(refused, tmp_path):
    """A URDF whose knees hold 9 N m: the message says where and which joint."""
    export_urdf(load_robot("hrp4-like"), tmp_path / "weak.urdf")
    tree = ET.parse(tmp_path / "weak.urdf")
    for joint in tree.getroot().iter("joint"):
        if "knee" in joint.get("name", ""):
            joint.find("limit").set("effort", "9")
    tree.write(tmp_path / "weak.urdf")
    text = POSTURES.replace("hrp4-like", "weak.urdf") + UPRIGHT
    (tmp_path / "mine.toml").write_text(text + "[[gait.posture]]\ncom = [0.02, 0]\n")
    said = r"no timing meets the torque limits: at posture \d joint left_knee needs .* limit is 9 N"
    refused(said, "retime", "mine.toml")


@pytest.mark.parametrize("words", CLAIMS)
def test_unknown_claims(refused, words):
    refused(re.escape(CLAIMS[words]), "reproduce", *words)
