"""The kinematic tree of a robot as plain arrays, for poses of all links without Pinocchio.

A joint is a free flyer (7 coordinates: position, quaternion x y z w) or has one degree of freedom
with a constant motion axis s = (linear, angular), and

    T_joint = T_parent placement exp(s q).

So any reader of a run's file can draw it, whatever the source of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from contact.frames import rotation_of_quaternion
from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.errors import SoleError

FREE, ONE = 7, 1  # coordinates of a joint


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkShape:
    """A simple solid on a joint, as in `robot.model.Solid`.

    Parameters
    ----------
    kind : "box", "capsule", "cylinder", "sphere" or "mesh". link : its name.
    joint : place in the skeleton. placement : (4, 4) solid to joint [m].
    size : (3,) box: lengths; capsule, cylinder: radius, length, 0; sphere: radius, 0, 0; mesh:
        scale. path : of a mesh.
    """

    kind: str
    link: str
    joint: int
    placement: FloatArray
    size: FloatArray
    path: Path | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Skeleton:
    """A tree of n joints.

    Parameters
    ----------
    names : names of the joints. parents : (n,), -1 for the world.
    coordinates : (n,) 7 or 1. first : (n,) index of the joint's first coordinate in q.
    placements : (n, 4, 4) joint to parent at q = 0 [m].
    axes : (n, 6) s, linear part first; zero for a free flyer.
    frames : (B,) joint of every contact frame. frame_placements : (B, 4, 4) frame to joint [m].
    shapes : shapes of the links, for pictures.
    """

    names: tuple[str, ...]
    parents: IntArray
    coordinates: IntArray
    first: IntArray
    placements: FloatArray
    axes: FloatArray
    frames: IntArray
    frame_placements: FloatArray
    shapes: tuple[LinkShape, ...] = field(default=())

    def __post_init__(self) -> None:
        n, B = len(self.names), len(self.frames)
        expected = {"placements": (n, 4, 4), "axes": (n, 6), "frame_placements": (B, 4, 4)}
        for name, shape in expected.items():
            array = frozen(getattr(self, name))
            if array.shape != shape:
                raise SoleError(f"skeleton: {name} has shape {array.shape}, expected {shape}")
            object.__setattr__(self, name, array)
        for name in ("parents", "coordinates", "first", "frames"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.int64))
        late = self.parents >= np.arange(n)
        if late.any() or not np.isin(self.coordinates, (FREE, ONE)).all():
            raise SoleError(
                "skeleton: parents come before children, joints have 7 or 1 coordinates"
            )

    @classmethod
    def of(cls, model: Any, frames: Sequence[int], shapes: Sequence[LinkShape] = ()) -> Skeleton:
        """Return the tree of a `pinocchio.Model`; `frames` are ids of its contact frames.

        Raises
        ------
        SoleError
            A joint has neither one nor seven coordinates.
        """
        import pinocchio as pin

        data, neutral = model.createData(), pin.neutral(model)
        axes = np.zeros((model.njoints - 1, 6))
        for k in range(1, model.njoints):
            joint = model.joints[k]
            if (joint.nq, joint.nv) not in ((7, 6), (1, 1)):
                raise SoleError(
                    f"joint '{model.names[k]}' has {joint.nq} coordinates: a skeleton needs free "
                    "flyers and joints of one degree of freedom"
                )
            if joint.nq == ONE:
                v = np.zeros(model.nv)
                v[joint.idx_v] = 1.0
                pin.forwardKinematics(model, data, neutral, v)
                axes[k - 1] = data.v[k].vector
        joints = [model.joints[k] for k in range(1, model.njoints)]
        return cls(
            names=tuple(model.names)[1:],
            parents=np.array([model.parents[k] - 1 for k in range(1, model.njoints)]),
            coordinates=np.array([j.nq for j in joints]),
            first=np.array([j.idx_q for j in joints]),
            placements=np.array(
                [model.jointPlacements[k].homogeneous for k in range(1, model.njoints)]
            ),
            axes=axes,
            frames=np.array([_joint(model.frames[f]) - 1 for f in frames], dtype=np.int64),
            frame_placements=np.array([model.frames[f].placement.homogeneous for f in frames]),
            shapes=tuple(shapes),
        )

    def poses(self, q: FloatArray) -> FloatArray:
        """Return T (..., n, 4, 4) of all joints, joint to world, for q (..., nq)."""
        q = np.asarray(q, dtype=float)
        T = np.empty((*q.shape[:-1], len(self.names), 4, 4))
        for k, parent in enumerate(self.parents):
            i = int(self.first[k])
            if self.coordinates[k] == FREE:
                own = _free(q[..., i : i + 7])
            else:
                own = _exponential(self.axes[k], q[..., i])
            own = self.placements[k] @ own
            T[..., k, :, :] = own if parent < 0 else T[..., parent, :, :] @ own
        return T

    def frame_poses(self, q: FloatArray) -> FloatArray:
        """Return T (..., B, 4, 4) of the contact frames, frame to world."""
        return np.asarray(self.poses(q)[..., self.frames, :, :] @ self.frame_placements)


def _joint(frame: Any) -> int:
    return int(getattr(frame, "parentJoint", None) or frame.parent)


def _cross(a: FloatArray) -> FloatArray:
    S = np.zeros((*a.shape, 3))
    S[..., 0, 1], S[..., 0, 2], S[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    return np.asarray(S - S.swapaxes(-1, -2))


def _free(q: FloatArray) -> FloatArray:
    T = np.zeros((*q.shape[:-1], 4, 4))
    T[..., :3, :3] = rotation_of_quaternion(q[..., 3:])
    T[..., :3, 3] = q[..., :3]
    T[..., 3, 3] = 1.0
    return T


def _exponential(s: FloatArray, q: FloatArray) -> FloatArray:
    """Return exp(s q) for a unit rotation axis (with pitch) or a pure translation."""
    v, w = s[:3], s[3:]
    T = np.zeros((*q.shape, 4, 4))
    T[...] = np.eye(4)
    turn = float(w @ w)
    if turn == 0.0:
        T[..., :3, 3] = q[..., None] * v
        return T
    S = _cross(w)
    sin, cos = np.sin(q)[..., None, None], np.cos(q)[..., None, None]
    T[..., :3, :3] = np.eye(3) + sin * S + (1.0 - cos) * (S @ S)
    # int_0^q exp(S a) v da
    left = q[..., None, None] * np.eye(3) + (1.0 - cos) * S + (q[..., None, None] - sin) * (S @ S)
    T[..., :3, 3] = left @ v
    return T
