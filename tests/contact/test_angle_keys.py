"""Angles of grounds and poses: keys and options say degrees, old ones are refused."""

from __future__ import annotations

from dataclasses import fields, replace
from math import radians

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from press_cases import pad

from contact.ground import (
    Box,
    CompositeGround,
    HeightField,
    Slope,
    Stairs,
    Step,
    ground_from_header,
    load_ground,
    parse_ground,
)
from contact.ground.ground_file import save_ground
from contact.ground.simple_grounds import known_kinds
from contact.press import RigidMotion, load_path, load_press, parse_motion, press, save_press
from contact.press.load import header_of, load_from
from sole.base.angles import angles_of
from sole.base.errors import ConfigError, SchemaError

NEEDED = {
    "slope": {"angle_deg": "3"},
    "bump": {"rise": "0.01", "radius": "0.02"},
    "bar": {"rise": "0.01", "radius": "0.02"},
    "box": {"length": "0.1", "width": "0.1", "rise": "0.01"},
    "heightfield": {"heights": "[[0.0, 0.0], [0.0, 0.0]]", "scale": "0.01"},
}
OLD = [(kind, name) for kind, cls in known_kinds().items() for name in sorted(angles_of(cls))]
TURNS = ("roll", "pitch", "yaw")


def test_all_angles_of_grounds_are_asked_for():
    named = {"angle", "heading", "yaw", "pitch", "roll"}
    told = {(k, f.name) for k, cls in known_kinds().items() for f in fields(cls) if f.name in named}
    assert set(OLD) == told and len(OLD) == 9


@pytest.mark.parametrize(("kind", "name"), OLD)
def test_a_ground_file_with_an_old_key_names_the_new_one(tmp_path, kind, name):
    path = tmp_path / "ground.toml"
    given_ = {**NEEDED.get(kind, {}), name: "3"}
    lines = "\n".join(f"{key} = {value}" for key, value in given_.items())
    path.write_text(f'schema = "contact.ground/1"\n[[solid]]\nkind = "{kind}"\n{lines}\n')
    with pytest.raises(ConfigError) as error:
        load_ground(path)
    where = f"{path}: solid.0: {kind}"
    assert str(error.value) == f"{where}: {name}: write {name}_deg (degrees)"
    path.write_text(path.read_text().replace(f"\n{name} =", f"\n{name}_deg ="))
    if kind != "slope" or name != "angle":
        assert getattr(load_ground(path), name) == radians(3)


@pytest.mark.parametrize(("kind", "name"), OLD)
def test_a_ground_in_words_with_an_old_key_names_the_new_one(kind, name):
    with pytest.raises(ConfigError) as error:
        parse_ground(f"{kind}:{name}=20")
    told = f"ground '{kind}:{name}=20': {name}: write {name}_deg=20 (degrees)"
    assert str(error.value) == told


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("slope:20", "angle"),
        ("slope:20,90", "angle"),
        ("slope:angle_deg=20,90", "heading"),
        ("step:0.005,0.1,20", "angle"),
        ("bar:0.005,0.01,0.1,20", "angle"),
        ("box:0.1,0.1,0.01,0,0,0,20", "yaw"),
    ],
)
def test_an_angle_is_never_told_by_its_place(text, name):
    with pytest.raises(ConfigError, match=rf"'{text}': {name}: write {name}_deg=\d+ \(degrees\)"):
        parse_ground(text)


def test_degrees_in_words_are_radians_in_python():
    assert parse_ground("slope:angle_deg=20,heading_deg=-90") == Slope(
        angle=radians(20), heading=radians(-90)
    )
    assert parse_ground("stairs:0.28,0.03,4,heading_deg=180").heading == radians(180)
    assert np.allclose(Slope(angle=0.3).frame[:, 2], [-np.sin(0.3), 0, np.cos(0.3)])


@given(angle=st.integers(-8999, 8999), heading=st.integers(-36000, 36000))
def test_what_a_ground_says_of_itself_is_read_again(angle, heading):
    ground = Slope(angle=radians(angle / 100), heading=radians(heading / 100))
    assert parse_ground(str(ground)) == ground
    assert str(ground) == f"slope:angle_deg={angle / 100:g},heading_deg={heading / 100:.12g}"


GROUNDS = [
    Slope(angle=radians(1 / 3), heading=radians(20)),
    Step(rise=0.01, angle=radians(-15)),
    Stairs(heading=radians(170)),
    Box(length=1.0, width=1.0, rise=0.1, yaw=radians(25), pitch=radians(10), roll=radians(-5)),
    HeightField(heights=np.eye(3), scale=0.1, yaw=radians(30)),
]


@pytest.mark.parametrize(
    "ground", [*GROUNDS, CompositeGround(parts=tuple(GROUNDS[2:]))], ids=lambda g: g.kind
)
def test_files_and_headers_keep_angles_to_the_last_bit(tmp_path, ground):
    save_ground(tmp_path / "g.toml", ground)
    assert load_ground(tmp_path / "g.toml") == ground
    assert ground_from_header(ground.header()) == ground


def test_headers_hold_radians_and_say_so():
    told = Slope(angle=0.1).header()
    assert told == {"kind": "slope", "angle_rad": 0.1, "heading_rad": 0.0}
    assert header_of(RigidMotion(roll=0.1))["roll_rad"] == 0.1
    with pytest.raises(ConfigError, match=r"ground 'slope': angle: .*older version"):
        ground_from_header({"kind": "slope", "angle": 10.0, "heading": 0.0})


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1))
def test_a_pose_in_a_header_keeps_every_bit(roll, pitch, yaw):
    pose = RigidMotion(sink=0.001, roll=roll, pitch=pitch, yaw=yaw)
    assert load_from(header_of(pose)) == pose


@pytest.mark.parametrize("name", TURNS)
def test_poses_with_old_keys_name_the_new_ones(tmp_path, name):
    told = f"{name}: write {name}_deg (degrees)"
    with pytest.raises(ConfigError) as error:
        parse_motion(f"sink=0.001,{name}=0.01")
    assert str(error.value) == f"pose 'sink=0.001,{name}=0.01': {told}"
    path = tmp_path / "path.toml"
    text = 'schema = "contact.path/1"\n[[step]]\npose = {{ sink = 0.001, {key} = 0.5 }}\n'
    path.write_text(text.format(key=name))
    with pytest.raises(ConfigError) as error:
        load_path(path)
    assert str(error.value) == f"{path}: step.0.pose.{told}"
    path.write_text(text.format(key=f"{name}_deg"))
    expected = RigidMotion(sink=0.001, **{name: radians(0.5)})
    assert load_path(path) == (expected,) == (parse_motion(f"sink=0.001,{name}_deg=0.5"),)


def test_a_pose_of_a_path_lists_its_keys(tmp_path):
    path = tmp_path / "path.toml"
    path.write_text('schema = "contact.path/1"\n[[step]]\npose = { sank = 0.001 }\n')
    known = "known are sink, x, y, roll_deg, pitch_deg, yaw_deg"
    with pytest.raises(ConfigError, match=f"step.0.pose.sank: unknown key, {known}"):
        load_path(path)


def test_a_press_of_an_older_version_on_a_slope_is_refused(tmp_path, monkeypatch):
    """Its header held degrees under `angle`: refused, not misread; on a plane it is read."""
    path = tmp_path / "press.npz"
    result = press(pad(), RigidMotion(sink=1e-4), Slope(angle=radians(5)))
    save_press(path, result)
    assert load_press(path).ground == result.ground
    monkeypatch.setattr(Slope, "header", lambda g: {"kind": "slope", "angle": 5.0, "heading": 0.0})
    save_press(path, result)
    with pytest.raises(SchemaError, match="angle: angle without unit"):
        load_press(path)
    monkeypatch.undo()
    save_press(path, replace(result, ground=parse_ground("plane")))
    assert load_press(path).ground == parse_ground("plane")


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--ground", "slope:20", "ground 'slope:20': angle: write angle_deg=20 (degrees)"),
        ("--ground", "step:rise=0.01,angle=5", "angle: write angle_deg=5 (degrees)"),
        ("--pose", "yaw=0.1", "pose 'yaw=0.1': yaw: write yaw_deg (degrees)"),
    ],
)
def test_the_command_line_names_the_new_key_in_one_line(
    sole_here, pad_file, tmp_path, option, value, told
):
    load = [] if option == "--pose" else ["--force", "10"]
    out = tmp_path / "press.npz"
    done = sole_here("press", pad_file, "-o", out, *load, option, value)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("error: ") and done.stderr.strip().endswith(told)
    assert done.stderr.count("\n") == 1
