"""Compiled loops of the ground: gaps, normals, frames of many points; arrays in, arrays out.

Imports numpy and numba only; scalar arithmetic without fast-math, so that
``NUMBA_DISABLE_JIT=1`` gives the same numbers.

Piece s of the ground lives in its own axes, the columns of `axes[s]`, at `origin[s]`; its `size`
(6,) means, by `kind`,

    PLANE  the half space z <= 0                          size unused
    BOX    low <= x <= high, bounds may be infinite        low (3), high (3)
    BALL   |x| <= radius                                   radius
    ROD    |x - (0, t, 0)| <= radius for some |t| <= half  radius, half (may be infinite)
    FIELD  z <= the triangles over a grid of heights       pitch, then rows, columns, offset

Distances are exact: outside, from the nearest point of the piece; a union of pieces is as far
as the nearest of them.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

PLANE, BOX, BALL, ROD, FIELD = 0, 1, 2, 3, 4
TURNED = 0.999  # cosine of the angle (2.6 degrees) between normals that are different surfaces
FLUSH = 1e-9  # m: a piece that stands out by less from another's tangent plane is no obstacle
STEEP = 0.9  # cosine between normal and leading axis beyond which the frame takes the other axis


@njit(cache=True)
def _exit(low, high, x):  # type: ignore[no-untyped-def]
    """Face of least penetration of a point inside: axis and side (-1 or 1)."""
    axis, side, least = 2, 1.0, high[2] - x[2]
    for a in (2, 0, 1):  # of equals, the top
        if high[a] - x[a] < least:
            axis, side, least = a, 1.0, high[a] - x[a]
        if x[a] - low[a] < least:
            axis, side, least = a, -1.0, x[a] - low[a]
    return axis, side


@njit(cache=True)
def _entry(low, high, x, b):  # type: ignore[no-untyped-def]
    """Face through which the straight way from b to x, a point inside, enters the box.

    A face is crossed at the fraction t of the way; the last of them opens the inside. A start
    inside has crossed no face: it sits behind the one of its least penetration.
    """
    axis, side, last = -1, 0.0, -1.0
    for a in (2, 0, 1):
        if b[a] > high[a]:
            t = (b[a] - high[a]) / (b[a] - x[a])
            if t > last:
                axis, side, last = a, 1.0, t
        elif b[a] < low[a]:
            t = (low[a] - b[a]) / (x[a] - b[a])
            if t > last:
                axis, side, last = a, -1.0, t
    if axis < 0:
        return _exit(low, high, b)
    return axis, side


@njit(cache=True)
def _box(low, high, x, b, has_before, n):  # type: ignore[no-untyped-def]
    """Signed distance [m] to a box; its normal at the nearest point goes into n (3,)."""
    square = 0.0
    for a in range(3):
        e = 0.0
        if x[a] > high[a]:
            e = x[a] - high[a]
        elif x[a] < low[a]:
            e = x[a] - low[a]
        n[a] = e
        square += e * e
    if square > 0.0:
        d = math.sqrt(square)
        for a in range(3):
            n[a] /= d
        return d
    axis, side = _entry(low, high, x, b) if has_before else _exit(low, high, x)
    for a in range(3):
        n[a] = 0.0
    n[axis] = side
    return x[axis] - high[axis] if side > 0.0 else low[axis] - x[axis]


@njit(cache=True)
def _round(x, y, z, radius, n):  # type: ignore[no-untyped-def]
    """Signed distance [m] to a ball, or to a rod with y measured from its nearest axis point."""
    d = math.sqrt(x * x + y * y + z * z)
    if d > 0.0:
        n[0], n[1], n[2] = x / d, y / d, z / d
    else:
        n[0], n[1], n[2] = 0.0, 0.0, 1.0
    return d - radius


@njit(cache=True)
def gap_of(s, p, before, has_before, kind, origin, axes, size, heights, work):  # type: ignore[no-untyped-def]
    """Signed distance [m] of the point p (3,) to piece s; the world normal goes into work[3].

    `work` (4, 3): local point, local start, local normal, world normal.
    """
    x, b, n = work[0], work[1], work[2]
    for a in range(3):
        x[a] = (
            (p[0] - origin[s, 0]) * axes[s, 0, a]
            + (p[1] - origin[s, 1]) * axes[s, 1, a]
            + (p[2] - origin[s, 2]) * axes[s, 2, a]
        )
    k = kind[s]
    if k == PLANE:
        for a in range(3):
            work[3, a] = axes[s, a, 2]
        return x[2]
    if k == BOX:
        if has_before:
            for a in range(3):
                b[a] = (
                    (before[0] - origin[s, 0]) * axes[s, 0, a]
                    + (before[1] - origin[s, 1]) * axes[s, 1, a]
                    + (before[2] - origin[s, 2]) * axes[s, 2, a]
                )
        d = _box(size[s, :3], size[s, 3:], x, b, has_before, n)
    elif k == BALL:
        d = _round(x[0], x[1], x[2], size[s, 0], n)
    else:
        d = _round(x[0], x[1] - min(max(x[1], -size[s, 1]), size[s, 1]), x[2], size[s, 0], n)
    for a in range(3):
        work[3, a] = axes[s, a, 0] * n[0] + axes[s, a, 1] * n[1] + axes[s, a, 2] * n[2]
    return d


@njit(cache=True)
def _reach_along(c, low, high):  # type: ignore[no-untyped-def]
    """Largest c x over low <= x <= high; a bound at infinity counts unless c is round-off."""
    end = high if c > 0.0 else low
    if math.isinf(end):
        return math.inf if abs(c) > FLUSH else 0.0
    return c * end


@njit(cache=True)
def _support(s, n, kind, origin, axes, size):  # type: ignore[no-untyped-def]
    """Largest n . x over the points x of piece s [m]; infinity for a field."""
    k = kind[s]
    if k == FIELD:
        return math.inf
    at = n[0] * origin[s, 0] + n[1] * origin[s, 1] + n[2] * origin[s, 2]
    if k == BALL:
        return at + size[s, 0]
    for a in range(3):
        c = n[0] * axes[s, 0, a] + n[1] * axes[s, 1, a] + n[2] * axes[s, 2, a]
        if k == BOX:
            at += _reach_along(c, size[s, a], size[s, 3 + a])
        elif k == ROD:
            at += _reach_along(c, -size[s, 1], size[s, 1]) if a == 1 else 0.0
        else:
            at += _reach_along(c, -math.inf, 0.0 if a == 2 else math.inf)
    return at + size[s, 0] if k == ROD else at


@njit(cache=True)
def _apart(p, bound):  # type: ignore[no-untyped-def]
    """Square of the distance from p to an upright box (6,), low and high [m^2]."""
    square = 0.0
    for a in range(3):
        e = max(p[a] - bound[3 + a], bound[a] - p[a])
        if e > 0.0:
            square += e * e
    return square


@njit(cache=True)
def _cell(p, grid):  # type: ignore[no-untyped-def]
    """Return the cell of the culling grid (x0, y0, pitch, nx, ny) that p is in, -1 outside."""
    i, j = math.floor((p[0] - grid[0]) / grid[2]), math.floor((p[1] - grid[1]) / grid[2])
    if 0 <= i < grid[3] and 0 <= j < grid[4]:
        return int(i * grid[4] + j)
    return -1


@njit(cache=True)
def frame_of(n, lead, frame):  # type: ignore[no-untyped-def]
    """Write rows t1, t2, n: t1 is column 0 of `lead` (3, 3) along the surface.

    Where n is within 26 degrees of that column, column 1 takes its place.
    """
    along = n[0] * lead[0, 0] + n[1] * lead[1, 0] + n[2] * lead[2, 0]
    c = 0
    if abs(along) > STEEP:
        c = 1
        along = n[0] * lead[0, 1] + n[1] * lead[1, 1] + n[2] * lead[2, 1]
    square = 0.0
    for a in range(3):
        frame[0, a] = lead[a, c] - along * n[a]
        square += frame[0, a] ** 2
        frame[2, a] = n[a]
    length = math.sqrt(square)
    for a in range(3):
        frame[0, a] /= length
    t = frame[0]
    frame[1, 0] = n[1] * t[2] - n[2] * t[1]
    frame[1, 1] = n[2] * t[0] - n[0] * t[2]
    frame[1, 2] = n[0] * t[1] - n[1] * t[0]


@njit(cache=True)
def frames(normals, lead, out):  # type: ignore[no-untyped-def]
    """Frames (k, 3, 3) of normals (k, 3); `lead` (1 or k, 3, 3), see `frame_of`."""
    for i in range(len(normals)):
        frame_of(normals[i], lead[i if len(lead) > 1 else 0], out[i])


@njit(cache=True)
def gaps(points, before, kind, origin, axes, size, heights, gap, normal):  # type: ignore[no-untyped-def]
    """Signed distance (s, n) and normal (s, n, 3) of every point to every piece."""
    work = np.empty((4, 3))
    for s in range(len(kind)):
        for i in range(len(points)):
            gap[s, i] = gap_of(
                s, points[i], before[i], True, kind, origin, axes, size, heights, work
            )
            for a in range(3):
                normal[s, i, a] = work[3, a]


@njit(cache=True)
def query(  # type: ignore[no-untyped-def]
    points, before, lead, reach,
    kind, origin, axes, size, heights, bound, always, grid, start, member,
    gap, frame, solid,
):  # fmt: skip
    """Nearest and next surface of every point.

    Parameters
    ----------
    points : (n, 3) world [m]; before : (n, 3) or (0, 3); lead : (1 or n, 3, 3).
    reach : how far a second surface is looked for [m].
    kind ... size, heights : the pieces. bound : (s, 6) upright box around each.
    always : pieces without bounds; cell c of `grid` has the pieces member[start[c]:start[c + 1]],
    all whose bound is within `reach` of the cell's column.
    gap (n, 2), frame (n, 2, 3, 3), solid (n, 2) : written; the second may be (inf, frame of
    the first, -1).
    """
    work = np.empty((4, 3))
    kept = np.empty(len(kind), dtype=np.int64)
    distance = np.empty(len(kind))
    normal = np.empty((len(kind), 3))
    has_before = len(before) > 0
    for i in range(len(points)):
        p = points[i]
        b = before[i] if has_before else p
        number, first, least = 0, -1, math.inf
        cell = _cell(p, grid)
        begin, end = (start[cell], start[cell + 1]) if cell >= 0 else (0, 0)
        for c in range(len(always) + end - begin):
            s = always[c] if c < len(always) else member[begin + c - len(always)]
            if _apart(p, bound[s]) > reach * reach:
                continue
            d = gap_of(s, p, b, has_before, kind, origin, axes, size, heights, work)
            kept[number], distance[number] = s, d
            for a in range(3):
                normal[number, a] = work[3, a]
            if d < least:
                first, least = number, d
            number += 1
        if least > reach:  # nothing near: any piece may be the nearest
            for s in range(len(kind)):
                if least < math.inf and _apart(p, bound[s]) >= least * least:
                    continue
                d = gap_of(s, p, b, has_before, kind, origin, axes, size, heights, work)
                if d < least:
                    number, first, least = 1, 0, d
                    kept[0], distance[0] = s, d
                    for a in range(3):
                        normal[0, a] = work[3, a]
        n = normal[first]
        gap[i, 0], solid[i, 0] = least, kept[first]
        frame_of(n, lead[i if len(lead) > 1 else 0], frame[i, 0])
        # The tangent plane of the nearest piece keeps p off whatever does not stand out of it:
        # the floor under a box, the flush neighbour of a tile, lower stairs.
        level = n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - least + FLUSH
        second, next_gap = -1, reach
        for c in range(number):
            if c == first or distance[c] > next_gap:
                continue
            m = normal[c]
            if n[0] * m[0] + n[1] * m[1] + n[2] * m[2] > TURNED:
                continue
            if _support(kept[c], n, kind, origin, axes, size) > level:
                second, next_gap = c, distance[c]
        if second < 0:
            gap[i, 1], solid[i, 1] = math.inf, -1
            frame[i, 1] = frame[i, 0]
        else:
            gap[i, 1], solid[i, 1] = next_gap, kept[second]
            frame_of(normal[second], lead[i if len(lead) > 1 else 0], frame[i, 1])
