"""Compiled Gauss-Seidel sweeps over contacts of soles on feet: the loop that walks run.

    u_k = P_k (scale C f + G y)_k + q_k,    r_k <- Coulomb's law (contact.one_contact_kernels),
    f += P_k' dr_k,    y += S G_k' P_k' dr_k.


They read rows of C and a wrench a foot; W is not made. Case and factor: a block that stands or
slides on a pad, 4 to 10 times as fast as `sweep_blocks` at 50 and 104 nodes, 17 to 30 at 300, the
time to make W included (`python benchmarks/fast_forms.py`).

Scalar arithmetic; products and sums are fused ("contract"): ``NUMBA_DISABLE_JIT=1`` gives other
round-off.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.one_contact_kernels import Triple, natural_residual, prepare_block, renew_force
from contact.problem import ComplianceArrays, SoleArrays, turned_block, velocity_at
from contact.sweeps.block_sweeps_kernels import LawArrays, SweepRule, shuffle, skip_threshold
from sole.base.arrays import FloatArray, Index, IntArray
from sole.base.compiled import inner_kernel


class SoleRows(NamedTuple):
    """Rows of C or K as sweeps read them: of whole soles, or of a few nodes in a `Pack`.

    Attributes
    ----------
    flat : blocks one behind the other.
    begin, stride : (bodies,) where a block begins, and from row to row.
    origin : (bodies + 1,) where the nodes in use of every body begin in d, counted in nodes.
    place : (K,) of every contact, from its `origin` on. held : (bodies,) bodies by velocities.
    """

    flat: FloatArray
    begin: IntArray
    stride: IntArray
    origin: IntArray
    place: IntArray
    held: IntArray


@inner_kernel
def whole_soles(C: ComplianceArrays, W: SoleArrays) -> SoleRows:
    """Return the rows of C of all nodes, as they are: all bodies by forces."""
    stride = np.empty(len(W.scale), np.int64)
    for b in range(len(stride)):
        stride[b] = 3 * (C.first[b + 1] - C.first[b])
    place = W.node.copy()
    for k in range(len(place)):
        place[k] -= C.first[W.body[k]]
    return SoleRows(C.flat, C.position, stride, C.first, place, np.full(len(stride), -1))


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
def measure_soles(
    rows: SoleRows, W: SoleArrays, change: FloatArray, y: FloatArray, law: LawArrays,
    x: FloatArray, residual: FloatArray,
) -> float:  # fmt: skip
    """Write the natural residual of every contact, squared, into (K,); return their sum.

    u = P change + A y + q, of the changes (3n,) of the displacements.
    """
    body, P, A = W.body, W.P.reshape(-1), W.A.reshape(-1)
    _, q, mu, rho = law
    total, three, six = 0.0, np.uint64(3), np.uint64(6)
    for k in range(np.uint64(len(body))):
        b = np.uint64(body[k])
        i = three * np.uint64(rows.origin[b] + rows.place[k])
        v0, v1, v2 = velocity_at(k, i, six * b, P, A, change, y)
        v0, v1, v2 = v0 + q[k, 0], v1 + q[k, 1], v2 + q[k, 2]
        f0, f1, f2 = x[k, 0], x[k, 1], x[k, 2]
        if rows.held[b] >= 0:
            f0, f1, f2, v0, v1, v2 = v0, v1, v2, -f0, -f1, -f2
        residual[k] = natural_residual(f0, f1, f2, v0, v1, v2, mu[k], rho)
        total += residual[k]
    return total


@inner_kernel(fastmath={"contract"})
def sweep_soles(
    rows: SoleRows, own: OwnBlocks, W: SoleArrays, y: FloatArray, law: LawArrays, x: FloatArray,
    rule: SweepRule, state: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Sweep at most `most` times in a new random order each; x (K, 3) is updated in place.

    The operator is W = P (scale C + G S G') P' by contacts, never formed. x are forces, or -u of
    contacts on bodies `held`. The twists y = S G' f come in and are kept up to date; q of the law
    has what the displacements at hand bring to u, and what sweeps change of them is summed apart.
    A changed contact costs one read of three rows; an open or settled one next to nothing. Rows of
    zeros in `law.local` are filled when their contact is first changed. Returns (sweeps done, rows
    read, generator state).
    """
    scale, node, body, P, A, _ = W
    local, q, mu, rho = law
    omega, wait, most, target = rule
    K = len(node)
    order, room, residual = np.arange(K), np.zeros((3, 3)), np.empty(K)
    # Flat arrays: LLVM knows where their numbers are.
    P, A, turned, flat = P.reshape(-1), A.reshape(-1), own.turned.reshape(-1), rows.flat
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    five, six = np.uint64(5), np.uint64(6)
    twists = np.uint64(len(y))
    done, read, given = 0, 0, np.empty(3, flat.dtype)
    change = np.zeros(3 * rows.origin[-1], flat.dtype)
    total = measure_soles(rows, W, change, y, law, x, residual)
    while math.sqrt(total) > target * rho and done < most:
        state = shuffle(order, state)
        skip = skip_threshold(total, target, rho, wait, K)
        for o in range(K):
            k = np.uint64(order[o])
            if residual[k] <= skip:
                continue
            b, j = np.uint64(body[k]), np.uint64(rows.place[k])
            begin = three * np.uint64(rows.origin[b])
            # Velocity of the contact with all forces so far.
            v0, v1, v2 = velocity_at(k, begin + three * j, six * b, P, A, change, y)
            v0, v1, v2 = v0 + q[k, 0], v1 + q[k, 1], v2 + q[k, 2]
            f0, f1, f2 = x[k, 0], x[k, 1], x[k, 2]
            mirrored = rows.held[b] >= 0
            if mirrored:
                f0, f1, f2, v0, v1, v2 = v0, v1, v2, -f0, -f1, -f2
            # The law of this contact, for its force or, on a body that is held, its velocity.
            if local[k, 0] == 0.0:
                prepare_contact(k, mirrored, own, W, room, local)
            n0, n1, n2 = renew_force(local, k, f0, f1, f2, v0, v1, v2, mu[k], omega)
            r0, r1, r2 = n0 - f0, n1 - f1, n2 - f2
            if mirrored:  # of x = -u
                opened = omega if n2 == 0.0 else 1.0
                r0, r1, r2 = answer_force(local, k, -opened * r0, -opened * r1, -opened * r2)
                n0, n1, n2 = r0 - v0, r1 - v1, r2 - v2
            x[k, 0], x[k, 1], x[k, 2] = n0, n1, n2
            read += 1
            # What the change does: twists of all bodies, displacements of the nodes of its sole.
            x0 = three * k * twists
            x1, x2 = x0 + twists, x0 + two * twists
            for l in range(twists):
                y[l] += turned[x0 + l] * r0 + turned[x1 + l] * r1 + turned[x2 + l] * r2
            if rows.begin[b] < 0:  # rigid
                continue
            c, p = scale[b], np.uint64(9) * k
            given[0] = c * (P[p] * r0 + P[p + three] * r1 + P[p + six] * r2)
            given[1] = c * (P[p + one] * r0 + P[p + four] * r1 + P[p + six + one] * r2)
            given[2] = c * (P[p + two] * r0 + P[p + five] * r1 + P[p + six + two] * r2)
            g0, g1, g2 = given[0], given[1], given[2]
            n = three * np.uint64(rows.origin[b + one] - rows.origin[b])
            stride = np.uint64(rows.stride[b])
            row0 = np.uint64(rows.begin[b]) + three * j * stride
            row1 = row0 + stride
            row2 = row1 + stride
            for l in range(n):
                change[begin + l] += g0 * flat[row0 + l] + g1 * flat[row1 + l] + g2 * flat[row2 + l]
        done += 1
        total = measure_soles(rows, W, change, y, law, x, residual)
    return done, read, state
