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


@kernel
def renew_velocity(
    local: FloatArray,
    k: int,
    r0: float,
    r1: float,
    r2: float,
    x0: float,
    x1: float,
    x2: float,
    mu: float,
    omega: float,
) -> Triple:
    """-u of contact k from its force r and x = -u, the velocities of the others held.

    With B the block of the inverse, W_loc = B^-1: u + W_loc (r_new - r) for the new force.
    """
    n0, n1, n2 = renew_force(local, k, r0, r1, r2, -x0, -x1, -x2, mu, omega)
    opened = omega if n2 == 0.0 else 1.0
    d0, d1, d2 = opened * (r0 - n0), opened * (r1 - n1), opened * (r2 - n2)
    w_n = local[k, 0]
    g0, g1 = local[k, 5] * w_n, local[k, 6] * w_n
    return (
        x0 + local[k, 9] * d0 + local[k, 10] * d1 + g0 * d2,
        x1 + local[k, 10] * d0 + local[k, 11] * d1 + g1 * d2,
        x2 + g0 * d0 + g1 * d1 + w_n * d2,
    )


@kernel
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


@kernel
def sole_residual(
    stiff: StiffRows, W: SoleArrays, d: FloatArray, y: FloatArray, law: LawArrays, x: FloatArray
) -> float:
    """Sum of the natural residuals of all contacts, squared."""
    node, body, P, A = W.node, W.body, W.P, W.A
    _, q, mu, rho = law
    total = 0.0
    for k in range(len(node)):
        c0, c1, c2 = sole_velocity(k, node[k], body[k], P, A, d, y, q)
        x0, x1, x2 = x[k, 0], x[k, 1], x[k, 2]
        if stiff.position[body[k]] >= 0:
            total += natural_residual(c0, c1, c2, -x0, -x1, -x2, mu[k], rho)
        else:
            total += natural_residual(x0, x1, x2, c0, c1, c2, mu[k], rho)
    return total


@kernel
def sweep_soles(
    compliances: ComplianceArrays,
    stiff: StiffRows,
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
    three rows of C or K; an open or settled one next to nothing. Returns (sweeps done, residual,
    rows read, generator state); the residual is sqrt(sum natural^2)/rho [u].
    """
    stiff, W, law = StiffRows(*stiff), SoleArrays(*W), LawArrays(*law)
    flat, first, position = compliances
    scale, node, body, P, A, S = W
    local, q, mu, rho = law
    omega, wait, most, target = rule
    K = len(node)
    order = np.arange(K)
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    four, five, twists = np.uint64(4), np.uint64(5), np.uint64(len(y))
    done, rows = 0, 0
    total = sole_residual(stiff, W, d, y, law, x)
    while math.sqrt(total) > target * rho and done < most:
        state = shuffle(order, state)
        skip = skip_threshold(total, target, rho, wait, K)
        total = 0.0
        for o in range(K):
            k = order[o]
            i, b = node[k], body[k]
            c0, c1, c2 = sole_velocity(k, i, b, P, A, d, y, q)
            x0, x1, x2 = x[k, 0], x[k, 1], x[k, 2]
            mirrored = stiff.position[b] >= 0
            if mirrored:
                res = natural_residual(c0, c1, c2, -x0, -x1, -x2, mu[k], rho)
            else:
                res = natural_residual(x0, x1, x2, c0, c1, c2, mu[k], rho)
            total += res
            if res <= skip:
                continue
            if mirrored:
                n0, n1, n2 = renew_velocity(local, k, c0, c1, c2, x0, x1, x2, mu[k], omega)
            else:
                n0, n1, n2 = renew_force(local, k, x0, x1, x2, c0, c1, c2, mu[k], omega)
            x[k, 0], x[k, 1], x[k, 2] = n0, n1, n2
            r0, r1, r2 = n0 - x0, n1 - x1, n2 - x2
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
