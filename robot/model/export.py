"""Export of a `RobotModel` as URDF, and as SRDF for the data that URDF cannot hold."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

from robot.model.robot_model import RobotModel, Solid
from robot.model.srdf import HALF_SITTING, write_marks
from sole.base.archive import replacing
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError

ROUND_OFF = 1e-12  # m, rad: 0 to whoever reads the file


def export_urdf(robot: RobotModel, path: Path) -> tuple[Path, Path]:
    """Write `path` (.urdf) and the .srdf of the same name; return both paths.

    The SRDF holds posture and rotors, feet with their pads, waist, inertial sensor and contact
    points: `robot.model.load_robot(path)` loads the same robot again. Numbers are written so that
    they are read back bit for bit. Every frame becomes a massless link on a fixed joint; inertias
    of fixed links are added to the moving one; a capsule becomes a cylinder and two balls, since
    URDF has no capsules.

    Raises
    ------
    SoleError
        The path is no .urdf or cannot be written.
    """
    path = Path(path)
    if path.suffix != ".urdf":
        raise SoleError(f"expected an .urdf file to export to, got {path}")
    srdf = path.with_suffix(".srdf")
    _write(path, _urdf(robot))
    _write(srdf, _srdf(robot))
    return path, srdf


def export_posture(robot: RobotModel, path: Path) -> Path:
    """Write q0 as the posture half_sitting of an SRDF, for the URDF that the robot came from.

    Rotors, feet and sensors stay with the URDF's options: `export_urdf` writes all of them, for a
    URDF of its own.

    Raises
    ------
    SoleError
        The path is no .srdf or cannot be written.
    """
    path = Path(path)
    if path.suffix != ".srdf":
        raise SoleError(f"expected an .srdf file to write the posture to, got {path}")
    _write(path, _posture(robot))
    return path


def _write(path: Path, tree: ET.Element) -> None:
    ET.indent(tree)
    with replacing(path) as temporary:
        temporary.write_text(ET.tostring(tree, encoding="unicode") + "\n", encoding="utf-8")


def _urdf(robot: RobotModel) -> ET.Element:
    import pinocchio as pin

    model = robot.model
    root = ET.Element("robot", name=robot.name)
    main: dict[int, int] = {}  # joint -> frame of the link that it moves
    others: list[int] = []
    for number, frame in enumerate(model.frames):
        if frame.type == pin.FrameType.BODY and frame.parentJoint not in main:
            main[frame.parentJoint] = number
        elif frame.type in (pin.FrameType.BODY, pin.FrameType.OP_FRAME):
            others.append(number)
    for joint, number in main.items():
        _link(root, robot, joint, model.frames[number].name)
    for joint, number in main.items():
        if joint > 1:
            parent = model.frames[main[model.parents[joint]]].name
            _joint(root, robot, joint, parent, model.frames[number].name)
    for number in others:
        frame = model.frames[number]
        ET.SubElement(root, "link", name=frame.name)
        fixed = ET.SubElement(root, "joint", name=f"{frame.name}_fixed", type="fixed")
        ET.SubElement(fixed, "parent", link=model.frames[main[frame.parentJoint]].name)
        ET.SubElement(fixed, "child", link=frame.name)
        _origin(fixed, frame.placement.homogeneous)
    return root


def _link(root: ET.Element, robot: RobotModel, joint: int, name: str) -> None:
    link = ET.SubElement(root, "link", name=name)
    body = robot.model.inertias[joint]
    if body.mass > 0.0:
        inertial = ET.SubElement(link, "inertial")
        ET.SubElement(inertial, "origin", xyz=_text(body.lever), rpy="0 0 0")
        ET.SubElement(inertial, "mass", value=repr(float(body.mass)))
        i = np.array(body.inertia)
        values = {"ixx": i[0, 0], "ixy": i[0, 1], "ixz": i[0, 2]}
        values |= {"iyy": i[1, 1], "iyz": i[1, 2], "izz": i[2, 2]}
        ET.SubElement(inertial, "inertia", {k: repr(float(v)) for k, v in values.items()})
    for solid in robot.solids:
        if solid.joint == joint:
            for kind in ("visual", "collision"):
                _shapes(link, kind, solid)


def _shapes(link: ET.Element, kind: str, solid: Solid) -> None:
    length = float(solid.size[1])
    if solid.kind != "capsule":
        _shape(link, kind, solid.kind, solid)
        return
    _shape(link, kind, "cylinder", solid)
    for z in (-length / 2, length / 2):
        end = np.eye(4)
        end[2, 3] = z
        _shape(link, kind, "sphere", solid, end)


def _shape(
    link: ET.Element, kind: str, shape: str, solid: Solid, offset: FloatArray | None = None
) -> None:
    element = ET.SubElement(link, kind)
    _origin(element, solid.placement if offset is None else solid.placement @ offset)
    geometry = ET.SubElement(element, "geometry")
    if shape == "box":
        ET.SubElement(geometry, "box", size=_text(solid.size))
    elif shape == "mesh":
        ET.SubElement(geometry, "mesh", filename=str(solid.path), scale=_text(solid.size))
    else:
        child = ET.SubElement(geometry, shape, radius=repr(float(solid.size[0])))
        if shape == "cylinder":
            child.set("length", repr(float(solid.size[1])))


def _joint(root: ET.Element, robot: RobotModel, joint: int, parent: str, child: str) -> None:
    model, place = robot.model, joint - 2
    motion = _motion(model, joint)
    turns = bool(np.any(motion[3:]))
    kind = "revolute" if turns else "prismatic"
    if model.joints[joint].nq == 2:
        kind = "continuous"
    element = ET.SubElement(root, "joint", name=model.names[joint], type=kind)
    ET.SubElement(element, "parent", link=parent)
    ET.SubElement(element, "child", link=child)
    _origin(element, model.jointPlacements[joint].homogeneous)
    ET.SubElement(element, "axis", xyz=_text(motion[3:] if turns else motion[:3]))
    # 0 marks an unknown limit in URDF files
    limits = {"effort": _finite(robot.torque[place]), "velocity": _finite(robot.velocity[place])}
    if kind != "continuous":
        limits |= {"lower": float(robot.lower[place]), "upper": float(robot.upper[place])}
    ET.SubElement(element, "limit", {key: repr(value) for key, value in limits.items()})


def _motion(model: Any, joint: int) -> FloatArray:
    """Return the linear and angular velocity (6,) of a joint at unit speed, in its own frame."""
    kind = model.joints[joint]
    data = kind.createData()
    kind.calc(data, np.zeros(model.nq) + (kind.nq == 2) * _cosines(model, kind))
    return np.asarray(data.S, dtype=float).reshape(6)


def _cosines(model: Any, kind: Any) -> FloatArray:
    q = np.zeros(model.nq)
    q[kind.idx_q] = 1.0
    return q


def _posture(robot: RobotModel) -> ET.Element:
    """Return the SRDF of q0; the free flyer is a virtual joint, as MoveIt wants it declared."""
    import pinocchio as pin

    model = robot.model
    root = ET.Element("robot", name=robot.name)
    base = next(f.name for f in model.frames if f.type == pin.FrameType.BODY and f.parentJoint == 1)
    free = {"type": "floating", "parent_frame": "world", "child_link": base}
    ET.SubElement(root, "virtual_joint", name=model.names[1], attrib=free)
    group = ET.SubElement(root, "group", name="all")
    for name in model.names[1:]:
        ET.SubElement(group, "joint", name=name)
    state = ET.SubElement(root, "group_state", name=HALF_SITTING, group="all")
    for joint in range(1, model.njoints):
        kind = model.joints[joint]
        values = robot.q0[kind.idx_q : kind.idx_q + kind.nq]
        value = _text(np.where(np.abs(values) < ROUND_OFF, 0.0, values))
        ET.SubElement(state, "joint", name=model.names[joint], value=value)
    return root


def _srdf(robot: RobotModel) -> ET.Element:
    root = _posture(robot)
    rotors = ET.SubElement(root, "rotor_params")
    for name, rotor in zip(robot.joints, robot.armature, strict=True):
        ET.SubElement(rotors, "joint", name=name, mass=repr(float(rotor)), gear_ratio="1")
    write_marks(root, robot)
    return root


def _origin(element: ET.Element, pose: FloatArray) -> None:
    import pinocchio as pin

    rpy = pin.rpy.matrixToRpy(np.array(pose[:3, :3]))
    ET.SubElement(element, "origin", xyz=_text(pose[:3, 3]), rpy=_text(rpy))


def _text(values: FloatArray) -> str:
    return " ".join(repr(float(v)) for v in values)


def _finite(value: float) -> float:
    return float(value) if np.isfinite(value) else 0.0
