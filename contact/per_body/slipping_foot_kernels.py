"""The compiled step of `contact.per_body.slipping_foot`: Newton's method for the slip (3,).

    w+ = w_0 + G E d,    (f_x, f_y, t_z)+ = -f_z+ grad h(d),    h(d) = mu sum a_i |B_i d|

The symbols are those of that module.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel, kernel

ROUNDS, MOST = 3, 20  # load and pressure; Newton's steps
CLOSE = 1e-6  # of the change of slip, relative
BLUR = 1e-6  # of the slip: a node within it of the centre of rotation has no direction
LEAST = 1e-6  # m/s: a foot that slips less sticks
STILL = 1e-2  # part of the slip: a node that slips less may stick


@kernel
def tilt_shares(
    points: FloatArray, shares: FloatArray, x: float, y: float, out: FloatArray
) -> bool:
    """out = a_i (1 + c . (p_i - p_0)) with the centre of pressure (x, y); False if one pulls."""
    m = len(shares)
    px = py = xx = xy = yy = 0.0
    for i in range(m):
        px += shares[i] * points[i, 0]
        py += shares[i] * points[i, 1]
    for i in range(m):
        dx, dy = points[i, 0] - px, points[i, 1] - py
        xx += shares[i] * dx * dx
        xy += shares[i] * dx * dy
        yy += shares[i] * dy * dy
    det = xx * yy - xy * xy
    if not det > 0.0:  # points on a line
        out[:] = shares
        return False
    cx = ((x - px) * yy - (y - py) * xy) / det
    cy = ((y - py) * xx - (x - px) * xy) / det
    presses = True
    for i in range(m):
        factor = 1.0 + cx * (points[i, 0] - px) + cy * (points[i, 1] - py)
        presses = presses and factor > 0.0
        out[i] = shares[i] * max(factor, 0.0)
    return presses


@inner_kernel
def friction_power(
    points: FloatArray, shares: FloatArray, d: FloatArray, blur: float, g: FloatArray,
    H: FloatArray,
) -> float:  # fmt: skip
    """Return h(d)/mu = sum a_i |B_i d|; fill its gradient g (3,) and Hessian H (3, 3)."""
    g[:] = 0.0
    H[:] = 0.0
    h = 0.0
    for i in range(len(shares)):
        x, y, a = points[i, 0], points[i, 1], shares[i]
        ux, uy = d[0] - d[2] * y, d[1] + d[2] * x
        size = sqrt(ux * ux + uy * uy + blur * blur)
        ux, uy = ux / size, uy / size
        h += a * size
        turn = x * uy - y * ux
        g[0] += a * ux
        g[1] += a * uy
        g[2] += a * turn
        s = a / size
        H[0, 0] += s * (1.0 - ux * ux)
        H[0, 1] -= s * ux * uy
        H[1, 1] += s * (1.0 - uy * uy)
        H[0, 2] -= s * (y + ux * turn)
        H[1, 2] += s * (x - uy * turn)
        H[2, 2] += s * (x * x + y * y - turn * turn)
    H[1, 0], H[2, 0], H[2, 1] = H[0, 1], H[0, 2], H[1, 2]
    return h


@kernel
def slip_foot(
    points: FloatArray, shares: FloatArray, mu: float, C: FloatArray, w: FloatArray,
    v: FloatArray, S: FloatArray, dt: float, guess: FloatArray,
) -> tuple[FloatArray, FloatArray, bool]:  # fmt: skip
    """Return w+ (6,), d (3,), and whether all nodes press and slip: `SlippingFoot.step`."""
    at = np.array([0, 1, 5])
    G = np.linalg.inv(C / dt + dt * S)
    first = G @ (C @ w / dt - v)
    A, t0 = np.empty((3, 3)), np.empty(3)
    for i in range(3):
        t0[i] = first[at[i]]
        for j in range(3):
            A[i, j] = G[at[i], at[j]]
    end, d, usable, met = first.copy(), guess.copy(), True, False
    pressed, g, H = shares.copy(), np.empty(3), np.empty((3, 3))
    for _ in range(ROUNDS):
        load = end[2]
        if not load > 0.0:
            return end, d, False
        usable = tilt_shares(points, shares, -end[4] / load, end[3] / load, pressed)
        if d[0] == 0.0 and d[1] == 0.0 and d[2] == 0.0:
            d[:] = -np.linalg.solve(A, t0)
        met = False
        for _ in range(MOST):
            size = sqrt(d[0] * d[0] + d[1] * d[1]) + abs(d[2]) * 0.1
            h = friction_power(points, pressed, d, BLUR * size + 1e-12, g, H)
            residual = A @ d + t0 + load * mu * g
            change = -np.linalg.solve(A + load * mu * H, residual)
            value = 0.5 * d @ (A @ d) + t0 @ d + load * mu * h
            part, slope = 1.0, residual @ change
            if np.abs(change).max() <= CLOSE * size:
                d = d + change
                met = True
                break
            for _ in range(10):
                trial = d + part * change
                h = friction_power(points, pressed, trial, BLUR * size + 1e-12, g, H)
                now = 0.5 * trial @ (A @ trial) + t0 @ trial + load * mu * h
                if now <= value + 1e-4 * part * slope + 1e-12 * abs(value):
                    break
                part /= 2.0
            d = d + part * change
        for i in range(6):
            end[i] = first[i] + G[i, 0] * d[0] + G[i, 1] * d[1] + G[i, 5] * d[2]
    fastest, slowest = 0.0, 1e300
    for i in range(len(shares)):
        x, y = points[i, 0], points[i, 1]
        u = sqrt((d[0] - d[2] * y) ** 2 + (d[1] + d[2] * x) ** 2)
        fastest, slowest = max(fastest, u), min(slowest, u)
    return end, d, usable and met and slowest > max(STILL * fastest, LEAST)
