"""Compiled loops over wrenches (N, 6): the least share over the facets, and which facet it is."""

from __future__ import annotations

import numpy as np
from numba import njit

from sole.arrays import FloatArray, IntArray

UNLOADED = -1  # in place of a facet: the wrench presses nothing


@njit(cache=True)
def least_share(
    wrenches: FloatArray,
    rows: FloatArray,
    central: FloatArray,
    up: FloatArray,
    allowed: FloatArray,
) -> tuple[FloatArray, IntArray]:
    """Return min_k A_k w / (A_k c load), load = f . up, of wrenches (N, 6), and the k of each.

    `central` (k,) is -A_k c >= 0. Where it is 0 the row is half of an equation: it takes no
    part while A_k w <= allowed_k load, and makes the share -inf beyond that. -inf and
    `UNLOADED` where load <= 0.
    """
    count = wrenches.shape[0]
    share = np.full(count, np.inf)
    facet = np.full(count, UNLOADED)
    for i in range(count):
        w = wrenches[i]
        load = w[0] * up[0] + w[1] * up[1] + w[2] * up[2]
        if not load > 0.0:
            share[i] = -np.inf
            continue
        for k in range(rows.shape[0]):
            a = rows[k]
            along = (
                a[0] * w[0] + a[1] * w[1] + a[2] * w[2] + a[3] * w[3] + a[4] * w[4] + a[5] * w[5]
            )
            if central[k] > 0.0:
                here = -along / (central[k] * load)
            elif along <= allowed[k] * load:
                continue
            else:
                here = -np.inf
            if here < share[i]:
                share[i] = here
                facet[i] = k
    return share, facet


@njit(cache=True)
def rectangle_share(
    wrenches: FloatArray, X: float, Y: float, mu: float
) -> tuple[FloatArray, IntArray]:
    """Return the same for a rectangle's 16 rows, in their order, by inequalities (15)-(20).

    mu > 0. One pass over the five groups of rows; of equal ones the first.
    """
    count = wrenches.shape[0]
    share = np.empty(count)
    facet = np.empty(count, dtype=np.int64)
    for i in range(count):
        fx, fy, fz, tx, ty, tz = wrenches[i]
        if not fz > 0.0:
            share[i], facet[i] = -np.inf, UNLOADED
            continue
        yaw = mu * (X + Y) * fz
        left, right = Y * fx - mu * tx, X * fy - mu * ty  # of tau_min
        ahead, aside = Y * fx + mu * tx, X * fy + mu * ty  # of tau_max
        used = abs(fx) / (mu * fz)
        k = 0 if fx >= 0 else 1
        here = abs(fy) / (mu * fz)
        if here > used:
            used, k = here, 2 if fy >= 0 else 3
        here = abs(tx) / (Y * fz)
        if here > used:
            used, k = here, 4 if tx >= 0 else 5
        here = abs(ty) / (X * fz)
        if here > used:
            used, k = here, 6 if ty >= 0 else 7
        here = (abs(left) + abs(right) - tz) / yaw
        if here > used:
            used, k = here, 8 + 2 * (left < 0) + (right < 0)
        here = (abs(ahead) + abs(aside) + tz) / yaw
        if here > used:
            used, k = here, 12 + 2 * (ahead < 0) + (aside < 0)
        share[i], facet[i] = 1.0 - used, k
    return share, facet
