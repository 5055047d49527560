"""Compiled loops of the ground: gaps, normals, frames of many points; arrays in, arrays out.

Imports numpy and numba only; scalar arithmetic without fast-math, so that
``NUMBA_DISABLE_JIT=1`` gives the same numbers.

Piece s of the ground is a row of the `table`: origin (3), axes (3, 3) whose columns are its own
axes, size (6), an upright box around it (6: low, high), kind. Its size means, by kind,

    PLANE  the half space z <= 0                          size unused
    BOX    low <= x <= high, bounds may be infinite        low (3), high (3)
    BALL   |x| <= radius                                   radius
    ROD    |x - (0, t, 0)| <= radius for some |t| <= half  radius, half (may be infinite)
    FIELD  z <= triangles over a grid of heights about 0   pitch, columns, rows, first height,
           (row by row along y), and within the grid       highest height, first block

Distances are exact: outside, from the nearest point of the piece; a union of pieces is as far
as the nearest of them. A field is searched only `RINGS` cells around a point: its distance is
exact up to RINGS pitches; beyond, it is an estimate, no less than that and, over the field, no
more than the vertical distance: where the ground is that much lower all around, the distance to
the plane of the facet below, else to the nearest facet searched.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

PLANE, BOX, BALL, ROD, FIELD = 0, 1, 2, 3, 4
TURNED = 0.999  # cosine of the angle (2.6 degrees) between normals that are different surfaces
FLUSH = 1e-9  # m: a piece that stands out by less from another's tangent plane is no obstacle
RINGS, NEAR = 4, 2  # cells searched around a point of a field: for its distance, a second facet
BLOCK = 8  # cells for which the highest height around is kept; pieces with a common bound
AXES, SIZE, BOUND, KIND, COLUMNS = 3, 12, 18, 24, 25  # of a row of the table; 0: origin
STEEP = 0.9  # cosine between normal and leading axis beyond which the frame takes the other axis

# Points and directions are tuples of three numbers: slices of arrays would cost more than the
# arithmetic.


@njit(cache=True)
def _dot(a, b):  # type: ignore[no-untyped-def]
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True)
def _row(array, i):  # type: ignore[no-untyped-def]
    return array[i, 0], array[i, 1], array[i, 2]


@njit(cache=True)
def _turned_in(table, s, r):  # type: ignore[no-untyped-def]
    """Return the world direction r in the axes of piece s."""
    return (
        r[0] * table[s, AXES + 0] + r[1] * table[s, AXES + 3] + r[2] * table[s, AXES + 6],
        r[0] * table[s, AXES + 1] + r[1] * table[s, AXES + 4] + r[2] * table[s, AXES + 7],
        r[0] * table[s, AXES + 2] + r[1] * table[s, AXES + 5] + r[2] * table[s, AXES + 8],
    )


@njit(cache=True)
def _into(table, s, p):  # type: ignore[no-untyped-def]
    """Return the world point p in the axes of piece s."""
    r = (p[0] - table[s, 0], p[1] - table[s, 1], p[2] - table[s, 2])
    return _turned_in(table, s, r)


@njit(cache=True)
def _turned_out(table, s, n):  # type: ignore[no-untyped-def]
    """Return the direction n, axes of piece s, in world axes."""
    return (
        table[s, AXES + 0] * n[0] + table[s, AXES + 1] * n[1] + table[s, AXES + 2] * n[2],
        table[s, AXES + 3] * n[0] + table[s, AXES + 4] * n[1] + table[s, AXES + 5] * n[2],
        table[s, AXES + 6] * n[0] + table[s, AXES + 7] * n[1] + table[s, AXES + 8] * n[2],
    )


@njit(cache=True)
def _exit(table, s, x):  # type: ignore[no-untyped-def]
    """Face of least penetration of a point inside a box: axis and side (-1 or 1)."""
    axis, side, least = 2, 1.0, table[s, SIZE + 5] - x[2]
    for a in (2, 0, 1):  # of equals, the top
        if table[s, SIZE + 3 + a] - x[a] < least:
            axis, side, least = a, 1.0, table[s, SIZE + 3 + a] - x[a]
        if x[a] - table[s, SIZE + a] < least:
            axis, side, least = a, -1.0, x[a] - table[s, SIZE + a]
    return axis, side


@njit(cache=True)
def _entry(table, s, x, b):  # type: ignore[no-untyped-def]
    """Face through which the straight way from b to x, a point inside, enters a box.

    A face is crossed at the fraction t of the way; the last of them opens the inside. A start
    inside has crossed no face: it sits behind the one of its least penetration.
    """
    axis, side, last = -1, 0.0, -1.0
    for a in (2, 0, 1):
        if b[a] > table[s, SIZE + 3 + a]:
            t = (b[a] - table[s, SIZE + 3 + a]) / (b[a] - x[a])
            if t > last:
                axis, side, last = a, 1.0, t
        elif b[a] < table[s, SIZE + a]:
            t = (table[s, SIZE + a] - b[a]) / (x[a] - b[a])
            if t > last:
                axis, side, last = a, -1.0, t
    if axis < 0:
        return _exit(table, s, b)
    return axis, side


@njit(cache=True)
def _beyond(x, low, high):  # type: ignore[no-untyped-def]
    """How far x lies above `high` (> 0) or below `low` (< 0)."""
    return x - high if x > high else (x - low if x < low else 0.0)


@njit(cache=True)
def _box(table, s, x, before, has_before):  # type: ignore[no-untyped-def]
    """Signed distance [m] to a box and the normal at the nearest point, own axes."""
    e0 = _beyond(x[0], table[s, SIZE], table[s, SIZE + 3])
    e1 = _beyond(x[1], table[s, SIZE + 1], table[s, SIZE + 4])
    e2 = _beyond(x[2], table[s, SIZE + 2], table[s, SIZE + 5])
    square = e0 * e0 + e1 * e1 + e2 * e2
    if square > 0.0:
        d = math.sqrt(square)
        return d, (e0 / d, e1 / d, e2 / d)
    if has_before:
        axis, side = _entry(table, s, x, _into(table, s, before))
    else:
        axis, side = _exit(table, s, x)
    d = x[axis] - table[s, SIZE + 3 + axis] if side > 0.0 else table[s, SIZE + axis] - x[axis]
    return d, (
        side if axis == 0 else 0.0,
        side if axis == 1 else 0.0,
        side if axis == 2 else 0.0,
    )


@njit(cache=True)
def _round(x, radius):  # type: ignore[no-untyped-def]
    """Signed distance [m] to a ball about the origin and its normal."""
    d = math.sqrt(_dot(x, x))
    if d > 0.0:
        return d - radius, (x[0] / d, x[1] / d, x[2] / d)
    return -radius, (0.0, 0.0, 1.0)


@njit(cache=True)
def _corner(table, heights, s, i, j):  # type: ignore[no-untyped-def]
    """Grid point in column i and row j of a field, own axes."""
    return (
        (i - 0.5 * (table[s, SIZE + 1] - 1.0)) * table[s, SIZE],
        (j - 0.5 * (table[s, SIZE + 2] - 1.0)) * table[s, SIZE],
        heights[int(table[s, SIZE + 3]) + j * int(table[s, SIZE + 1]) + i],
    )


@njit(cache=True)
def _facet(table, heights, s, i, j, half):  # type: ignore[no-untyped-def]
    """Corners a, b, c and unit upward normal of triangle `half` (0, 1) of cell (i, j).

    The plane is z = a_z + p (x - a_x) + q (y - a_y), its normal (-p, -q, 1) made a unit.
    """
    a, c = _corner(table, heights, s, i, j), _corner(table, heights, s, i + 1, j + 1)
    if half == 0:
        b = _corner(table, heights, s, i + 1, j)
        p, q = (b[2] - a[2]) / table[s, SIZE], (c[2] - b[2]) / table[s, SIZE]
        length = math.sqrt(p * p + q * q + 1.0)
        return a, b, c, (-p / length, -q / length, 1.0 / length)
    b = _corner(table, heights, s, i, j + 1)
    p, q = (c[2] - b[2]) / table[s, SIZE], (b[2] - a[2]) / table[s, SIZE]
    length = math.sqrt(p * p + q * q + 1.0)
    return a, c, b, (-p / length, -q / length, 1.0 / length)


@njit(cache=True)
def _to_side(x, a, b, n, best, away):  # type: ignore[no-untyped-def]
    """Take the side a-b of a facet with normal n into account: see `_to_facet`.

    Return whether x is left of it, the square of the least distance so far, and its way.
    """
    e = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    r = (x[0] - a[0], x[1] - a[1], x[2] - a[2])
    left = (
        n[0] * (e[1] * r[2] - e[2] * r[1])
        + n[1] * (e[2] * r[0] - e[0] * r[2])
        + n[2] * (e[0] * r[1] - e[1] * r[0])
    )
    if left >= 0.0:
        return True, best, away
    t = min(max(_dot(e, r) / _dot(e, e), 0.0), 1.0)
    w = (r[0] - t * e[0], r[1] - t * e[1], r[2] - t * e[2])
    square = _dot(w, w)
    if square < best:
        return False, square, w
    return False, best, away


@njit(cache=True)
def _to_facet(x, a, b, c, n, limit):  # type: ignore[no-untyped-def]
    """Square of the distance from x to a facet [m^2], the way there, whether it ends inside.

    The way is x minus the nearest point, which is inside if x is left of all sides. A square
    above `limit` may come back as infinity.
    """
    d = n[0] * (x[0] - a[0]) + n[1] * (x[1] - a[1]) + n[2] * (x[2] - a[2])
    way = (d * n[0], d * n[1], d * n[2])
    if d * d >= limit:
        return math.inf, way, False
    in0, best, away = _to_side(x, a, b, n, math.inf, way)
    in1, best, away = _to_side(x, b, c, n, best, away)
    in2, best, away = _to_side(x, c, a, n, best, away)
    if in0 and in1 and in2:
        return d * d, way, True
    return best, away, False


@njit(cache=True)
def _cell_apart(table, heights, s, x, i, j):  # type: ignore[no-untyped-def]
    """Square of the distance from x to the upright box around a cell of a field [m^2]."""
    pitch, columns = table[s, SIZE], int(table[s, SIZE + 1])
    left, front = (i - 0.5 * (columns - 1)) * pitch, (j - 0.5 * (table[s, SIZE + 2] - 1.0)) * pitch
    at = int(table[s, SIZE + 3]) + j * columns + i
    h0, h1, h2, h3 = heights[at], heights[at + 1], heights[at + columns], heights[at + columns + 1]
    dx = _beyond(x[0], left, left + pitch)
    dy = _beyond(x[1], front, front + pitch)
    dz = _beyond(x[2], min(h0, h1, h2, h3), max(h0, h1, h2, h3))
    return dx * dx + dy * dy + dz * dz


@njit(cache=True)
def _cell_below(table, s, x):  # type: ignore[no-untyped-def]
    """Column and row of the cell of a field nearest to the vertical through x."""
    i = math.floor(x[0] / table[s, SIZE] + 0.5 * (table[s, SIZE + 1] - 1.0))
    j = math.floor(x[1] / table[s, SIZE] + 0.5 * (table[s, SIZE + 2] - 1.0))
    return int(min(max(i, 0), table[s, SIZE + 1] - 2)), int(min(max(j, 0), table[s, SIZE + 2] - 2))


@njit(cache=True)
def _field(table, heights, s, x):  # type: ignore[no-untyped-def]
    """Signed distance [m] to a field and its walls, and the normal, own axes."""
    i0, j0 = _cell_below(table, s, x)
    pitch = table[s, SIZE]
    wide, deep = 0.5 * (table[s, SIZE + 1] - 1.0) * pitch, 0.5 * (table[s, SIZE + 2] - 1.0) * pitch
    dx, dy = _beyond(x[0], -wide, wide), _beyond(x[1], -deep, deep)
    cx, cy = x[0] - dx, x[1] - dy
    corner = _corner(table, heights, s, i0, j0)
    u, v = cx - corner[0], cy - corner[1]
    a, b, c, m = _facet(table, heights, s, i0, j0, 1 if v > u else 0)
    top = a[2] - (m[0] * u + m[1] * v) / m[2]
    if x[2] <= top and (dx != 0.0 or dy != 0.0):  # beside a wall
        d = math.sqrt(dx * dx + dy * dy)
        return d, (dx / d, dy / d, 0.0)
    if dx == 0.0 and dy == 0.0:  # far above all around: the plane below is near enough
        blocks = (int(table[s, SIZE + 1]) - 2) // BLOCK + 1
        block = int(table[s, SIZE + 5]) + (j0 // BLOCK) * blocks + i0 // BLOCK
        if x[2] > heights[block] + RINGS * pitch:
            return max((x[2] - top) * m[2], RINGS * pitch), m
    side = 1.0 if x[2] >= top else -1.0
    margin = max(min(u, pitch - u, v, pitch - v), 0.0)  # from the vertical to its cell's border
    best, normal = math.inf, m
    for ring in range(RINGS + 1):
        if ring > 0 and ((ring - 1) * pitch + margin) ** 2 > best:
            break
        for j in range(max(j0 - ring, 0), min(j0 + ring, int(table[s, SIZE + 2]) - 2) + 1):
            stride = 1 if abs(j - j0) == ring else 2 * ring
            for i in range(i0 - ring, i0 + ring + 1, max(stride, 1)):
                if i < 0 or i > table[s, SIZE + 1] - 2:
                    continue
                if ring > 0 and _cell_apart(table, heights, s, x, i, j) >= best:
                    continue
                for half in range(2):
                    a, b, c, m = _facet(table, heights, s, i, j, half)
                    square, away, inside = _to_facet(x, a, b, c, m, best)
                    if square < best:
                        best = square
                        d = math.sqrt(square)
                        if inside or d <= FLUSH * pitch:
                            normal = m
                        else:
                            normal = (side * away[0] / d, side * away[1] / d, side * away[2] / d)
    d = math.sqrt(best)
    if side > 0.0:
        return d, normal
    if wide - abs(x[0]) < d:
        d = wide - abs(x[0])
        normal = (math.copysign(1.0, x[0]), 0.0, 0.0)
    if deep - abs(x[1]) < d:
        d = deep - abs(x[1])
        normal = (0.0, math.copysign(1.0, x[1]), 0.0)
    return -d, normal


@njit(cache=True)
def _crossed(table, heights, s, x, b):  # type: ignore[no-untyped-def]
    """Gap to the plane of the facet or wall of a field through which the way from b enters to x.

    As for a box, the last crossing from the front counts; inf if there is none near x.
    """
    i0, j0 = _cell_below(table, s, x)
    i1, j1 = _cell_below(table, s, b)
    i1, j1 = min(max(i1, i0 - RINGS), i0 + RINGS), min(max(j1, j0 - RINGS), j0 + RINGS)
    last, found, normal = -1.0, math.inf, (0.0, 0.0, 1.0)
    for j in range(min(j0, j1), max(j0, j1) + 1):  # the way runs over these cells
        for i in range(min(i0, i1), max(i0, i1) + 1):
            for half in range(2):
                a, c, e, m = _facet(table, heights, s, i, j, half)
                front, behind = _dot(m, b) - _dot(m, a), _dot(m, x) - _dot(m, a)
                if front < 0.0 or behind >= 0.0:
                    continue
                t = front / (front - behind)
                if t > last:
                    way = (t * (x[0] - b[0]), t * (x[1] - b[1]), t * (x[2] - b[2]))
                    p = (b[0] + way[0], b[1] + way[1], b[2] + way[2])
                    if _to_facet(p, a, c, e, m, math.inf)[2]:
                        last, found, normal = t, behind, m
    for k in range(2):
        half_width = 0.5 * (table[s, SIZE + 1 + k] - 1.0) * table[s, SIZE]
        e = _beyond(b[k], -half_width, half_width)
        if e != 0.0 and e / (b[k] - x[k]) > last:
            side = math.copysign(1.0, e)
            last, found = e / (b[k] - x[k]), side * x[k] - half_width
            normal = (side, 0.0, 0.0) if k == 0 else (0.0, side, 0.0)
    return found, normal


@njit(cache=True)
def _next_facet(table, heights, s, x, first, gap):  # type: ignore[no-untyped-def]
    """Gap [m] to the nearest facet that stands out of the tangent plane of the first contact.

    `first` is the normal of the first contact, `gap` its gap. Where two facets meet in a valley,
    the surface is the higher of their planes: the gap is the distance to the facet's plane, the
    normal is its own. Only facets within `NEAR` pitches count; inf if there is none.
    """
    i0, j0 = _cell_below(table, s, x)
    limit, found, normal = (NEAR * table[s, SIZE]) ** 2, math.inf, first
    level = _dot(first, x) - gap + FLUSH
    for j in range(max(j0 - NEAR, 0), min(j0 + NEAR, int(table[s, SIZE + 2]) - 2) + 1):
        for i in range(max(i0 - NEAR, 0), min(i0 + NEAR, int(table[s, SIZE + 1]) - 2) + 1):
            if _cell_apart(table, heights, s, x, i, j) >= limit:
                continue
            a, c = _corner(table, heights, s, i, j), _corner(table, heights, s, i + 1, j + 1)
            b, e = _corner(table, heights, s, i + 1, j), _corner(table, heights, s, i, j + 1)
            out = max(_dot(first, a), _dot(first, c))
            if max(out, _dot(first, b), _dot(first, e)) <= level:
                continue
            for half in range(2):
                a, b, c, m = _facet(table, heights, s, i, j, half)
                if _dot(m, first) > TURNED:
                    continue
                if max(_dot(first, a), _dot(first, b), _dot(first, c)) <= level:
                    continue
                d = _dot(m, x) - _dot(m, a)
                if d < gap - FLUSH:  # behind, or its plane passes over the first contact
                    continue
                square = _to_facet(x, a, b, c, m, limit)[0]
                if square < limit:
                    limit, found, normal = square, d, m
    return found, normal


@njit(cache=True)
def gap_of(table, heights, s, p, before, has_before):  # type: ignore[no-untyped-def]
    """Signed distance [m] of the point p to piece s, and the normal, world axes."""
    x = _into(table, s, p)
    k = table[s, KIND]
    if k == PLANE:
        return x[2], (table[s, AXES + 2], table[s, AXES + 5], table[s, AXES + 8])
    if k == BOX:
        d, n = _box(table, s, x, before, has_before)
    elif k == BALL:
        d, n = _round(x, table[s, SIZE])
    elif k == ROD:
        d, n = _round(
            (x[0], _beyond(x[1], -table[s, SIZE + 1], table[s, SIZE + 1]), x[2]), table[s, SIZE]
        )
    else:
        d, n = _field(table, heights, s, x)
        if d < 0.0 and has_before:
            crossed, m = _crossed(table, heights, s, x, _into(table, s, before))
            if crossed < math.inf:
                d, n = crossed, m
    return d, _turned_out(table, s, n)


@njit(cache=True)
def _reach_along(c, low, high):  # type: ignore[no-untyped-def]
    """Largest c x over low <= x <= high; a bound at infinity counts unless c is round-off."""
    end = high if c > 0.0 else low
    if math.isinf(end):
        return math.inf if abs(c) > FLUSH else 0.0
    return c * end


@njit(cache=True)
def _support(table, s, n):  # type: ignore[no-untyped-def]
    """Largest n . x over the points x of piece s [m]; infinity for a field."""
    k = table[s, KIND]
    if k == FIELD:
        return math.inf
    at = _dot(n, _row(table, s))
    if k == BALL:
        return at + table[s, SIZE]
    c = _turned_in(table, s, n)
    if k == BOX:
        for a in range(3):
            at += _reach_along(c[a], table[s, SIZE + a], table[s, SIZE + 3 + a])
        return at
    if k == ROD:
        return at + table[s, SIZE] + _reach_along(c[1], -table[s, SIZE + 1], table[s, SIZE + 1])
    for a in range(3):
        at += _reach_along(c[a], -math.inf, 0.0 if a == 2 else math.inf)
    return at


@njit(cache=True)
def _apart(table, s, p):  # type: ignore[no-untyped-def]
    """Square of the distance from p to the upright box around piece s [m^2]."""
    e0 = _beyond(p[0], table[s, BOUND], table[s, BOUND + 3])
    e1 = _beyond(p[1], table[s, BOUND + 1], table[s, BOUND + 4])
    e2 = _beyond(p[2], table[s, BOUND + 2], table[s, BOUND + 5])
    return e0 * e0 + e1 * e1 + e2 * e2


@njit(cache=True)
def _cell(p, grid):  # type: ignore[no-untyped-def]
    """Return the cell of the culling grid (x0, y0, pitch, nx, ny) that p is in, -1 outside."""
    i, j = math.floor((p[0] - grid[0]) / grid[2]), math.floor((p[1] - grid[1]) / grid[2])
    if 0 <= i < grid[3] and 0 <= j < grid[4]:
        return int(i * grid[4] + j)
    return -1


@njit(cache=True)
def _frame(n, lead, l, frame, i, slot):  # type: ignore[no-untyped-def]
    """Write rows t1, t2, n to frame[i, slot]: t1 is column 0 of lead[l] along the surface.

    Where n is within 26 degrees of that column, column 1 takes its place.
    """
    t = (lead[l, 0, 0], lead[l, 1, 0], lead[l, 2, 0])
    along = _dot(n, t)
    if abs(along) > STEEP:
        t = (lead[l, 0, 1], lead[l, 1, 1], lead[l, 2, 1])
        along = _dot(n, t)
    t = (t[0] - along * n[0], t[1] - along * n[1], t[2] - along * n[2])
    unit = 1.0 / math.sqrt(_dot(t, t))
    t = (t[0] * unit, t[1] * unit, t[2] * unit)
    for a in range(3):
        frame[i, slot, 0, a] = t[a]
        frame[i, slot, 2, a] = n[a]
    frame[i, slot, 1, 0] = n[1] * t[2] - n[2] * t[1]
    frame[i, slot, 1, 1] = n[2] * t[0] - n[0] * t[2]
    frame[i, slot, 1, 2] = n[0] * t[1] - n[1] * t[0]


@njit(cache=True)
def frames(normals, lead, out):  # type: ignore[no-untyped-def]
    """Frames out (k, 1, 3, 3) of normals (k, 3); `lead` (1 or k, 3, 3), see `_frame`."""
    for i in range(len(normals)):
        _frame(_row(normals, i), lead, i if len(lead) > 1 else 0, out, i, 0)


@njit(cache=True)
def gaps(points, before, table, heights, gap, normal):  # type: ignore[no-untyped-def]
    """Signed distance (s, n) and normal (s, n, 3) of every point to every piece."""
    for s in range(len(table)):
        for i in range(len(points)):
            p, b = _row(points, i), _row(before, i)
            gap[s, i], n = gap_of(table, heights, s, p, b, True)
            for a in range(3):
                normal[s, i, a] = n[a]


@njit(cache=True)
def query(  # type: ignore[no-untyped-def]
    points, before, lead, reach,
    table, heights, always, grid, start, member, order, block,
    gap, frame, solid,
):  # fmt: skip
    """Nearest and next surface of every point.

    Parameters
    ----------
    points : (n, 3) world [m]; before : (n, 3) or (0, 3); lead : (1 or n, 3, 3).
    reach : how far a second surface is looked for [m].
    table (s, 25), heights : the pieces.
    always : pieces without bounds; cell c of `grid` has the pieces member[start[c]:start[c + 1]],
    all whose bound is within `reach` of the cell's column.
    order : the pieces, neighbours together; block : one row for each BLOCK of them, of which
    only the columns of the bound are used.
    gap (n, 2), frame (n, 2, 3, 3), solid (n, 2) : written; the second may be (inf, frame of
    the first, -1).
    """
    most = len(table) + 1
    kept = np.empty(most, dtype=np.int64)
    distance = np.empty(most)
    normal = np.empty((most, 3))
    has_before = len(before) > 0
    for i in range(len(points)):
        p = _row(points, i)
        b = _row(before, i) if has_before else p
        l = i if len(lead) > 1 else 0
        number, first, least, n = 0, -1, math.inf, (0.0, 0.0, 1.0)
        cell = _cell(p, grid)
        begin, end = (start[cell], start[cell + 1]) if cell >= 0 else (0, 0)
        for c in range(len(always) + end - begin):
            s = always[c] if c < len(always) else member[begin + c - len(always)]
            if _apart(table, s, p) > reach * reach:
                continue
            d, m = gap_of(table, heights, s, p, b, has_before)
            kept[number], distance[number] = s, d
            normal[number, 0], normal[number, 1], normal[number, 2] = m
            if d < least:
                first, least, n = number, d, m
            number += 1
        if least > reach:  # nothing near: any piece may be the nearest
            for k in range(len(block)):
                if least < math.inf and _apart(block, k, p) >= least * least:
                    continue
                for c in range(k * BLOCK, min((k + 1) * BLOCK, len(order))):
                    s = order[c]
                    if least < math.inf and _apart(table, s, p) >= least * least:
                        continue
                    d, m = gap_of(table, heights, s, p, b, has_before)
                    if d < least:
                        number, first, least, n = 1, 0, d, m
                        kept[0], distance[0] = s, d
        gap[i, 0], solid[i, 0] = least, kept[first]
        gap[i, 1], solid[i, 1] = math.inf, -1
        _frame(n, lead, l, frame, i, 0)
        # The tangent plane of the nearest piece keeps p off whatever does not stand out of it:
        # the floor under a box, the flush neighbour of a tile, lower stairs.
        level = _dot(n, p) - least + FLUSH
        second, next_gap, other = -1, reach, n
        for c in range(number):
            if c == first or distance[c] > next_gap:
                continue
            m = _row(normal, c)
            if _dot(n, m) > TURNED:
                continue
            if _support(table, kept[c], n) > level:
                second, next_gap, other = kept[c], distance[c], m
        if table[kept[first], KIND] == FIELD and least <= reach:  # it may touch p twice by itself
            s = kept[first]
            x, f = _into(table, s, p), _turned_in(table, s, n)
            d, m = _next_facet(table, heights, s, x, f, least)
            if d < next_gap:
                second, next_gap, other = s, d, _turned_out(table, s, m)
        if second >= 0:
            gap[i, 1], solid[i, 1] = next_gap, second
            _frame(other, lead, l, frame, i, 1)
        else:
            for a in range(3):
                for c in range(3):
                    frame[i, 1, a, c] = frame[i, 0, a, c]
