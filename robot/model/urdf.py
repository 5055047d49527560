"""From a URDF with named foot frames to a `RobotModel`, with the shapes of its links."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from robot.model.bent_posture import LEVEL, standing_posture
from robot.model.check import check_body
from robot.model.finish import finish_robot
from robot.model.free_axes import describe_free_axes
from robot.model.free_base import without_world
from robot.model.robot_model import SIDES, RobotModel, Solid
from robot.model.srdf import HALF_SITTING, Posture, posture_of, read_srdf
from robot.model.urdf_feet import (
    LEANING,
    complete_source,
    find_foot,
    refuse_swapped,
    refuse_tilted,
)
from robot.model.urdf_source import RobotError, UrdfRobot, srdf_beside
from sole.base.arrays import FloatArray
from sole.base.errors import ShapeError
from sole.shape import (
    find_package_file,
    find_packages,
    model_of,
    place_of,
    plain_folders,
    read_urdf,
)

STANDS = (HALF_SITTING, "knees_bent", "home", "stand", "standing")  # keyframes to stand in
ENDLESS = 1e307  # rad: a range that counts as none


def load_urdf(source: UrdfRobot) -> RobotModel:
    """Read a robot from its URDF or MJCF.

    Raises
    ------
    RobotError
        The URDF is not readable, a frame is missing (the message lists the links), a foot frame is
        not level in the posture, or a foot has no geometry.
    InertiaError
        A link is not physical, or the mass matrix is singular; the message names the link.
    """
    import pinocchio as pin

    try:
        tree = read_urdf(source.path, source.packages, source.xacro_args)
        find_packages(tree, source.path, source.packages)
        without_world(tree)
        for link, values in source.corrections.items():
            _correct(tree, link, values)
        _check_links(source.path, tree)
        _check_axes(source.path, tree)
        endless = _free_of_range(tree)
        _bound_endless(tree)
        model = model_of(tree, source.path, floating=True)
    except ShapeError as error:
        raise RobotError(str(error)) from error
    source = replace(source, tree=tree)
    name = source.name or tree.get("name") or source.path.stem
    model.name = name
    srdf = Path(source.srdf or srdf_beside(source.path))
    given = source.srdf is not None or srdf.is_file()
    posture = read_srdf(srdf, source.posture) if given else own_posture(source, tree)
    source = complete_source(source, model, posture.marks)
    _set_rotors(source, model, posture)
    q0 = _configuration(srdf, model, posture)
    data = model.createData()
    pin.framesForwardKinematics(model, data, q0)
    feet = [find_foot(source, model, side, posture.marks) for side in SIDES]
    posed = given and bool(posture.angles)
    refuse_tilted(source, model, q0, feet, LEVEL if posed else LEANING)
    refuse_swapped(source, model, data, feet)
    told: tuple[str, ...] = ()
    coupled = _coupled(tree, model)
    if not posed:
        q0, told = standing_posture(model, q0, feet, coupled)
        refuse_tilted(source, model, q0, feet)
    bodies = [f.name for f in model.frames if f.type == pin.FrameType.BODY]
    folders = (*plain_folders(source.packages), *source.path.resolve().parents)
    robot = finish_robot(
        model,
        name=name,
        about=source.about or f"from {source.path.name}",
        q0=q0,
        feet=feet,
        waist=source.waist or bodies[0],
        imu=source.imu or source.waist or bodies[0],
        contact_points=source.contact_points,
        solids=_solids(source.path, model, tree, folders),
        warnings=(
            *source.warnings,
            *(note.get("text", "") for note in tree.findall("note")),
            *told,
        ),
        doubts=(
            *endless,
            *_far_masses(source.path, tree, model, data),
            *_missing_meshes(tree, folders),
        ),
        coupled=coupled,
    )
    return replace(robot, warnings=(*robot.warnings, *describe_free_axes(robot)))


def own_posture(source: UrdfRobot, tree: ET.Element) -> Posture:
    """Return the posture that the tree itself holds, as that of an MJCF does."""
    names = {state.get("name", "") for state in tree.findall("group_state")}
    if source.posture not in names and source.posture == HALF_SITTING:
        usual = next((name for name in STANDS if name in names), None)
        return posture_of(source.path, tree, usual)
    return posture_of(source.path, tree, source.posture)


def _correct(tree: ET.Element, link: str, values: Mapping[str, float]) -> None:
    inertia = tree.find(f"./link[@name='{link}']/inertial/inertia")
    if inertia is None:
        raise RobotError(f"no inertia of link '{link}' to correct")
    for key, value in values.items():
        inertia.set(key, repr(value))


def _check_links(path: Path, tree: ET.Element) -> None:
    """Refuse impossible links one by one, since Pinocchio keeps only their sums."""
    for link in tree.findall("link"):
        for inertial in link.findall("inertial"):
            values = {k: v for part in inertial for k, v in part.attrib.items()}
            wrong = inertial.find("mass") if float(values["value"]) < 0.0 else None
            place = place_of(path, inertial if wrong is None else wrong)
            what = f"{place}: body '{link.get('name')}'"
            xx, xy, xz, yy, yz, zz = (
                float(values[key]) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
            )
            com = pose_of(inertial.find("origin"))[:3, 3]
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            check_body(what, float(values["value"]), com, inertia)


def _far_masses(path: Path, tree: ET.Element, model: Any, data: Any) -> tuple[str, ...]:
    """Name links whose centre of mass is farther from their frame than all joints from the first.

    A slip of the decimal point in an origin is a possible body, but no robot's.
    """
    places = np.array([place.translation for place in data.oMi])[1:]
    size = float(np.linalg.norm(places - places[0], axis=1).max(initial=0.0))
    told = []
    for link in tree.findall("link"):
        origin = link.find("inertial/origin")
        far = float(np.linalg.norm(pose_of(origin)[:3, 3]))
        if 0.0 < size < far:
            told.append(
                f"{place_of(path, origin)}: the centre of mass of link "
                f"'{link.get('name')}' lies {far:.3g} m from its frame, farther than any joint "
                f"lies from the first link ({size:.3g} m): is its origin right?"
            )
    return tuple(told)


def _check_axes(path: Path, tree: ET.Element) -> None:
    """Refuse a joint with a zero axis: Pinocchio accepts it and never moves it."""
    for joint in tree.findall("joint"):
        axis = joint.find("axis")
        if axis is None or joint.get("type") in ("fixed", "floating"):
            continue
        given = axis.get("xyz", "")
        length = math.hypot(*map(float, given.split()))
        if not 0.0 < length < np.inf:
            raise RobotError(
                f"{place_of(path, axis)}: joint '{joint.get('name')}': axis must be "
                f"three numbers, not all 0; got '{given}'"
            )


def _free_of_range(tree: ET.Element) -> tuple[str, ...]:
    """Make revolute joints without lower and upper continuous ones; return a remark on them."""
    names = []
    for joint in tree.findall("joint[@type='revolute']"):
        limit = joint.find("limit")
        if limit is not None and not {"lower", "upper"} & set(limit.attrib):
            joint.set("type", "continuous")
            names.append(joint.get("name", ""))
    if not names:
        return ()
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    listed = ", ".join(names[:4]) + more
    return (f"no range of {listed}: taken as endless; <limit lower= upper=> gives it",)


def _bound_endless(tree: ET.Element) -> None:
    """Make continuous joints revolute ones without limits: one angle each, not cosine and sine."""
    for joint in tree.findall("joint[@type='continuous']"):
        joint.set("type", "revolute")
        limit = joint.find("limit")
        if limit is None:
            limit = ET.SubElement(joint, "limit", effort="0", velocity="0")
        limit.attrib |= {"lower": f"{-ENDLESS!r}", "upper": f"{ENDLESS!r}"}


def _set_rotors(source: UrdfRobot, model: Any, posture: Posture) -> None:
    armature = np.full(model.nv, source.rotor)
    armature[:6] = 0.0
    assert source.tree is not None
    own = posture_of(source.path, source.tree, None).rotors
    for joint, rotor in {**own, **posture.rotors}.items():
        if model.existJointName(joint):
            armature[model.joints[model.getJointId(joint)].idx_v] = rotor
    model.armature = armature


def _configuration(srdf: Path, model: Any, posture: Posture) -> FloatArray:
    """Return q (nq,) of the posture; joints that the model lacks are ignored."""
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


def _coupled(tree: ET.Element, model: Any) -> frozenset[str]:
    """Return the joints that mimic others, and these others: Pinocchio drives each on its own."""
    pairs = [
        (j.get("name", ""), str(m.get("joint")))
        for j in tree.iter("joint")
        for m in j.iter("mimic")
    ]
    return frozenset(name for pair in pairs for name in pair if model.existJointName(name))


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


def _missing_meshes(tree: ET.Element, folders: Sequence[Path]) -> tuple[str, ...]:
    """Return a warning if meshes that would be drawn are in none of the folders."""
    names = {m.get("filename", "") for m in tree.findall("link/visual/geometry/mesh")}
    missing = sorted(n for n in names if find_package_file(n, folders) is None)
    if not missing:
        return ()
    return (
        f"{len(missing)} of {len(names)} meshes are not found, as {missing[0]}: their links are "
        "drawn as sticks; name the folder of the package: --package NAME=FOLDER",
    )


def solids_of(
    link: ET.Element, joint: int, link_to_joint: FloatArray, folders: Sequence[Path]
) -> list[Solid]:
    """Return the visual geometry of a <link>, or its collision geometry if it has none.

    Parameters
    ----------
    joint, link_to_joint : the joint that carries the link, and the link's pose (4, 4) in it [m].
    folders : roots of ``package://``; meshes found in none of them are left out.
    """
    drawn = link.findall("visual") or link.findall("collision")
    solids = []
    for element in drawn:
        geometry = element.find("geometry")
        if geometry is None or len(geometry) == 0:
            continue
        found = _shape(geometry[0], folders)
        if found is not None:
            kind, size, path = found
            solids.append(
                Solid(
                    kind=kind,
                    link=link.get("name", ""),
                    joint=joint,
                    placement=link_to_joint @ pose_of(element.find("origin")),
                    size=size,
                    path=path,
                )
            )
    return solids


def pose_of(origin: ET.Element | None) -> FloatArray:
    """Return the pose (4, 4) of an <origin>: xyz [m], rpy [rad] about the fixed axes x, y, z."""
    pose = np.eye(4)
    if origin is None:
        return pose
    roll, pitch, yaw = _numbers(origin.get("rpy", "0 0 0"))
    (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    pose[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    pose[:3, 3] = _numbers(origin.get("xyz", "0 0 0"))
    return pose


def _shape(
    geometry: ET.Element, folders: Sequence[Path]
) -> tuple[str, FloatArray, Path | None] | None:
    if geometry.tag == "box":
        return "box", _numbers(geometry.get("size", "")), None
    if geometry.tag in ("cylinder", "capsule"):
        size = f"{geometry.get('radius', '')} {geometry.get('length', '')} 0"
        return geometry.tag, _numbers(size), None
    if geometry.tag == "sphere":
        return "sphere", _numbers(f"{geometry.get('radius', '')} 0 0"), None
    if geometry.tag == "mesh":
        path = find_package_file(geometry.get("filename", ""), folders)
        scale = _numbers(geometry.get("scale", "1 1 1"))
        return None if path is None else ("mesh", scale, path)
    return None


def _numbers(text: str) -> FloatArray:
    """Return (3,) from "x y z".

    Raises
    ------
    ValueError
        Not three finite numbers.
    """
    values = np.array([float(word) for word in text.split()])
    if values.shape != (3,) or not np.isfinite(values).all():
        raise ValueError(f"expected three finite numbers, got '{text}'")
    return values
