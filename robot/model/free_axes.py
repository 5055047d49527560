"""Legs of fewer than six joints: the axes about which their feet cannot be turned at will.

Of a leg with n < 6 joints the sole follows about 6 - n axes: those without which the joints place
it best, by the least singular value of the Jacobian with these axes as columns, and with the way
up, which a knee gives as soon as it bends. To plan such legs they get as many joints without mass
between foot and sole, which take up what the foot lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from robot.model.robot_model import RobotFoot, RobotModel
from sole.base.arrays import FloatArray

AXES = ("roll", "pitch", "yaw")
ORDER = (2, 0, 1)  # of axes that are as good: yaw follows first
FEWEST = 4  # joints of a leg that places a foot
UP = np.eye(6)[:, 2:3]

Axes = tuple[int, ...]


def free_axes(model: Any, q: FloatArray, foot: RobotFoot, leg: Sequence[int]) -> Axes:
    """Return which axes x, y, z of a sole (0, 1, 2) follow; () for six joints or more.

    q : (nq,) a configuration. Legs of fewer than `FEWEST` joints, which cannot walk, have none.
    """
    import pinocchio as pin

    if not FEWEST <= len(leg) < 6:
        return ()
    J = pin.computeFrameJacobian(model, model.createData(), q, foot.frame, pin.LOCAL)
    J = np.column_stack([J[:, [model.joints[j].idx_v for j in leg]], UP])

    def least(axes: Iterable[int]) -> float:
        sizes = np.linalg.svd(np.column_stack([J, turns(tuple(axes))]), compute_uv=False)
        return float(sizes[-1]) if np.isfinite(sizes).all() else 0.0

    return tuple(sorted(max(combinations(ORDER, 6 - len(leg)), key=least)))


def turns(axes: Axes) -> FloatArray:
    """Return (6, k): turns about axes of a sole, in its frame."""
    return np.eye(6)[:, [3 + axis for axis in axes]]


def free_axes_of(robot: RobotModel) -> tuple[Axes, Axes]:
    """Return which axes of the left and the right sole follow."""
    left, right = (
        free_axes(robot.model, robot.q0, foot, leg)
        for foot, leg in zip(robot.feet, robot.legs, strict=True)
    )
    return left, right


def with_free_joints(robot: RobotModel) -> tuple[Any, tuple[int, int], tuple[Axes, Axes]]:
    """Return the model with a joint for each free axis, the sole frames, and these joints' ids.

    The new joints come last in q and v, so the robot's own q and v are the first entries.
    """
    import pinocchio as pin

    free = free_axes_of(robot)
    if not any(free):
        return robot.model, (robot.left.frame, robot.right.frame), ((), ())
    model, frames, added = robot.model.copy(), [], []
    for foot, axes in zip(robot.feet, free, strict=True):
        joint, place, new = foot.joint, pin.SE3(np.array(foot.sole_to_joint)), []
        for axis in axes:
            kind = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)[axis]()
            joint = model.addJoint(joint, kind, place, f"{foot.side} sole {AXES[axis]}")
            place = pin.SE3.Identity()
            new.append(int(joint))
        name = f"{foot.side} sole that follows"
        frames.append(int(model.addFrame(pin.Frame(name, joint, 0, place, pin.FrameType.OP_FRAME))))
        added.append(tuple(new))
    return model, (frames[0], frames[1]), (added[0], added[1])


def describe_free_axes(robot: RobotModel) -> tuple[str, ...]:
    """Return in words which axes of the feet follow, if any."""
    told = []
    for foot, leg, axes in zip(robot.feet, robot.legs, free_axes_of(robot), strict=True):
        if axes:
            words = " and ".join(AXES[axis] for axis in axes)
            told.append(
                f"the {foot.side} leg has {len(leg)} joints: {words} of its foot follow"
                f"{'s' if len(axes) == 1 else ''}"
            )
    return tuple(told)
