"""Gap of a point to a box: steps, treads of stairs and boxes are all of this kind."""

from __future__ import annotations

import math

from contact.ground.piece_kernels import SIZE, Vector, measure_excess, move_in
from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel


@inner_kernel
def find_exit(table: FloatArray, s: int, x: Vector) -> tuple[int, float]:
    """Face of least penetration of a point inside a box: axis and side (-1 or 1)."""
    axis, side, least = 2, 1.0, table[s, SIZE + 5] - x[2]
    for a in (2, 0, 1):  # of equals, the top
        if table[s, SIZE + 3 + a] - x[a] < least:
            axis, side, least = a, 1.0, table[s, SIZE + 3 + a] - x[a]
        if x[a] - table[s, SIZE + a] < least:
            axis, side, least = a, -1.0, x[a] - table[s, SIZE + a]
    return axis, side


@inner_kernel
def find_entry(table: FloatArray, s: int, x: Vector, b: Vector) -> tuple[int, float]:
    """Face through which the straight path from b to x, a point inside, enters a box.

    A face is crossed at the fraction t of the path; the last crossing enters the box. A start
    inside crosses no face: it takes the face of its least penetration.
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
        return find_exit(table, s, b)
    return axis, side


@inner_kernel
def box_gap(
    table: FloatArray, s: int, x: Vector, before: Vector, has_before: bool
) -> tuple[float, Vector]:
    """Signed distance [m] to a box and the normal at the nearest point, own axes."""
    e0 = measure_excess(x[0], table[s, SIZE], table[s, SIZE + 3])
    e1 = measure_excess(x[1], table[s, SIZE + 1], table[s, SIZE + 4])
    e2 = measure_excess(x[2], table[s, SIZE + 2], table[s, SIZE + 5])
    square = e0 * e0 + e1 * e1 + e2 * e2
    if square > 0.0:
        d = math.sqrt(square)
        return d, (e0 / d, e1 / d, e2 / d)
    if has_before:
        axis, side = find_entry(table, s, x, move_in(table, s, before))
    else:
        axis, side = find_exit(table, s, x)
    d = x[axis] - table[s, SIZE + 3 + axis] if side > 0.0 else table[s, SIZE + axis] - x[axis]
    return d, (
        side if axis == 0 else 0.0,
        side if axis == 1 else 0.0,
        side if axis == 2 else 0.0,
    )
