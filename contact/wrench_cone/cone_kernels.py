"""Compiled loops over wrenches (N, 6): least share over the facets, closed form of a rectangle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.compiled import kernel

LEAST_LOAD = 1e-100  # [N]; a smaller load counts as none: quotients by it overflow
UNLOADED = -1  # facet of a wrench without load


class ConeMargin(NamedTuple):
    """Margins `value` (...,) and active `facet` (...,); without load -inf and `UNLOADED`."""

    value: FloatArray
    facet: IntArray


@kernel
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
        if not load > LEAST_LOAD:
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


@kernel
def rectangle_share(
    wrenches: FloatArray, X: float, Y: float, mu: float
) -> tuple[FloatArray, IntArray]:
    """Return the same for a rectangle's 16 rows, in their order, by inequalities (15)-(20).

    mu > 0. One pass over the five groups of rows; ties go to the first row.
    """
    count = wrenches.shape[0]
    share = np.empty(count)
    facet = np.empty(count, dtype=np.int64)
    by_mu, by_X, by_Y, by_yaw = 1 / mu, 1 / X, 1 / Y, 1 / (mu * (X + Y))
    for i in range(count):
        fx, fy, fz, tx, ty, tz = wrenches[i]
        if not fz > LEAST_LOAD:
            share[i], facet[i] = -np.inf, UNLOADED
            continue
        left, right = Y * fx - mu * tx, X * fy - mu * ty  # of tau_min
        ahead, aside = Y * fx + mu * tx, X * fy + mu * ty  # of tau_max
        used = abs(fx) * by_mu
        k = 0 if fx >= 0 else 1
        here = abs(fy) * by_mu
        if here > used:
            used, k = here, 2 if fy >= 0 else 3
        here = abs(tx) * by_Y
        if here > used:
            used, k = here, 4 if tx >= 0 else 5
        here = abs(ty) * by_X
        if here > used:
            used, k = here, 6 if ty >= 0 else 7
        here = (abs(left) + abs(right) - tz) * by_yaw
        if here > used:
            used, k = here, 8 + 2 * (left < 0) + (right < 0)
        here = (abs(ahead) + abs(aside) + tz) * by_yaw
        if here > used:
            used, k = here, 12 + 2 * (ahead < 0) + (aside < 0)
        share[i], facet[i] = 1.0 - used / fz, k
    return share, facet


@kernel
def rectangle_yaw(wrenches: FloatArray, X: float, Y: float, mu: float) -> FloatArray:
    """Return tau^z_min, tau^z_max, tau^z_safe and the half width of wrenches (N, 6): (4, N)."""
    out = np.empty((4, wrenches.shape[0]))
    for i in range(wrenches.shape[0]):
        fx, fy, fz, tx, ty, _ = wrenches[i]
        whole = mu * (X + Y) * fz
        out[0, i] = -whole + abs(Y * fx - mu * tx) + abs(X * fy - mu * ty)
        out[1, i] = whole - abs(Y * fx + mu * tx) - abs(X * fy + mu * ty)
        out[2, i] = -np.sign(fx) * np.sign(tx) * min(Y * abs(fx), mu * abs(tx))
        out[2, i] -= np.sign(fy) * np.sign(ty) * min(X * abs(fy), mu * abs(ty))
        out[3, i] = whole - max(Y * abs(fx), mu * abs(tx)) - max(X * abs(fy), mu * abs(ty))
    return out


@kernel
def rectangle_holds(wrenches: FloatArray, X: float, Y: float, mu: float) -> BoolArray:
    """Return whether (15)-(20) hold for wrenches (N, 6)."""
    held = np.empty(wrenches.shape[0], dtype=np.bool_)
    for i in range(wrenches.shape[0]):
        fx, fy, fz, tx, ty, tz = wrenches[i]
        whole = mu * (X + Y) * fz
        held[i] = (
            abs(fx) <= mu * fz
            and abs(fy) <= mu * fz
            and fz > 0.0
            and abs(tx) <= Y * fz
            and abs(ty) <= X * fz
            and tz >= -whole + abs(Y * fx - mu * tx) + abs(X * fy - mu * ty)
            and tz <= whole - abs(Y * fx + mu * tx) - abs(X * fy + mu * ty)
        )
    return held
