"""Gaps, normals and curvatures of points to every single piece, as the press test takes them.

A node over a stair or a box keeps to the faces that it was in front of: `measure_box_gaps`.
"""

from __future__ import annotations

import numpy as np

from contact.ground import piece_kernels as kernels
from contact.ground.compiled_ground import CompiledGround, Piece
from contact.ground.query_kernels import measure_gaps
from sole.base.arrays import FloatArray, read_only

EDGE = 1e-9  # m: a start this close to an edge counts as on it, whatever the round-off


def measure_piece_gaps(
    ground: CompiledGround, points: FloatArray, before: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return gaps (s, n) [m] and normals (s, n, 3) of the points (n, 3) to every single piece."""
    gap = np.empty((len(ground.table), len(points)))
    normal = np.empty((*gap.shape, 3))
    p, b = np.ascontiguousarray(points), read_only(np.ascontiguousarray(before))
    measure_gaps(p, b, ground.table, ground.heights, gap, normal)
    return gap, normal


def measure_box_gaps(
    piece: Piece, p: FloatArray, start: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Gap (m,) [m] and normal (m, 3) of a box in a press: flat faces that meet at the edges.

    For the length of an increment a node keeps to the faces that its `start` lay in front of,
    and to the top; the gap is the largest of the distances to their planes, > 0 outside as the
    distance is. So a node over an edge stays on the tread, and edges add no curvature.
    """
    x, b = ((q - piece.origin) @ piece.axes for q in (p, start))
    low, high = piece.local_bound
    before = np.concatenate([low - b, b - high], axis=1)  # (m, 6) in front of each face
    axis = int(np.argmax(np.abs(piece.axes[2])))
    top = axis + 3 * (piece.axes[2, axis] > 0)
    faces = before > EDGE
    outside = faces.any(axis=1)
    faces[:, top] |= outside
    before[:, top] += EDGE  # a start on an edge is on the top
    faces[~outside, np.argmax(before[~outside], axis=1)] = True
    now = np.where(faces, np.concatenate([low - x, x - high], axis=1), -np.inf)
    face = np.argmax(now, axis=1)
    normals = np.vstack([-piece.axes.T, piece.axes.T])
    return now[np.arange(len(p)), face], normals[face]


def compute_curvature(piece: Piece, p: FloatArray) -> FloatArray:
    """dn/dp (m, 3, 3) [1/m] of one piece in a press, at the points p (m, 3).

    (A - n n')/r for points at the distance r from a centre or an axis, A the projector on the
    directions away from it; zero on boxes and on the facets of fields.
    """
    away = (p - piece.origin) @ piece.axes
    if piece.kind not in (kernels.BALL, kernels.ROD):
        return np.zeros((len(p), 3, 3))
    across = np.ones(away.shape, dtype=bool)
    if piece.kind == kernels.ROD:
        half = piece.size[1]
        away[:, 1] -= np.clip(away[:, 1], -half, half)
        across[:, 1] = away[:, 1] != 0
    r = np.maximum(np.linalg.norm(away, axis=1), 1e-300)
    n = np.where(across, away / r[:, None], 0.0)
    turn = (across[:, :, None] * np.eye(3) - n[:, :, None] * n[:, None, :]) / r[:, None, None]
    return np.asarray(piece.axes @ turn @ piece.axes.T)
