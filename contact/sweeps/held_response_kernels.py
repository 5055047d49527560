"""Compiled: forces of soles swept by velocities from what is known of them at the last step.

The symbols are those of `contact.solvers.step_sweeps`.
"""

from __future__ import annotations

import numpy as np

from contact.problem import SoleArrays, velocity_at
from contact.sweeps.step_contacts_kernels import StepStart
from contact.sweeps.velocity_sweeps_kernels import StiffnessArrays
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel


@inner_kernel
def add_rows(
    flat: FloatArray, position: int, first: IntArray, b: int, node: int, g0: float, g1: float,
    g2: float, d: FloatArray,
) -> None:  # fmt: skip
    """Add what a vector (g0, g1, g2) at a node of body b brings to d (3M,): three rows."""
    n, begin = np.uint64(3 * (first[b + 1] - first[b])), np.uint64(3 * first[b])
    row0 = np.uint64(position) + np.uint64(3 * (node - first[b])) * n
    row1 = row0 + n
    row2 = row1 + n
    for j in range(n):
        d[begin + j] += g0 * flat[row0 + j] + g1 * flat[row1 + j] + g2 * flat[row2 + j]


@inner_kernel(fastmath={"reassoc", "nsz", "contract"})
def multiply_symmetric(
    K: FloatArray, position: int, n: int, e: FloatArray, begin: int, f: FloatArray
) -> None:
    """f = K e over n numbers from `begin` of both; only the lower triangle of K is read."""
    x, sums = e[begin : begin + n], f[begin : begin + n]
    size, one, two = np.uint64(n), np.uint64(1), np.uint64(2)
    sums[:] = 0.0
    for i in range(np.uint64(0), size, np.uint64(3)):
        row0 = np.uint64(position) + i * size
        row1 = row0 + size
        row2 = row1 + size
        a, b, c = x[i], x[i + one], x[i + two]
        k10, k20, k21 = K[row1 + i], K[row2 + i], K[row2 + i + one]
        f0 = a * K[row0 + i] + b * k10 + c * k20
        f1 = a * k10 + b * K[row1 + i + one] + c * k21
        f2 = a * k20 + b * k21 + c * K[row2 + i + two]
        for j in range(i):
            k0, k1, k2 = K[row0 + j], K[row1 + j], K[row2 + j]
            y = x[j]
            sums[j] += a * k0 + b * k1 + c * k2
            f0 += k0 * y
            f1 += k1 * y
            f2 += k2 * y
        sums[i] += f0
        sums[i + one] += f1
        sums[i + two] += f2


@inner_kernel(fastmath={"reassoc", "nsz", "contract"})
def multiply_twins(
    K: FloatArray, position: int, n: int, e: FloatArray, begin: int, f: FloatArray
) -> None:
    """Do the same for two bodies behind each other that share their K: it is read once."""
    mine, its = e[begin : begin + n], e[begin + n : begin + 2 * n]
    sums, others = f[begin : begin + n], f[begin + n : begin + 2 * n]
    size, one, two = np.uint64(n), np.uint64(1), np.uint64(2)
    sums[:], others[:] = 0.0, 0.0
    for i in range(np.uint64(0), size, np.uint64(3)):
        row0 = np.uint64(position) + i * size
        row1 = row0 + size
        row2 = row1 + size
        a, b, c = mine[i], mine[i + one], mine[i + two]
        u, v, w = its[i], its[i + one], its[i + two]
        k00, k10, k11 = K[row0 + i], K[row1 + i], K[row1 + i + one]
        k20, k21, k22 = K[row2 + i], K[row2 + i + one], K[row2 + i + two]
        f0, f1, f2 = (
            a * k00 + b * k10 + c * k20, a * k10 + b * k11 + c * k21, a * k20 + b * k21 + c * k22,
        )  # fmt: skip
        g0, g1, g2 = (
            u * k00 + v * k10 + w * k20, u * k10 + v * k11 + w * k21, u * k20 + v * k21 + w * k22,
        )  # fmt: skip
        for j in range(i):
            k0, k1, k2, y, z = K[row0 + j], K[row1 + j], K[row2 + j], mine[j], its[j]
            sums[j] += a * k0 + b * k1 + c * k2
            others[j] += u * k0 + v * k1 + w * k2
            f0 += k0 * y
            f1 += k1 * y
            f2 += k2 * y
            g0 += k0 * z
            g1 += k1 * z
            g2 += k2 * z
        sums[i] += f0
        sums[i + one] += f1
        sums[i + two] += f2
        others[i] += g0
        others[i + one] += g1
        others[i + two] += g2


@inner_kernel
def respond_held(
    stiff: StiffnessArrays, held: IntArray, first: IntArray, W: SoleArrays, q: FloatArray,
    start: StepStart, y: FloatArray, x: FloatArray, d: FloatArray,
) -> None:  # fmt: skip
    """d (3M,) = K s/scale of soles swept by velocities, from what is known of K s.

    s = d0 - G0 Y + z with Y = y + ahead, K d0 = scale f0 and K G0 = V0: only K z is left to do.
    """
    scale, node, body, P, A, _ = W
    Pf, Af = P.reshape(-1), A.reshape(-1)
    Y, z = y + start.ahead, np.zeros(len(d))
    G0, V0 = stiff.G0, stiff.V0
    three, six, one, two = np.uint64(3), np.uint64(6), np.uint64(1), np.uint64(2)
    for k in range(np.uint64(len(node))):
        j, b = np.uint64(node[k]), np.uint64(body[k])
        if held[b] < 0:
            continue
        i, t = three * j, six * b
        v0, v1, v2 = velocity_at(k, i, t, Pf, Af, z, y)  # z is still zero there
        v0, v1, v2 = -x[k, 0] - q[k, 0] - v0, -x[k, 1] - q[k, 1] - v1, -x[k, 2] - q[k, 2] - v2
        z[i] = P[k, 0, 0] * v0 + P[k, 1, 0] * v1 + P[k, 2, 0] * v2 - start.d[j, 0]
        z[i + one] = P[k, 0, 1] * v0 + P[k, 1, 1] * v1 + P[k, 2, 1] * v2 - start.d[j, 1]
        z[i + two] = P[k, 0, 2] * v0 + P[k, 1, 2] * v1 + P[k, 2, 2] * v2 - start.d[j, 2]
        for l in range(i, i + three):
            z[l] += (G0[l, 0] * Y[t] + G0[l, 1] * Y[t + one]) + (
                (G0[l, 2] * Y[t + two] + G0[l, 3] * Y[t + three])
                + (G0[l, 4] * Y[t + np.uint64(4)] + G0[l, 5] * Y[t + np.uint64(5)])
            )
    known = -1
    for o in range(len(held)):
        if held[o] < 0:
            continue
        begin, n, part = 3 * first[o], 3 * (first[o + 1] - first[o]), 1.0 / scale[o]
        if o == known:
            pass
        elif o + 1 < len(held) and held[o + 1] == held[o]:
            multiply_twins(stiff.K, held[o], n, z, begin, d)
            known = o + 1
        else:
            multiply_symmetric(stiff.K, held[o], n, z, begin, d)
        for at in range(begin, begin + n):
            turned = 0.0
            for c in range(6):
                turned += V0[at, c] * Y[6 * o + c]
            d[at] = part * (d[at] - turned)
        for at in range(first[o], first[o + 1]):
            for a in range(3):
                d[3 * at + a] += start.f[at, a]


@inner_kernel
def take_changes(
    which: IntArray, mine: FloatArray, held: IntArray, factor: FloatArray, K: FloatArray,
    first: IntArray, W: SoleArrays, x: FloatArray, d: FloatArray,
) -> bool:  # fmt: skip
    """Take what sweeps made of some contacts into x (K, 3); return whether a force changed.

    What changed of soles swept by velocities is added to d (3M,) at once, by rows of K.
    """
    _, node, body, P, _, _ = W
    forces = False
    for j in range(len(which)):
        k = which[j]
        b = body[k]
        g0, g1, g2 = mine[j, 0] - x[k, 0], mine[j, 1] - x[k, 1], mine[j, 2] - x[k, 2]
        x[k, 0], x[k, 1], x[k, 2] = mine[j, 0], mine[j, 1], mine[j, 2]
        if g0 == 0.0 and g1 == 0.0 and g2 == 0.0:
            continue
        if held[b] < 0:
            forces = True
            continue
        c = factor[b]
        add_rows(
            K, held[b], first, b, node[k],
            c * (P[k, 0, 0] * g0 + P[k, 1, 0] * g1 + P[k, 2, 0] * g2),
            c * (P[k, 0, 1] * g0 + P[k, 1, 1] * g1 + P[k, 2, 1] * g2),
            c * (P[k, 0, 2] * g0 + P[k, 1, 2] * g1 + P[k, 2, 2] * g2), d,
        )  # fmt: skip
    return forces


@inner_kernel
def turn_back(
    stiff: StiffnessArrays, held: IntArray, first: IntArray, scale: FloatArray, d: FloatArray,
    D: FloatArray, full: FloatArray,
) -> None:  # fmt: skip
    """Write full (3M,) = d - V0 D/scale of soles swept by velocities, d of the others."""
    V0 = stiff.V0
    for b in range(len(held)):
        one, t = 1.0 / scale[b], 6 * b
        D0, D1, D2, D3, D4, D5 = D[t], D[t + 1], D[t + 2], D[t + 3], D[t + 4], D[t + 5]
        for i in range(3 * first[b], 3 * first[b + 1]):
            full[i] = d[i]
            if held[b] >= 0:
                turned = (V0[i, 0] * D0 + V0[i, 1] * D1) + (V0[i, 2] * D2 + V0[i, 3] * D3)
                full[i] -= one * (turned + (V0[i, 4] * D4 + V0[i, 5] * D5))


@inner_kernel
def turn_forces(held: IntArray, W: SoleArrays, f: FloatArray, x: FloatArray, r: FloatArray) -> None:
    """r (K, 3) = P f of soles swept by velocities, x of the others."""
    node, body, P = W.node, W.body, W.P
    three, one, two = np.uint64(3), np.uint64(1), np.uint64(2)
    for k in range(np.uint64(len(node))):
        if held[body[k]] < 0:
            r[k, 0], r[k, 1], r[k, 2] = x[k, 0], x[k, 1], x[k, 2]
            continue
        i = three * np.uint64(node[k])
        f0, f1, f2 = f[i], f[i + one], f[i + two]
        r[k, 0] = P[k, 0, 0] * f0 + P[k, 0, 1] * f1 + P[k, 0, 2] * f2
        r[k, 1] = P[k, 1, 0] * f0 + P[k, 1, 1] * f1 + P[k, 1, 2] * f2
        r[k, 2] = P[k, 2, 0] * f0 + P[k, 2, 1] * f1 + P[k, 2, 2] * f2
