"""The slip of every contact per motion of a sole on its plane, and bases of these motions.

B_i (2, 3), stored as a row of six: slip of contact i along its t1 and t2 per motion d.
"""

from __future__ import annotations

import math

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel


@inner_kernel
def fill_slide_maps(
    points: FloatArray,
    frames: FloatArray,
    axes: FloatArray,
    centre: FloatArray,
    length: float,
    B: FloatArray,
) -> None:
    """Fill B (K, 6): B_i d is the slip of contact i, along its t1 and t2, per motion d.

    d = (v1, v2, omega length): translation of the centre along the axes and turn about N.
    """
    t1, t2, n = axes[0], axes[1], axes[2]
    for i in range(len(B)):
        r0, r1, r2 = points[i, 0] - centre[0], points[i, 1] - centre[1], points[i, 2] - centre[2]
        q0, q1, q2 = n[1] * r2 - n[2] * r1, n[2] * r0 - n[0] * r2, n[0] * r1 - n[1] * r0
        for row in range(2):
            e0, e1, e2 = frames[i, row, 0], frames[i, row, 1], frames[i, row, 2]
            B[i, 3 * row] = e0 * t1[0] + e1 * t1[1] + e2 * t1[2]
            B[i, 3 * row + 1] = e0 * t2[0] + e1 * t2[1] + e2 * t2[2]
            B[i, 3 * row + 2] = (e0 * q0 + e1 * q1 + e2 * q2) / length if length > 0.0 else 0.0


@inner_kernel
def whiten(
    B: FloatArray,
    a: FloatArray,
    yaws: bool,
    basis: FloatArray,
) -> None:
    """Replace B by B X with sum a_i (B X)'(B X) = 1 and `basis` (3, 3) by X.

    With `yaws` false all contacts are at one point, and nothing resists the turn.
    """
    M = np.zeros((3, 3))
    for i in range(len(a)):
        for j in range(3):
            for k in range(j + 1):
                M[j, k] += a[i] * (B[i, j] * B[i, k] + B[i, 3 + j] * B[i, 3 + k])
    if not yaws:
        M[2, 0] = M[2, 1] = 0.0
        M[2, 2] = 1.0
    L = np.zeros((3, 3))
    for j in range(3):
        for k in range(j + 1):
            rest = M[j, k]
            for c in range(k):
                rest -= L[j, c] * L[k, c]
            L[j, k] = rest / L[k, k] if j > k else math.sqrt(max(rest, 1e-300))
    basis[:] = 0.0  # X = L'^-1
    for k in range(3):
        for j in range(k, -1, -1):
            rest = 1.0 if j == k else 0.0
            for c in range(j + 1, k + 1):
                rest -= L[c, j] * basis[c, k]
            basis[j, k] = rest / L[j, j]
    turn_maps(B, basis)


@inner_kernel
def turn_maps(
    B: FloatArray,
    X: FloatArray,
) -> None:
    """Replace every B_i (2, 3) by B_i X."""
    for i in range(len(B)):
        for row in range(0, 6, 3):
            b0, b1, b2 = B[i, row], B[i, row + 1], B[i, row + 2]
            for k in range(3):
                B[i, row + k] = b0 * X[0, k] + b1 * X[1, k] + b2 * X[2, k]


@inner_kernel
def complete_basis(
    w: FloatArray,
    Q: FloatArray,
) -> None:
    """Fill Q (3, 3), orthogonal, third column w/|w|."""
    size = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    a0, a1, a2 = w[0] / size, w[1] / size, w[2] / size
    least = 0
    if abs(a1) < abs(a0):
        least = 1
    if abs(a2) < min(abs(a0), abs(a1)):
        least = 2
    e = np.zeros(3)
    e[least] = 1.0
    b0, b1, b2 = a1 * e[2] - a2 * e[1], a2 * e[0] - a0 * e[2], a0 * e[1] - a1 * e[0]
    size = math.sqrt(b0 * b0 + b1 * b1 + b2 * b2)
    b0, b1, b2 = b0 / size, b1 / size, b2 / size
    Q[0, 0], Q[1, 0], Q[2, 0] = b0, b1, b2
    Q[0, 1], Q[1, 1], Q[2, 1] = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    Q[0, 2], Q[1, 2], Q[2, 2] = a0, a1, a2
