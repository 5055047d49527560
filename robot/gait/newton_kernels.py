"""Compiled loops of the inverse kinematics: residual, small LU factors, Newton step."""

from __future__ import annotations

import numpy as np
from numba import njit

from sole.arrays import FloatArray, IntArray


@njit(cache=True)
def residual(
    J_L: FloatArray, J_R: FloatArray, J_W: FloatArray, J_c: FloatArray, moving: FloatArray,
    L: FloatArray, R: FloatArray, W: FloatArray, com: FloatArray,
    places: FloatArray, turns: FloatArray, com_: FloatArray, waist: FloatArray,
    matrix: FloatArray,
) -> FloatArray:  # fmt: skip
    """Return x* - x (18,) and write the rows of the tasks into `matrix` (18, 18)."""
    for j in range(18):
        m = moving[j]
        for i in range(6):
            matrix[i, j], matrix[6 + i, j] = J_L[i, m], J_R[i, m]
        for i in range(3):
            matrix[12 + i, j], matrix[15 + i, j] = J_c[i, m], J_W[3 + i, m]
    e = np.empty(18)
    for i in range(3):
        e[i], e[6 + i], e[12 + i] = places[0, i] - L[i, 3], places[1, i] - R[i, 3], com_[i] - com[i]
    _turn(turns[0], L, e, 3)
    _turn(turns[1], R, e, 9)
    _turn(waist, W, e, 15)
    return e


@njit(cache=True)
def _turn(wanted: FloatArray, now: FloatArray, e: FloatArray, at: int) -> None:
    """Write vee of the skew part of R* R' into e[at : at + 3]: half the sum of r x r*, columns."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        s = 0.0
        for c in range(3):
            s += now[j, c] * wanted[k, c] - now[k, c] * wanted[j, c]
        e[at + i] = s / 2


@njit(cache=True)
def newton(
    matrix: FloatArray, error: FloatArray, moving: FloatArray, step: FloatArray, longest: float
) -> bool:
    """Write the Newton step, cut to `longest`, into `step`; False if the matrix is singular."""
    lu = matrix.copy()
    pivots = factor(lu)
    if pivots[0] < 0:
        return False
    d = back(lu, pivots, error)
    size = np.abs(d).max()
    cut = longest / size if size > longest else 1.0
    for i in range(d.size):
        step[moving[i]] = cut * d[i]
    return True


@njit(cache=True)
def factor(lu: FloatArray) -> IntArray:
    """Replace a matrix by its LU factors with partial pivoting; pivots[0] = -1: singular.

    For 18 rows a third of the time of a call of LAPACK.
    """
    n = lu.shape[0]
    pivots = np.arange(n)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(lu[i, k]) > abs(lu[p, k]):
                p = i
        if not abs(lu[p, k]) > 1e-13:
            pivots[0] = -1
            return pivots
        pivots[k] = p
        if p != k:
            for j in range(n):
                lu[k, j], lu[p, j] = lu[p, j], lu[k, j]
        for i in range(k + 1, n):
            f = lu[i, k] / lu[k, k]
            lu[i, k] = f
            if f != 0.0:
                for j in range(k + 1, n):
                    lu[i, j] -= f * lu[k, j]
    return pivots


@njit(cache=True)
def back(lu: FloatArray, pivots: IntArray, b: FloatArray) -> FloatArray:
    """Solve with the factors of `factor`."""
    n = lu.shape[0]
    x = b.copy()
    for k in range(n):
        p = pivots[k]
        x[k], x[p] = x[p], x[k]
    for k in range(n):
        for j in range(k):
            x[k] -= lu[k, j] * x[j]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= lu[k, j] * x[j]
        x[k] /= lu[k, k]
    return x
