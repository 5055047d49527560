"""Compiled sweeps over all contacts of soles on feet, by forces.

Scalar arithmetic. Products and sums of `contact.problem.velocity_at` are fused ("contract"):
``NUMBA_DISABLE_JIT=1`` gives other round-off.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.problem import (
    ComplianceArrays,
    SoleArrays,
    turned_block,
    velocity_at,
)
from contact.solvers.gauss_seidel_kernels import (
    LawArrays,
    SweepRule,
    shuffle,
    skip_threshold,
)
from contact.solvers.one_contact_kernels import (
    Triple,
    natural_residual,
    prepare_block,
    renew_force,
)
from sole.base.arrays import FloatArray, Index
from sole.base.compiled import inner_kernel


class OwnBlocks(NamedTuple):
    """C_ii and K_ii of all nodes (M, 3, 3), the least compliance of a contact, room for A S.

    `turned` (K, 3, 6 bodies) has A_k S where `local` of `LawArrays` is not zero.
    """

    C: FloatArray
    K: FloatArray
    least: float
    turned: FloatArray


@inner_kernel
def answer_force(local: FloatArray, k: Index, d0: float, d1: float, d2: float) -> Triple:
    """Return W_kk dr of a change of force, W_kk the block of `local`: du alone at contact k."""
    w_n = local[k, 0]
    g0, g1 = local[k, 5] * w_n, local[k, 6] * w_n
    return (
        local[k, 9] * d0 + local[k, 10] * d1 + g0 * d2,
        local[k, 10] * d0 + local[k, 11] * d1 + g1 * d2,
        g0 * d0 + g1 * d1 + w_n * d2,
    )


@inner_kernel
def invert_block(M: FloatArray) -> None:
    """Put M^-1 in the place of a symmetric block M (3, 3), by cofactors."""
    a, b, c, d, e, f = M[0, 0], M[0, 1], M[0, 2], M[1, 1], M[1, 2], M[2, 2]
    A, B, C = d * f - e * e, c * e - b * f, b * e - c * d
    one = 1.0 / (a * A + b * B + c * C)
    M[0, 0], M[0, 1], M[0, 2] = one * A, one * B, one * C
    M[1, 1], M[1, 2] = one * (a * f - c * c), one * (b * c - a * e)
    M[2, 2] = one * (a * d - b * b)
    M[1, 0], M[2, 0], M[2, 1] = M[0, 1], M[0, 2], M[1, 2]


@inner_kernel
def prepare_contact(
    k: Index,
    mirrored: bool,
    own: OwnBlocks,
    W: SoleArrays,
    block: FloatArray,
    local: FloatArray,
) -> None:
    """Write local[k], `prepare_block` of P scale C_ii P' + A S A', and own.turned[k] = A_k S.

    Of a contact swept by velocities, the block is the inverse of P K_ii P' |scale| - A S A'.
    `block` (3, 3) is overwritten.
    """
    scale, node, body, P, A, S = W
    i, b, six = np.uint64(node[k]), np.uint64(body[k]), np.uint64(6)
    a, x, t, n = A[k], own.turned[k], six * b, np.uint64(len(S))
    one, two, three = t + np.uint64(1), t + np.uint64(2), t + np.uint64(3)
    four, five = t + np.uint64(4), t + np.uint64(5)
    turned_block(k, P, abs(scale[b]), own.K[i] if mirrored else own.C[i], block)
    sign = -1.0 if mirrored else 1.0
    for e in range(np.uint64(3)):
        a0, a1, a2, a3, a4, a5 = a[e, 0], a[e, 1], a[e, 2], a[e, 3], a[e, 4], a[e, 5]
        for j in range(n):
            x[e, j] = (a0 * S[t, j] + a1 * S[one, j] + a2 * S[two, j]) + (
                a3 * S[three, j] + a4 * S[four, j] + a5 * S[five, j]
            )
        for f in range(e + np.uint64(1)):
            block[e, f] += sign * (
                (x[e, t] * a[f, 0] + x[e, one] * a[f, 1] + x[e, two] * a[f, 2])
                + (x[e, three] * a[f, 3] + x[e, four] * a[f, 4] + x[e, five] * a[f, 5])
            )
    block[0, 1], block[0, 2], block[1, 2] = block[1, 0], block[2, 0], block[2, 1]
    if mirrored:
        invert_block(block)
    prepare_block(block, own.least, local[k])


@inner_kernel
def measure_contacts(
    W: SoleArrays, d: FloatArray, y: FloatArray, law: LawArrays, r: FloatArray, residual: FloatArray
) -> float:
    """Write the natural residual of every contact, squared, into (K,); return their sum."""
    node, body, P, A = W.node, W.body, W.P.reshape(-1), W.A.reshape(-1)
    _, q, mu, rho = law
    total, three, six = 0.0, np.uint64(3), np.uint64(6)
    for k in range(np.uint64(len(node))):
        b = np.uint64(body[k])
        u0, u1, u2 = velocity_at(k, three * np.uint64(node[k]), six * b, P, A, d, y)
        u0, u1, u2 = u0 + q[k, 0], u1 + q[k, 1], u2 + q[k, 2]
        residual[k] = natural_residual(r[k, 0], r[k, 1], r[k, 2], u0, u1, u2, mu[k], rho)
        total += residual[k]
    return total


@inner_kernel
def sweep_soles(
    compliances: ComplianceArrays,
    own: OwnBlocks,
    W: SoleArrays,
    d: FloatArray,
    y: FloatArray,
    law: LawArrays,
    r: FloatArray,
    rule: SweepRule,
    state: int,
) -> tuple[int, int, int]:
    """Sweep at most `most` times in a new random order each; `r` (K, 3) is updated in place.

    The operator is W = P (scale C + G S G') P' by contacts, never formed: the nodal
    displacements d = scale C f and the twists y = S G' f of the forces r come in and are kept
    up to date; with q they give u. A changed contact costs one read of three rows of C; an open or
    settled one next to nothing. Rows of zeros in `law.local` are filled when their contact is first
    changed. Returns (sweeps done, rows read, generator state).
    """
    W, law = SoleArrays(*W), LawArrays(*law)
    flat, first, position = compliances
    scale, node, body, P, A, _ = W
    local, q, mu, rho = law
    omega, wait, most, target = rule
    K = len(node)
    order, room, residual = np.arange(K), np.zeros((3, 3)), np.empty(K)
    turned, Pf, Af = own.turned, P.reshape(-1), A.reshape(-1)
    zero, one, two, three = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
    twists = np.uint64(len(y))
    done, rows = 0, 0
    total = measure_contacts(W, d, y, law, r, residual)
    while math.sqrt(total) > target * rho and done < most:
        state = shuffle(order, state)
        skip = skip_threshold(total, target, rho, wait, K)
        for o in range(K):
            k = np.uint64(order[o])
            if residual[k] <= skip:
                continue
            b = np.uint64(body[k])
            i, t0 = np.uint64(node[k]), np.uint64(6) * b
            u0, u1, u2 = velocity_at(k, three * i, t0, Pf, Af, d, y)
            u0, u1, u2 = u0 + q[k, 0], u1 + q[k, 1], u2 + q[k, 2]
            f0, f1, f2 = r[k, 0], r[k, 1], r[k, 2]
            if local[k, 0] == 0.0:
                prepare_contact(k, False, own, W, room, local)
            n0, n1, n2 = renew_force(local, k, f0, f1, f2, u0, u1, u2, mu[k], omega)
            r[k, 0], r[k, 1], r[k, 2] = n0, n1, n2
            r0, r1, r2 = n0 - f0, n1 - f1, n2 - f2
            # The response to the change, written out with unsigned indices: the bookkeeping of
            # calls, views and signed indices would cost more than the rows of a small sole.
            rows += 1
            for j in range(twists):
                y[j] += turned[k, zero, j] * r0 + turned[k, one, j] * r1 + turned[k, two, j] * r2
            if position[b] < 0:  # rigid
                continue
            c = scale[b]
            g0 = c * (P[k, 0, 0] * r0 + P[k, 1, 0] * r1 + P[k, 2, 0] * r2)
            g1 = c * (P[k, 0, 1] * r0 + P[k, 1, 1] * r1 + P[k, 2, 1] * r2)
            g2 = c * (P[k, 0, 2] * r0 + P[k, 1, 2] * r1 + P[k, 2, 2] * r2)
            n, begin = np.uint64(3 * (first[b + one] - first[b])), np.uint64(3 * first[b])
            row0 = np.uint64(position[b]) + three * (i - np.uint64(first[b])) * n
            row1 = row0 + n
            row2 = row1 + n
            for j in range(n):
                d[begin + j] += g0 * flat[row0 + j] + g1 * flat[row1 + j] + g2 * flat[row2 + j]
        done += 1
        total = measure_contacts(W, d, y, law, r, residual)
    return done, rows, state
