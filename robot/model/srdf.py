"""The data that an SRDF adds to a URDF: a named posture, rotor inertias, our marks.

Our marks are an element for data that neither URDF nor SRDF can express:

    <compliant_sole waist="pelvis" imu="imu">
      <foot side="left" link="left_foot" frame="left_sole" half_size="0.12 0.07">
        <pad frame="left_sole" corners="0.12 0.07 -0.12 0.07 -0.12 -0.07 0.12 -0.07"/>
      </foot>
      ...
      <contact_point frame="left_hand"/>
    </compliant_sole>

Corners are x, y in the sole frame [m]. Other readers of SRDF skip elements they do not know.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from robot.model.robot_model import SIDES, RobotModel
from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError
from sole.base.files import LARGEST_TEXT, existing_file

HALF_SITTING = "half_sitting"


_TAG = "compliant_sole"


@dataclass(frozen=True, eq=False, kw_only=True)
class MarkedFoot:
    """A foot: its link and sole frame, half its size (2,) and (frame, corners (k, 2)) per pad."""

    link: str
    frame: str
    half_size: FloatArray
    pads: tuple[tuple[str, FloatArray], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Marks:
    """The marks in an SRDF; empty in an SRDF without our element."""

    waist: str | None = None
    imu: str | None = None
    feet: Mapping[str, MarkedFoot] = field(default_factory=dict)
    contact_points: tuple[str, ...] = ()

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of all frames in the marks."""
        named = [name for name in (self.waist, self.imu) if name is not None]
        for foot in self.feet.values():
            named += [foot.frame, *(frame for frame, _ in foot.pads)]
        return (*named, *self.contact_points)


def write_marks(root: ET.Element, robot: RobotModel) -> None:
    """Add the marks of a robot to the <robot> of its SRDF; numbers are read back bit for bit."""
    frames = robot.model.frames
    marks = ET.SubElement(root, _TAG, waist=frames[robot.waist].name, imu=frames[robot.imu].name)
    for foot in robot.feet:
        marked = ET.SubElement(
            marks,
            "foot",
            side=foot.side,
            link=foot.link,
            frame=foot.frame_name,
            half_size=_text(foot.half_size),
        )
        for pad in foot.pads:
            ET.SubElement(
                marked, "pad", frame=frames[pad.frame].name, corners=_text(pad.corners.ravel())
            )
    for name in robot.contact_points:
        ET.SubElement(marks, "contact_point", frame=name)


def read_marks(root: ET.Element) -> Marks:
    """Return the marks in the <robot> of an SRDF.

    Raises
    ------
    ValueError
        A mark cannot be read.
    """
    marks = root.find(_TAG)
    if marks is None:
        return Marks()
    feet = {foot.get("side", ""): _foot(foot) for foot in marks.findall("foot")}
    if set(feet) != set(SIDES):
        raise ValueError(f"<{_TAG}> needs a foot of side 'left' and one of side 'right'")
    return Marks(
        waist=marks.get("waist"),
        imu=marks.get("imu"),
        feet=feet,
        contact_points=tuple(p.get("frame", "") for p in marks.findall("contact_point")),
    )


def _foot(foot: ET.Element) -> MarkedFoot:
    pads = [(p.get("frame", ""), _numbers(p.get("corners", ""))) for p in foot.findall("pad")]
    half_size = _numbers(foot.get("half_size", ""))
    if not pads or any(c.size < 6 or c.size % 2 for _, c in pads) or half_size.shape != (2,):
        raise ValueError(f"<{_TAG}>: a foot needs half_size and pads of three corners or more")
    return MarkedFoot(
        link=foot.get("link", ""),
        frame=foot.get("frame", ""),
        half_size=half_size,
        pads=tuple((frame, corners.reshape(-1, 2)) for frame, corners in pads),
    )


def _text(values: FloatArray) -> str:
    return " ".join(repr(float(v)) for v in values)


def _numbers(text: str) -> FloatArray:
    values = np.array([float(word) for word in text.split()])
    if not np.isfinite(values).all():
        raise ValueError(f"expected finite numbers, got '{text}'")
    return values


@dataclass(frozen=True, kw_only=True)
class Posture:
    """Joint values and rotor inertias by joint, and our marks.

    Parameters
    ----------
    angles : values of q by joint (7 for the free flyer) [rad, m].
    rotors : inertia at the joint: the rotor's times the square of the gear ratio [kg m2].
    marks : feet, waist, inertial sensor and contact points.
    """

    angles: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    rotors: Mapping[str, float] = field(default_factory=dict)
    marks: Marks = field(default_factory=Marks)


def read_srdf(path: Path, posture: str) -> Posture:
    """Read a group state and <rotor_params>, as Pinocchio and example-robot-data write them.

    An SRDF without any group state gives no angles.

    Raises
    ------
    ConfigError
        The SRDF is not readable, or has no such group state (the message lists them).
    """
    existing_file(path, ConfigError, most=LARGEST_TEXT, padding=0)
    try:
        tree = ET.parse(path).getroot()
    except (ET.ParseError, OSError, ValueError) as error:
        raise ConfigError(f"{path}: not a readable SRDF ({error})") from error
    return posture_of(path, tree, posture)


def posture_of(path: Path, tree: ET.Element, posture: str | None) -> Posture:
    """Return what `read_srdf` returns, from the root of the XML; no angles for the posture None.

    Raises
    ------
    ConfigError
        There is no such group state, or a number cannot be read.
    """
    states = {state.get("name", ""): state for state in tree.findall("group_state")}
    if states and posture is not None and posture not in states:
        known = ", ".join(states)
        raise ConfigError(f"{path}: no posture '{posture}'; there are {known}")
    angles, rotors = {}, {}
    try:
        for joint in states[posture].findall("joint") if states and posture is not None else []:
            angles[joint.get("name", "")] = _floats(joint.get("value", ""))
        for joint in tree.findall("rotor_params/joint"):
            rotor, ratio = _floats(f"{joint.get('mass')} {joint.get('gear_ratio')}")
            rotors[joint.get("name", "")] = rotor * ratio**2
        return Posture(angles=angles, rotors=rotors, marks=read_marks(tree))
    except (ValueError, OverflowError) as error:
        raise ConfigError(f"{path}: not a readable SRDF ({error})") from error


def _floats(text: str) -> tuple[float, ...]:
    values = tuple(float(word) for word in text.split())
    if not values or not all(math.isfinite(v) for v in values):
        raise ValueError(f"expected finite numbers, got '{text}'")
    return values
