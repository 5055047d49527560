"""Compiled sweeps over soles on feet: by forces, or by velocities where a sole mostly sticks.

Plain scalar arithmetic without fast-math, so that ``NUMBA_DISABLE_JIT=1`` gives the same numbers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.problem import ComplianceArrays, SoleArrays
from contact.solvers.gauss_seidel_kernels import (
    LawArrays,
    SweepRule,
    Triple,
    natural_residual,
    prepare_block,
    renew_force,
    shuffle,
    skip_threshold,
)
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import kernel


class StiffRows(NamedTuple):
    """K of soles swept by velocities: flat, and where that of every body begins, else -1."""

    flat: FloatArray
    position: IntArray


class OwnBlocks(NamedTuple):
    """C_ii and K_ii of all nodes (M, 3, 3), and the least compliance of a contact."""

    C: FloatArray
    K: FloatArray
    least: float


@kernel(error_model="numpy")
def answer_force(local: FloatArray, k: int, d0: float, d1: float, d2: float) -> Triple:
    """Return W_kk dr of a change of force, W_kk the block of `local`: du alone at contact k."""
    w_n = local[k, 0]
    g0, g1 = local[k, 5] * w_n, local[k, 6] * w_n
    return (
        local[k, 9] * d0 + local[k, 10] * d1 + g0 * d2,
        local[k, 10] * d0 + local[k, 11] * d1 + g1 * d2,
        g0 * d0 + g1 * d1 + w_n * d2,
    )


@kernel(error_model="numpy")
def invert_block(M: FloatArray, out: FloatArray) -> None:
    """Out = M^-1 for a symmetric block (3, 3), by cofactors."""
    a, b, c, d, e, f = M[0, 0], M[0, 1], M[0, 2], M[1, 1], M[1, 2], M[2, 2]
    A, B, C = d * f - e * e, c * e - b * f, b * e - c * d
    one = 1.0 / (a * A + b * B + c * C)
    out[0, 0], out[0, 1], out[0, 2] = one * A, one * B, one * C
    out[1, 1], out[1, 2] = one * (a * f - c * c), one * (b * c - a * e)
    out[2, 2] = one * (a * d - b * b)
    out[1, 0], out[2, 0], out[2, 1] = out[0, 1], out[0, 2], out[1, 2]


@kernel(error_model="numpy")
def prepare_contact(
    k: int, mirrored: bool, own: OwnBlocks, W: SoleArrays, room: FloatArray, local: FloatArray
) -> None:
    """Write local[k]: `prepare_block` of P scale C_ii P' + A S A'.

    Of a contact swept by velocities, of the inverse of P K_ii P' |scale| - A S A'. `room` (3, 3, 3)
    is overwritten.
    """
    scale, node, body, P, A, S = W
    i, b = node[k], body[k]
    c, t = abs(scale[b]), 6 * b
    left, whole, block = room[0], room[1], room[2]
    mine = own.K[i] if mirrored else own.C[i]
    for a in range(3):
        for e in range(3):
            left[a, e] = 0.0
            for f in range(3):  # the symmetric part of a matrix that is not quite symmetric
                left[a, e] += 0.5 * c * P[k, a, f] * (mine[f, e] + mine[e, f])
    for a in range(3):
        for e in range(a + 1):
            whole[a, e] = (
                left[a, 0] * P[k, e, 0] + left[a, 1] * P[k, e, 1] + left[a, 2] * P[k, e, 2]
            )
        for j in range(6):
            y = 0.0
            for l in range(6):
                y += A[k, a, l] * S[t + l, t + j]
            if mirrored:
                y = -y
            for e in range(a + 1):
                whole[a, e] += y * A[k, e, j]
    whole[0, 1], whole[0, 2], whole[1, 2] = whole[1, 0], whole[2, 0], whole[2, 1]
    if mirrored:
        invert_block(whole, block)
        prepare_block(block, own.least, local[k])
    else:
        prepare_block(whole, own.least, local[k])


@kernel(error_model="numpy")
def sole_velocity(
    k: int,
    i: int,
    b: int,
    P: FloatArray,
    A: FloatArray,
    d: FloatArray,
    y: FloatArray,
    q: FloatArray,
) -> Triple:
    """u_k = P_k d_i + A_k y_b + q_k for contact k on node i of body b, as three numbers."""
    d0, d1, d2 = d[3 * i], d[3 * i + 1], d[3 * i + 2]
    u0 = P[k, 0, 0] * d0 + P[k, 0, 1] * d1 + P[k, 0, 2] * d2 + q[k, 0]
    u1 = P[k, 1, 0] * d0 + P[k, 1, 1] * d1 + P[k, 1, 2] * d2 + q[k, 1]
    u2 = P[k, 2, 0] * d0 + P[k, 2, 1] * d1 + P[k, 2, 2] * d2 + q[k, 2]
    for e in range(6):
        w = y[6 * b + e]
        u0 += A[k, 0, e] * w
        u1 += A[k, 1, e] * w
        u2 += A[k, 2, e] * w
    return u0, u1, u2


@kernel(error_model="numpy")
def sole_residual(
    stiff: StiffRows, W: SoleArrays, d: FloatArray, y: FloatArray, law: LawArrays, x: FloatArray
) -> float:
    """Sum of the natural residuals of all contacts, squared."""
    node, body, P, A = W.node, W.body, W.P, W.A
    _, q, mu, rho = law
    total = 0.0
    for k in range(len(node)):
        v0, v1, v2 = sole_velocity(k, node[k], body[k], P, A, d, y, q)
        f0, f1, f2 = x[k, 0], x[k, 1], x[k, 2]
        if stiff.position[body[k]] >= 0:
            f0, f1, f2, v0, v1, v2 = v0, v1, v2, -f0, -f1, -f2
        total += natural_residual(f0, f1, f2, v0, v1, v2, mu[k], rho)
    return total


@kernel(error_model="numpy")
def sweep_soles(
    compliances: ComplianceArrays,
    stiff: StiffRows,
    own: OwnBlocks,
    W: SoleArrays,
    d: FloatArray,
    y: FloatArray,
    law: LawArrays,
    x: FloatArray,
    rule: SweepRule,
    state: int,
) -> tuple[int, float, int, int]:
    """Sweep at most `most` times in a new random order each; `x` (K, 3) is updated in place.

    The operator is W = P (scale C + G S G') P' by contacts, never formed: the nodal
    displacements d = scale C f and the twists y = S G' f of the forces x = r come in and are kept
    up to date; with q they give u. Of a sole with rows in `stiff`, x is -u, K takes the place of
    C and r that of u: see `contact.solvers.velocity_sweeps`. A changed contact costs one read of
    three rows of C or K; an open or settled one next to nothing. Rows of zeros in `law.local` are
    filled when their contact is first changed. Returns (sweeps done, residual,
    rows read, generator state); the residual is sqrt(sum natural^2)/rho [u].
    """
    stiff, W, law = StiffRows(*stiff), SoleArrays(*W), LawArrays(*law)
    flat, first, position = compliances
    scale, node, body, P, A, S = W
    local, q, mu, rho = law
    omega, wait, most, target = rule
    K = len(node)
    order, room = np.arange(K), np.empty((3, 3, 3))
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    four, five, twists = np.uint64(4), np.uint64(5), np.uint64(len(y))
    done, rows = 0, 0
    for k in range(K):
        if stiff.position[body[k]] < 0 and local[k, 0] == 0.0:
            prepare_contact(k, False, own, W, room, local)
    total = sole_residual(stiff, W, d, y, law, x)
    while math.sqrt(total) > target * rho and done < most:
        state = shuffle(order, state)
        skip = skip_threshold(total, target, rho, wait, K)
        total = 0.0
        for o in range(K):
            k = order[o]
            i, b = node[k], body[k]
            v0, v1, v2 = sole_velocity(k, i, b, P, A, d, y, q)
            f0, f1, f2 = x[k, 0], x[k, 1], x[k, 2]
            mirrored = stiff.position[b] >= 0
            if mirrored:
                f0, f1, f2, v0, v1, v2 = v0, v1, v2, -f0, -f1, -f2
            # One call of each law: two would not be inlined.
            res = natural_residual(f0, f1, f2, v0, v1, v2, mu[k], rho)
            total += res
            if res <= skip:
                continue
            if mirrored and local[k, 0] == 0.0:
                prepare_contact(k, True, own, W, room, local)
            n0, n1, n2 = renew_force(local, k, f0, f1, f2, v0, v1, v2, mu[k], omega)
            r0, r1, r2 = n0 - f0, n1 - f1, n2 - f2
            if mirrored:  # of x = -u
                opened = omega if n2 == 0.0 else 1.0
                r0, r1, r2 = answer_force(local, k, -opened * r0, -opened * r1, -opened * r2)
                n0, n1, n2 = r0 - v0, r1 - v1, r2 - v2
            x[k, 0], x[k, 1], x[k, 2] = n0, n1, n2
            # The response to the change, written out with unsigned indices: the bookkeeping of
            # calls, views and signed indices would cost more than the rows of a small sole.
            rows += 1
            if mirrored or position[b] >= 0:
                c = scale[b]
                g0 = c * (P[k, 0, 0] * r0 + P[k, 1, 0] * r1 + P[k, 2, 0] * r2)
                g1 = c * (P[k, 0, 1] * r0 + P[k, 1, 1] * r1 + P[k, 2, 1] * r2)
                g2 = c * (P[k, 0, 2] * r0 + P[k, 1, 2] * r1 + P[k, 2, 2] * r2)
                n = np.uint64(3 * (first[b + 1] - first[b]))
                row0 = np.uint64(3 * (i - first[b])) * n
                begin = np.uint64(3 * first[b])
                if mirrored:
                    row0 += np.uint64(stiff.position[b])
                    row1 = row0 + n
                    row2 = row1 + n
                    stiffness = stiff.flat
                    for j in range(n):
                        d[begin + j] += (
                            g0 * stiffness[row0 + j]
                            + g1 * stiffness[row1 + j]
                            + g2 * stiffness[row2 + j]
                        )
                else:
                    row0 += np.uint64(position[b])
                    row1 = row0 + n
                    row2 = row1 + n
                    for j in range(n):
                        d[begin + j] += (
                            g0 * flat[row0 + j] + g1 * flat[row1 + j] + g2 * flat[row2 + j]
                        )
            w0 = A[k, 0, 0] * r0 + A[k, 1, 0] * r1 + A[k, 2, 0] * r2
            w1 = A[k, 0, 1] * r0 + A[k, 1, 1] * r1 + A[k, 2, 1] * r2
            w2 = A[k, 0, 2] * r0 + A[k, 1, 2] * r1 + A[k, 2, 2] * r2
            w3 = A[k, 0, 3] * r0 + A[k, 1, 3] * r1 + A[k, 2, 3] * r2
            w4 = A[k, 0, 4] * r0 + A[k, 1, 4] * r1 + A[k, 2, 4] * r2
            w5 = A[k, 0, 5] * r0 + A[k, 1, 5] * r1 + A[k, 2, 5] * r2
            t0 = np.uint64(6 * b)
            t1, t2, t3, t4, t5 = t0 + one, t0 + two, t0 + three, t0 + four, t0 + five
            for j in range(twists):
                y[j] += S[t0, j] * w0 + S[t1, j] * w1 + S[t2, j] * w2
                y[j] += S[t3, j] * w3 + S[t4, j] * w4 + S[t5, j] * w5
        done += 1
        # The residual summed during the sweep is too large: measure it anew once it comes near.
        if math.sqrt(total) <= 8.0 * target * rho or done == most:
            total = sole_residual(stiff, W, d, y, law, x)
    return done, math.sqrt(total) / rho, rows, state
