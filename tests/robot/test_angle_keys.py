"""Angles of scenarios, robots and studies of walks: degrees with ``_deg``; old keys are refused."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from math import radians
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

from robot.control import ForceChoice
from robot.gait import KeyPosture, Landing, Walking
from robot.model import load_humanoid, load_robot
from robot.model.description import Humanoid
from robot.online import WalkCommand
from robot.scenery import FreeBox, Start
from robot.sensing import Noise
from robot.studies.quantities import walk_quantities
from robot.studies.scenarios import scenario_of
from robot.studies.walk_rows import WalkRows
from robot.walk import Scenario, load_scenario
from sole.base.angles import angles_of
from sole.base.config import structure, written
from sole.base.errors import ConfigError
from sole.studies import Axis
from sole.studies.rows import find_quantities

BOX = 'name = "crate"\nsize = [0.1, 0.1, 0.1]\nmass = 1.0\nplace = [1.0, 0.0, 0.05]\n'
OLD = {  # key, and the table that it stands in
    "gait.turn": "[gait]\n",
    "gait.footstep.0.yaw": '[[gait.footstep]]\nfoot = "left"\nx = 0.1\ny = 0.1\n',
    "start.heading": "[start]\n",
    "box.0.yaw": f"[[box]]\n{BOX}",
    "sensing.noise.encoder": '[sensing]\nkind = "noisy"\n[sensing.noise]\n',
}


def scenario(folder: Path, text: str) -> Path:
    path = folder / "walk.toml"
    path.write_text(f'schema = "robot.scenario/1"\n{text}')
    return path


def tables(cls: type) -> set[type]:
    """All dataclasses that a dataclass is made of."""
    found, hints = {cls}, [get_type_hints(cls)[f.name] for f in fields(cls)]
    while hints:
        hint = hints.pop()
        if is_dataclass(hint) and isinstance(hint, type) and hint not in found:
            found |= tables(hint)
        hints += get_args(hint)
    return found


def test_every_angle_of_a_scenario_is_asked_for():
    angles = {(cls, name) for cls in tables(Scenario) for name in angles_of(cls)}
    tables_of = {
        Walking: "turn",
        Landing: "yaw",
        Start: "heading",
        FreeBox: "yaw",
        Noise: "encoder",
    }
    newer = {(KeyPosture, "joints"), (WalkCommand, "turn"), (ForceChoice, "most_angle")}
    assert angles == set(tables_of.items()) | newer and len(OLD) == len(tables_of)
    robots = {name for cls in tables(Humanoid) for name in angles_of(cls)}
    assert robots == {"range", "half_sitting"}


def test_postures_are_in_degrees(tmp_path):
    text = '[gait]\nkind = "postures"\n[[gait.posture]]\n{} = {{ chest_yaw = 15 }}\n'
    with pytest.raises(ConfigError, match="write joints_deg"):
        load_scenario(scenario(tmp_path, text.format("joints")))
    found = load_scenario(scenario(tmp_path, text.format("joints_deg")))
    assert found.gait.posture[0].joints == {"chest_yaw": radians(15)}


@pytest.mark.parametrize("key", OLD)
def test_a_scenario_with_an_old_key_names_the_new_one(tmp_path, key):
    *where, name = key.split(".")
    path = scenario(tmp_path, f"{OLD[key]}{name} = 15\n")
    with pytest.raises(ConfigError) as error:
        load_scenario(path)
    assert str(error.value) == f"{path}: {key}: write {name}_deg (degrees)"
    found: Any = load_scenario(scenario(tmp_path, f"{OLD[key]}{name}_deg = 15\n"))
    for part in where:
        found = found[int(part)] if part.isdigit() else getattr(found, part)
    assert getattr(found, name) == radians(15)


def test_the_command_line_says_it_in_one_line(walk, tmp_path):
    path = scenario(tmp_path, "[gait]\nturn = 15\n")
    code, out, err = walk(path)
    assert (code, out) == (2, "")
    assert err == f"error: {path}: gait.turn: write turn_deg (degrees)\n"


@pytest.mark.parametrize(("old", "where"), [("range", "links.8.range"), ("half_sitting", "")])
def test_a_robot_with_an_old_key_names_the_new_one(tmp_path, root, old, where):
    text = (root / "robot" / "model" / "humanoids" / "rengifo14.toml").read_text(encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(f"{old}_deg", old, 1))
    with pytest.raises(ConfigError, match=rf"{old}: write {old}_deg \(degrees\)$"):
        load_humanoid(path)


def test_robots_are_what_they_were_in_radians(root):
    """The files were once in radians: postures to 1e-4 degrees, ranges to 1e-3 degrees."""
    hrp2 = load_humanoid(root / "robot" / "model" / "humanoids" / "hrp2-like.toml")
    assert hrp2.half_sitting["left_knee"] == pytest.approx(0.8726646260, abs=1e-10)
    ranges = {link.joint: link.range for link in hrp2.links}
    assert ranges["left_knee"] == pytest.approx((0.0, 2.618), abs=1e-5)
    assert ranges["left_hip_pitch"] == pytest.approx((-2.182, 0.733), abs=1e-5)
    joints = load_robot("hrp2-like").model.upperPositionLimit[7:]
    assert np.abs(joints - 2.618).min() < 1e-5 and joints.max() < 3.15


def test_a_scenario_is_written_as_it_was_read(tmp_path):
    text = "[gait]\nturn_deg = 15.0\n[start]\nheading_deg = -33.3\n[[box]]\n"
    read = load_scenario(scenario(tmp_path, f"{text}{BOX}yaw_deg = 20\n"))
    plain = written(read)
    assert plain["gait"]["turn_deg"] == 15.0 and plain["start"]["heading_deg"] == -33.3
    assert plain["box"][0]["yaw_deg"] == 20.0 and plain["box"][0]["pitch"] == 0.15
    assert plain["sensing"]["noise"]["encoder_deg"] == pytest.approx(0.0011459155902616464)
    assert structure(plain, Scenario, "again") == read


def test_axes_of_studies_are_in_degrees(tmp_path):
    base = Scenario()
    turned = scenario_of(base, {"gait.turn_deg": 10.0, "start.heading_deg": 90.0, "speed": 0.25})
    assert turned.gait.turn == radians(10) and turned.start.heading == radians(90)
    assert turned.gait.forward == pytest.approx(0.25 * 0.8)
    rows = WalkRows({}, tmp_path)
    for name in ("gait.turn_deg", "start.heading_deg", "sensing.noise.encoder_deg"):
        assert rows.quantities[name].unit == "deg" and rows.quantities[name].refuse(1.0) == ""
    assert rows.quantities["sensing.noise.encoder_deg"].refuse(-1.0)
    assert not {"gait.turn", "start.heading"} & set(walk_quantities(base, rows.files))
    assert rows.fingerprint["scenario"]["gait"]["turn_deg"] == 0.0


@pytest.mark.parametrize("key", ["gait.turn", "start.heading", "sensing.noise.encoder"])
def test_an_old_axis_names_the_new_one(tmp_path, key):
    axis = Axis(quantity=key, values=(1.0, 2.0))
    with pytest.raises(ConfigError) as error:
        find_quantities((axis,), {"walk": WalkRows({}, tmp_path)})
    assert str(error.value) == f"axis {axis.name}: {key}: write {key}_deg (degrees)"


def test_old_keys_beside_a_scenario_are_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"walk rows: gait\.turn: write turn_deg \(degrees\)"):
        WalkRows({"gait": {"turn": 5.0}}, tmp_path)
    assert WalkRows({"gait": {"turn_deg": 5.0}}, tmp_path).base.gait.turn == radians(5)
