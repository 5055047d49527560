"""The equations of motion in the quadratic program of sole-aware control, by compiled code.

Of the unknowns x = (z, lambda), joint accelerations and aims of the wrenches, the base's six rows
give its acceleration, V x + v0, and the others the torques of the joints. A foot feels

    w+ = w0 - G (J dv/dt + dJ/dt v) + P lambda,

G (6, 6) zero for a foot that hangs or counts as rigid, P 1 for a rigid one.
"""

from __future__ import annotations

import numpy as np

from robot.control.balance_kernels import BodyNow
from robot.control.small_products import add_product, add_turned
from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel


@inner_kernel
def base_motion(
    felt: BodyNow, G: FloatArray, w0: FloatArray, P: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return V (6, nx) and v0 (6,): the acceleration of the base is V x + v0.

    M_bb b + M_bj z + h_b = sum J_b' (w0 - G (J dv/dt + dJ/dt v) + P lambda).
    """
    nv, n = len(felt.h), len(felt.h) - 6
    wide = np.zeros((6, nv + 13))  # of b, z, lambda and 1, all on the right
    wide[:, :nv], wide[:, nv + 12] = -felt.M[:6], -felt.h[:6]
    wrench, known = np.empty((6, nv)), np.empty(6)
    for k in range(2):
        J_b = felt.J[k, :, :6]
        wrench[:], known[:] = 0.0, w0[k]
        add_product(-G[k], felt.J[k], wrench)  # zero for a foot that hangs
        add_turned(J_b, wrench, wide)
        for i in range(6):
            for j in range(6):
                known[i] -= G[k, i, j] * felt.bias[k, j]
        for i in range(6):
            for j in range(6):
                wide[i, nv + 12] += J_b[j, i] * known[j]
                wide[i, nv + 6 * k + j] = P[k] * J_b[j, i]
    found = np.linalg.solve(np.ascontiguousarray(-wide[:, :6]), np.ascontiguousarray(wide[:, 6:]))
    return np.ascontiguousarray(found[:, : n + 12]), found[:, n + 12].copy()


@inner_kernel
def write_torques(
    felt: BodyNow, G: FloatArray, w0: FloatArray, P: FloatArray, V: FloatArray, v0: FloatArray,
    J_x: FloatArray, rest: FloatArray, A: FloatArray, torques: FloatArray,
) -> None:  # fmt: skip
    """tau = M_j dv/dt + h_j - sum J_j' w+: fill the first n rows of A, and `torques` (n,)."""
    n = len(torques)
    A[:n, :n] = felt.M[6:, 6:]
    add_turned(felt.M[:6, 6:], V, A)
    known, wrench = np.empty((6, 1)), np.empty(V.shape)
    total = np.empty((n, 1))
    total[:, 0] = felt.h[6:]
    known[:, 0] = v0
    add_turned(felt.M[:6, 6:], known, total)
    for k in range(2):
        J_j = felt.J[k, :, 6:]
        wrench[:], known[:, 0] = 0.0, -w0[k]
        add_product(G[k], J_x[k], wrench)
        for i in range(6):
            wrench[i, n + 6 * k + i] -= P[k]
            for j in range(6):
                known[i, 0] += G[k, i, j] * rest[k, j]
        add_turned(J_j, wrench, A)
        add_turned(J_j, known, total)
    torques[:] = total[:, 0]
