"""The feet of a URDF: from the frames that are named to sole frames and outlines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from robot.modelling.robot_model import FootPad, RobotFoot
from robot.modelling.urdf_parser import captured
from robot.modelling.urdf_source import RobotError, UrdfRobot
from sole.arrays import FloatArray
from sole.errors import ShapeError

_LEVEL = np.cos(np.radians(15.0))  # a sole frame tilted by more is not one


def foot_of(source: UrdfRobot, model: Any, data: Any, side: str) -> RobotFoot:
    """Return a foot of a model with its sole frame, which is added where it is not named."""
    import pinocchio as pin

    name = source.left_foot if side == "left" else source.right_foot
    frame = frame_of(model, name)
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


def refuse_swapped(source: UrdfRobot, model: Any, data: Any, feet: Sequence[RobotFoot]) -> None:
    """Refuse two feet on one link, and a left foot on the right."""
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
        with captured():
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


def frame_of(model: Any, name: str) -> int:
    """Id of a link's frame, or of any other of that name."""
    body = model.existBodyName(name)
    return int(model.getBodyId(name) if body else model.getFrameId(name))
