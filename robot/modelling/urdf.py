"""From a URDF with named foot frames to a `RobotModel`."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from robot.modelling.check import check_body
from robot.modelling.finish import finished
from robot.modelling.robot_model import SIDES, FootPad, RobotFoot, RobotModel, Solid
from robot.modelling.srdf import HALF_SITTING, Posture, read_srdf
from robot.modelling.urdf_solids import pose_of, solids_of
from sole.arrays import FloatArray
from sole.errors import ShapeError, SoleError

_LEVEL = np.cos(np.radians(15.0))  # a sole frame tilted by more is not one


class RobotError(SoleError):
    """A robot that cannot be loaded: no such file, name, frame or joint."""


@dataclass(frozen=True, kw_only=True)
class UrdfRobot:
    """What a URDF does not say of a robot.

    Parameters
    ----------
    path : the URDF.
    left_foot, right_foot : a frame (usually a link) at each foot. The sole frame is the
        underside of the geometry fixed to the same joint, see
        `sole.geometry.urdf.foot_of_urdf`; with `foot_size` it is the frame itself.
    srdf : posture and rotors; None looks beside the URDF for the same name with .srdf.
    posture : name of the SRDF's group state to stand in.
    foot_size : length and width of a rectangular foot [m], centred at the named frame.
    imu : frame of the inertial sensor; None is the waist's.
    contact_points : further frames that may touch.
    rotor : rotor inertia of every joint the SRDF has none for [kg m2].
    packages : folders in which ``package://`` is looked up.
    corrections : link -> {attribute of <inertia>: value}, where the file has a misprint.
    """

    path: Path
    left_foot: str
    right_foot: str
    srdf: Path | None = None
    posture: str = HALF_SITTING
    foot_size: tuple[float, float] | None = None
    imu: str | None = None
    contact_points: tuple[str, ...] = ()
    rotor: float = 0.0
    packages: tuple[Path, ...] = ()
    corrections: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    name: str = ""
    about: str = ""
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0.0 <= self.rotor < np.inf:
            raise RobotError(f"rotor inertia must be at least 0, got {self.rotor:g} kg m2")
        size = self.foot_size
        if size is not None and not (len(size) == 2 and all(0.0 < s < np.inf for s in size)):
            raise RobotError(f"foot_size must be length and width > 0 [m], got {size}")


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
    _check_links(name, tree)
    try:
        text = ET.tostring(tree, encoding="unicode")
        model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer(), "root_joint")
    except Exception as error:
        raise RobotError(f"{source.path}: not a readable URDF ({_line(error)})") from error
    model.name = name
    for frame in (source.left_foot, source.right_foot, source.imu, *source.contact_points):
        if frame is not None:
            _require_frame(source.path, model, frame)
    srdf = source.srdf or source.path.with_suffix(".srdf")
    posture = read_srdf(srdf, source.posture) if source.srdf or srdf.is_file() else Posture()
    _set_rotors(source, model, posture)
    q0 = _configuration(srdf, model, posture)
    data = model.createData()
    pin.framesForwardKinematics(model, data, q0)
    feet = [_foot(source, model, data, side) for side in SIDES]
    _refuse_swapped(source, model, data, feet)
    bodies = [f.name for f in model.frames if f.type == pin.FrameType.BODY]
    folders = (*source.packages, *source.path.resolve().parents)
    return finished(
        model,
        name=name,
        about=source.about or f"from {source.path.name}",
        q0=q0,
        feet=feet,
        waist=bodies[0],
        imu=source.imu or bodies[0],
        contact_points=source.contact_points,
        solids=_solids(model, tree, folders),
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


def _require_frame(path: Path, model: Any, frame: str) -> None:
    import pinocchio as pin

    if not model.existFrame(frame):
        links = [f.name for f in model.frames if f.type == pin.FrameType.BODY]
        raise RobotError(f"{path}: no frame '{frame}'; there are {', '.join(links)}")


def _frame(model: Any, name: str) -> int:
    """Id of a link's frame, or of any other of that name."""
    body = model.existBodyName(name)
    return int(model.getBodyId(name) if body else model.getFrameId(name))


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


def _foot(source: UrdfRobot, model: Any, data: Any, side: str) -> RobotFoot:
    import pinocchio as pin

    name = source.left_foot if side == "left" else source.right_foot
    frame = _frame(model, name)
    if source.foot_size is None:
        corners, placement = _underside(source, model, name)
    else:
        half = np.array(source.foot_size) / 2
        corners, placement = half * [(1, 1), (-1, 1), (-1, -1), (1, -1)], np.eye(4)
    named = model.frames[frame]
    if not np.allclose(placement, np.eye(4), rtol=0.0, atol=1e-9):
        moved = named.placement * pin.SE3(placement[:3, :3], placement[:3, 3])
        own = f"{side}_sole"
        own = f"{name}_underside" if model.existFrame(own) else own
        parent = frame
        frame = model.addFrame(
            pin.Frame(own, named.parentJoint, parent, moved, pin.FrameType.OP_FRAME)
        )
        named = model.frames[frame]
    up = (data.oMi[named.parentJoint] * named.placement).rotation[:, 2]
    if up[2] < _LEVEL:
        tilt = float(np.degrees(np.arccos(np.clip(up[2], -1.0, 1.0))))
        raise RobotError(
            f"{source.path}: z of the {side} sole frame ('{name}') is {tilt:.0f} degrees off "
            f"upright in the posture '{source.posture}'; expected x forward, y left, z up: name "
            "another frame, or give an SRDF with the posture"
        )
    return RobotFoot(
        side=side,
        link=name,
        frame_name=named.name,
        frame=frame,
        joint=named.parentJoint,
        sole_to_joint=named.placement.homogeneous,
        half_size=np.ptp(corners, axis=0) / 2,
        pads=(FootPad(corners=corners, frame=frame),),
    )


def _refuse_swapped(source: UrdfRobot, model: Any, data: Any, feet: Sequence[RobotFoot]) -> None:
    if feet[0].joint == feet[1].joint:
        raise RobotError(
            f"{source.path}: '{source.left_foot}' and '{source.right_foot}' are on one link: both "
            "feet are the same"
        )
    left, right = (data.oMi[foot.joint] * model.frames[foot.frame].placement for foot in feet)
    aside = right.actInv(left).translation[1]
    if aside <= 0.0:
        raise RobotError(
            f"{source.path}: the left foot '{source.left_foot}' is {-aside:.3g} m to the right of "
            f"'{source.right_foot}': swap them, or give frames with x forward and y left"
        )


def _underside(source: UrdfRobot, model: Any, name: str) -> tuple[FloatArray, FloatArray]:
    """Corners (k, 2) of a foot's geometry from below, and the pose (4, 4) of their middle."""
    from sole.geometry.urdf import foot_of_urdf

    if not model.existBodyName(name):
        raise RobotError(
            f"{source.path}: '{name}' is a joint's frame, not a link: give foot_size with it"
        )
    try:
        foot = foot_of_urdf(source.path, name, packages=source.packages)
    except ShapeError as error:
        raise RobotError(f"{error}; or give foot_size") from error
    if foot.shape.polygon is None:
        raise RobotError(f"{source.path}: the foot of '{name}' has no outline: give foot_size")
    corners = np.array(foot.shape.polygon.points)
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    x, y = np.roll(corners, -1, axis=0).T
    if np.sum(corners[:, 0] * y - x * corners[:, 1]) < 0.0:
        corners = corners[::-1]
    return corners - middle, np.array(foot.link_to_sole)


def _solids(model: Any, tree: ET.Element, folders: Sequence[Path]) -> list[Solid]:
    solids = []
    for link in tree.findall("link"):
        name = link.get("name", "")
        if model.existBodyName(name):
            frame = model.frames[model.getBodyId(name)]
            placement = frame.placement.homogeneous
            solids += solids_of(link, frame.parentJoint, placement, folders)
    return solids
