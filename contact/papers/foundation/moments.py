"""Exact moments of area of polygons, also of the part of them on one side of a line.

A row of moments is the integral of (1, x, y, x^2, x y, y^2) over a region of the sole plane. For a
triangle the rule of the three corners is exact,

    int x y dA = area/12 (sum x_i y_i + sum x_i sum y_i),

and a ring of any shape is the sum of the signed triangles that its first vertex makes with the
edges: counter-clockwise rings count positive, clockwise ones (holes) negative. A ring that a line
cuts may fall into several parts; going along it and keeping what is inside gives one ring again,
joined by pieces of the cutting line that cancel, so that the sum stays exact.
"""

from __future__ import annotations

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel

PLACE = np.array([(5, 4, 2), (4, 3, 1), (2, 1, 0)])  # of I_xx, I_xy, ... in a row of moments
SIGN = np.array([(1.0, -1.0, 1.0), (-1.0, 1.0, -1.0), (1.0, -1.0, 1.0)])


@inner_kernel
def add_triangle(
    m: FloatArray, ax: float, ay: float, bx: float, by: float, cx: float, cy: float
) -> None:
    """Add the moments of the signed triangle a, b, c to m (6,)."""
    area = ((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2
    sx, sy = ax + bx + cx, ay + by + cy
    m[0] += area
    m[1] += area * sx / 3
    m[2] += area * sy / 3
    m[3] += area * (ax * ax + bx * bx + cx * cx + sx * sx) / 12
    m[4] += area * (ax * ay + bx * by + cx * cy + sx * sy) / 12
    m[5] += area * (ay * ay + by * by + cy * cy + sy * sy) / 12


@kernel
def ring_moments(vertices: FloatArray, first: IntArray) -> FloatArray:
    """Moments (rings, 6) of rings vertices[first[r]:first[r + 1]]."""
    m = np.zeros((len(first) - 1, 6))
    for r in range(len(first) - 1):
        ox, oy = vertices[first[r], 0], vertices[first[r], 1]
        for i in range(first[r] + 1, first[r + 1] - 1):
            ax, ay = vertices[i, 0], vertices[i, 1]
            add_triangle(m[r], ox, oy, ax, ay, vertices[i + 1, 0], vertices[i + 1, 1])
    return m


@kernel
def pressed_moments(
    vertices: FloatArray, first: IntArray, heights: FloatArray, x_f: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Moments (n, 6) of where f_z > 0, and those weighted by the height of the ground (n, 6).

    f_z/c_A = -(y x_f0 - x x_f1 + x_f2 - h), x_f (n, 3), h (rings,).
    """
    n = len(x_f)
    plain, raised, part = np.zeros((n, 6)), np.zeros((n, 6)), np.zeros(6)
    for k in range(n):
        a, b, z = x_f[k, 0], x_f[k, 1], x_f[k, 2]
        for r in range(len(first) - 1):
            start, end = first[r], first[r + 1]
            h = heights[r]
            part[:] = 0.0
            found = 0
            ox = oy = px = py = 0.0
            x0, y0 = vertices[end - 1, 0], vertices[end - 1, 1]
            d0 = h - z - a * y0 + b * x0
            for i in range(start, end):
                x1, y1 = vertices[i, 0], vertices[i, 1]
                d1 = h - z - a * y1 + b * x1
                if (d0 > 0) != (d1 > 0):
                    t = d0 / (d0 - d1)
                    qx, qy = x0 + t * (x1 - x0), y0 + t * (y1 - y0)
                    if found == 0:
                        ox, oy = qx, qy
                    elif found > 1:
                        add_triangle(part, ox, oy, px, py, qx, qy)
                    px, py = qx, qy
                    found += 1
                if d1 > 0:
                    if found == 0:
                        ox, oy = x1, y1
                    elif found > 1:
                        add_triangle(part, ox, oy, px, py, x1, y1)
                    px, py = x1, y1
                    found += 1
                x0, y0, d0 = x1, y1, d1
            for j in range(6):
                plain[k, j] += part[j]
                raised[k, j] += h * part[j]
    return plain, raised


def moments_of_rings(vertices: FloatArray, first: IntArray) -> FloatArray:
    """Moments (rings, 6) of closed rings: areas [m^2] and so on, signed by the sense."""
    return np.asarray(ring_moments(vertices, first))


def moments_of_segments(ends: FloatArray) -> FloatArray:
    """Moments (s, 6) of straight lines `ends` (s, 2, 2), integrated over their length [m]."""
    (x0, y0), (x1, y1) = ends[:, 0].T, ends[:, 1].T
    length = np.hypot(x1 - x0, y1 - y0)
    xy = (2 * (x0 * y0 + x1 * y1) + x0 * y1 + x1 * y0) / 6
    xx, yy = (x0 * x0 + x0 * x1 + x1 * x1) / 3, (y0 * y0 + y0 * y1 + y1 * y1) / 3
    rows = np.stack([np.ones_like(x0), (x0 + x1) / 2, (y0 + y1) / 2, xx, xy, yy], axis=1)
    return np.asarray(length[:, None] * rows)


def moments_of_points(points: FloatArray) -> FloatArray:
    """Moments (p, 6) of points (p, 2), each counted once; area-weight them for lumped nodes."""
    x, y = points.T
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)


def gram(moments: FloatArray) -> FloatArray:
    """int phi phi' (..., 3, 3) with phi = (y, -x, 1), from moments (..., 6).

    With I_xx = int y^2, I_yy = int x^2, I_xy = int x y and the centre r_c of the area A:

        [ I_xx      -I_xy      r_cy A ]
        [-I_xy       I_yy     -r_cx A ]
        [ r_cy A    -r_cx A    A      ]
    """
    return np.asarray(np.asarray(moments)[..., PLACE] * SIGN)
