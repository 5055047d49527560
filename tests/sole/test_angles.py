"""Angles: degrees outside, radians inside, and a key that says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import degrees, inf, isnan, nan, pi, radians

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sole.base.angles import Angle, angles_of, degrees_of, key_of, restored, stored
from sole.base.config import STRICT, load, structure, written
from sole.base.errors import ConfigError
from sole.studies.choice import Cases, parse_constraint
from sole.studies.choice.feasibility import constraints_for
from sole.studies.choice.series import Series


@dataclass(frozen=True, kw_only=True)
class Joint:
    """An angle, a range, angles by name, and a number that is none."""

    __pydantic_config__ = STRICT
    yaw: Angle = 0.0
    range: tuple[Angle, Angle] = (-pi, pi)
    posture: Mapping[str, Angle] = field(default_factory=dict)
    pitch: float = 0.15


@dataclass(frozen=True, kw_only=True)
class Robot:
    """Angles in tables, and in lists of tables."""

    __pydantic_config__ = STRICT
    turn: Angle
    hip: Joint | None = None
    joint: tuple[Joint, ...] = ()


def short_degrees() -> st.SearchStrategy[float]:
    """Numbers as people write them: to twelve digits, and none that is refused as too small."""
    return st.floats(-1e6, 1e6).map(lambda d: float(f"{d:.12g}") if abs(d) > 1e-28 else 0.0)


@given(d=short_degrees())
def test_degrees_that_were_written_come_back(d):
    """20 stays 20: radians of two numbers of 12 digits differ by more than round-off."""
    assert degrees_of(radians(d)) == d


@given(d=st.floats(-1e6, 1e6))
def test_radians_that_were_read_come_back_to_the_last_bit(d):
    assert radians(degrees_of(radians(d))) == radians(d)


@given(a=st.floats(-7, 7))
def test_any_angle_comes_back_to_a_unit_of_the_last_place(a):
    """Two roundings, of the product with 180/pi and of that with pi/180."""
    assert radians(degrees_of(a)) == pytest.approx(a, rel=4 * np.finfo(float).eps, abs=1e-320)


def test_what_is_no_finite_angle_stays_so():
    assert isnan(degrees_of(nan)) and degrees_of(-inf) == -inf and degrees_of(0.0) == 0.0


def test_angles_are_known_by_their_type_not_by_their_name():
    assert angles_of(Joint) == {"yaw", "range", "posture"}
    assert [key_of(Joint, name) for name in ("yaw", "pitch")] == ["yaw_deg", "pitch"]


TABLE = {
    "turn_deg": 15,
    "hip": {"yaw_deg": 20.0, "posture_deg": {"knee": -26.0}},
    "joint": [{"range_deg": [-90, 45.5], "pitch": 30.0}, {}],
}


def test_degrees_become_radians_in_tables_lists_and_ranges():
    robot = structure(TABLE, Robot, "robot")
    hip = Joint(yaw=radians(20), posture={"knee": radians(-26)})
    first = Joint(range=(radians(-90), radians(45.5)), pitch=30.0)
    assert robot == Robot(turn=radians(15), hip=hip, joint=(first, Joint()))


@given(turn=short_degrees(), yaw=short_degrees(), low=short_degrees(), knee=short_degrees())
def test_what_is_read_is_written_as_it_was(turn, yaw, low, knee):
    hip = {"yaw_deg": yaw, "range_deg": [low, low], "posture_deg": {"knee": knee}, "pitch": yaw}
    table = {"turn_deg": turn, "hip": hip, "joint": [hip]}
    robot = structure(table, Robot, "robot")
    assert written(robot) == table
    assert structure(written(robot), Robot, "robot") == robot


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"turn": 1.0}, "robot: turn: write turn_deg (degrees)"),
        ({"turn": 1.0, "turn_deg": 1.0}, "robot: turn: write turn_deg (degrees)"),
        ({"turn_deg": 1.0, "hip": {"yaw": 1}}, "robot: hip.yaw: write yaw_deg (degrees)"),
        (
            {"turn_deg": 1.0, "joint": [{}, {"range": [0, 1]}]},
            "robot: joint.1.range: write range_deg (degrees)",
        ),
        (
            {"turn_deg": 1.0, "hip": {"posture": {}}},
            "robot: hip.posture: write posture_deg (degrees)",
        ),
    ],
)
def test_an_angle_without_its_unit_is_refused_in_one_line(table, told):
    with pytest.raises(ConfigError) as error:
        structure(table, Robot, "robot")
    assert str(error.value) == told


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({}, "robot: turn_deg: Field required"),
        ({"turn_deg": "15"}, "robot: turn_deg: '15' is a text: write 15"),
        ({"turn_deg": True}, "robot: turn_deg: Input should be a valid number"),
        ({"turn_deg": inf}, "robot: turn_deg: Input should be a finite number"),
        (
            {"turn_deg": 1, "hip": {"yaw_deg": "a"}},
            "robot: hip.yaw_deg: 'a' is not a number",
        ),
        (
            {"turn_deg": 1, "hip": {"row": 1}},
            "hip.row: unknown key, known are yaw_deg, range_deg, posture_deg, pitch",
        ),
    ],
)
def test_errors_name_keys_as_they_are_written(table, told):
    with pytest.raises(ConfigError) as error:
        structure(table, Robot, "robot")
    assert told in str(error.value)


def test_a_file_says_where_the_old_key_is(tmp_path):
    path = tmp_path / "robot.toml"
    path.write_text('schema = "r/1"\nturn_deg = 3\n[hip]\nyaw = 1.0\n')
    with pytest.raises(ConfigError) as error:
        load(path, Robot, "r/1")
    assert str(error.value) == f"{path}: hip.yaw: write yaw_deg (degrees)"


@given(a=st.floats(-7, 7))
def test_headers_keep_every_bit_and_say_radians(a):
    told = stored(Joint, {"yaw": a, "pitch": 1.0})
    assert told == {"yaw_rad": a, "pitch": 1.0}
    assert restored(Joint, told) == {"yaw": a, "pitch": 1.0}


def test_headers_of_older_versions_are_refused():
    with pytest.raises(ConfigError, match="yaw: angle without unit"):
        restored(Joint, {"yaw": 20.0})


def study(unit: str = "rad") -> Cases:
    """Two rows: 1 and 3 degrees of tilt, with an axis in degrees."""
    metrics = {"tilt": Series(np.radians([1.0, 3.0]), unit)}
    return Cases({"turn_deg": Series(np.array([5.0, 15.0]), "deg")}, metrics, ("", ""))


@pytest.mark.parametrize(("text", "kept"), [("tilt_deg <= 2", [1, 0]), ("turn_deg > 10", [0, 1])])
def test_bounds_on_angles_are_in_degrees(text, kept):
    (asked,) = constraints_for(study(), [text])
    assert asked.holds(study()).tolist() == [bool(k) for k in kept]
    assert str(asked) == text


@pytest.mark.parametrize(
    ("unit", "text", "told"),
    [
        ("rad", "tilt <= 0.04", "constraint 'tilt <= 0.04': tilt: write tilt_deg (degrees)"),
        (
            "m",
            "tilt_deg <= 2",
            "constraint 'tilt_deg <= 2': tilt is not an angle in rad: write tilt",
        ),
    ],
)
def test_bounds_on_angles_say_their_unit(unit, text, told):
    with pytest.raises(ConfigError) as error:
        constraints_for(study(unit), [text])
    assert str(error.value) == told


def test_a_bound_in_degrees_is_held_in_radians():
    assert parse_constraint("tilt_deg < 2.5").bound == radians(2.5)
    assert degrees(parse_constraint("tilt_deg < -7").bound) == pytest.approx(-7)


@pytest.mark.parametrize("option", ["bond-angle", "tread-angle"])
def test_old_options_of_meshing_name_the_new_ones(sole_here, option):
    done = sole_here("mesh", "solid.step", f"--{option}", "30")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: --{option}: write --{option}-deg (degrees); see")
    assert done.stderr.count("\n") == 1
