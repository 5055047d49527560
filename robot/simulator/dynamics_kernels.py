"""Compiled: contact frames and their Jacobians from Pinocchio's joint quantities."""

from __future__ import annotations

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import kernel


@kernel
def describe_frames(
    joints: FloatArray, moves: IntArray, poses: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return J (6B, nv), R (B, 3, 3), p (B, 3) and turns (B, 3, 3) of `robot.simulator.dynamics`.

    `joints` (6, nv): twist (u, w) of every joint in world axes at the world's origin; in the axes
    of a frame at p with rotation R it is R'(u + w x p), R'w. `moves` (B, nv): 1 if a joint moves
    the frame, -1 if it moves the touched frame, 0 for neither or both. `poses` (2, B, 4, 4): poses
    of the frames and of the touched frames.
    """
    B, n = moves.shape
    J, turns = np.zeros((6 * B, n)), np.ascontiguousarray(poses[0, :, :3, :3])
    R, p = np.zeros((B, 3, 3)), np.zeros((B, 3))
    for b in range(B):
        T, A, x = turns[b], poses[1, b], poses[0, b, :, 3]
        for i in range(3):
            for k in range(3):
                p[b, i] += A[k, i] * (x[k] - A[k, 3])
                for j in range(3):
                    R[b, i, j] += A[k, i] * T[k, j]
        for c in range(n):
            if moves[b, c] == 0:
                continue
            u, w = joints[:3, c], joints[3:, c]
            a0 = moves[b, c] * (u[0] + w[1] * x[2] - w[2] * x[1])
            a1 = moves[b, c] * (u[1] + w[2] * x[0] - w[0] * x[2])
            a2 = moves[b, c] * (u[2] + w[0] * x[1] - w[1] * x[0])
            w0, w1, w2 = moves[b, c] * w[0], moves[b, c] * w[1], moves[b, c] * w[2]
            for i in range(3):
                J[6 * b + i, c] = T[0, i] * a0 + T[1, i] * a1 + T[2, i] * a2
                J[6 * b + 3 + i, c] = T[0, i] * w0 + T[1, i] * w1 + T[2, i] * w2
    return J, R, p, turns
