"""Compiled: M' = L'L in the sparsity of the kinematic tree, and the solves of a step.

Row k of L has, besides its diagonal, entries in the columns `meets[k, : counts[k]]`, all below k,
ascending (`robot.simulator.joint_space`).
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from robot.simulator.joint_forces_kernels import CONSTANT, RATE
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel


class Factors(NamedTuple):
    """L (nv, nv) with its pattern meets (nv, nv), counts (nv,), and Y (nv, 6B + 1)."""

    meets: IntArray
    counts: IntArray
    L: FloatArray
    Y: FloatArray


@inner_kernel
def factor_inertia(meets: IntArray, counts: IntArray, L: FloatArray) -> bool:
    """Replace M' in the lower triangle of L by its factor; False: not positive definite."""
    for k in range(len(L) - 1, -1, -1):
        if not L[k, k] > 0.0:
            return False
        L[k, k] = sqrt(L[k, k])
        inverse = 1.0 / L[k, k]
        for a in range(counts[k]):
            i = meets[k, a]
            L[k, i] *= inverse
            part = L[k, i]
            for b in range(a + 1):
                L[i, meets[k, b]] -= part * L[k, meets[k, b]]
    return True


@inner_kernel
def solve_upper(meets: IntArray, counts: IntArray, L: FloatArray, Y: FloatArray) -> None:
    """Replace Y (nv, m) by L^-T Y."""
    for k in range(len(L) - 1, -1, -1):
        inverse = 1.0 / L[k, k]
        for c in range(Y.shape[1]):
            Y[k, c] *= inverse
        for a in range(counts[k]):
            j = meets[k, a]
            part = L[k, j]
            for c in range(Y.shape[1]):
                Y[j, c] -= part * Y[k, c]


@inner_kernel
def solve_lower(meets: IntArray, counts: IntArray, L: FloatArray, x: FloatArray) -> None:
    """Replace x (nv,) by L^-1 x."""
    for k in range(len(L)):
        for a in range(counts[k]):
            x[k] -= L[k, meets[k, a]] * x[meets[k, a]]
        x[k] /= L[k, k]


@kernel
def condense_robot(
    factors: Bundle, M: FloatArray, J: FloatArray, v: FloatArray,
    force: FloatArray, first: int, joints: FloatArray, dt: float,
) -> tuple[bool, FloatArray, FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Fill L and Y = L^-T (J', dt f); return whether M' is definite, v_free, S6, J v, J v_free.

    f is `force` (nv,) and on the joints, from place `first` on, `constant` - `rate` v+ (n,). With
    z, the last column of Y: v_free = v + L^-1 z, J v_free = J v + Y'z, S6 = Y'Y.
    """
    meets, counts, L, Y = Factors(*factors)
    n, m = len(M), len(J)
    for k in range(n):
        L[k, k], Y[k, m] = M[k, k], dt * force[k]
        for a in range(counts[k]):
            L[k, meets[k, a]] = M[k, meets[k, a]]
    for j in range(joints.shape[1]):
        k, rate = first + j, joints[RATE, j]
        L[k, k] += dt * rate
        Y[k, m] += dt * (joints[CONSTANT, j] - rate * v[k])
    twists, S6, free = np.zeros(m), np.zeros((m, m)), v.copy()
    if not factor_inertia(meets, counts, L):
        return False, free, S6, twists, twists
    for k in range(n):
        for c in range(m):
            Y[k, c] = J[c, k]
            twists[c] += Y[k, c] * v[k]
    solve_upper(meets, counts, L, Y)
    free_twists, z = twists.copy(), np.empty(n)
    for k in range(n):
        z[k] = Y[k, m]
        for c in range(m):
            y = Y[k, c]
            if y != 0.0:
                free_twists[c] += y * z[k]
                for d in range(m):
                    S6[c, d] += y * Y[k, d]
    solve_lower(meets, counts, L, z)
    for k in range(n):
        free[k] += z[k]
    return True, free, S6, twists, free_twists


@kernel
def follow_wrenches(
    factors: Bundle, free: FloatArray, wrenches: FloatArray, dt: float
) -> FloatArray:
    """Return v+ = v_free + L^-1 (dt Y w) for wrenches w (B, 6)."""
    meets, counts, L, Y = Factors(*factors)
    x = np.zeros(len(L))
    for k in range(len(L)):
        for b in range(len(wrenches)):
            for i in range(6):
                x[k] += Y[k, 6 * b + i] * wrenches[b, i]
        x[k] *= dt
    solve_lower(meets, counts, L, x)
    return free + x


@kernel
def measure_motion(
    v: FloatArray, new: FloatArray, theta: float, dt: float,
    first: int, stopping: FloatArray, outer: FloatArray,
) -> tuple[FloatArray, FloatArray, float, float]:  # fmt: skip
    """Return dt v_bar, (v+ - v)/dt and the works on v_bar of stops (n,) and of `outer` (nv,).

    v_bar = theta v+ + (1 - theta) v.
    """
    way, acceleration = np.empty(len(v)), np.empty(len(v))
    pushed = stopped = 0.0
    for k in range(len(v)):
        way[k] = dt * (theta * new[k] + (1.0 - theta) * v[k])
        acceleration[k] = (new[k] - v[k]) / dt
        pushed += outer[k] * way[k]
    for j in range(len(stopping)):
        stopped += stopping[j] * way[first + j]
    return way, acceleration, stopped, pushed


@kernel(fastmath={"reassoc", "nsz", "contract"})
def double_energy(M: FloatArray, v: FloatArray) -> float:
    """Return v'M v."""
    total = 0.0
    for i in range(len(v)):
        row = 0.0
        for j in range(len(v)):
            row += M[i, j] * v[j]
        total += v[i] * row
    return total
