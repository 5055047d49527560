"""Compiled loop for a ground that is one plane, as most are: `kernels.query` without a search."""

from __future__ import annotations

import math

from numba import njit


@njit(cache=True)
def plane_gaps(points, origin, normal, gap, normals, solid):  # type: ignore[no-untyped-def]
    """Gap n . (p - o) to piece 0; no second surface: inf, the same normal, -1."""
    n0, n1, n2 = normal[0], normal[1], normal[2]
    for i in range(len(points)):
        gap[i, 0] = (
            (points[i, 0] - origin[0]) * n0
            + (points[i, 1] - origin[1]) * n1
            + (points[i, 2] - origin[2]) * n2
        )
        gap[i, 1], solid[i, 0], solid[i, 1] = math.inf, 0, -1
        for s in range(2):
            normals[i, s, 0], normals[i, s, 1], normals[i, s, 2] = n0, n1, n2
