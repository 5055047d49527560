"""The reference configuration: the undeformed sole, parallel to the ground, just touches.

Motions of the foot are measured from there, in the axes of the ground's frame: (x, y, z) of the
projected origin and R = Rz(yaw) Ry(pitch) Rx(roll).
"""

from __future__ import annotations

import numpy as np

from contact.frames import rotation_of
from contact.ground import Ground
from contact.press.linear_sole import LinearSole
from contact.press.load import RigidMotion
from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError


def find_first_touch(sole: LinearSole, ground: Ground) -> tuple[FloatArray, FloatArray]:
    """Return (R, c) of the undeformed sole at first touch; c is where the projected origin is."""
    R0 = ground.frame
    arms = sole.points - sole.origin
    rise = float((ground.height(arms[:, 0], arms[:, 1]) - arms[:, 2]).max())
    if not np.isfinite(rise):
        raise ConfigError(f"there is no ground under the sole at the origin: {ground}")
    return R0, rise * R0[:, 2]


def motion_of(sole: LinearSole, ground: Ground, pose: FloatArray) -> RigidMotion:
    """Return the motion from the reference configuration to a `pose` (4, 4), sole to world.

    Raises
    ------
    ConfigError
        Not a rigid motion.
    """
    T = np.asarray(pose, dtype=float)
    rigid = T.shape == (4, 4) and np.allclose(T[3], [0, 0, 0, 1], atol=1e-9)
    if not (rigid and np.allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), atol=1e-9)):
        raise ConfigError("a pose is a (4, 4) rigid motion: rotation, translation, row 0 0 0 1")
    x, y, z, roll, pitch, yaw = motion_vector(sole, ground, T)
    return RigidMotion(sink=-z, x=x, y=y, roll=roll, pitch=pitch, yaw=yaw)


def motion_vector(sole: LinearSole, ground: Ground, pose: FloatArray) -> FloatArray:
    """(6,) x, y, z [m] and roll, pitch, yaw [rad] of `motion_of`."""
    R0, c0 = find_first_touch(sole, ground)
    R = R0.T @ pose[:3, :3]
    roll, yaw = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(R[1, 0], R[0, 0])
    pitch = np.arctan2(-R[2, 0], np.hypot(R[2, 1], R[2, 2]))
    place = pose[:3, 3] + pose[:3, :3] @ sole.origin
    return np.concatenate([R0.T @ (place - c0), [roll, pitch, yaw]])


def place_foot(
    sole: LinearSole, ground: Ground, motion: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return (R, c) of a foot after a `motion` (6,) from the reference, see `motion_vector`."""
    R0, c0 = find_first_touch(sole, ground)
    roll, pitch, yaw = motion[3:]
    turn = rotation_of(np.array([0, 0, yaw])) @ rotation_of(np.array([0, pitch, 0]))
    return R0 @ turn @ rotation_of(np.array([roll, 0, 0])), c0 + R0 @ motion[:3]
