"""The feet of a URDF: sole frames and outlines from named frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from robot.model.bent_posture import LEVEL, tilt_of
from robot.model.leg_ends import carries_joints, heading_of_feet, legs_end_at
from robot.model.robot_model import SIDES, FootPad, RobotFoot
from robot.model.srdf import MarkedFoot, Marks
from robot.model.urdf_source import RobotError, UrdfRobot
from sole.base.arrays import FloatArray
from sole.base.errors import ShapeError

LEANING = np.radians(45.0)  # by which a sole may be tilted where a posture is searched
# Common names, left and right, of feet that are not named explicitly.
USUAL = (
    ("left_sole", "right_sole"),
    ("left_sole_link", "right_sole_link"),
    ("l_sole", "r_sole"),
    ("left_foot", "right_foot"),
    ("l_foot", "r_foot"),
    ("LEFT_FOOT", "RIGHT_FOOT"),
    ("LeftFoot", "RightFoot"),
    ("l_ankle", "r_ankle"),
    ("left_ankle_roll_link", "right_ankle_roll_link"),
)
ANKLE = "ankle"  # a link so named is a foot only if no joint follows


def complete_source(source: UrdfRobot, model: Any, marks: Marks) -> UrdfRobot:
    """Return the source, completed by the marks of the SRDF or by feet with common names.

    Raises
    ------
    RobotError
        The feet or another frame are missing (the message lists the links), or the waist is not on
        the floating base.
    """
    for side, name in zip(SIDES, (source.left_foot, source.right_foot), strict=True):
        if name is not None and not model.existFrame(name):
            raise RobotError(
                f"{source.path}: {side}_foot: no frame '{name}'{_meant(model, name)}; there are "
                f"{_links(model)}"
            )
    feet = [
        name or (marks.feet[side].frame if side in marks.feet else None)
        for side, name in zip(SIDES, (source.left_foot, source.right_foot), strict=True)
    ]
    warnings = source.warnings
    if feet == [None, None]:
        usual = [pair for pair in USUAL if _are_feet(model, pair)]
        ends = None if usual else legs_end_at(model)
        if usual:
            feet[:] = usual[0]
            warnings += (
                f"feet found by common names: {' and '.join(usual[0])}; --left-foot and "
                "--right-foot name others",
            )
        elif ends is not None:
            feet[:] = ends
            warnings += (
                f"feet found where the legs end: {' and '.join(ends)}; --left-foot and "
                "--right-foot name others",
            )
    if None in feet:
        missing = [f"{s}_foot" for s, name in zip(SIDES, feet, strict=True) if name is None]
        raise RobotError(
            f"{source.path}: {' and '.join(missing)} missing: name the frames at the feet (options "
            "--left-foot and --right-foot, or left_foot and right_foot under [urdf] in a "
            f"scenario); there are {_links(model)}"
        )
    whole = replace(
        source,
        left_foot=feet[0],
        right_foot=feet[1],
        waist=source.waist or marks.waist,
        imu=source.imu or marks.imu,
        contact_points=source.contact_points or marks.contact_points,
        warnings=warnings,
        sides_known=warnings != source.warnings,
    )
    named = [whole.left_foot, whole.right_foot, whole.waist, whole.imu, *whole.contact_points]
    for frame in (*named, *(pad for foot in marks.feet.values() for pad, _ in foot.pads)):
        if frame is not None and not model.existFrame(frame):
            raise RobotError(f"{source.path}: no frame '{frame}'; there are {_links(model)}")
    if whole.waist is not None and not _floats(model, whole.waist):
        raise RobotError(
            f"{source.path}: waist '{whole.waist}' is not on the floating base: it must be the "
            "first link of the URDF or fixed to it"
        )
    return whole


def _meant(model: Any, name: str) -> str:
    """Return the frame whose name is most like `name` as a question, '' if none is like it."""
    near = get_close_matches(name, [f.name for f in model.frames], n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def _are_feet(model: Any, pair: Sequence[str]) -> bool:
    """Return whether both frames exist, and are no ankles above another joint."""
    return all(map(model.existFrame, pair)) and not any(
        ANKLE in name and carries_joints(model, name) for name in pair
    )


def _links(model: Any) -> str:
    import pinocchio as pin

    return ", ".join(f.name for f in model.frames if f.type == pin.FrameType.BODY)


def _floats(model: Any, link: str) -> bool:
    return bool(model.existBodyName(link) and model.frames[model.getBodyId(link)].parentJoint == 1)


def find_foot(source: UrdfRobot, model: Any, side: str, marks: Marks) -> RobotFoot:
    """Return a foot of a model, as marked, or with an added sole frame if none is named.

    The source must be complete.
    """
    name = str(source.left_foot if side == "left" else source.right_foot)
    marked = marks.feet.get(side)
    if source.foot_size is None and marked is not None and marked.frame == name:
        foot = _marked(model, side, marked)
    else:
        foot = _measured(source, model, side, name)
    return foot


def refuse_tilted(
    source: UrdfRobot, model: Any, q: FloatArray, feet: Sequence[RobotFoot], most: float = LEVEL
) -> None:
    """Refuse a sole frame whose z is farther than `most` [rad] off the vertical at q (nq,)."""
    for foot in feet:
        tilt = tilt_of(model, q, foot)
        if tilt > most:
            raise RobotError(
                f"{source.path}: z of the {foot.side} sole frame ('{foot.link}') is "
                f"{np.degrees(tilt):.0f} degrees off upright in the posture '{source.posture}'; "
                "expected x forward, y left, z up: name another frame, or give an SRDF with the "
                "posture"
            )


def _marked(model: Any, side: str, marked: MarkedFoot) -> RobotFoot:
    frame = frame_of(model, marked.frame)
    placed = model.frames[frame]
    return RobotFoot(
        side=side,
        link=marked.link,
        frame_name=marked.frame,
        frame=frame,
        joint=placed.parentJoint,
        sole_to_joint=placed.placement.homogeneous,
        half_size=marked.half_size,
        pads=tuple(
            FootPad(corners=corners, frame=frame_of(model, pad)) for pad, corners in marked.pads
        ),
    )


def _measured(source: UrdfRobot, model: Any, side: str, name: str) -> RobotFoot:
    """Return a foot of the given size, or of the size of its geometry."""
    import pinocchio as pin

    frame = frame_of(model, name)
    if source.foot_size is None:
        corners, placement = _underside(source, model, name)
        if source.sides_known:
            turn = heading_of_feet(model, str(source.left_foot), str(source.right_foot))
            corners, placement[:3, :3] = corners @ turn[:2, :2], placement[:3, :3] @ turn
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
    """Refuse two feet on one link, or a left foot to the right of the right one."""
    if feet[0].joint == feet[1].joint:
        raise RobotError(
            f"{source.path}: '{source.left_foot}' and '{source.right_foot}' are on one link: name "
            "two different feet"
        )
    left, right = (data.oMi[foot.joint] * model.frames[foot.frame].placement for foot in feet)
    aside = right.actInv(left).translation[1]
    if aside <= 0.0:
        raise RobotError(
            f"{source.path}: the left foot '{source.left_foot}' is {-aside:.3g} m to the right of "
            f"'{source.right_foot}': swap them, or give frames with x forward and y left"
        )


def _underside(source: UrdfRobot, model: Any, name: str) -> tuple[FloatArray, FloatArray]:
    """Return the corners (k, 2) of a foot's underside, and the pose (4, 4) of their middle."""
    from sole.shape import foot_of_tree

    if not model.existBodyName(name):
        raise RobotError(
            f"{source.path}: '{name}' is the frame of a joint, not of a link: also give foot_size"
        )
    try:
        assert source.tree is not None
        foot = foot_of_tree(source.tree, source.path, name, packages=source.packages)
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
    """Return the id of a link's frame, or of any other frame of that name."""
    body = model.existBodyName(name)
    return int(model.getBodyId(name) if body else model.getFrameId(name))
