"""Gap of a point to a height field: triangles over a grid, and its upright walls."""

from __future__ import annotations

import math

from contact.ground.piece_kernels import (
    BLOCK,
    FLUSH,
    NEAR,
    RINGS,
    SIZE,
    TURNED,
    Vector,
    dot,
    measure_excess,
)
from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel


@inner_kernel
def corner_of(table: FloatArray, heights: FloatArray, s: int, i: int, j: int) -> Vector:
    """Grid point in column i and row j of a field, own axes."""
    return (
        (i - 0.5 * (table[s, SIZE + 1] - 1.0)) * table[s, SIZE],
        (j - 0.5 * (table[s, SIZE + 2] - 1.0)) * table[s, SIZE],
        heights[int(table[s, SIZE + 3]) + j * int(table[s, SIZE + 1]) + i],
    )


@inner_kernel
def facet_of(
    table: FloatArray, heights: FloatArray, s: int, i: int, j: int, half: int
) -> tuple[Vector, Vector, Vector, Vector]:
    """Corners a, b, c and unit upward normal of triangle `half` (0, 1) of cell (i, j).

    The plane is z = a_z + p (x - a_x) + q (y - a_y), its normal (-p, -q, 1) made a unit.
    """
    a, c = corner_of(table, heights, s, i, j), corner_of(table, heights, s, i + 1, j + 1)
    if half == 0:
        b = corner_of(table, heights, s, i + 1, j)
        p, q = (b[2] - a[2]) / table[s, SIZE], (c[2] - b[2]) / table[s, SIZE]
        length = math.sqrt(p * p + q * q + 1.0)
        return a, b, c, (-p / length, -q / length, 1.0 / length)
    b = corner_of(table, heights, s, i, j + 1)
    p, q = (c[2] - b[2]) / table[s, SIZE], (b[2] - a[2]) / table[s, SIZE]
    length = math.sqrt(p * p + q * q + 1.0)
    return a, c, b, (-p / length, -q / length, 1.0 / length)


@inner_kernel
def measure_to_side(
    x: Vector, a: Vector, b: Vector, n: Vector, best: float, away: Vector
) -> tuple[bool, float, Vector]:
    """Take the side a-b of a facet with normal n into account: see `measure_to_facet`.

    Return whether x is left of it, the square of the least distance so far, and its offset.
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
    t = min(max(dot(e, r) / dot(e, e), 0.0), 1.0)
    w = (r[0] - t * e[0], r[1] - t * e[1], r[2] - t * e[2])
    square = dot(w, w)
    if square < best:
        return False, square, w
    return False, best, away


@inner_kernel
def measure_to_facet(
    x: Vector, a: Vector, b: Vector, c: Vector, n: Vector, limit: float
) -> tuple[float, Vector, bool]:
    """Square of the distance from x to a facet [m^2], the offset, and whether that ends inside.

    The offset is x minus the nearest point, which is inside if x is left of all sides. A square
    above `limit` may be returned as infinity.
    """
    d = n[0] * (x[0] - a[0]) + n[1] * (x[1] - a[1]) + n[2] * (x[2] - a[2])
    way = (d * n[0], d * n[1], d * n[2])
    if d * d >= limit:
        return math.inf, way, False
    in0, best, away = measure_to_side(x, a, b, n, math.inf, way)
    in1, best, away = measure_to_side(x, b, c, n, best, away)
    in2, best, away = measure_to_side(x, c, a, n, best, away)
    if in0 and in1 and in2:
        return d * d, way, True
    return best, away, False


@inner_kernel
def cell_apart(table: FloatArray, heights: FloatArray, s: int, x: Vector, i: int, j: int) -> float:
    """Square of the distance from x to the upright box around a cell of a field [m^2]."""
    pitch, columns = table[s, SIZE], int(table[s, SIZE + 1])
    left, front = (i - 0.5 * (columns - 1)) * pitch, (j - 0.5 * (table[s, SIZE + 2] - 1.0)) * pitch
    at = int(table[s, SIZE + 3]) + j * columns + i
    h0, h1, h2, h3 = heights[at], heights[at + 1], heights[at + columns], heights[at + columns + 1]
    dx = measure_excess(x[0], left, left + pitch)
    dy = measure_excess(x[1], front, front + pitch)
    dz = measure_excess(x[2], min(h0, h1, h2, h3), max(h0, h1, h2, h3))
    return dx * dx + dy * dy + dz * dz


@inner_kernel
def find_cell_below(table: FloatArray, s: int, x: Vector) -> tuple[int, int]:
    """Column and row of the cell of a field nearest to the vertical through x."""
    i = math.floor(x[0] / table[s, SIZE] + 0.5 * (table[s, SIZE + 1] - 1.0))
    j = math.floor(x[1] / table[s, SIZE] + 0.5 * (table[s, SIZE + 2] - 1.0))
    return int(min(max(i, 0), table[s, SIZE + 1] - 2)), int(min(max(j, 0), table[s, SIZE + 2] - 2))


@inner_kernel
def field_gap(table: FloatArray, heights: FloatArray, s: int, x: Vector) -> tuple[float, Vector]:
    """Signed distance [m] to a field and its walls, and the normal, own axes."""
    i0, j0 = find_cell_below(table, s, x)
    pitch = table[s, SIZE]
    wide, deep = 0.5 * (table[s, SIZE + 1] - 1.0) * pitch, 0.5 * (table[s, SIZE + 2] - 1.0) * pitch
    dx, dy = measure_excess(x[0], -wide, wide), measure_excess(x[1], -deep, deep)
    cx, cy = x[0] - dx, x[1] - dy
    corner = corner_of(table, heights, s, i0, j0)
    u, v = cx - corner[0], cy - corner[1]
    a, b, c, m = facet_of(table, heights, s, i0, j0, 1 if v > u else 0)
    top = a[2] - (m[0] * u + m[1] * v) / m[2]
    if x[2] <= top and (dx != 0.0 or dy != 0.0):  # beside a wall
        d = math.sqrt(dx * dx + dy * dy)
        return d, (dx / d, dy / d, 0.0)
    if dx == 0.0 and dy == 0.0:  # far above all around: the plane below is near enough
        blocks = (int(table[s, SIZE + 1]) - 2) // BLOCK + 1
        block = int(table[s, SIZE + 5]) + (j0 // BLOCK) * blocks + i0 // BLOCK
        if x[2] > heights[block] + RINGS * pitch:
            return max((x[2] - top) * m[2], RINGS * pitch), m
    # The nearest facet, ring by ring of cells around the vertical.
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
                if ring > 0 and cell_apart(table, heights, s, x, i, j) >= best:
                    continue
                for half in range(2):
                    a, b, c, m = facet_of(table, heights, s, i, j, half)
                    square, away, inside = measure_to_facet(x, a, b, c, m, best)
                    if square < best:
                        best = square
                        d = math.sqrt(square)
                        if inside or d <= FLUSH * pitch:
                            normal = m
                        else:
                            normal = (side * away[0] / d, side * away[1] / d, side * away[2] / d)
    # Inside, a wall may be nearer.
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


@inner_kernel
def find_crossing(
    table: FloatArray, heights: FloatArray, s: int, x: Vector, b: Vector
) -> tuple[float, Vector]:
    """Gap to the plane of the facet or wall of a field through which the path from b to x enters.

    As for a box, the last crossing from the front counts; inf if there is none near x.
    """
    i0, j0 = find_cell_below(table, s, x)
    i1, j1 = find_cell_below(table, s, b)
    i1, j1 = min(max(i1, i0 - RINGS), i0 + RINGS), min(max(j1, j0 - RINGS), j0 + RINGS)
    last, found, normal = -1.0, math.inf, (0.0, 0.0, 1.0)
    for j in range(min(j0, j1), max(j0, j1) + 1):  # the path runs over these cells
        for i in range(min(i0, i1), max(i0, i1) + 1):
            for half in range(2):
                a, c, e, m = facet_of(table, heights, s, i, j, half)
                front, behind = dot(m, b) - dot(m, a), dot(m, x) - dot(m, a)
                if front < 0.0 or behind >= 0.0:
                    continue
                t = front / (front - behind)
                if t > last:
                    way = (t * (x[0] - b[0]), t * (x[1] - b[1]), t * (x[2] - b[2]))
                    p = (b[0] + way[0], b[1] + way[1], b[2] + way[2])
                    if measure_to_facet(p, a, c, e, m, math.inf)[2]:
                        last, found, normal = t, behind, m
    for k in range(2):
        half_width = 0.5 * (table[s, SIZE + 1 + k] - 1.0) * table[s, SIZE]
        past = measure_excess(b[k], -half_width, half_width)
        if past != 0.0 and b[k] != x[k] and past / (b[k] - x[k]) > last:
            side = math.copysign(1.0, past)
            last, found = past / (b[k] - x[k]), side * x[k] - half_width
            normal = (side, 0.0, 0.0) if k == 0 else (0.0, side, 0.0)
    return found, normal


@inner_kernel
def find_next_facet(
    table: FloatArray, heights: FloatArray, s: int, x: Vector, first: Vector, gap: float
) -> tuple[float, Vector]:
    """Gap [m] to the nearest facet that stands out of the tangent plane of the first contact.

    `first` is the normal of the first contact, `gap` its gap. Where two facets meet in a valley,
    the surface is the higher of their planes: the gap is the distance to the facet's plane, the
    normal is its own. Only facets within `NEAR` pitches count; inf if there is none.
    """
    i0, j0 = find_cell_below(table, s, x)
    limit, found, normal = (NEAR * table[s, SIZE]) ** 2, math.inf, first
    level = dot(first, x) - gap + FLUSH
    for j in range(max(j0 - NEAR, 0), min(j0 + NEAR, int(table[s, SIZE + 2]) - 2) + 1):
        for i in range(max(i0 - NEAR, 0), min(i0 + NEAR, int(table[s, SIZE + 1]) - 2) + 1):
            if cell_apart(table, heights, s, x, i, j) >= limit:
                continue
            a, c = (
                corner_of(table, heights, s, i, j),
                corner_of(table, heights, s, i + 1, j + 1),
            )
            b, e = (
                corner_of(table, heights, s, i + 1, j),
                corner_of(table, heights, s, i, j + 1),
            )
            out = max(dot(first, a), dot(first, c))
            if max(out, dot(first, b), dot(first, e)) <= level:
                continue
            for half in range(2):
                a, b, c, m = facet_of(table, heights, s, i, j, half)
                if dot(m, first) > TURNED:
                    continue
                if max(dot(first, a), dot(first, b), dot(first, c)) <= level:
                    continue
                d = dot(m, x) - dot(m, a)
                if d < gap - FLUSH:  # behind, or its plane passes over the first contact
                    continue
                square = measure_to_facet(x, a, b, c, m, limit)[0]
                if square < limit:
                    limit, found, normal = square, d, m
    return found, normal
