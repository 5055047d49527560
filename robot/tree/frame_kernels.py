"""Frames on the links of a tree, and what they touch: poses and Jacobians, compiled.

A frame a that touches a movable body with frame b is described by its motion relative to b:
`robot.simulator.dynamics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from robot.tree.tree_arrays import TreeState
from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.compiled import inner_kernel

if TYPE_CHECKING:
    import pinocchio as pin


class FrameArrays(NamedTuple):
    """B contact frames, and what they touch.

    Attributes
    ----------
    carriers : (2, B) links of the frames and of the touched ones; 0, the world, is fixed.
    placements : (2, B, 4, 4) in the axes of these links.
    moves : (B, nv) 1 if a joint moves the frame, -1 if it moves the touched frame, else 0.
    """

    carriers: IntArray
    placements: FloatArray
    moves: IntArray


def link_frames(model: pin.Model, frames: Sequence[int], against: Sequence[int]) -> FrameArrays:
    """Return the arrays of frames by their ids in a model; `against` : 0 for the fixed world."""
    both, B = (frames, against), len(frames)
    known = [[model.frames[k] for k in row] for row in both]
    carriers = [[frame.parentJoint for frame in row] for row in known]
    placements = [[frame.placement.homogeneous for frame in row] for row in known]
    return FrameArrays(
        frozen(carriers, np.int64).reshape(2, B),
        frozen(placements).reshape(2, B, 4, 4),
        frozen(moved_by(model, frames) - moved_by(model, against), np.int64),
    )


def moved_by(model: pin.Model, frames: Sequence[int]) -> IntArray:
    """Return (B, nv): 1 where a coordinate moves a frame, else 0."""
    found = np.zeros((len(frames), model.nv), dtype=np.int64)
    for b, frame in enumerate(frames):
        for joint in list(model.supports[model.frames[frame].parentJoint])[1:]:
            first = model.joints[joint].idx_v
            found[b, first : first + model.joints[joint].nv] = 1
    return found


@inner_kernel
def describe_frame(
    b: int, links: TreeState, frames: FrameArrays, J: FloatArray, R: FloatArray, p: FloatArray,
    turn: FloatArray,
) -> None:  # fmt: skip
    """Fill the columns of J (6, nv) that are not zero, R, turn (3, 3) and p (3,) of frame b.

    J v is its twist relative to what it touches, in its own axes, R and p its pose relative to
    that, `turn` its rotation in the world. In the axes of a frame at x with rotation T the twist
    (u, w) of a link about the world's origin is T'(u + w x x), T'w.
    """
    T, A = np.empty((3, 4)), np.empty((3, 4))
    place_frame(links, frames.carriers[0, b], frames.placements[0, b], T)
    place_frame(links, frames.carriers[1, b], frames.placements[1, b], A)
    x0, x1, x2 = T[0, 3], T[1, 3], T[2, 3]
    for i in range(3):
        p[i] = 0.0
        for k in range(3):
            p[i] += A[k, i] * (T[k, 3] - A[k, 3])
            turn[i, k] = T[i, k]
        for j in range(3):
            R[i, j] = A[0, i] * T[0, j] + A[1, i] * T[1, j] + A[2, i] * T[2, j]
    for c in range(frames.moves.shape[1]):
        sign = float(frames.moves[b, c])
        if sign == 0.0:
            continue
        w0, w1, w2 = sign * links.J[c, 3], sign * links.J[c, 4], sign * links.J[c, 5]
        a0 = sign * links.J[c, 0] + w1 * x2 - w2 * x1
        a1 = sign * links.J[c, 1] + w2 * x0 - w0 * x2
        a2 = sign * links.J[c, 2] + w0 * x1 - w1 * x0
        for i in range(3):
            J[i, c] = T[0, i] * a0 + T[1, i] * a1 + T[2, i] * a2
            J[3 + i, c] = T[0, i] * w0 + T[1, i] * w1 + T[2, i] * w2


@inner_kernel
def place_frame(links: TreeState, link: int, placement: FloatArray, pose: FloatArray) -> None:
    """Fill the pose (3, 4) in the world of a frame that has `placement` (4, 4) on a link."""
    R, p = links.R[link], links.p[link]
    for i in range(3):
        for j in range(4):
            pose[i, j] = p[i] if j == 3 else 0.0
            for k in range(3):
                pose[i, j] += R[i, k] * placement[k, j]
