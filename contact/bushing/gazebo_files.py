"""A bushing as URDF and as SDF, for Gazebo and what reads its files.

A chain of light links between the links `sole` and `tread`. Together they weigh what the sole
weighs. URDF knows no springs: they stand in Gazebo's extension, and in the comment. The springs are
stiff, so Gazebo's ODE is told to treat them implicitly.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from contact.bushing.bushing import Bushing
from contact.bushing.xml_parts import (
    AXES,
    add_remark,
    axis_of,
    hard_box,
    number,
    row,
    text_of,
)
from contact.constants import FRICTION
from sole.base.arrays import FloatArray

LIGHT = 1e-3  # of the sole's mass: the links before the tread
TURN = 0.5  # rad: limit of the hinges; that of the slides is the thickness
UNKNOWN = "the softness of the engine's contact comes on top and is not known here"


def urdf_text(b: Bushing) -> str:
    """Return the URDF of a bushing."""
    root = ET.Element("robot", name=f"{b.name}_bushing")
    use = "URDF has no springs: Gazebo reads springStiffness, others need them by hand"
    add_remark(root, b, use, UNKNOWN)
    _link(root, "sole", LIGHT * b.mass, b, None)
    for k, name in enumerate(AXES):
        last = k == len(AXES) - 1
        child = "tread" if last else f"between_{name}"
        joint = ET.SubElement(
            root, "joint", name=f"sole_{name}", type="prismatic" if k < 3 else "revolute"
        )
        ET.SubElement(joint, "origin", xyz=row(b.center if k == 0 else np.zeros(3)), rpy="0 0 0")
        ET.SubElement(joint, "parent", link="sole" if k == 0 else f"between_{AXES[k - 1]}")
        ET.SubElement(joint, "child", link=child)
        ET.SubElement(joint, "axis", xyz=axis_of(k))
        reach = _reach(b, k)
        limit = {"lower": number(-reach), "upper": number(reach)}
        ET.SubElement(joint, "limit", limit, effort="1e9", velocity="1e3")
        ET.SubElement(joint, "dynamics", damping=number(b.damping[k]), friction="0")
        spring = ET.SubElement(root, "gazebo", reference=f"sole_{name}")
        ET.SubElement(spring, "springStiffness").text = number(b.stiffness[k])
        ET.SubElement(spring, "springReference").text = "0"
        ET.SubElement(spring, "implicitSpringDamper").text = "true"
        _link(root, child, _mass(b, last), b, b.center if last else None)
    tread = ET.SubElement(root, "gazebo", reference="tread")
    for key in ("mu1", "mu2"):
        ET.SubElement(tread, key).text = number(FRICTION)
    return text_of(root)


def sdf_text(b: Bushing) -> str:
    """Return the SDF of a bushing."""
    root = ET.Element("sdf", version="1.9")
    model = ET.SubElement(root, "model", name=f"{b.name}_bushing")
    add_remark(model, b, "fix the link `sole` to the foot at its sole frame", UNKNOWN)
    _link(model, "sole", LIGHT * b.mass, b, None)
    for k, name in enumerate(AXES):
        last = k == len(AXES) - 1
        child = "tread" if last else f"between_{name}"
        link = _link(model, child, _mass(b, last), b, b.center if last else None)
        pose = ET.Element("pose")
        pose.text = f"{row(b.center)} 0 0 0"
        link.insert(0, pose)
        joint = ET.SubElement(
            model, "joint", name=f"sole_{name}", type="prismatic" if k < 3 else "revolute"
        )
        ET.SubElement(joint, "parent").text = "sole" if k == 0 else f"between_{AXES[k - 1]}"
        ET.SubElement(joint, "child").text = child
        axis = ET.SubElement(joint, "axis")
        ET.SubElement(axis, "xyz").text = axis_of(k)
        dynamics = ET.SubElement(axis, "dynamics")
        ET.SubElement(dynamics, "spring_stiffness").text = number(b.stiffness[k])
        ET.SubElement(dynamics, "spring_reference").text = "0"
        ET.SubElement(dynamics, "damping").text = number(b.damping[k])
        limit = ET.SubElement(axis, "limit")
        ET.SubElement(limit, "lower").text = number(-_reach(b, k))
        ET.SubElement(limit, "upper").text = number(_reach(b, k))
        ode = ET.SubElement(ET.SubElement(joint, "physics"), "ode")
        ET.SubElement(ode, "implicit_spring_damper").text = "true"
    return text_of(root)


def _mass(b: Bushing, last: bool) -> float:
    return b.mass * (1 - len(AXES) * LIGHT if last else LIGHT)


def _reach(b: Bushing, k: int) -> float:
    return b.thickness if k < 3 else TURN


def _link(
    root: ET.Element, name: str, mass: float, b: Bushing, center: FloatArray | None
) -> ET.Element:
    """Add a link; with a `center`, its frame's place, it has the box of the tread."""
    sdf = root.tag == "model"
    size, place = hard_box(b)
    link = ET.SubElement(root, "link", name=name)
    at = place - center if center is not None else np.zeros(3)
    inertial = ET.SubElement(link, "inertial")
    xx, yy, zz = (mass / 12 * (size @ size - s * s) for s in size)
    values = {"ixx": xx, "iyy": yy, "izz": zz, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
    if sdf:
        ET.SubElement(inertial, "pose").text = f"{row(at)} 0 0 0"
        ET.SubElement(inertial, "mass").text = number(mass)
        inertia = ET.SubElement(inertial, "inertia")
        for key, value in values.items():
            ET.SubElement(inertia, key).text = number(value)
    else:
        ET.SubElement(inertial, "origin", xyz=row(at), rpy="0 0 0")
        ET.SubElement(inertial, "mass", value=number(mass))
        ET.SubElement(inertial, "inertia", {key: number(v) for key, v in values.items()})
    if center is None:
        return link
    for kind in ("visual", "collision"):
        part = ET.SubElement(link, kind, {"name": f"tread_{kind}"})
        if sdf:
            ET.SubElement(part, "pose").text = f"{row(at)} 0 0 0"
            box = ET.SubElement(ET.SubElement(part, "geometry"), "box")
            ET.SubElement(box, "size").text = row(size)
            if kind == "collision":
                friction = ET.SubElement(ET.SubElement(part, "surface"), "friction")
                ode = ET.SubElement(friction, "ode")
                for key in ("mu", "mu2"):
                    ET.SubElement(ode, key).text = number(FRICTION)
        else:
            ET.SubElement(part, "origin", xyz=row(at), rpy="0 0 0")
            ET.SubElement(ET.SubElement(part, "geometry"), "box", size=row(size))
    return link
