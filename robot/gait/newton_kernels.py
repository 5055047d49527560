"""Compiled parts of the inverse kinematics: residual, small LU factors, Newton step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel


class TaskRows(NamedTuple):
    """Current Jacobians (6, nv) of both soles and the waist, (3, nv) of the centre of mass; poses.

    left, right, waist (4, 4), com (3,), all in world axes.
    """

    J_left: FloatArray
    J_right: FloatArray
    J_waist: FloatArray
    J_com: FloatArray
    left: FloatArray
    right: FloatArray
    waist: FloatArray
    com: FloatArray


@kernel
def write_tasks(
    rows: Bundle, moving: IntArray, places: FloatArray, turns: FloatArray, com: FloatArray,
    waist: FloatArray, matrix: FloatArray,
) -> FloatArray:  # fmt: skip
    """Return x* - x (18,) and write the rows of the tasks into `matrix` (18, 18).

    `rows`: those of `TaskRows`; x* as of `robot.gait.Targets`.
    """
    now = TaskRows(*rows)
    for j in range(18):
        m = moving[j]
        for i in range(6):
            matrix[i, j], matrix[6 + i, j] = now.J_left[i, m], now.J_right[i, m]
        for i in range(3):
            matrix[12 + i, j], matrix[15 + i, j] = now.J_com[i, m], now.J_waist[3 + i, m]
    e = np.empty(18)
    for i in range(3):
        e[i], e[6 + i] = places[0, i] - now.left[i, 3], places[1, i] - now.right[i, 3]
        e[12 + i] = com[i] - now.com[i]
    find_turn(turns[0], now.left, e, 3)
    find_turn(turns[1], now.right, e, 9)
    find_turn(waist, now.waist, e, 15)
    return e


@inner_kernel
def find_turn(wanted: FloatArray, now: FloatArray, e: FloatArray, at: int) -> None:
    """Write vee of the skew part of R* R' into e[at : at + 3]: half the sum of r x r*, columns."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        s = 0.0
        for c in range(3):
            s += now[j, c] * wanted[k, c] - now[k, c] * wanted[j, c]
        e[at + i] = s / 2


@kernel
def step_newton(
    matrix: FloatArray, error: FloatArray, moving: IntArray, step: FloatArray, longest: float
) -> bool:
    """Write the Newton step, cut to `longest`, into `step`; False if the matrix is singular."""
    lu = matrix.copy()
    pivots = factor_lu(lu)
    if pivots[0] < 0:
        return False
    d = solve_lu(lu, pivots, error)
    size = np.abs(d).max()
    cut = longest / size if size > longest else 1.0
    for i in range(d.size):
        step[moving[i]] = cut * d[i]
    return True


@kernel
def factor_lu(lu: FloatArray) -> IntArray:
    """Replace a matrix by its LU factors with partial pivoting; pivots[0] = -1: singular.

    For 18 rows it takes a third of the time of LAPACK.
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


@kernel
def solve_lu(lu: FloatArray, pivots: IntArray, b: FloatArray) -> FloatArray:
    """Solve with the factors of `factor_lu`."""
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
