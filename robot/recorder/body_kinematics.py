"""Quantities that follow from recorded states: CoM, energies, motion of the feet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from robot.tree import (
    LinkArrays,
    link_frames,
    move_links,
    open_tree,
    place_frame,
    sum_motion,
    tree_of,
    tree_sheet,
    weigh_links,
)
from sole.base.arrays import BoolArray, Bundle, FloatArray, IntArray
from sole.base.compiled import kernel, packed


class RecordedMotion(NamedTuple):
    """Over T rows, world axes: com, com_velocity (T, 3); energies (T,); feet (T, F, ...)."""

    com: FloatArray
    com_velocity: FloatArray
    kinetic: FloatArray
    potential: FloatArray
    foot_rotation: FloatArray
    foot_position: FloatArray
    foot_velocity: FloatArray
    foot_acceleration: FloatArray


def evaluate_motion(
    model: Any,
    frames: IntArray,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    trees: Sequence[int] = (0,),
) -> RecordedMotion:
    """Evaluate states q (T, nq), v (T, nv) with accelerations a (T, nv) at `frames` (F,).

    The centre of mass is that of the subtrees of the joints `trees`, without free objects; energies
    include them. foot_rotation has shape (T, F, 3, 3); the other arrays of the feet (T, F, 3) refer
    to the frame's origin. The acceleration is d(velocity)/dt, without gravity. A row takes about
    3 us.
    """
    T, F = len(q), len(frames)
    kept = link_frames(model, frames.tolist(), [0] * F)
    links = range(model.njoints)
    counted = np.array([k > 0 and (0 in trees or model.supports[k][1] in trees) for k in links])
    shapes = (3,), (3,), (), (), (F, 3, 3), (F, 3), (F, 3), (F, 3)
    motion = RecordedMotion(*(np.empty((T, *shape)) for shape in shapes))
    sheet = np.zeros(tree_sheet(model.njoints, model.nv).size)
    robot = packed(tree_of(model)), kept.carriers[0], kept.placements[0]
    evaluate_rows(robot, counted, (q, v, a), sheet, packed(motion))
    return motion


@kernel
def evaluate_rows(
    robot: Bundle, counted: BoolArray, rows: Bundle, sheet: FloatArray, motion: Bundle
) -> None:
    """Fill a `RecordedMotion` for rows q, v, a; robot : `LinkArrays`, links (F,) and placements.

    A point x of a link moves with s = u + w x x and s' = A + A_w x x + w x s + g.
    """
    tree_tuple, carriers, placements = robot
    q, v, a = rows
    tree, out = LinkArrays(*tree_tuple), RecordedMotion(*motion)
    links, pose = open_tree(sheet, len(tree.joints)), np.empty((3, 4))
    for t in range(len(q)):
        move_links(tree, q[t], v[t], a[t], links)
        weigh_links(tree, links)
        out.kinetic[t], out.potential[t] = sum_motion(
            tree, v[t], links, counted, out.com[t], out.com_velocity[t]
        )
        for f in range(len(carriers)):
            place_frame(links, carriers[f], placements[f], pose)
            V, A, speed = links.V[carriers[f]], links.A[carriers[f]], out.foot_velocity[t, f]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                out.foot_rotation[t, f, i] = pose[i, :3]
                out.foot_position[t, f, i] = pose[i, 3]
                speed[i] = V[i] + V[3 + j] * pose[k, 3] - V[3 + k] * pose[j, 3]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                out.foot_acceleration[t, f, i] = (
                    A[i] + tree.gravity[i] + A[3 + j] * pose[k, 3] - A[3 + k] * pose[j, 3]
                    + V[3 + j] * speed[k] - V[3 + k] * speed[j]
                )  # fmt: skip


def classical_acceleration(R: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
    """Return d/dt of R v_lin (T, 3): R (a_lin + omega x v_lin), v and a (T, >= 6) in own axes."""
    own = a[:, :3] + np.cross(v[:, 3:6], v[:, :3])
    return np.asarray(np.einsum("tij,tj->ti", R, own))


def quaternions(R: FloatArray) -> FloatArray:
    """Return unit quaternions (..., 4), x y z w, of rotations (..., 3, 3)."""
    from scipy.spatial.transform import Rotation

    flat = Rotation.from_matrix(R.reshape(-1, 3, 3)).as_quat(canonical=True)
    return np.asarray(flat.reshape(*R.shape[:-2], 4))
