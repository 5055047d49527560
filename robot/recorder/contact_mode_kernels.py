"""How a body touches: in the air, at a point, along an edge, or with a surface.

From the convex hull of the nodes that carry more than `SHARE` of the body's load, seen along its z:
a hull shorter than `slender` is a point, one narrower than that an edge [CaronPhamNakamura2015,
figure 4].
"""

from __future__ import annotations

import math

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel

AIR, POINT, EDGE, SURFACE = 0, 1, 2, 3
SHARE = 1e-3  # of the load of a body, above which a node counts


@inner_kernel
def contact_mode(
    places: FloatArray, load: FloatArray, total: float, corners: IntArray, slender: float
) -> int:
    """Return AIR, POINT, EDGE or SURFACE for the m nodes of a body.

    places (m, 2) of the nodes [m], load (m,) sizes of their forces and its sum `total` [N], corners
    (8,) nodes as `find_corners` gives them; `slender` [m] as above.
    """
    if total <= 0.0:
        return AIR
    # A hull is no narrower than that of some of its points: mostly a few corners tell, of the whole
    # body if they carry load, else of the nodes that do.
    few = np.empty((8, 2))
    n = 0
    for k in range(8):
        if load[corners[k]] > SHARE * total:
            few[n, 0], few[n, 1] = places[corners[k], 0], places[corners[k], 1]
            n += 1
    if n > 2 and measure_hull(few, n)[1] >= slender:
        return SURFACE
    loaded = np.empty((len(load), 2))
    n = 0
    for i in range(len(load)):
        if load[i] > SHARE * total:
            loaded[n, 0], loaded[n, 1] = places[i, 0], places[i, 1]
            n += 1
    best = find_corners(loaded, n)
    for k in range(8):
        few[k, 0], few[k, 1] = loaded[best[k], 0], loaded[best[k], 1]
    if measure_hull(few, 8)[1] >= slender:
        return SURFACE
    length, width = measure_hull(loaded, n)
    if length < slender:
        return POINT
    return EDGE if width < slender else SURFACE


@kernel
def find_corners(points: FloatArray, n: int) -> IntArray:
    """Return the extreme ones (8,) of the first n points (., 2) along x, y, x + y and x - y."""
    best = np.zeros(8, np.int64)
    far = np.full(8, -math.inf)
    for i in range(n):
        x, y = points[i, 0], points[i, 1]
        for k in range(4):
            along = x if k == 0 else y if k == 1 else x + y if k == 2 else x - y
            if along > far[2 * k]:
                far[2 * k], best[2 * k] = along, i
            if -along > far[2 * k + 1]:
                far[2 * k + 1], best[2 * k + 1] = -along, i
    return best


@inner_kernel
def measure_hull(points: FloatArray, n: int) -> tuple[float, float]:
    """Return length and least width of the hull of the first n points."""
    hull = convex_hull(points, n)
    length, width = 0.0, math.inf
    for i in range(len(hull)):
        a, b = points[hull[i]], points[hull[(i + 1) % len(hull)]]
        ex, ey = b[0] - a[0], b[1] - a[1]
        edge = math.sqrt(ex * ex + ey * ey)
        away = 0.0
        for j in range(len(hull)):
            dx, dy = points[hull[j], 0] - a[0], points[hull[j], 1] - a[1]
            length = max(length, math.sqrt(dx * dx + dy * dy))
            if edge > 0.0:
                away = max(away, abs(ex * dy - ey * dx) / edge)
        width = min(width, away)
    return length, width


@inner_kernel
def convex_hull(points: FloatArray, n: int) -> IntArray:
    """Return the vertices of the hull of the first n points (., 2), anticlockwise (monotone chain).

    One point, or two of a line, are their own hull.
    """
    order = np.empty(n, np.int64)
    for i in range(n):  # insertion by x, then y
        j = i
        while j > 0:
            k = order[j - 1]
            if points[k, 0] < points[i, 0] or (
                points[k, 0] == points[i, 0] and points[k, 1] <= points[i, 1]
            ):
                break
            order[j] = k
            j -= 1
        order[j] = i
    hull = np.empty(2 * n + 1, np.int64)
    count = 0
    for half in range(2):
        base = count
        for m in range(n):
            p = order[m] if half == 0 else order[n - 1 - m]
            while count >= base + 2:
                a, b = points[hull[count - 2]], points[hull[count - 1]]
                cross = (b[0] - a[0]) * (points[p, 1] - a[1])
                if cross - (b[1] - a[1]) * (points[p, 0] - a[0]) > 0.0:
                    break
                count -= 1
            hull[count] = p
            count += 1
        count -= 1  # the last point of a half is the first of the other
    return hull[: max(count, 1)].copy()
