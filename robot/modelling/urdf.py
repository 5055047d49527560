"""From a URDF with named foot frames to a `RobotModel`."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from robot.modelling.check import check_body
from robot.modelling.finish import finished
from robot.modelling.robot_model import SIDES, RobotModel, Solid
from robot.modelling.srdf import Posture, read_srdf
from robot.modelling.urdf_feet import completed, foot_of, refuse_swapped
from robot.modelling.urdf_parser import model_of
from robot.modelling.urdf_solids import pose_of, solids_of
from robot.modelling.urdf_source import RobotError, UrdfRobot
from sole.arrays import FloatArray

__all__ = ["RobotError", "UrdfRobot", "load_urdf"]


def load_urdf(source: UrdfRobot) -> RobotModel:
    """Read a robot from its URDF.

    Raises
    ------
    RobotError
        Not a readable URDF; a frame that is not there (the message lists the links); a foot
        frame that is not level in the posture; no geometry at a foot.
    InertiaError
        A link that is not physical or a mass matrix that is singular; by name.
    """
    import pinocchio as pin

    tree = _read(source.path)
    for link, values in source.corrections.items():
        _correct(tree, link, values)
    name = source.name or tree.get("name") or source.path.stem
    _check_links(str(source.path), tree)
    _check_axes(source.path, tree)
    try:
        model = model_of(tree)
    except ValueError as error:
        raise RobotError(f"{source.path}: not a readable URDF ({error})") from error
    model.name = name
    srdf = Path(source.srdf or source.path.with_suffix(".srdf"))
    posture = read_srdf(srdf, source.posture) if source.srdf or srdf.is_file() else Posture()
    source = completed(source, model, posture.marks)
    _set_rotors(source, model, posture)
    q0 = _configuration(srdf, model, posture)
    data = model.createData()
    pin.framesForwardKinematics(model, data, q0)
    feet = [foot_of(source, model, data, side, posture.marks) for side in SIDES]
    refuse_swapped(source, model, data, feet)
    bodies = [f.name for f in model.frames if f.type == pin.FrameType.BODY]
    folders = (*map(Path, source.packages), *source.path.resolve().parents)
    return finished(
        model,
        name=name,
        about=source.about or f"from {source.path.name}",
        q0=q0,
        feet=feet,
        waist=source.waist or bodies[0],
        imu=source.imu or source.waist or bodies[0],
        contact_points=source.contact_points,
        solids=_solids(source.path, model, tree, folders),
        warnings=source.warnings,
    )


def _read(path: Path) -> ET.Element:
    if not path.is_file():
        raise RobotError(f"{path}: {'is a folder' if path.is_dir() else 'no such file'}")
    try:
        tree = ET.parse(path).getroot()
    except (ET.ParseError, OSError, UnicodeDecodeError, ValueError) as error:
        raise RobotError(f"{path}: not a readable URDF ({_line(error)})") from error
    if tree.tag != "robot" or tree.find("link") is None:
        raise RobotError(f"{path}: not a URDF: expected <robot> with links, got <{tree.tag}>")
    return tree


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _correct(tree: ET.Element, link: str, values: Mapping[str, float]) -> None:
    inertia = tree.find(f"./link[@name='{link}']/inertial/inertia")
    if inertia is None:
        raise RobotError(f"no inertia of link '{link}' to correct")
    for key, value in values.items():
        inertia.set(key, repr(value))


def _check_links(name: str, tree: ET.Element) -> None:
    """Refuse the links that no body has, one by one: Pinocchio only keeps their sums."""
    for link in tree.findall("link"):
        inertial = link.find("inertial")
        if inertial is None:
            continue
        what = f"{name}: body '{link.get('name')}'"
        mass, inertia = inertial.find("mass"), inertial.find("inertia")
        if mass is None or inertia is None:
            raise RobotError(f"{what}: <inertial> needs <mass> and <inertia>")
        try:
            m = float(mass.get("value", ""))
            xx, xy, xz, yy, yz, zz = (
                float(inertia.get(key, "0")) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
            )
            com = pose_of(inertial.find("origin"))[:3, 3]
        except ValueError as error:
            raise RobotError(f"{what}: {error}") from error
        check_body(what, m, com, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


def _check_axes(path: Path, tree: ET.Element) -> None:
    """Refuse a joint about no axis: Pinocchio takes it and never moves it."""
    for joint in tree.findall("joint"):
        axis = joint.find("axis")
        if axis is None or joint.get("type") in ("fixed", "floating"):
            continue
        given = axis.get("xyz", "")
        try:
            length = float(np.linalg.norm([float(word) for word in given.split()]))
        except ValueError:
            length = np.nan
        if not 0.0 < length < np.inf:
            raise RobotError(
                f"{path}: joint '{joint.get('name')}': axis must be three numbers, not all 0; got "
                f"'{given}'"
            )


def _set_rotors(source: UrdfRobot, model: Any, posture: Posture) -> None:
    armature = np.full(model.nv, source.rotor)
    armature[:6] = 0.0
    for joint, rotor in posture.rotors.items():
        if model.existJointName(joint):
            armature[model.joints[model.getJointId(joint)].idx_v] = rotor
    model.armature = armature


def _configuration(srdf: Path, model: Any, posture: Posture) -> FloatArray:
    """(nq,) of the posture; joints that the model does not have are of a larger version of it."""
    import pinocchio as pin

    q: FloatArray = np.array(pin.neutral(model))
    for name, values in posture.angles.items():
        if not model.existJointName(name):
            continue
        joint = model.joints[model.getJointId(name)]
        if joint.nq == 2 and len(values) == 1:
            values = (float(np.cos(values[0])), float(np.sin(values[0])))
        if joint.nq != len(values):
            raise RobotError(f"{srdf}: joint '{name}' takes {joint.nq} values, got {len(values)}")
        q[joint.idx_q : joint.idx_q + joint.nq] = values
    return np.array(pin.normalize(model, q))


def _solids(path: Path, model: Any, tree: ET.Element, folders: Sequence[Path]) -> list[Solid]:
    solids = []
    for link in tree.findall("link"):
        name = link.get("name", "")
        if model.existBodyName(name):
            frame = model.frames[model.getBodyId(name)]
            placement = frame.placement.homogeneous
            try:
                solids += solids_of(link, frame.parentJoint, placement, folders)
            except ValueError as error:
                raise RobotError(
                    f"{path}: link '{name}': a shape cannot be read ({error})"
                ) from error
    return solids
