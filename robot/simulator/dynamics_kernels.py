"""Compiled: dynamics of a robot, its contact frames and their Jacobians."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robot.tree import (
    LinkArrays,
    TreeState,
    fill_inertia,
    move_links,
    open_tree,
    sum_forces,
    weigh_links,
)
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import kernel


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


class RobotTerms(NamedTuple):
    """The arrays of `robot.simulator.dynamics.Snapshot`, in its order."""

    M: FloatArray
    h: FloatArray
    J: FloatArray
    R: FloatArray
    p: FloatArray
    turns: FloatArray


@kernel(error_model="numpy")
def find_terms(
    robot: Bundle, q: FloatArray, v: FloatArray, links_sheet: FloatArray, terms: Bundle
) -> None:
    """Fill `RobotTerms` at q (nq,), v (nv,).

    robot : `LinkArrays` and `FrameArrays`. links_sheet : of `open_tree`, filled too.
    """
    tree, frames, into = LinkArrays(*robot[0]), FrameArrays(*robot[1]), RobotTerms(*terms)
    links, still = open_tree(links_sheet, len(tree.joints)), np.zeros(0)
    move_links(tree, q, v, still, links)
    weigh_links(tree, links)
    sum_forces(tree, still, links, into.h)
    fill_inertia(tree, links, into.M)
    describe_frames(links, frames, into)


@kernel(error_model="numpy")
def describe_frames(links: TreeState, frames: FrameArrays, into: RobotTerms) -> None:
    """Fill J (6B, nv), R (B, 3, 3), p (B, 3) and turns (B, 3, 3) of `robot.simulator.dynamics`.

    In the axes of a frame at x with rotation T the twist (u, w) of a link about the world's origin
    is T'(u + w x x), T'w.
    """
    B, n = frames.moves.shape
    pose = np.empty((2, 3, 4))
    for b in range(B):
        for k in range(2):
            place_frame(links, frames.carriers[k, b], frames.placements[k, b], pose[k])
        T, A = pose[0], pose[1]
        x0, x1, x2 = T[0, 3], T[1, 3], T[2, 3]
        for i in range(3):
            into.p[b, i] = 0.0
            for k in range(3):
                into.p[b, i] += A[k, i] * (T[k, 3] - A[k, 3])
                into.turns[b, i, k] = T[i, k]
            for j in range(3):
                into.R[b, i, j] = A[0, i] * T[0, j] + A[1, i] * T[1, j] + A[2, i] * T[2, j]
        for c in range(n):
            sign = float(frames.moves[b, c])
            if sign == 0.0:
                continue
            w0, w1, w2 = sign * links.J[c, 3], sign * links.J[c, 4], sign * links.J[c, 5]
            a0 = sign * links.J[c, 0] + w1 * x2 - w2 * x1
            a1 = sign * links.J[c, 1] + w2 * x0 - w0 * x2
            a2 = sign * links.J[c, 2] + w0 * x1 - w1 * x0
            for i in range(3):
                into.J[6 * b + i, c] = T[0, i] * a0 + T[1, i] * a1 + T[2, i] * a2
                into.J[6 * b + 3 + i, c] = T[0, i] * w0 + T[1, i] * w1 + T[2, i] * w2


@kernel(error_model="numpy")
def place_frame(links: TreeState, link: int, placement: FloatArray, pose: FloatArray) -> None:
    """Fill the pose (3, 4) in the world of a frame that has `placement` (4, 4) on a link."""
    R, p = links.R[link], links.p[link]
    for i in range(3):
        for j in range(4):
            pose[i, j] = p[i] if j == 3 else 0.0
            for k in range(3):
                pose[i, j] += R[i, k] * placement[k, j]
