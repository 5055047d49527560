"""The nearest surfaces of many points: culling, gaps, frames; arrays in, arrays out.

A ground that is one plane, as most are, needs no search: `fill_plane_gaps`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.ground.gap_kernels import piece_gap, support_of
from contact.ground.gap_to_field_kernels import find_next_facet
from contact.ground.piece_kernels import (
    BLOCK,
    BOUND,
    FIELD,
    FLUSH,
    KIND,
    STEEP,
    TURNED,
    Vector,
    dot,
    measure_excess,
    move_in,
    row_of,
    turn_in,
    turn_out,
)
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel


class GroundArrays(NamedTuple):
    """All pieces of a ground and the culling grid.

    Attributes
    ----------
    table : (s, 25) and heights: the pieces, see `contact.ground.piece_kernels`.
    always : pieces without bounds.
    grid : x0, y0, pitch, columns, rows; its cell c has the pieces member[start[c]:start[c + 1]],
        all whose bound is within reach of the cell's column.
    order : the pieces, neighbours together.
    block : one row for each BLOCK of them, of which only the columns of the bound are used.
    """

    table: FloatArray
    heights: FloatArray
    always: IntArray
    grid: FloatArray
    start: IntArray
    member: IntArray
    order: IntArray
    block: FloatArray


@inner_kernel
def bound_apart(table: FloatArray, s: int, p: Vector) -> float:
    """Square of the distance from p to the upright box around piece s [m^2]."""
    e0 = measure_excess(p[0], table[s, BOUND], table[s, BOUND + 3])
    e1 = measure_excess(p[1], table[s, BOUND + 1], table[s, BOUND + 4])
    e2 = measure_excess(p[2], table[s, BOUND + 2], table[s, BOUND + 5])
    return e0 * e0 + e1 * e1 + e2 * e2


@inner_kernel
def find_cell(p: Vector, grid: FloatArray) -> int:
    """Return the cell of the culling grid (x0, y0, pitch, nx, ny) that p is in, -1 outside."""
    i, j = math.floor((p[0] - grid[0]) / grid[2]), math.floor((p[1] - grid[1]) / grid[2])
    if 0 <= i < grid[3] and 0 <= j < grid[4]:
        return int(i * grid[4] + j)
    return -1


@kernel
def write_frames(normals: FloatArray, lead: FloatArray, frames: FloatArray) -> None:
    """Rows t1, t2, n of frames (n, S, 3, 3) for normals (n, S, 3).

    t1 is column 0 of lead (1 or n, 3, 3) along the surface; where the normal is within 26 degrees
    of that column, column 1 takes its place.
    """
    for i in range(len(normals)):
        l = i if len(lead) > 1 else 0
        for k in range(normals.shape[1]):
            n = (normals[i, k, 0], normals[i, k, 1], normals[i, k, 2])
            t = (lead[l, 0, 0], lead[l, 1, 0], lead[l, 2, 0])
            along = dot(n, t)
            if abs(along) > STEEP:
                t = (lead[l, 0, 1], lead[l, 1, 1], lead[l, 2, 1])
                along = dot(n, t)
            t = (t[0] - along * n[0], t[1] - along * n[1], t[2] - along * n[2])
            unit = 1.0 / math.sqrt(dot(t, t))
            t = (t[0] * unit, t[1] * unit, t[2] * unit)
            for a in range(3):
                frames[i, k, 0, a] = t[a]
                frames[i, k, 2, a] = n[a]
            frames[i, k, 1, 0] = n[1] * t[2] - n[2] * t[1]
            frames[i, k, 1, 1] = n[2] * t[0] - n[0] * t[2]
            frames[i, k, 1, 2] = n[0] * t[1] - n[1] * t[0]


@kernel
def measure_gaps(
    points: FloatArray,
    before: FloatArray,
    table: FloatArray,
    heights: FloatArray,
    gap: FloatArray,
    normal: FloatArray,
) -> None:
    """Signed distance (s, n) and normal (s, n, 3) of every point to every piece."""
    for s in range(len(table)):
        for i in range(len(points)):
            p, b = row_of(points, i), row_of(before, i)
            gap[s, i], n = piece_gap(table, heights, s, p, b, True)
            for a in range(3):
                normal[s, i, a] = n[a]


@inner_kernel
def find_further(
    table: FloatArray, p: Vector, reach: float, kept: IntArray, distance: FloatArray,
    normal: FloatArray, number: int, taken: IntArray, k: int, gap: FloatArray,
    normals: FloatArray, i: int,
) -> int:  # fmt: skip
    """Return the nearest candidate c < `number` that stands out of all surfaces taken; -1: none.

    Of point i at p the first k surfaces are taken: candidates taken[:k] with their gap[i] and
    normals[i]. A candidate is piece kept[c] at distance[c] in the direction normal[c].
    """
    best, nearest = -1, reach
    for c in range(number):
        if distance[c] > nearest:
            continue
        m, stands = row_of(normal, c), True
        for j in range(k):
            n = (normals[i, j, 0], normals[i, j, 1], normals[i, j, 2])
            if c == taken[j] or dot(n, m) > TURNED:
                stands = False
                break
            if not support_of(table, kept[c], n) > dot(n, p) - gap[i, j] + FLUSH:
                stands = False
                break
        if stands:
            best, nearest = c, distance[c]
    return best


@kernel
def find_surfaces(
    points: FloatArray,
    before: FloatArray,
    reach: float,
    ground: Bundle,
    gap: FloatArray,
    normals: FloatArray,
    solid: IntArray,
) -> None:
    """Find the S >= 2 nearest surfaces of every point, each in another direction.

    Parameters
    ----------
    points : (n, 3) world [m]; before : (n, 3) or (0, 3).
    reach : search distance of all surfaces but the first [m].
    ground : `GroundArrays`.
    gap (n, S), normals (n, S, 3), solid (n, S) : written; all but the first may be (inf, normal of
    the first, -1).
    """
    taken = np.empty(gap.shape[1], dtype=np.int64)
    table, heights, always, grid, start, member, order, block = ground
    most = len(table) + 1
    kept = np.empty(most, dtype=np.int64)
    distance = np.empty(most)
    normal = np.empty((most, 3))
    has_before = len(before) > 0
    for i in range(len(points)):
        p = row_of(points, i)
        b = row_of(before, i) if has_before else p
        number, first, least, n = 0, -1, math.inf, (0.0, 0.0, 1.0)
        # All pieces within reach, and the nearest of them.
        cell = find_cell(p, grid)
        begin, end = (start[cell], start[cell + 1]) if cell >= 0 else (0, 0)
        for c in range(len(always) + end - begin):
            s = always[c] if c < len(always) else member[begin + c - len(always)]
            if bound_apart(table, s, p) > reach * reach:
                continue
            d, m = piece_gap(table, heights, s, p, b, has_before)
            kept[number], distance[number] = s, d
            normal[number, 0], normal[number, 1], normal[number, 2] = m
            if d < least:
                first, least, n = number, d, m
            number += 1
        if least > reach:  # nothing within reach: any piece may be the nearest
            for k in range(len(block)):
                if least < math.inf and bound_apart(block, k, p) >= least * least:
                    continue
                for c in range(k * BLOCK, min((k + 1) * BLOCK, len(order))):
                    s = order[c]
                    if least < math.inf and bound_apart(table, s, p) >= least * least:
                        continue
                    d, m = piece_gap(table, heights, s, p, b, has_before)
                    if d < least:
                        number, first, least, n = 1, 0, d, m
                        kept[0], distance[0] = s, d
        # The first surface.
        gap[i, 0], solid[i, 0] = least, kept[first]
        for k in range(gap.shape[1]):
            if k > 0:
                gap[i, k], solid[i, k] = math.inf, -1
            normals[i, k, 0], normals[i, k, 1], normals[i, k, 2] = n
        # The tangent plane of the nearest piece keeps p off all pieces that do not stand out of it:
        # the floor under a box, the flush neighbour of a tile, lower stairs.
        level = dot(n, p) - least + FLUSH
        second, next_gap, other = -1, reach, n
        taken[0], taken[1] = first, first
        for c in range(number):
            if c == first or distance[c] > next_gap:
                continue
            m = row_of(normal, c)
            if dot(n, m) > TURNED:
                continue
            if support_of(table, kept[c], n) > level:
                second, next_gap, other, taken[1] = kept[c], distance[c], m, c
        if table[kept[first], KIND] == FIELD and least <= reach:  # it may touch p twice by itself
            s = kept[first]
            x, f = move_in(table, s, p), turn_in(table, s, n)
            d, m = find_next_facet(table, heights, s, x, f, least)
            if d < next_gap:
                second, next_gap, other, taken[1] = s, d, turn_out(table, s, m), first
        # The second surface, then further ones in other directions.
        if second < 0:
            continue
        gap[i, 1], solid[i, 1] = next_gap, second
        normals[i, 1, 0], normals[i, 1, 1], normals[i, 1, 2] = other
        for k in range(2, gap.shape[1]):
            c = find_further(
                table, p, reach, kept, distance, normal, number, taken, k, gap, normals, i
            )
            if c < 0:
                break
            taken[k], gap[i, k], solid[i, k] = c, distance[c], kept[c]
            normals[i, k, 0], normals[i, k, 1], normals[i, k, 2] = row_of(normal, c)


@kernel
def fill_plane_gaps(
    points: FloatArray,
    origin: FloatArray,
    normal: FloatArray,
    gap: FloatArray,
    normals: FloatArray,
    solid: IntArray,
) -> None:
    """Gap n . (p - o) to piece 0; no other surface: inf, the same normal, -1."""
    n0, n1, n2 = normal[0], normal[1], normal[2]
    for i in range(len(points)):
        gap[i, 0] = (
            (points[i, 0] - origin[0]) * n0
            + (points[i, 1] - origin[1]) * n1
            + (points[i, 2] - origin[2]) * n2
        )
        solid[i, 0] = 0
        for s in range(gap.shape[1]):
            if s > 0:
                gap[i, s], solid[i, s] = math.inf, -1
            normals[i, s, 0], normals[i, s, 1], normals[i, s, 2] = n0, n1, n2
