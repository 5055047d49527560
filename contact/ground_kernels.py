"""Compiled loops of the ground: gaps, normals, frames of many points; arrays in, arrays out.

Imports numpy and numba only; scalar arithmetic without fast-math, so that
``NUMBA_DISABLE_JIT=1`` gives the same numbers.

Piece s of the ground lives in its own axes, the columns of `axes[s]`, at `origin[s]`; its `size`
(6,) means, by `kind`,

    PLANE  the half space z <= 0                          size unused
    BOX    low <= x <= high, bounds may be infinite        low (3), high (3)
    BALL   |x| <= radius                                   radius
    ROD    |x - (0, t, 0)| <= radius for some |t| <= half  radius, half (may be infinite)
    FIELD  z <= triangles over a grid of heights,          pitch, columns, rows, first height,
           |x| and |y| within half the grid                highest; heights[first + row columns + c]

Distances are exact: outside, from the nearest point of the piece; a union of pieces is as far
as the nearest of them. A field is searched only `RINGS` cells around a point: its distance is
exact up to RINGS pitches and an upper bound, at most the vertical one, beyond.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

PLANE, BOX, BALL, ROD, FIELD = 0, 1, 2, 3, 4
TURNED = 0.999  # cosine of the angle (2.6 degrees) between normals that are different surfaces
FLUSH = 1e-9  # m: a piece that stands out by less from another's tangent plane is no obstacle
RINGS, NEAR = 4, 2  # cells searched around a point of a field: for its distance, a second facet
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
def _corner(size, heights, i, j, out):  # type: ignore[no-untyped-def]
    """Write the grid point in column i and row j of a field into `out` (3,), own axes."""
    pitch = size[0]
    out[0] = (i - 0.5 * (size[1] - 1.0)) * pitch
    out[1] = (j - 0.5 * (size[2] - 1.0)) * pitch
    out[2] = heights[int(size[3]) + j * int(size[1]) + i]


@njit(cache=True)
def _facet(size, heights, i, j, half, tri):  # type: ignore[no-untyped-def]
    """Write corners and upward normal of triangle `half` (0, 1) of cell (i, j) into tri (4, 3)."""
    _corner(size, heights, i, j, tri[0])
    if half == 0:
        _corner(size, heights, i + 1, j, tri[1])
        _corner(size, heights, i + 1, j + 1, tri[2])
    else:
        _corner(size, heights, i + 1, j + 1, tri[1])
        _corner(size, heights, i, j + 1, tri[2])
    square = 0.0
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        tri[3, a] = (tri[1, b] - tri[0, b]) * (tri[2, c] - tri[0, c]) - (tri[1, c] - tri[0, c]) * (
            tri[2, b] - tri[0, b]
        )
        square += tri[3, a] ** 2
    length = math.sqrt(square)
    for a in range(3):
        tri[3, a] /= length


@njit(cache=True)
def _over(x, tri):  # type: ignore[no-untyped-def]
    """Signed distance [m] of x (3,) to the plane of a facet (4, 3)."""
    return (
        (x[0] - tri[0, 0]) * tri[3, 0]
        + (x[1] - tri[0, 1]) * tri[3, 1]
        + (x[2] - tri[0, 2]) * tri[3, 2]
    )


@njit(cache=True)
def _to_facet(x, tri, away):  # type: ignore[no-untyped-def]
    """Square of the distance from x to a facet [m^2], and whether its inside is nearest.

    `away` (3,) receives x minus the nearest point. The foot of x on the plane is inside if it is
    left of all three sides; otherwise the nearest point is on a side.
    """
    d = _over(x, tri)
    n = tri[3]
    inside, best = True, math.inf
    for k in range(3):
        a, b = tri[k], tri[(k + 1) % 3]
        e0, e1, e2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        r0, r1, r2 = x[0] - a[0], x[1] - a[1], x[2] - a[2]
        left = n[0] * (e1 * r2 - e2 * r1) + n[1] * (e2 * r0 - e0 * r2) + n[2] * (e0 * r1 - e1 * r0)
        if left < 0.0:
            inside = False
            t = (e0 * r0 + e1 * r1 + e2 * r2) / (e0 * e0 + e1 * e1 + e2 * e2)
            t = min(max(t, 0.0), 1.0)
            r0, r1, r2 = r0 - t * e0, r1 - t * e1, r2 - t * e2
            square = r0 * r0 + r1 * r1 + r2 * r2
            if square < best:
                best = square
                away[0], away[1], away[2] = r0, r1, r2
    if inside:
        for a in range(3):
            away[a] = d * n[a]
        return d * d, True
    return best, False


@njit(cache=True)
def _under_cell(size, heights, i, j):  # type: ignore[no-untyped-def]
    """Lowest and highest corner of a cell of a field [m]."""
    at = int(size[3]) + j * int(size[1]) + i
    up = at + int(size[1])
    low = min(heights[at], heights[at + 1], heights[up], heights[up + 1])
    high = max(heights[at], heights[at + 1], heights[up], heights[up + 1])
    return low, high


@njit(cache=True)
def _cell_apart(size, heights, x, i, j):  # type: ignore[no-untyped-def]
    """Square of the distance from x to the upright box around a cell of a field [m^2]."""
    pitch = size[0]
    low, high = _under_cell(size, heights, i, j)
    left = (i - 0.5 * (size[1] - 1.0)) * pitch
    front = (j - 0.5 * (size[2] - 1.0)) * pitch
    dx = max(left - x[0], x[0] - left - pitch, 0.0)
    dy = max(front - x[1], x[1] - front - pitch, 0.0)
    dz = max(low - x[2], x[2] - high, 0.0)
    return dx * dx + dy * dy + dz * dz


@njit(cache=True)
def _cell_below(size, x):  # type: ignore[no-untyped-def]
    """Column and row of the cell of a field nearest to the vertical through x."""
    i = math.floor(x[0] / size[0] + 0.5 * (size[1] - 1.0))
    j = math.floor(x[1] / size[0] + 0.5 * (size[2] - 1.0))
    return int(min(max(i, 0), size[1] - 2)), int(min(max(j, 0), size[2] - 2))


@njit(cache=True)
def _field(size, heights, x, n):  # type: ignore[no-untyped-def]
    """Signed distance [m] to a field and its walls; its normal goes into n (3,)."""
    tri, away = np.empty((4, 3)), np.empty(3)
    i0, j0 = _cell_below(size, x)
    pitch, wide, deep = size[0], 0.5 * (size[1] - 1.0) * size[0], 0.5 * (size[2] - 1.0) * size[0]
    cx, cy = min(max(x[0], -wide), wide), min(max(x[1], -deep), deep)
    _corner(size, heights, i0, j0, away)
    half = 1 if cy - away[1] > cx - away[0] else 0
    _facet(size, heights, i0, j0, half, tri)
    m = tri[3]
    top = tri[0, 2] - (m[0] * (cx - tri[0, 0]) + m[1] * (cy - tri[0, 1])) / m[2]
    dx, dy = x[0] - cx, x[1] - cy
    if x[2] <= top and (dx != 0.0 or dy != 0.0):  # beside a wall
        d = math.sqrt(dx * dx + dy * dy)
        n[0], n[1], n[2] = dx / d, dy / d, 0.0
        return d
    side = 1.0 if x[2] >= top else -1.0
    best = math.inf
    edge = min(pitch - abs(cx - away[0] - 0.5 * pitch), pitch - abs(cy - away[1] - 0.5 * pitch))
    edge = max(edge - 0.5 * pitch, 0.0)  # from the vertical to the border of its cell
    for ring in range(RINGS + 1):
        if ring > 0 and ((ring - 1) * pitch + edge) ** 2 > best:
            break
        for j in range(max(j0 - ring, 0), min(j0 + ring, int(size[2]) - 2) + 1):
            stride = 1 if abs(j - j0) == ring else max(2 * ring, 1)
            for i in range(i0 - ring, i0 + ring + 1, stride):
                if i < 0 or i > size[1] - 2 or _cell_apart(size, heights, x, i, j) > best:
                    continue
                for half in range(2):
                    _facet(size, heights, i, j, half, tri)
                    square, inside = _to_facet(x, tri, away)
                    if square < best:
                        best = square
                        d = math.sqrt(square)
                        flat = inside or d <= FLUSH * pitch
                        for a in range(3):
                            n[a] = tri[3, a] if flat else side * away[a] / d
    d = math.sqrt(best)
    if side > 0.0:
        return d
    if wide - abs(x[0]) < d:
        d = wide - abs(x[0])
        n[0], n[1], n[2] = math.copysign(1.0, x[0]), 0.0, 0.0
    if deep - abs(x[1]) < d:
        d = deep - abs(x[1])
        n[0], n[1], n[2] = 0.0, math.copysign(1.0, x[1]), 0.0
    return -d


@njit(cache=True)
def _next_facet(size, heights, x, first, gap, n):  # type: ignore[no-untyped-def]
    """Gap [m] to the nearest facet that stands out of the tangent plane of the first contact.

    `first` (3,) is the normal of the first contact, `gap` its gap. Where two facets meet in a
    valley, the surface is the higher of their planes: the gap is the distance to the facet's
    plane, its normal goes into n (3,). Only facets within `NEAR` pitches count; inf if none.
    """
    tri, away = np.empty((4, 3)), np.empty(3)
    i0, j0 = _cell_below(size, x)
    limit, found = (NEAR * size[0]) ** 2, math.inf
    level = first[0] * x[0] + first[1] * x[1] + first[2] * x[2] - gap + FLUSH
    for j in range(max(j0 - NEAR, 0), min(j0 + NEAR, int(size[2]) - 2) + 1):
        for i in range(max(i0 - NEAR, 0), min(i0 + NEAR, int(size[1]) - 2) + 1):
            if _cell_apart(size, heights, x, i, j) >= limit:
                continue
            for half in range(2):
                _facet(size, heights, i, j, half, tri)
                m = tri[3]
                d = _over(x, tri)
                if m[0] * first[0] + m[1] * first[1] + m[2] * first[2] > TURNED:
                    continue
                if d < gap - FLUSH:  # behind, or its plane passes over the first contact
                    continue
                stands = False
                for k in range(3):
                    v = tri[k]
                    stands |= first[0] * v[0] + first[1] * v[1] + first[2] * v[2] > level
                if stands and _to_facet(x, tri, away)[0] < limit:
                    limit, found = _to_facet(x, tri, away)[0], d
                    for a in range(3):
                        n[a] = m[a]
    return found


@njit(cache=True)
def _into(s, p, origin, axes, x):  # type: ignore[no-untyped-def]
    """Write the world point p in the axes of piece s into x (3,)."""
    for a in range(3):
        x[a] = (
            (p[0] - origin[s, 0]) * axes[s, 0, a]
            + (p[1] - origin[s, 1]) * axes[s, 1, a]
            + (p[2] - origin[s, 2]) * axes[s, 2, a]
        )


@njit(cache=True)
def _out_of(s, n, axes, world):  # type: ignore[no-untyped-def]
    """Write the direction n (3,), axes of piece s, in world axes into `world` (3,)."""
    for a in range(3):
        world[a] = axes[s, a, 0] * n[0] + axes[s, a, 1] * n[1] + axes[s, a, 2] * n[2]


@njit(cache=True)
def gap_of(s, p, before, has_before, kind, origin, axes, size, heights, work):  # type: ignore[no-untyped-def]
    """Signed distance [m] of the point p (3,) to piece s; the world normal goes into work[3].

    `work` (4, 3): local point, local start, local normal, world normal.
    """
    x, b, n = work[0], work[1], work[2]
    _into(s, p, origin, axes, x)
    k = kind[s]
    if k == PLANE:
        for a in range(3):
            work[3, a] = axes[s, a, 2]
        return x[2]
    if k == BOX:
        if has_before:
            _into(s, before, origin, axes, b)
        d = _box(size[s, :3], size[s, 3:], x, b, has_before, n)
    elif k == BALL:
        d = _round(x[0], x[1], x[2], size[s, 0], n)
    elif k == FIELD:
        d = _field(size[s], heights, x, n)
    else:
        d = _round(x[0], x[1] - min(max(x[1], -size[s, 1]), size[s, 1]), x[2], size[s, 0], n)
    _out_of(s, n, axes, work[3])
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
    most = len(kind) + 1
    kept = np.empty(most, dtype=np.int64)
    distance = np.empty(most)
    normal = np.empty((most, 3))
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
        if kind[kept[first]] == FIELD and least <= reach:  # it may touch p twice by itself
            s = kept[first]
            _into(s, p, origin, axes, work[0])
            for a in range(3):
                work[1, a] = n[0] * axes[s, 0, a] + n[1] * axes[s, 1, a] + n[2] * axes[s, 2, a]
            d = _next_facet(size[s], heights, work[0], work[1], least, work[2])
            if d < reach:
                kept[number], distance[number] = s, d
                _out_of(s, work[2], axes, normal[number])
                number += 1
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
