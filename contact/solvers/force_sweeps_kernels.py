"""Compiled sweeps over soles by forces, with the changes of displacements in single precision.

The same sweeps as `contact.solvers.sole_sweeps_kernels` without soles swept by velocities: what a
call has to set up, and what a changed contact costs, is less. Plain scalar arithmetic without
fast-math, so that ``NUMBA_DISABLE_JIT=1`` gives the same numbers.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from contact.problem import ComplianceArrays, SoleArrays, compute_velocities, velocity_at
from contact.solvers.gauss_seidel_kernels import (
    LawArrays,
    SweepRule,
    shuffle,
    skip_threshold,
)
from contact.solvers.one_contact_kernels import (
    STICK,
    natural_residual,
    prepare_entries,
    relax_force,
    solve_contact,
)
from sole.base.arrays import FloatArray, Index
from sole.base.compiled import kernel

DIGITS = 1e-7  # part of a residual that sweeps in single precision leave


class ForceRoom(NamedTuple):
    """What sweeps by forces keep of contacts: `turned` (K, 3, 6 bodies) has A_k S once changed.

    Attributes
    ----------
    C : (M, 3, 3) blocks C_ii. least : compliance of a contact. residual : (K,) squared.
    """

    C: FloatArray
    least: float
    turned: FloatArray
    residual: FloatArray


@kernel(error_model="numpy")
def turn_contact(k: Index, t: Index, A: FloatArray, S: FloatArray, turned: FloatArray) -> None:
    """Write turned[k] = A_k S_b (3, 6 bodies); `t`: where the rows of body b begin in S."""
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    four, five, six = np.uint64(4), np.uint64(5), np.uint64(6)
    for e in range(three):
        for o in range(np.uint64(0), np.uint64(len(S)), six):
            y0 = y1 = y2 = y3 = y4 = y5 = 0.0
            for l in range(six):
                x, row = A[k, e, l], t + l
                y0 += x * S[row, o]
                y1 += x * S[row, o + one]
                y2 += x * S[row, o + two]
                y3 += x * S[row, o + three]
                y4 += x * S[row, o + four]
                y5 += x * S[row, o + five]
            turned[k, e, o], turned[k, e, o + one], turned[k, e, o + two] = y0, y1, y2
            turned[k, e, o + three], turned[k, e, o + four], turned[k, e, o + five] = y3, y4, y5


@kernel(error_model="numpy")
def prepare_force(k: Index, room: ForceRoom, W: SoleArrays, local: FloatArray) -> None:
    """Write room.turned[k] and local[k], the numbers of P scale C_ii P' + A S A'."""
    scale, node, body, P, A, S = W
    b, i = np.uint64(body[k]), np.uint64(node[k])
    t, c, C, X = np.uint64(6) * b, scale[b], room.C, room.turned
    zero, one, two = np.uint64(0), np.uint64(1), np.uint64(2)
    turn_contact(k, t, A, S, X)
    c00, c11, c22 = c * C[i, 0, 0], c * C[i, 1, 1], c * C[i, 2, 2]
    c01, c02, c12 = c * C[i, 0, 1], c * C[i, 0, 2], c * C[i, 1, 2]
    p0, p1, p2 = P[k, 0, 0], P[k, 0, 1], P[k, 0, 2]
    r0, r1, r2 = P[k, 1, 0], P[k, 1, 1], P[k, 1, 2]
    n0, n1, n2 = P[k, 2, 0], P[k, 2, 1], P[k, 2, 2]
    g0, g1 = p0 * c00 + p1 * c01 + p2 * c02, p0 * c01 + p1 * c11 + p2 * c12
    g2 = p0 * c02 + p1 * c12 + p2 * c22
    w00 = g0 * p0 + g1 * p1 + g2 * p2
    w10 = g0 * r0 + g1 * r1 + g2 * r2
    w20 = g0 * n0 + g1 * n1 + g2 * n2
    g0, g1 = r0 * c00 + r1 * c01 + r2 * c02, r0 * c01 + r1 * c11 + r2 * c12
    g2 = r0 * c02 + r1 * c12 + r2 * c22
    w11 = g0 * r0 + g1 * r1 + g2 * r2
    w21 = g0 * n0 + g1 * n1 + g2 * n2
    g0, g1 = n0 * c00 + n1 * c01 + n2 * c02, n0 * c01 + n1 * c11 + n2 * c12
    g2 = n0 * c02 + n1 * c12 + n2 * c22
    w22 = g0 * n0 + g1 * n1 + g2 * n2
    for l in range(np.uint64(6)):
        x0, x1, x2 = X[k, zero, t + l], X[k, one, t + l], X[k, two, t + l]
        a0, a1, a2 = A[k, zero, l], A[k, one, l], A[k, two, l]
        w00, w10, w11 = w00 + x0 * a0, w10 + x1 * a0, w11 + x1 * a1
        w20, w21, w22 = w20 + x2 * a0, w21 + x2 * a1, w22 + x2 * a2
    prepare_entries((w00, w10, w11), (w20, w21, w22), room.least, local[k])


@kernel(error_model="numpy")
def measure_forces(
    W: SoleArrays, d: FloatArray, y: FloatArray, law: LawArrays, r: FloatArray, residual: FloatArray
) -> float:
    """Write the natural residual of every contact, squared, into (K,); return their sum."""
    _, node, body, P, A, _ = W
    _, q, mu, rho = law
    total, three, six = 0.0, np.uint64(3), np.uint64(6)
    for k in range(np.uint64(len(node))):
        i, t = three * np.uint64(node[k]), six * np.uint64(body[k])
        u0, u1, u2 = velocity_at(k, i, t, P, A, d, y)
        residual[k] = natural_residual(
            r[k, 0], r[k, 1], r[k, 2], u0 + q[k, 0], u1 + q[k, 1], u2 + q[k, 2], mu[k], rho
        )
        total += residual[k]
    return total


@kernel(error_model="numpy")
def sweep_forces(
    single: ComplianceArrays,
    room: ForceRoom,
    W: SoleArrays,
    d: FloatArray,
    y: FloatArray,
    law: LawArrays,
    r: FloatArray,
    rule: SweepRule,
    state: int,
) -> tuple[int, int]:
    """Sweep at most `most` times in a new random order each; r (K, 3) and y in place.

    As `sweep_soles`; `single` has C in single precision, and so are the changes of the
    displacements d (3M,) that come in. Sweeps also end where that lowers the residual no further.
    Returns the sweeps done and the state of the generator.
    """
    flat, first, position = single
    scale, node, body, P, A, _ = W
    local, q, mu, rho = law
    omega, wait, most, target = rule
    K, residual, turned, done = len(node), room.residual, room.turned, 0
    order = np.arange(K)
    zero, one, two, three = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
    twists = np.uint64(len(y))
    change: Any = np.zeros(len(d), np.float32)
    base = compute_velocities(W, d, np.zeros(len(y)))
    for c in range(K):
        for a in range(3):
            base[c, a] += q[c, a]
    law = LawArrays(local, base, mu, rho)
    total = measure_forces(W, change, y, law, r, residual)
    enough = max(target * rho, DIGITS * math.sqrt(total))
    while math.sqrt(total) > enough and done < most:
        state = shuffle(order, state)
        skip = skip_threshold(total, target, rho, wait, K)
        for o in range(K):
            k = np.uint64(order[o])
            if residual[k] <= skip:
                continue
            b, i = np.uint64(body[k]), np.uint64(node[k])
            u0, u1, u2 = velocity_at(k, three * i, np.uint64(6) * b, P, A, change, y)
            u0, u1, u2 = u0 + base[k, 0], u1 + base[k, 1], u2 + base[k, 2]
            f0, f1, f2 = r[k, 0], r[k, 1], r[k, 2]
            if local[k, 0] == 0.0:
                prepare_force(k, room, W, local)
            now, n0, n1, n2 = solve_contact(local, k, f0, f1, f2, u0, u1, u2, mu[k])
            if now == STICK:  # relaxation of sliding contacts costs a root and saves no sweep
                n0, n1, n2 = relax_force(n0, n1, n2, f0, f1, f2, mu[k], omega)
            r[k, 0], r[k, 1], r[k, 2] = n0, n1, n2
            n0, n1, n2 = n0 - f0, n1 - f1, n2 - f2
            for j in range(twists):
                y[j] += turned[k, zero, j] * n0 + turned[k, one, j] * n1 + turned[k, two, j] * n2
            if position[b] >= 0:
                w = scale[b]
                g0 = np.float32(w * (P[k, 0, 0] * n0 + P[k, 1, 0] * n1 + P[k, 2, 0] * n2))
                g1 = np.float32(w * (P[k, 0, 1] * n0 + P[k, 1, 1] * n1 + P[k, 2, 1] * n2))
                g2 = np.float32(w * (P[k, 0, 2] * n0 + P[k, 1, 2] * n1 + P[k, 2, 2] * n2))
                n, begin = np.uint64(3 * (first[b + one] - first[b])), np.uint64(3 * first[b])
                row0 = np.uint64(position[b]) + (three * i - begin) * n
                row1 = row0 + n
                row2 = row1 + n
                for j in range(n):
                    change[begin + j] += (
                        g0 * flat[row0 + j] + g1 * flat[row1 + j] + g2 * flat[row2 + j]
                    )
        done += 1
        total = measure_forces(W, change, y, law, r, residual)
    return done, state
