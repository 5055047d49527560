"""The links at the ends of the legs, found from the tree of joints: feet that nobody named."""

from __future__ import annotations

from typing import Any

import numpy as np

from sole.base.arrays import FloatArray

LEG = 3  # joints that a leg has at least
BESIDE = 0.02  # m: feet nearer to one another, seen from above, tell no direction

_WORDS = (("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"))


def legs_end_at(model: Any) -> tuple[str, str] | None:
    """Return the lowest left and right links that end a chain of joints; None without such a pair.

    Both names are the same but for ``left`` and ``right``, or one letter L and R.
    """
    import pinocchio as pin

    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    ends = {}
    for joint in range(2, model.njoints):
        if _carries_joints(model, joint):
            continue
        if link := first_link(model, joint):
            ends[link] = joint
    found = []
    for left, joint in ends.items():
        for right in right_names(left):
            other = ends.get(right)
            if other is not None and _own_joints(model, joint, other) >= LEG:
                height = data.oMi[joint].translation[2] + data.oMi[other].translation[2]
                found.append((float(height), left, right))
    return min(found)[1:] if found else None


def first_link(model: Any, joint: int) -> str:
    """Return the name of the first link on a joint, "" if it has none."""
    import pinocchio as pin

    links = (f for f in model.frames if f.type == pin.FrameType.BODY and f.parentJoint == joint)
    return next((f.name for f in links), "")


def carries_joints(model: Any, frame: str) -> bool:
    """Return whether joints move below the joint that carries a frame."""
    return _carries_joints(model, model.frames[model.getFrameId(frame)].parentJoint)


def heading_of_feet(model: Any, left: str, right: str) -> FloatArray:
    """Return the (3, 3) turn about z, by quarters, from x to where a robot with these feet faces.

    In the base's frame with all joint angles 0; feet that stand above each other tell nothing.
    """
    import pinocchio as pin

    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    places = [data.oMf[model.getFrameId(name)].translation for name in (left, right)]
    y = (places[0] - places[1])[:2]
    if not np.hypot(*y) > BESIDE:
        return np.eye(3)
    quarter = round(float(np.arctan2(-y[0], y[1])) / (np.pi / 2))
    cos, sin = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter % 4]
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])


def _carries_joints(model: Any, joint: int) -> bool:
    return joint in list(model.parents)[2:]


def _own_joints(model: Any, joint: int, other: int) -> int:
    return len(set(model.supports[joint]) - set(model.supports[other]))


def right_names(left: str) -> list[str]:
    """Return the names that the right one of a link may have."""
    names = [left.replace(a, b, 1) for a, b in _WORDS if a in left]
    letters = {"l": "r", "L": "R"}
    return names + [
        left[:i] + letters[letter] + left[i + 1 :]
        for i, letter in enumerate(left)
        if letter in letters
    ]
