"""Compiled interior point method for the margin under circular friction cones, state by state.

Everything is divided by load, size L and mu, so that the polygon alone remains. With the twist
x = (v_x, v_y, omega_x, omega_y, omega_z) of the foot, v_z = 1, and its velocity at vertex i

    s_i = h + B_i x = (1 + omega_x y_i - omega_y x_i, v_x - omega_z y_i, v_y + omega_z x_i),
    margin = 1 + min q . x   with all s_i in the second-order cone K        (separating motion)
           = 1 - min sum h . z_i   with sum B_i' z_i = q, z_i in K          (forces).

Primal-dual steps with Nesterov and Todd's scaling [NesterovTodd1997] and Mehrotra's corrector
[Mehrotra1992]. What comes out is made exactly admissible on both sides: two bounds.
"""

from __future__ import annotations

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel, kernel

STEPS = 40
TARGET = 1e-11  # between the bounds
PATIENCE = 15  # steps that do not halve what is between them
BACK = 0.95  # part of the way to the boundary


@inner_kernel
def _jordan(a: FloatArray) -> float:
    """Return a_0^2 - |a_1|^2, as a product to keep its digits."""
    size = np.sqrt(a[1] * a[1] + a[2] * a[2])
    return float((a[0] - size) * (a[0] + size))


@inner_kernel
def _reach(s: FloatArray, d: FloatArray) -> float:
    """Return the largest step with s + step d in K, at most 1e6."""
    a, c = _jordan(d), max(_jordan(s), 0.0)
    b = s[0] * d[0] - s[1] * d[1] - s[2] * d[2]
    below = -b + np.sqrt(max(b * b - a * c, 0.0))  # never negative but for round-off
    return min(c / below, 1e6) if below > 0.0 else 1e6


@inner_kernel
def _solved(H: FloatArray, g: FloatArray) -> FloatArray:
    """Solve H x = g by Cholesky for a small H."""
    n = len(g)
    L = np.zeros((n, n))
    for j in range(n):
        d = H[j, j]
        for k in range(j):
            d -= L[j, k] * L[j, k]
        L[j, j] = np.sqrt(max(d, 1e-300))
        for i in range(j + 1, n):
            e = H[i, j]
            for k in range(j):
                e -= L[i, k] * L[j, k]
            L[i, j] = e / L[j, j]
    x = g.copy()
    for i in range(n):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]
    return x


@inner_kernel
def _scale(w: FloatArray, factor: float, sign: float, a: FloatArray, out: FloatArray) -> None:
    """Write factor W a (sign 1) or factor W^-1 a (sign -1), W the scaling of the unit w."""
    dot = w[1] * a[1] + w[2] * a[2]
    part = sign * a[0] + dot / (1.0 + w[0])
    out[0] = factor * (w[0] * a[0] + sign * dot)
    out[1] = factor * (a[1] + part * w[1])
    out[2] = factor * (a[2] + part * w[2])


@inner_kernel
def _divide(l: FloatArray, d: FloatArray, out: FloatArray) -> None:
    """Write x with l o x = d in Jordan's algebra."""
    out[0] = (l[0] * d[0] - l[1] * d[1] - l[2] * d[2]) / _jordan(l)
    out[1] = (d[1] - out[0] * l[1]) / l[0]
    out[2] = (d[2] - out[0] * l[2]) / l[0]


@inner_kernel
def _add_product(A: FloatArray, x: FloatArray, factor: float, out: FloatArray) -> None:
    """Add factor A x to `out`."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[i] += factor * A[i, j] * x[j]


@inner_kernel
def _add_transposed(A: FloatArray, y: FloatArray, factor: float, out: FloatArray) -> None:
    """Add factor A' y to `out`."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[j] += factor * A[i, j] * y[i]


@inner_kernel
def _upper(B: FloatArray, q: FloatArray, x: FloatArray, out: FloatArray) -> float:
    """Write x mixed with the pure lift x = 0 until every s_i is in K; return 1 + q . x of it."""
    outside, s = 0.0, np.empty(3)
    for i in range(B.shape[0]):
        s[:] = 0.0
        _add_product(B[i], x, 1.0, s)
        outside = max(outside, np.sqrt(s[1] * s[1] + s[2] * s[2]) - (1.0 + s[0]))
    value = 1.0
    for j in range(5):
        out[j] = x[j] / (1.0 + outside)
        value += q[j] * out[j]
    return value


@inner_kernel
def _lower(
    B: FloatArray,
    inverse: FloatArray,
    shares: FloatArray,
    q: FloatArray,
    z: FloatArray,
    out: FloatArray,
) -> float:
    """Write z balanced with q and lifted into K by central load; return 1 - its normal forces."""
    rest = q.copy()
    for i in range(B.shape[0]):
        _add_transposed(B[i], z[i], -1.0, rest)
    more, used = 0.0, 0.0
    for i in range(B.shape[0]):
        out[i] = z[i]
        _add_product(inverse[i], rest, 1.0, out[i])
        size = np.sqrt(out[i, 1] * out[i, 1] + out[i, 2] * out[i, 2])
        more = max(more, (size - out[i, 0]) / shares[i])
        used += out[i, 0]
    for i in range(B.shape[0]):
        out[i, 0] += more * shares[i]
    return 1.0 - used - more


@kernel
def circular_bounds(
    B: FloatArray, inverse: FloatArray, shares: FloatArray, wrenches: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return low, high (N,), forces (N, m, 3) and twists (N, 5) for scaled wrenches (N, 5).

    `inverse` (m, 3, 5) is B (B'B)^-1; `shares` (m,) > 0 of the vertices in the central load.
    low: these forces, order (n, t1, t2), are in K, and with low times the shares they sum up to
    the wrench exactly. high: 1 + q . x of a twist whose s_i are all in K. Both are the best of
    all steps.
    """
    count, m = wrenches.shape[0], B.shape[0]
    low, high = np.full(count, -np.inf), np.full(count, np.inf)
    forces, twists = np.zeros((count, m, 3)), np.zeros((count, 5))
    s, z, ds, dz = np.empty((m, 3)), np.empty((m, 3)), np.empty((m, 3)), np.empty((m, 3))
    W, eta, l, xi = np.empty((m, 3)), np.empty(m), np.empty((m, 3)), np.empty((m, 3))
    BW, H, column, scaled = np.empty((m, 3, 5)), np.empty((5, 5)), np.empty(3), np.empty(3)
    d, u, v, f, a = np.empty(3), np.empty(3), np.empty(3), np.empty((m, 3)), np.empty(5)
    for case in range(count):
        q = wrenches[case]
        x = np.zeros(5)
        s[:], z[:] = 0.0, 0.0
        s[:, 0], z[:, 0] = 1.0, 1.0
        idle = 0
        for _ in range(STEPS):
            # Bounds from this iterate; stop where they meet or no longer improve.
            better = _upper(B, q, x, a)
            held = _lower(B, inverse, shares, q, z, f)
            before = high[case] - low[case]
            if better < high[case]:
                high[case] = better
                twists[case] = a
            if held > low[case]:
                low[case] = held
                forces[case] = f
            idle = idle + 1 if high[case] - low[case] > 0.5 * before else 0
            if high[case] - low[case] <= TARGET or idle > PATIENCE:
                break
            # Nesterov-Todd scaling of every cone, and the 5x5 matrix of the step.
            rest = q.copy()
            gap, usable = 0.0, True
            H[:] = 0.0
            for i in range(m):
                _add_transposed(B[i], z[i], -1.0, rest)
                gap += s[i, 0] * z[i, 0] + s[i, 1] * z[i, 1] + s[i, 2] * z[i, 2]
                js, jz = _jordan(s[i]), _jordan(z[i])
                usable = usable and js > 0.0 and jz > 0.0
                size = np.sqrt(js * jz)
                dot = s[i, 0] * z[i, 0] + s[i, 1] * z[i, 1] + s[i, 2] * z[i, 2]
                gamma = np.sqrt((1.0 + dot / size) / 2.0)
                js, jz = np.sqrt(js), np.sqrt(jz)
                W[i, 0] = (s[i, 0] / js + z[i, 0] / jz) / (2.0 * gamma)
                W[i, 1] = (s[i, 1] / js - z[i, 1] / jz) / (2.0 * gamma)
                W[i, 2] = (s[i, 2] / js - z[i, 2] / jz) / (2.0 * gamma)
                eta[i] = np.sqrt(js / jz)
                _scale(W[i], eta[i], 1.0, z[i], l[i])
                for j in range(5):
                    column[:] = B[i, :, j]
                    _scale(W[i], 1.0 / eta[i], -1.0, column, scaled)
                    BW[i, :, j] = scaled
                for j in range(5):
                    for k in range(j + 1):
                        for r in range(3):
                            H[j, k] += BW[i, r, j] * BW[i, r, k]
            if not usable:
                break
            sigma = 0.0
            primal, dual = 1e6, 1e6
            dx = np.zeros(5)
            # Mehrotra's predictor, then the corrector with its centring sigma.
            for phase in range(2):
                g = -rest
                for i in range(m):
                    d[0] = -(l[i, 0] ** 2 + l[i, 1] ** 2 + l[i, 2] ** 2)
                    d[1], d[2] = -2.0 * l[i, 0] * l[i, 1], -2.0 * l[i, 0] * l[i, 2]
                    if phase == 1:
                        _scale(W[i], 1.0 / eta[i], -1.0, ds[i], u)
                        _scale(W[i], eta[i], 1.0, dz[i], v)
                        d[0] += sigma * gap / m - (u[0] * v[0] + u[1] * v[1] + u[2] * v[2])
                        d[1] -= u[0] * v[1] + v[0] * u[1]
                        d[2] -= u[0] * v[2] + v[0] * u[2]
                    _divide(l[i], d, xi[i])
                    _add_transposed(BW[i], xi[i], 1.0, g)
                dx = _solved(H, g)
                primal, dual = 1e6, 1e6
                for i in range(m):
                    ds[i] = 0.0
                    _add_product(B[i], dx, 1.0, ds[i])
                    u[:] = xi[i]
                    _add_product(BW[i], dx, -1.0, u)
                    _scale(W[i], 1.0 / eta[i], -1.0, u, dz[i])
                    primal = min(primal, _reach(s[i], ds[i]))
                    dual = min(dual, _reach(z[i], dz[i]))
                sigma = (1.0 - min(1.0, primal, dual)) ** 3
            if not (np.isfinite(dx).all() and np.isfinite(dz).all()):
                break
            # As far as both sides stay inside their cones.
            step = min(1.0, BACK * primal, BACK * dual)
            x += step * dx
            s += step * ds
            z += step * dz
    return low, high, forces, twists
