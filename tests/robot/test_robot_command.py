"""`sole robot`: what it prints, and what it refuses in one line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from command_line import in_this_process

from robot.model import robot_names
from robot.model.robots import FOLDER


@pytest.fixture
def sole(monkeypatch, capsys):
    return in_this_process(monkeypatch, capsys)


def test_list(sole):
    code, out, _ = sole("robot", "list")
    assert code == 0
    assert all(name in out for name in robot_names())


def test_info(sole):
    code, page, _ = sole("robot", "info", "hrp2-like")
    assert code == 0 and "upper [deg]" not in page and page.count("\n") < 50
    code, out, _ = sole("robot", "info", "hrp2-like", "--joints")
    assert code == 0
    for part in ("58", "648.7", "1.539", "left_sole", "left_knee", "upper [deg]", " 150 ", "320"):
        assert part in out
    assert "published: [KanekoEtAl2004]" in out
    assert "ours: mass of every link" in out


def test_info_as_json(sole):
    code, out, err = sole("robot", "info", "lola-like", "--json")
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert data["mass"] == pytest.approx(60.0)
    assert data["units"]["mass"] == "kg"
    assert data["left_foot_size"] == pytest.approx([0.25, 0.12])
    assert len(data["joint_table"]) == 24 == data["joints"]
    toe = next(row for row in data["joint_table"] if row["joint"] == "left_toe_joint")
    limits = toe["lower"], toe["upper"], toe["torque"]
    assert limits == pytest.approx((-0.9, 0.2, 60.0), abs=1e-5)
    assert any(note.startswith("ours:") for note in data["notes"])


def test_the_toml_is_read_by_sole_info_too(sole):
    code, out, _ = sole("info", FOLDER / "lola-like.toml", "--json")
    assert code == 0
    assert json.loads(out)["mass"] == pytest.approx(60.0)


def test_export_and_info_of_it(sole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = sole("robot", "export", "hrp4-like", "-o", "robot.urdf", "--json")
    assert code == 0
    said = json.loads(out)
    call = said["read_it"].split()[1:]
    assert "contact points (2)" in said["only_in_the_srdf"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["robot.srdf", "robot.urdf"]
    code, out, _ = sole(*call, "--json")
    assert code == 0
    data = json.loads(out)
    assert data["mass"] == pytest.approx(39.0)
    assert data["left_foot_size"] == pytest.approx([0.224, 0.13])


SHORT = """
schema = "robot.scenario/1"
robot = "{robot}"
duration = 0.02
settle = 0.02
[sole]
size = 0.06
element = "p1"
[gait]
kind = "stand"
"""


def test_an_exported_robot_walks_as_it_did(sole, tmp_path, monkeypatch):
    """Toes, pads and posture come back: the same run to round-off, from a scenario elsewhere."""
    folder = tmp_path / "robots"
    folder.mkdir()
    assert sole("robot", "export", "lola-like", "-o", folder / "l.urdf")[0] == 0
    for name in ("lola-like", "l.urdf"):
        (folder / f"{name}.toml").write_text(SHORT.format(robot=name))
    monkeypatch.chdir(tmp_path)
    found = [
        json.loads(sole("walk", f"robots/{name}.toml", "--json")[1])
        for name in ("lola-like", "l.urdf")
    ]
    assert found[1]["bodies"] == "left, left toe, right, right toe"
    for key in ("mass", "waist_acceleration", "foot_acceleration"):
        assert found[0][key] > 1e-6, key
        assert found[1][key] == pytest.approx(found[0][key], rel=1e-6), key


def test_an_srdf_that_cannot_be_written_leaves_no_urdf(sole, tmp_path):
    (tmp_path / "r.srdf").mkdir()
    code, _, err = sole("robot", "export", "rengifo14", "-o", tmp_path / "r.urdf")
    assert (code, err) == (2, f"error: cannot write {tmp_path / 'r.srdf'}: it is a folder\n")
    assert not (tmp_path / "r.urdf").exists()


def test_a_posture_never_replaces_the_file_that_it_was_read_from(sole, tmp_path):
    """The SRDF beside the URDF holds feet and rotors, too."""
    sole("robot", "export", "rengifo14", "-o", tmp_path / "r.urdf")
    before = (tmp_path / "r.srdf").read_bytes()
    for extra in ((), ("--srdf", tmp_path / "r.srdf")):
        code, _, err = sole(
            "robot", "posture", tmp_path / "r.urdf", "-o", tmp_path / "r.srdf", *extra
        )
        assert code == 2 and "r.srdf" in err and err.count("\n") == 1, err
    assert (tmp_path / "r.srdf").read_bytes() == before


@pytest.fixture
def nameless(sole, tmp_path, monkeypatch):
    """A biped whose feet are called base_l and base_r and have no geometry, in its own folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robots").mkdir()
    sole("robot", "export", "rengifo14", "-o", "robots/b.urdf")
    tree = ET.parse("robots/b.urdf")
    for element in tree.iter():
        for key, value in element.attrib.items():
            if value.endswith(("_sole", "_foot")) and key in ("name", "link"):
                element.set(key, f"{'base' if 'sole' in value else 'end'}_{value[0]}")
    for link in ("end_l", "end_r"):
        foot = tree.find(f"link[@name='{link}']")
        for kind in ("visual", "collision"):
            foot.remove(foot.find(kind))
    tree.write("robots/b.urdf")
    text = (tmp_path / "robots/b.srdf").read_text()
    start, end = text.index("<compliant_sole"), text.index("</robot>")
    (tmp_path / "robots/b.srdf").write_text(text[:start] + text[end:])
    (tmp_path / "robots/s.toml").write_text(SHORT.format(robot="b.urdf"))
    return ("--left-foot", "base_l", "--right-foot", "base_r", "--foot-size", "0.22", "0.12")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("izz", "9.0", "body 'left_shank': principal moments .* break the triangle inequality"),
        ("ixx", "-1.0", "body 'left_shank': inertia is not positive definite"),
        (None, None, "body 'left_\\w+' on joint '\\w+' moves 0 kg m2 .* is singular"),
    ],
)
def test_info_and_walk_refuse_a_body_by_name(sole, nameless, key, value, said):
    tree = ET.parse("robots/b.urdf")
    foot = tree.find("link[@name='end_l']")
    if key is None:
        foot.remove(foot.find("inertial"))
        Path("robots/b.srdf").unlink()  # no rotors
    else:
        tree.find("link[@name='left_shank']/inertial/inertia").set(key, value)
    tree.write("robots/b.urdf")
    for call in (("robot", "info", "robots/b.urdf"), ("walk", "robots/s.toml")):
        code, out, err = sole(*call, *nameless)
        assert (code, out) == (2, "") and err.count("\n") == 1
        assert re.search(said, err), err


def test_info_and_walk_take_the_same_words(sole, nameless):
    """Also with the scenario in another folder, or with the robot given by hand."""
    scenario = "robots/s.toml"
    for call in (("robot", "info", "robots/b.urdf"), ("walk", scenario)):
        code, _, err = sole(*call)
        assert code == 2 and "cannot find the foot of 'end_l'" in err and "foot_size" in err
        code, out, err = sole(*call, *nameless, "--json")
        assert code == 0, err
        assert json.loads(out)["joints"] == 14
    code, out, _ = sole("walk", scenario, "--robot", "robots/b.urdf", *nameless, "--json")
    assert code == 0 and json.loads(out)["robot"] == "rengifo14"
    code, _, err = sole("walk", scenario, "--robot", "hrp2-like", *nameless[:2])
    assert code == 2 and "left_foot: options are for a URDF only" in err


def test_a_scenario_names_the_feet(sole, nameless):
    keys = 'left_foot = "base_l"\nright_foot = "base_r"\nfoot_size = [0.22, 0.12]\n'
    path = Path("robots/s.toml")
    path.write_text(path.read_text() + "[urdf]\nsrdf = 'b.srdf'\nimu = 'end_l'\n" + keys)
    code, out, err = sole("walk", path, "-o", "run.nc", "--json")
    assert code == 0, err
    assert json.loads(out)["fell"] is False
    assert sole("info", "run.nc")[0] == 0
    path.write_text(path.read_text() + "left_hand = 'x'\n")
    code, _, err = sole("walk", path)
    assert code == 2 and "urdf.left_hand" in err


def test_a_result_never_replaces_its_input(sole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sole("robot", "export", "rengifo14", "-o", "robot.urdf")
    before = (tmp_path / "robot.urdf").read_bytes()
    feet = ("--left-foot", "left_sole", "--right-foot", "right_sole")
    code, _, err = sole("robot", "export", "robot.urdf", *feet, "-o", "robot.urdf")
    assert code == 2 and "is the input itself" in err
    assert (tmp_path / "robot.urdf").read_bytes() == before


@pytest.mark.parametrize(
    ("call", "mention"),
    [
        (["info", "asimo"], "hrp2-like"),
        (["info", "absent.urdf"], "absent.urdf: no such file"),
        (["info", "hrp2-like", "--foot-size", "0.2", "0.1"], "options are for a URDF only"),
        (["export", "hrp2-like", "-o", "robot.stl"], ".urdf"),
        (["export", "hrp2-like", "-o", "nowhere/robot.urdf"], "nowhere"),
    ],
)
def test_bad_input_is_one_line(sole, call, mention):
    code, out, err = sole("robot", *call)
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and err.count("\n") == 1
    assert mention in err


def test_help_does_not_import_pinocchio():
    program = (
        "import sys; sys.argv = ['sole', 'robot', '--help']\n"
        "from sole.base.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert 'pinocchio' not in sys.modules and 'numpy' not in sys.modules"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "export" in done.stdout
