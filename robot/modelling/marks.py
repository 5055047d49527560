"""What neither URDF nor SRDF have a word for, as an element of ours in the SRDF.

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

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from robot.modelling.robot_model import SIDES, RobotModel
from sole.arrays import FloatArray

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
    """What is marked in an SRDF; nothing in one that is not ours."""

    waist: str | None = None
    imu: str | None = None
    feet: Mapping[str, MarkedFoot] = field(default_factory=dict)
    contact_points: tuple[str, ...] = ()

    @property
    def frames(self) -> tuple[str, ...]:
        """Every frame that is named."""
        named = [name for name in (self.waist, self.imu) if name is not None]
        for foot in self.feet.values():
            named += [foot.frame, *(frame for frame, _ in foot.pads)]
        return (*named, *self.contact_points)


def write_marks(root: ET.Element, robot: RobotModel) -> None:
    """Add the marks of a robot to the <robot> of its SRDF; numbers come back bit for bit."""
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
    """Return what is marked in the <robot> of an SRDF.

    Raises
    ------
    ValueError
        A mark that cannot be read.
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
