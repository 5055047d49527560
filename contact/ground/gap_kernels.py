"""Gap of a point to any piece of the ground, and how far a piece reaches along a direction.

Balls and rods (bumps, stones of gravel, bars) are here; boxes, steps and stairs in
`gap_to_box_stair_kernels`, height fields in `gap_to_field_kernels`.
"""

from __future__ import annotations

import math

from contact.ground.gap_to_box_stair_kernels import box_gap
from contact.ground.gap_to_field_kernels import field_gap, find_crossing
from contact.ground.piece_kernels import (
    AXES,
    BALL,
    BOX,
    FIELD,
    FLUSH,
    KIND,
    PLANE,
    ROD,
    SIZE,
    Vector,
    dot,
    measure_excess,
    move_in,
    row_of,
    turn_in,
    turn_out,
)
from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel


@inner_kernel
def ball_gap(x: Vector, radius: float) -> tuple[float, Vector]:
    """Signed distance [m] to a ball about the origin and its normal."""
    d = math.sqrt(dot(x, x))
    if d > 0.0:
        return d - radius, (x[0] / d, x[1] / d, x[2] / d)
    return -radius, (0.0, 0.0, 1.0)


@inner_kernel
def rod_gap(table: FloatArray, s: int, x: Vector) -> tuple[float, Vector]:
    """Signed distance [m] to a rod along its own y and its normal."""
    along = measure_excess(x[1], -table[s, SIZE + 1], table[s, SIZE + 1])
    return ball_gap((x[0], along, x[2]), table[s, SIZE])


@inner_kernel
def piece_gap(
    table: FloatArray, heights: FloatArray, s: int, p: Vector, before: Vector, has_before: bool
) -> tuple[float, Vector]:
    """Signed distance [m] of the point p to piece s, and the normal, world axes."""
    x = move_in(table, s, p)
    k = table[s, KIND]
    if k == PLANE:
        return x[2], (table[s, AXES + 2], table[s, AXES + 5], table[s, AXES + 8])
    if k == BOX:
        d, n = box_gap(table, s, x, before, has_before)
    elif k == BALL:
        d, n = ball_gap(x, table[s, SIZE])
    elif k == ROD:
        d, n = rod_gap(table, s, x)
    else:
        d, n = field_gap(table, heights, s, x)
        if d < 0.0 and has_before:
            crossed, m = find_crossing(table, heights, s, x, move_in(table, s, before))
            if crossed < math.inf:
                d, n = crossed, m
    return d, turn_out(table, s, n)


@inner_kernel
def reach_along(c: float, low: float, high: float) -> float:
    """Largest c x over low <= x <= high; a bound at infinity counts unless c is round-off."""
    end = high if c > 0.0 else low
    if math.isinf(end):
        return math.inf if abs(c) > FLUSH else 0.0
    return c * end


@inner_kernel
def support_of(table: FloatArray, s: int, n: Vector) -> float:
    """Largest n . x over the points x of piece s [m]; infinity for a field."""
    k = table[s, KIND]
    if k == FIELD:
        return math.inf
    at = dot(n, row_of(table, s))
    if k == BALL or k == ROD:
        at += table[s, SIZE]
    if k == BALL:
        return at
    c = turn_in(table, s, n)
    if k == BOX:
        for a in range(3):
            at += reach_along(c[a], table[s, SIZE + a], table[s, SIZE + 3 + a])
        return at
    if k == ROD:
        return at + reach_along(c[1], -table[s, SIZE + 1], table[s, SIZE + 1])
    for a in range(3):
        at += reach_along(c[a], -math.inf, 0.0 if a == 2 else math.inf)
    return at
