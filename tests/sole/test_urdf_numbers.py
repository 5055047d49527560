"""What a URDF's parser would drop or repair is an error that names file and line."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sole.base.errors import ShapeError
from sole.shape import read_urdf
from sole.shape.urdf_numbers import fault_of

GOOD = """<?xml version="1.0"?>
<robot name="two">
  <link name="base">
    <inertial>
      <origin xyz="0 0 0.1" rpy="0 0 0"/>
      <mass value="11.7"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
    <visual>
      <origin xyz="0 0 0 "/>
      <geometry><box size="0.2 0.1 0.05"/></geometry>
    </visual>
  </link>
  <link name="foot"/>
  <joint name="ankle" type="revolute">
    <origin xyz="0 0 -0.1"/>
    <parent link="base"/> <child link="foot"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1e0" effort="10." velocity=".5"/>
  </joint>
</robot>
"""

# what is replaced, by what -> line, what the message says
FAULTS = [
    ('value="11.7"', 'value="11.7 "', 6, r'has a blank at an end; write "11\.7"'),
    ('value="11.7"', 'value=" 11.7"', 6, "has a blank"),
    ('value="11.7"', 'value="11,7"', 6, "has a comma"),
    ('value="11.7"', 'value="11.7kg"', 6, "'11.7kg' is not a finite decimal number"),
    ('value="11.7"', 'value="nan"', 6, "'nan' is not a finite decimal number"),
    ('value="11.7"', 'value="inf"', 6, "'inf' is not"),
    ('value="11.7"', 'value="1e999"', 6, "1e999 is too large"),
    ('value="11.7"', 'value="1_1"', 6, "'1_1' is not"),
    ('value="11.7"', 'value="\u0661"', 6, "is not a finite decimal number"),
    ('value="11.7"', 'value=""', 6, "it is empty"),
    ('value="11.7"', 'val="11.7"', 6, "<mass val=...> would be ignored; is 'value' meant"),
    ('<mass value="11.7"/>', "", 4, "<inertial> needs <mass> and <inertia>"),
    ('<mass value="11.7"/>', '<mas value="11.7"/>', 6, "<mas> would be ignored; is <mass> meant"),
    ("inertial>", "inertail>", 4, "<inertail> would be ignored; is <inertial> meant"),
    ('<mass value="11.7"/>', '<mass value="1"/> <mass value="2"/>', 6, "a second <mass>"),
    ('ixy="0"', 'ixy="0 0"', 7, "expected 1 number, got 2"),
    ('ixy="0"', "", 7, "<inertia> needs 'ixy'"),
    ('xyz="0 0 0.1"', 'xyz="0 0"', 5, "expected 3 numbers, got 2"),
    ('xyz="0 0 0.1"', 'xyz="0 0 0,1"', 5, "has a comma"),
    ('xyz="0 0 0.1"', 'xzy="0 0 0.1"', 5, "would be ignored; is 'xyz' meant"),
    ('xyz="0 0 -0.1"', 'xyz="0 0 -0.1 0"', 16, "expected 3 numbers, got 4"),
    ('rpy="0 0 0"', 'rpy="0 0 zero"', 5, "'zero' is not"),
    ('size="0.2 0.1 0.05"', 'size="0.2 0.1"', 11, "expected 3 numbers"),
    ('size="0.2 0.1 0.05"', "", 11, "<box> needs 'size'"),
    ('axis xyz="0 1 0"', 'axis xyz="0 1"', 18, "expected 3 numbers"),
    ('axis xyz="0 1 0"', "axis", 18, "<axis> needs 'xyz'"),
    ('lower="-1"', "", 19, "'lower'; without it, it would be 0"),
    ('velocity=".5"', 'velocty=".5"', 19, "is 'velocity' meant"),
    ('effort="10."', "", 19, "'effort'"),
    ('effort="10."', 'effort="-10"', 19, "effort must be at least 0, got -10"),
    ('lower="-1"', 'lower="2"', 19, "lower 2 is above upper 1"),
    (
        '<limit lower="-1" upper="1e0" effort="10." velocity=".5"/>',
        "",
        15,
        "a revolute joint needs <limit",
    ),
    (
        '<origin xyz="0 0 0 "/>',
        '<orgin xyz="0 0 1"/>',
        10,
        "<orgin> would be .*; is <origin> meant",
    ),
    ('<origin xyz="0 0 0 "/>', '<Origin xyz="0 0 1"/>', 10, "<Origin> would be ignored"),
    ('<box size="0.2 0.1 0.05"/>', '<Box size="1 1 1"/>', 11, "<geometry> has one of .*, got Box"),
    ('<box size="0.2 0.1 0.05"/>', "", 11, "got nothing"),
    ("<geometry>", '<geometry><sphere radius="1"/>', 11, "got sphere, box"),
    ('xyz="0 0 -0.1"', 'position="0 0 -0.1"', 16, "<origin position=...> would be ignored"),
    ('<mass value="11.7"/>', '<mass value="1"/><com xyz="0 0 1"/>', 6, "<com> would be ignored"),
    ('<axis xyz="0 1 0"/>', '<rotation_axis xyz="0 1 0"/>', 18, "is <axis> meant"),
]


def written(folder, text):
    path = folder / "two.urdf"
    path.write_text(text, encoding="utf-8")
    return path


def test_numbers_as_people_write_them_are_read(tmp_path):
    tree = read_urdf(written(tmp_path, GOOD))
    assert [part.tag for part in tree] == ["link", "link", "joint"]
    assert tree.find("joint/limit").line == 19


@pytest.mark.parametrize(("old", "new", "line", "said"), FAULTS)
def test_what_the_parser_would_drop_is_refused_with_its_line(old, new, line, said, tmp_path):
    assert old in GOOD
    with pytest.raises(ShapeError, match=re.escape(f"two.urdf:{line}: ") + ".*" + said):
        read_urdf(written(tmp_path, GOOD.replace(old, new)))


@given(st.text("0123456789+-.eE ,xnaif_", max_size=8))
def test_a_number_without_fault_is_read_by_python_and_is_finite(text):
    if not fault_of(text, 1):
        assert np.isfinite(float(text)) and text == text.strip()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_has_no_fault(value):
    assert not fault_of(repr(value), 1)
    assert not fault_of(f" {value!r}  {value:e} {value!r} ", 3)
