"""Files of a bushing for other engines: MJCF, URDF, SDF, JSON.

All have six joints in a chain, slides along x, y, z and hinges about x, y, z, whose axes meet in
the bushing's centre, between the sole's frame and a body `tread` with a box as hard as the engine
can. URDF knows no springs: they stand in Gazebo's extension, and as an attribute of a comment.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np

from contact.bushing.bushing import Bushing
from contact.constants import FRICTION
from sole.base.archive import replacing
from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError
from sole.base.report import plain

SCHEMA = "contact.bushing/1"
AXES = ("x", "y", "z", "rx", "ry", "rz")
LIGHT = 1e-3  # of the sole's mass: links between two joints, where an engine needs them
HARD = 0.25  # of the thickness: height of the hard tread


def write_bushing(bushing: Bushing, path: Path, engine: str) -> None:
    """Write a bushing for an engine of `EXPORTS`.

    Raises
    ------
    ConfigError
        An unknown engine, or a path without its suffix.
    """
    if engine not in EXPORTS:
        raise ConfigError(f"cannot export to '{engine}': known are {', '.join(EXPORTS)}")
    suffix, text = EXPORTS[engine]
    if path.suffix != suffix:
        raise ConfigError(f"an export to {engine} is a {suffix} file, got -o {path}")
    with replacing(path) as temporary:
        temporary.write_text(text(bushing) + "\n", encoding="utf-8")


def _json(b: Bushing) -> str:
    data = {
        "schema": SCHEMA,
        "name": b.name,
        "frame": "sole frame: x forward, y left, z up, origin on the bond plane",
        "center": b.center,
        "axes": list(AXES),
        "stiffness": b.stiffness,
        "damping": b.damping,
        "origin": b.origin,
        "stiffness_about_origin": b.full,
        "tread": {"low": b.low, "high": b.high, "z": b.origin[2]},
        "mass": b.mass,
        "range": {"load": b.load, "tilt_rad": b.tilt},
        "error": {"stuck": b.stuck_error, "edge": b.edge_error},
        "units": {"length": "m", "stiffness": "N/m, N m/rad", "damping": "N s/m, N m s/rad"},
    }
    return json.dumps(plain(data), indent=1)


def _mujoco(b: Bushing) -> str:
    root = ET.Element("mujoco", model=f"{b.name} bushing")
    use = "attach the body `tread` to the foot at its sole frame (MjSpec attach_body)"
    _remark(root, b, f"{use}; such stiff springs want MuJoCo's integrator `discrete`")
    body = ET.SubElement(ET.SubElement(root, "worldbody"), "body", name="tread", pos=_row(b.center))
    for k, name in enumerate(AXES):
        ET.SubElement(
            body,
            "joint",
            name=f"sole_{name}",
            type="slide" if k < 3 else "hinge",
            axis=_axis(k),
            stiffness=_number(b.stiffness[k]),
            damping=_number(b.damping[k]),
        )
    size, place = _box(b)
    ET.SubElement(
        body,
        "geom",
        name="tread",
        type="box",
        size=_row(size / 2),
        pos=_row(place - b.center),
        mass=_number(b.mass),
        friction=f"{FRICTION} 0 0",
        condim="3",
    )
    return _text(root)


def _urdf(b: Bushing) -> str:
    root = ET.Element("robot", name=f"{b.name}_bushing")
    _remark(root, b, "URDF has no springs: Gazebo reads springStiffness, others need them by hand")
    _link(root, "sole", LIGHT * b.mass, b, None)
    for k, name in enumerate(AXES):
        last = k == len(AXES) - 1
        child = "tread" if last else f"between_{name}"
        joint = ET.SubElement(
            root, "joint", name=f"sole_{name}", type="prismatic" if k < 3 else "revolute"
        )
        ET.SubElement(joint, "origin", xyz=_row(b.center if k == 0 else np.zeros(3)), rpy="0 0 0")
        ET.SubElement(joint, "parent", link="sole" if k == 0 else f"between_{AXES[k - 1]}")
        ET.SubElement(joint, "child", link=child)
        ET.SubElement(joint, "axis", xyz=_axis(k))
        reach = b.thickness if k < 3 else 0.5
        ET.SubElement(
            joint,
            "limit",
            lower=_number(-reach),
            upper=_number(reach),
            effort="1e9",
            velocity="1e3",
        )
        ET.SubElement(joint, "dynamics", damping=_number(b.damping[k]), friction="0")
        spring = ET.SubElement(root, "gazebo", reference=f"sole_{name}")
        ET.SubElement(spring, "springStiffness").text = _number(b.stiffness[k])
        ET.SubElement(spring, "springReference").text = "0"
        _link(root, child, b.mass if last else LIGHT * b.mass, b, b.center if last else None)
    return _text(root)


def _sdf(b: Bushing) -> str:
    root = ET.Element("sdf", version="1.9")
    model = ET.SubElement(root, "model", name=f"{b.name}_bushing")
    _remark(model, b, "fix the link `sole` to the foot at its sole frame")
    _link(model, "sole", LIGHT * b.mass, b, None)
    for k, name in enumerate(AXES):
        last = k == len(AXES) - 1
        child = "tread" if last else f"between_{name}"
        link = _link(
            model, child, b.mass if last else LIGHT * b.mass, b, b.center if last else None
        )
        pose = ET.Element("pose")
        pose.text = f"{_row(b.center)} 0 0 0"
        link.insert(0, pose)
        joint = ET.SubElement(
            model, "joint", name=f"sole_{name}", type="prismatic" if k < 3 else "revolute"
        )
        ET.SubElement(joint, "parent").text = "sole" if k == 0 else f"between_{AXES[k - 1]}"
        ET.SubElement(joint, "child").text = child
        axis = ET.SubElement(joint, "axis")
        ET.SubElement(axis, "xyz").text = _axis(k)
        dynamics = ET.SubElement(axis, "dynamics")
        ET.SubElement(dynamics, "spring_stiffness").text = _number(b.stiffness[k])
        ET.SubElement(dynamics, "spring_reference").text = "0"
        ET.SubElement(dynamics, "damping").text = _number(b.damping[k])
    return _text(root)


def _link(
    root: ET.Element, name: str, mass: float, b: Bushing, center: FloatArray | None
) -> ET.Element:
    """Add a link; with a `center`, its frame's place, it has the box of the tread."""
    sdf = root.tag == "model"
    size, place = _box(b)
    link = ET.SubElement(root, "link", name=name)
    at = place - center if center is not None else np.zeros(3)
    inertial = ET.SubElement(link, "inertial")
    xx, yy, zz = (mass / 12 * (size @ size - s * s) for s in size)
    values = {"ixx": xx, "iyy": yy, "izz": zz, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
    if sdf:
        ET.SubElement(inertial, "pose").text = f"{_row(at)} 0 0 0"
        ET.SubElement(inertial, "mass").text = _number(mass)
        inertia = ET.SubElement(inertial, "inertia")
        for key, value in values.items():
            ET.SubElement(inertia, key).text = _number(value)
    else:
        ET.SubElement(inertial, "origin", xyz=_row(at), rpy="0 0 0")
        ET.SubElement(inertial, "mass", value=_number(mass))
        ET.SubElement(inertial, "inertia", {key: _number(v) for key, v in values.items()})
    if center is None:
        return link
    for kind in ("visual", "collision"):
        part = ET.SubElement(link, kind, {"name": f"tread_{kind}"})
        if sdf:
            ET.SubElement(part, "pose").text = f"{_row(at)} 0 0 0"
            box = ET.SubElement(ET.SubElement(part, "geometry"), "box")
            ET.SubElement(box, "size").text = _row(size)
        else:
            ET.SubElement(part, "origin", xyz=_row(at), rpy="0 0 0")
            ET.SubElement(ET.SubElement(part, "geometry"), "box", size=_row(size))
    return link


def _box(b: Bushing) -> tuple[FloatArray, FloatArray]:
    """Return sizes and centre (3,) of the hard tread in the sole frame; its underside is at z."""
    height = HARD * b.thickness
    size = np.array([*(b.high - b.low), height])
    return size, np.array([*(b.high + b.low) / 2, b.origin[2] + height / 2])


def _remark(root: ET.Element, b: Bushing, use: str) -> None:
    words = (
        f" {SCHEMA} of {b.name}: {use}. Up to {b.load:.4g} N and, at that load, tilts of "
        f"{np.degrees(b.tilt[0]):.3g} and {np.degrees(b.tilt[1]):.3g} degrees about x and y; "
        f"errors {b.stuck_error:.1%} stuck, {b.edge_error.max():.0%} on an edge. Springs along and "
        f"about x, y, z: {_row(b.stiffness)} "
    )
    root.append(ET.Comment(words.replace("--", "- -")))


def _axis(k: int) -> str:
    return " ".join("1" if k % 3 == i else "0" for i in range(3))


def _number(value: float) -> str:
    return f"{float(value):.9g}"


def _row(values: FloatArray) -> str:
    return " ".join(_number(v) for v in values)


def _text(root: ET.Element) -> str:
    ET.indent(root)
    return ET.tostring(root, encoding="unicode")


EXPORTS: dict[str, tuple[str, Callable[[Bushing], str]]] = {
    "mujoco": (".xml", _mujoco),
    "urdf": (".urdf", _urdf),
    "sdf": (".sdf", _sdf),
    "json": (".json", _json),
}
