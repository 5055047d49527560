"""The surface of a ground: heights, and triangles for pictures. NumPy only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contact.ground import piece_kernels as kernels
from contact.ground.compiled_ground import Piece
from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import ConfigError

EDGE = 1e-9  # m: a point this close to an edge counts as on it, whatever the round-off
MOST_VERTICES = 10_000_000


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


def triangulate_surface(
    pieces: Sequence[Piece], extent: tuple[float, float, float, float], scale: float
) -> tuple[FloatArray, IntArray]:
    """Vertices (v, 3) [m] and triangles (t, 3) of the surface seen from above, for pictures.

    Parameters
    ----------
    pieces : `ground.pieces`.
    extent : (x from, x to, y from, y to) [m], world.
    scale : distance of the vertices [m]; a riser leans over one such distance.

    Raises
    ------
    ConfigError
        An empty extent, a scale that is not positive, or more than ten million vertices.
    """
    x0, x1, y0, y1 = extent
    if not (np.isfinite(extent).all() and x1 > x0 and y1 > y0 and 0 < scale < np.inf):
        raise ConfigError(
            f"a surface needs x0 < x1, y0 < y1 and a scale > 0, got {extent}, {scale}"
        )
    nx, ny = (1 + int(np.ceil((b - a) / scale - EDGE)) for a, b in ((x0, x1), (y0, y1)))
    if nx * ny > MOST_VERTICES:
        raise ConfigError(f"a surface of {nx} x {ny} vertices is more than {MOST_VERTICES}")
    x, y = np.meshgrid(np.linspace(x0, x1, nx), np.linspace(y0, y1, ny), indexing="ij")
    z = height_of(pieces, np.eye(3), x, y)
    vertices = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    a = (np.arange(nx - 1)[:, None] * ny + np.arange(ny - 1)).ravel()
    cells = np.stack([a, a + ny, a + ny + 1, a, a + ny + 1, a + 1], axis=1).reshape(-1, 3)
    there = np.isfinite(vertices[:, 2])
    number = np.cumsum(there) - 1
    kept = cells[there[cells].all(axis=1)]
    return vertices[there], number[kept]
