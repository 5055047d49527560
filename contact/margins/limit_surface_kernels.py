"""Compiled loops of the limit surface of a pressed sole: see `contact.margins.limit_surface`.

What slips where under which motion is in `contact.margins.slide_map_kernels`.
"""

from __future__ import annotations

import math

import numpy as np

from contact.margins.slide_map_kernels import (
    complete_basis,
    fill_slide_maps,
    turn_maps,
    whiten,
)
from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel, kernel

BACK = 0.99  # part of the way to the border of a disc that a step goes
MOST = 60  # steps; 20 were the most in 20 000 random contacts
FLAT = 1e-9  # radius of gyration over size of the contact that counts as a point


@inner_kernel
def _sum_smoothed(
    B: FloatArray,
    a: FloatArray,
    y: FloatArray,
    y2: float,
    eps: float,
    s: FloatArray,
    sums: FloatArray,
) -> None:
    """Fill `sums`: sum a_i eta_i, its gradient (3,), its Hessian 00, 01, 11, 20, 21."""
    sums[:] = 0.0
    for i in range(len(a)):
        b0, b1, b2, c0, c1, c2 = B[i, 0], B[i, 1], B[i, 2], B[i, 3], B[i, 4], B[i, 5]
        v0 = b0 * y[0] + b1 * y[1] + b2 * y2
        v1 = c0 * y[0] + c1 * y[1] + c2 * y2
        eta = math.sqrt(v0 * v0 + v1 * v1 + eps * eps)
        n0, n1 = v0 / eta, v1 / eta
        k00 = (a[i] - s[i, 0] * n0) / eta
        k11 = (a[i] - s[i, 1] * n1) / eta
        k01 = -0.5 * (s[i, 0] * n1 + s[i, 1] * n0) / eta
        p0, p1 = k00 * b0 + k01 * c0, k00 * b1 + k01 * c1
        q0, q1 = k01 * b0 + k11 * c0, k01 * b1 + k11 * c1
        sums[0] += a[i] * eta
        sums[1] += a[i] * (b0 * n0 + c0 * n1)
        sums[2] += a[i] * (b1 * n0 + c1 * n1)
        sums[3] += a[i] * (b2 * n0 + c2 * n1)
        sums[4] += b0 * p0 + c0 * q0
        sums[5] += b0 * p1 + c0 * q1
        sums[6] += b1 * p1 + c1 * q1
        sums[7] += b2 * p0 + c2 * q0
        sums[8] += b2 * p1 + c2 * q1


@inner_kernel
def _fill_changes(
    B: FloatArray,
    a: FloatArray,
    y: FloatArray,
    y2: float,
    eps: float,
    e0: float,
    e1: float,
    s: FloatArray,
    x: FloatArray,
) -> float:
    """Fill the changes x (K, 2) of the forces s; return how far they may go, at most 1."""
    beta = 1.0
    for i in range(len(a)):
        b0, b1, b2, c0, c1, c2 = B[i, 0], B[i, 1], B[i, 2], B[i, 3], B[i, 4], B[i, 5]
        v0 = b0 * y[0] + b1 * y[1] + b2 * y2
        v1 = c0 * y[0] + c1 * y[1] + c2 * y2
        u0, u1 = b0 * e0 + b1 * e1, c0 * e0 + c1 * e1
        eta = math.sqrt(v0 * v0 + v1 * v1 + eps * eps)
        n0, n1 = v0 / eta, v1 / eta
        s0, s1 = s[i, 0], s[i, 1]
        mixed = -0.5 * (s0 * n1 + s1 * n0)
        x0 = a[i] * n0 + ((a[i] - s0 * n0) * u0 + mixed * u1) / eta - s0
        x1 = a[i] * n1 + (mixed * u0 + (a[i] - s1 * n1) * u1) / eta - s1
        x[i, 0], x[i, 1] = x0, x1
        square = a[i] * a[i]
        if (s0 + x0) ** 2 + (s1 + x1) ** 2 > square:
            A, half, room = x0 * x0 + x1 * x1, s0 * x0 + s1 * x1, square - s0 * s0 - s1 * s1
            root = math.sqrt(max(half * half + A * room, 0.0))
            far = max(room, 0.0) / (half + root) if half > 0.0 else (root - half) / A
            beta = min(beta, BACK * far)
    return beta


@inner_kernel
def minimise_gauge(
    B: FloatArray,
    a: FloatArray,
    size: float,
    tolerance: float,
    y: FloatArray,
    s: FloatArray,
) -> tuple[float, float, int]:
    """Minimise h(d) = sum a_i |B_i d| over d = (y0, y1, 1/size); return (low, high, steps).

    sum a_i = 1, sum a_i B_i'B_i = 1. `high` = h(d), and `low` e3 size = sum B_i's_i with
    |s_i| <= a_i: the minimum is between them. Newton's method on eta_i s_i = a_i B_i d with
    eta_i = sqrt(|B_i d|^2 + eps^2), d and s as unknowns [ChanGolubMulet1999], eps following
    the gap.
    """
    K = len(a)
    y2 = 1.0 / size
    y[0], y[1] = 0.0, 0.0
    s[:] = 0.0
    low, high = 0.0, 0.0
    for i in range(K):
        high += a[i] * math.sqrt(B[i, 2] ** 2 + B[i, 5] ** 2) * y2
    if high == 0.0:
        return 0.0, 0.0, 0
    eps = 0.3 * high
    x = np.empty((K, 2))
    sums = np.empty(9)
    steps = 0
    while steps < MOST:
        steps += 1
        # Newton's step of the smoothed sum, two unknowns.
        _sum_smoothed(B, a, y, y2, eps, s, sums)
        smooth, g0, g1, H00, H01, H11 = sums[0], sums[1], sums[2], sums[4], sums[5], sums[6]
        swap = H11 > H00  # the larger pivot first
        if swap:
            H00, H11, g0, g1 = H11, H00, g1, g0
        if H00 <= 0.0:
            break
        ratio = H01 / H00
        pivot = H11 - ratio * H01
        e1 = -(g1 - ratio * g0) / pivot if pivot > 1e-15 * H11 else 0.0
        e0 = -(g0 + H01 * e1) / H00
        if swap:
            e0, e1, g0, g1 = e1, e0, g1, g0
        force = (sums[3] + sums[7] * e0 + sums[8] * e1) / size
        slope = g0 * e0 + g1 * e1
        # The dual side goes as far as it stays feasible: a lower bound.
        beta = _fill_changes(B, a, y, y2, eps, e0, e1, s, x)
        for i in range(K):
            s[i, 0] += beta * x[i, 0]
            s[i, 1] += beta * x[i, 1]
        low += beta * (force - low)
        # The primal side by a line search: an upper bound.
        alpha = 1.0
        while True:
            d0, d1 = y[0] + alpha * e0, y[1] + alpha * e1
            high, trial = 0.0, 0.0
            for i in range(K):
                v0 = B[i, 0] * d0 + B[i, 1] * d1 + B[i, 2] * y2
                v1 = B[i, 3] * d0 + B[i, 4] * d1 + B[i, 5] * y2
                square = v0 * v0 + v1 * v1
                high += a[i] * math.sqrt(square)
                trial += a[i] * math.sqrt(square + eps * eps)
            if trial <= smooth + 1e-4 * alpha * slope + 1e-14 * smooth or alpha < 1e-6:
                break
            alpha *= 0.5
        y[0], y[1] = d0, d1
        gap = high - low
        if gap <= tolerance * high:
            break
        eps = min(eps, 0.1 * gap) if alpha * beta > 0.9 else min(eps, gap)
    return _prove(B, a, size, low, s), high, steps


@inner_kernel
def _prove(
    B: FloatArray,
    a: FloatArray,
    size: float,
    low: float,
    s: FloatArray,
) -> float:
    """Correct s so that it sums up to low e3 size; return the low that its discs allow."""
    r0, r1, r2 = 0.0, 0.0, -low * size
    for i in range(len(a)):
        r0 += B[i, 0] * s[i, 0] + B[i, 3] * s[i, 1]
        r1 += B[i, 1] * s[i, 0] + B[i, 4] * s[i, 1]
        r2 += B[i, 2] * s[i, 0] + B[i, 5] * s[i, 1]
    over = 1.0
    for i in range(len(a)):
        s[i, 0] -= a[i] * (B[i, 0] * r0 + B[i, 1] * r1 + B[i, 2] * r2)
        s[i, 1] -= a[i] * (B[i, 3] * r0 + B[i, 4] * r1 + B[i, 5] * r2)
        if a[i] > 0.0:
            over = max(over, math.hypot(s[i, 0], s[i, 1]) / a[i])
    return low / over


@kernel
def slip_gauge(
    points: FloatArray,
    frames: FloatArray,
    holding: FloatArray,
    axes: FloatArray,
    centre: FloatArray,
    strength: float,
    radius: float,
    load: FloatArray,
    tolerance: float,
    motion: FloatArray,
    s: FloatArray,
) -> tuple[float, float, int]:
    """Return (least, largest) the gauge of `load` can be, and the number of steps.

    `load` (f1, f2, m) about the centre. Filled: `motion` (v1, v2, omega), the twist of the
    centre that proves `least`, and forces s (K, 2) within the discs that sum up to
    load/largest. The gauge is infinite where nothing resists the load, NaN where numbers overflow.
    """
    K = len(holding)
    motion[:] = 0.0
    s[:] = 0.0
    size, reach = 0.0, 0.0
    for i in range(K):
        for c in range(3):
            reach = max(reach, abs(points[i, c] - centre[c]), 1e-6 * abs(points[i, c]))
    yaws = radius > FLAT * reach
    length = radius if yaws else 0.0
    w = np.array([load[0], load[1], load[2] / length if yaws else 0.0]) / strength
    if not yaws and abs(load[2]) > FLAT * strength * reach:
        motion[2] = 1.0 if load[2] > 0.0 else -1.0
        return math.inf, math.inf, 0
    B, a = np.empty((K, 6)), holding / strength
    fill_slide_maps(points, frames, axes, centre, length, B)
    X, Q = np.empty((3, 3)), np.empty((3, 3))
    whiten(B, a, yaws, X)
    white = X.T @ w
    size = math.sqrt(white[0] ** 2 + white[1] ** 2 + white[2] ** 2)
    if size < 1e-14:
        return 0.0, 0.0, 0
    if not size < math.inf:
        return math.nan, math.nan, 0
    complete_basis(white, Q)
    turn_maps(B, Q)
    y = np.empty(2)
    low, high, steps = minimise_gauge(B, a, size, tolerance, y, s)
    d = X @ (Q @ np.array([y[0], y[1], 1.0 / size]))
    motion[0], motion[1] = d[0], d[1]
    motion[2] = d[2] / length if yaws else 0.0
    for i in range(K):
        s[i, 0] *= strength
        s[i, 1] *= strength
    least = math.inf if high <= 0.0 else 1.0 / high
    return least, math.inf if low <= 0.0 else 1.0 / low, steps


@kernel
def slip_gauges(
    points: FloatArray,
    frames: FloatArray,
    holding: FloatArray,
    axes: FloatArray,
    centre: FloatArray,
    strength: float,
    radius: float,
    loads: FloatArray,
    tolerance: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the largest gauges (N,) of `loads` (N, 3) about the centre and motions (N, 3)."""
    gauges, motions = np.empty(len(loads)), np.zeros((len(loads), 3))
    s = np.empty((len(holding), 2))
    for i in range(len(loads)):
        _, gauges[i], _ = slip_gauge(
            points, frames, holding, axes, centre, strength, radius, loads[i], tolerance,
            motions[i], s,
        )  # fmt: skip
    return gauges, motions
