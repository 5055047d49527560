"""The surface of a ground: heights, curvature, and triangles for pictures. NumPy only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contact import ground_kernels as kernels
from contact.ground_compiled import Piece
from sole.arrays import FloatArray
from sole.errors import ConfigError

EDGE = 1e-9  # m: a point this close to an edge counts as on it, whatever the round-off


def height_of(
    pieces: Sequence[Piece], frame: FloatArray, x: FloatArray, y: FloatArray
) -> FloatArray:
    """Where lines along the frame's z through its (x, y) leave the union [m]; -inf if nowhere."""
    x, y = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    p = x[..., None] * frame[:, 0] + y[..., None] * frame[:, 1]
    top = np.full(x.shape, -np.inf)
    for piece in pieces:
        d = piece.axes.T @ frame[:, 2]
        np.maximum(top, _leaves(piece, (p - piece.origin) @ piece.axes, d), out=top)
    return top


def curvature_of(piece: Piece, p: FloatArray) -> FloatArray:
    """dn/dp (m, 3, 3) [1/m] of the distance of the points p (m, 3) to one piece.

    (A - n n')/r for points at the distance r from a centre, an axis, an edge or a corner, A the
    projector on the directions away from it; zero over flat faces, fields (facets) and inside.
    """
    x = (p - piece.origin) @ piece.axes
    if piece.kind in (kernels.PLANE, kernels.FIELD):
        return np.zeros((len(p), 3, 3))
    if piece.kind == kernels.BOX:
        low, high = piece.local_bound
        away = x - np.clip(x, low, high)
        across = away != 0
        across[across.sum(axis=1) < 2] = False
    else:
        away = x.copy()
        across = np.ones(x.shape, dtype=bool)
        if piece.kind == kernels.ROD:
            half = piece.size[1]
            away[:, 1] -= np.clip(x[:, 1], -half, half)
            across[:, 1] = away[:, 1] != 0
    r = np.maximum(np.linalg.norm(away, axis=1), 1e-300)
    n = np.where(across, away / r[:, None], 0.0)
    turn = (across[:, :, None] * np.eye(3) - n[:, :, None] * n[:, None, :]) / r[:, None, None]
    return np.asarray(piece.axes @ turn @ piece.axes.T)


def _leaves(piece: Piece, p: FloatArray, d: FloatArray) -> FloatArray:
    """Largest t with p + t d in the piece, own axes: p (..., 3), d (3,); -inf if it misses."""
    if piece.kind == kernels.FIELD:
        return _field_top(piece, p, d)
    if piece.kind in (kernels.BALL, kernels.ROD):
        keep = np.array([1.0, 1.0 if piece.kind == kernels.BALL else 0.0, 1.0])
        e = d * keep
        a, b = e @ e, p @ e
        square = b * b - a * ((p * p) @ keep - piece.size[0] ** 2)
        with np.errstate(invalid="ignore"):
            return np.where(square >= 0, (np.sqrt(np.abs(square)) - b) / a, -np.inf)
    low, high = piece.local_bound
    first, last = np.full((2, *p.shape[:-1]), np.inf) * np.array([-1, 1]).reshape(
        2, *[1] * (p.ndim - 1)
    )
    for a in range(3):
        q = p[..., a]
        if abs(d[a]) < EDGE:
            missed = (q < low[a] - EDGE) | (q > high[a] + EDGE)
            last = np.where(missed, -np.inf, last)
            continue
        ends = np.stack([(low[a] - q) / d[a], (high[a] - q) / d[a]])
        first, last = np.maximum(first, ends.min(axis=0)), np.minimum(last, ends.max(axis=0))
    return np.where(last >= first - EDGE, last, -np.inf)


def _field_top(piece: Piece, p: FloatArray, d: FloatArray) -> FloatArray:
    """As `_leaves` for a field, along its own upward direction only."""
    if abs(d[2] - 1.0) > EDGE:
        raise ConfigError("the height of a height field is taken along its own vertical")
    pitch, heights = piece.size[0], piece.heights
    rows, columns = heights.shape
    u, v = (p[..., 0] / pitch + (columns - 1) / 2, p[..., 1] / pitch + (rows - 1) / 2)
    slack = EDGE / pitch
    outside = (u < -slack) | (u > columns - 1 + slack) | (v < -slack) | (v > rows - 1 + slack)
    i = np.clip(np.floor(u).astype(int), 0, columns - 2)
    j = np.clip(np.floor(v).astype(int), 0, rows - 2)
    s, t = np.clip(u - i, 0, 1), np.clip(v - j, 0, 1)
    h00, h11 = heights[j, i], heights[j + 1, i + 1]
    h = np.where(s >= t, heights[j, i + 1], heights[j + 1, i])  # third corner of the facet
    top = h00 + np.maximum(s, t) * (h - h00) + np.minimum(s, t) * (h11 - h)
    return np.where(outside, -np.inf, top - p[..., 2])
