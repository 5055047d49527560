"""Algebra of second-order cones in batches: products, Nesterov-Todd scaling, longest steps.

    L = {x : |x_t| <= x_n},   x = (t1, t2, n),   det x = x_n^2 - |x_t|^2,
    x o y = (x_n y_t + y_n x_t, x . y),   identity e = (0, 0, 1)      [AlizadehGoldfarb2003]

Arrays are (K, 3), one cone per row. A row with x_t = 0 in all its arrays behaves like the half
line x_n >= 0, which is the cone of a contact without friction.
"""

from __future__ import annotations

import numpy as np

from sole.base.arrays import FloatArray


def det(x: FloatArray) -> FloatArray:
    """(K,) x_n^2 - |x_t|^2 by its two factors, which keep the digits near the border."""
    t = np.hypot(x[:, 0], x[:, 1])
    return np.asarray((x[:, 2] - t) * (x[:, 2] + t))


def product(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return x o y."""
    out = x[:, 2:] * y
    out[:, :2] += y[:, 2:] * x[:, :2]
    out[:, 2] = np.einsum("ka,ka->k", x, y)
    return np.asarray(out)


def divide(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the w with x o w = y."""
    out = np.empty_like(y)
    out[:, 2] = (x[:, 2] * y[:, 2] - np.einsum("ka,ka->k", x[:, :2], y[:, :2])) / det(x)
    out[:, :2] = (y[:, :2] - out[:, 2:] * x[:, :2]) / x[:, 2:]
    return out


def scaling(x: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """G and G^-1 (K, 3, 3), symmetric, with G z = G^-1 x [NesterovTodd1997]."""
    a, b = np.sqrt(det(x)), np.sqrt(det(z))
    reflected = z * np.array([-1.0, -1.0, 1.0]) / b[:, None]
    unit = x / a[:, None]
    cosine = np.einsum("ka,ka->k", unit, z / b[:, None])
    w = (unit + reflected) / np.sqrt(2 * (1 + cosine))[:, None]
    size = np.sqrt(a / b)[:, None, None]
    return size * _root(w), _root(w * np.array([-1.0, -1.0, 1.0])) / size


def _root(w: FloatArray) -> FloatArray:
    """Square root of the quadratic representation of w, det w = 1."""
    M = np.empty((len(w), 3, 3))
    M[:, 2, :] = w
    M[:, :2, 2] = w[:, :2]
    M[:, :2, :2] = np.eye(2) + w[:, :2, None] * w[:, None, :2] / (1 + w[:, 2])[:, None, None]
    return M


def longest_step(x: FloatArray, dx: FloatArray) -> float:
    """Return the largest alpha with x + alpha dx in every cone, or infinity; x is inside."""
    c = det(x)
    b = x[:, 2] * dx[:, 2] - np.einsum("ka,ka->k", x[:, :2], dx[:, :2])
    a = det(dx)
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    crosses = (b * b >= a * c) & (root > b)
    falls = dx[:, 2] < 0
    border = np.divide(c, root - b, out=np.full_like(c, np.inf), where=crosses)
    # Through the apex the border is a double root, which round-off may hide.
    apex = np.divide(-x[:, 2], dx[:, 2], out=np.full_like(c, np.inf), where=falls)
    return float(min(border.min(initial=np.inf), apex.min(initial=np.inf)))
