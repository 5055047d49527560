"""What the XML files of a bushing share: numbers, the box of the hard tread, the comment."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from contact.bushing.bushing import Bushing
from sole.base.arrays import FloatArray

SCHEMA = "contact.bushing/1"
AXES = ("x", "y", "z", "rx", "ry", "rz")
HARD = 0.25  # of the thickness: height of the hard tread


def hard_box(b: Bushing) -> tuple[FloatArray, FloatArray]:
    """Return sizes and centre (3,) of the hard tread in the sole frame; its underside is at z."""
    height = HARD * b.thickness
    size = np.array([*(b.high - b.low), height])
    return size, np.array([*(b.high + b.low) / 2, b.origin[2] + height / 2])


def add_remark(root: ET.Element, b: Bushing, use: str, contact: str) -> None:
    """Add the comment: how to `use` the file, its range, its errors, those of its `contact`."""
    words = (
        f" {SCHEMA} of {b.name}: {use}. Up to {b.load:.4g} N and, at that load, tilts of "
        f"{np.degrees(b.tilt[0]):.3g} and {np.degrees(b.tilt[1]):.3g} degrees about x and y. "
        f"Errors: {b.stuck_error:.2%} stuck, {b.load_error:.2%} more at the largest load, "
        f"{b.edge_error.max():.0%} on an edge; {contact}. The mass is that of the whole sole, "
        f"{b.mass:.4g} kg: the foot comes without. Friction is that of the tread, whatever the "
        f"floor's. {'' if b.damping.any() else 'No damping: the foot rings. '}"
        f"Springs along and about x, y, z: {row(b.stiffness)} "
    )
    root.append(ET.Comment(words.replace("--", "- -")))


def axis_of(k: int) -> str:
    """Return the axis of joint k of `AXES`."""
    return " ".join("1" if k % 3 == i else "0" for i in range(3))


def number(value: float) -> str:
    """Return nine digits."""
    return f"{float(value):.9g}"


def row(values: FloatArray) -> str:
    """Return numbers with blanks between."""
    return " ".join(number(v) for v in values)


def text_of(root: ET.Element) -> str:
    """Return the file."""
    ET.indent(root)
    return ET.tostring(root, encoding="unicode")
