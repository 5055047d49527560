"""`sole robot`: what it prints, and what it refuses in one line."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from command_line import in_this_process

from robot.model import FOLDER, robot_names


@pytest.fixture
def sole(monkeypatch, capsys):
    return in_this_process(monkeypatch, capsys)


def test_list(sole):
    code, out, _ = sole("robot", "list")
    assert code == 0
    assert all(name in out for name in robot_names())


def test_info(sole):
    code, out, _ = sole("robot", "info", "hrp2-like")
    assert code == 0
    for part in ("58", "0.6487", "1.539", "left_sole", "left_knee", "revolute", "2.618", "320"):
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
    assert (toe["lower"], toe["upper"], toe["torque"]) == (-0.9, 0.2, 60.0)
    assert any(note.startswith("ours:") for note in data["notes"])


def test_the_toml_is_read_by_sole_info_too(sole):
    code, out, _ = sole("info", FOLDER / "lola-like.toml", "--json")
    assert code == 0
    assert json.loads(out)["mass"] == pytest.approx(60.0)


def test_export_and_info_of_it(sole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = sole("robot", "export", "hrp4-like", "-o", "robot.urdf", "--json")
    assert code == 0
    call = json.loads(out)["read_it"].split()[1:]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["robot.srdf", "robot.urdf"]
    code, out, _ = sole(*call, "--json")
    assert code == 0
    data = json.loads(out)
    assert data["mass"] == pytest.approx(39.0)
    assert data["left_foot_size"] == pytest.approx([0.224, 0.13])


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
        (["info", "absent.urdf"], "left_foot and right_foot missing"),
        (["info", "absent.urdf", "--left-foot", "a", "--right-foot", "b"], "absent.urdf"),
        (["info", "hrp2-like", "--foot-size", "0.2", "0.1"], "only for a URDF"),
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
        "from sole.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert 'pinocchio' not in sys.modules and 'numpy' not in sys.modules"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "export" in done.stdout
