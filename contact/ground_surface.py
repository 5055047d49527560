"""The upper surface of a ground: heights over a grid, and triangles for pictures. NumPy only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contact import ground_kernels as kernels
from contact.ground_compiled import Piece
from sole.arrays import FloatArray

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


def _leaves(piece: Piece, p: FloatArray, d: FloatArray) -> FloatArray:
    """Largest t with p + t d in the piece, own axes: p (..., 3), d (3,); -inf if it misses."""
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
