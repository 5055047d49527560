"""Compiled sweeps over some contacts of soles: those that may change, on the block of their nodes.

Scalar arithmetic; only rows are added with fused multiplications and additions ("contract").
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.problem import SoleArrays, velocity_at
from contact.solvers.gauss_seidel_kernels import LawArrays, SweepRule, shuffle, skip_threshold
from contact.solvers.one_contact_kernels import natural_residual, renew_force
from contact.solvers.sole_sweeps_kernels import OwnBlocks, answer_force, prepare_contact
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel


class PackedRows(NamedTuple):
    """The blocks of `contact.solvers.pack_kernels.Pack` as sweeps read them.

    Attributes
    ----------
    flat : of it. begin, stride : (bodies,) where a block begins, and from row to row.
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
def measure_packed(
    rows: PackedRows, W: SoleArrays, change: FloatArray, y: FloatArray, law: LawArrays,
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
def sweep_packed(
    rows: PackedRows, own: OwnBlocks, W: SoleArrays, y: FloatArray, law: LawArrays, x: FloatArray,
    rule: SweepRule, state: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Sweep as `sweep_soles` over these contacts alone, on the nodes in use.

    q of the law has what the displacements at hand bring to u; what sweeps change of them is summed
    apart. Returns (sweeps done, rows read, generator state).
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
    total = measure_packed(rows, W, change, y, law, x, residual)
    while math.sqrt(total) > target * rho and done < most:
        state = shuffle(order, state)
        skip = skip_threshold(total, target, rho, wait, K)
        for o in range(K):
            k = np.uint64(order[o])
            if residual[k] <= skip:
                continue
            b, j = np.uint64(body[k]), np.uint64(rows.place[k])
            begin = three * np.uint64(rows.origin[b])
            v0, v1, v2 = velocity_at(k, begin + three * j, six * b, P, A, change, y)
            v0, v1, v2 = v0 + q[k, 0], v1 + q[k, 1], v2 + q[k, 2]
            f0, f1, f2 = x[k, 0], x[k, 1], x[k, 2]
            mirrored = rows.held[b] >= 0
            if mirrored:
                f0, f1, f2, v0, v1, v2 = v0, v1, v2, -f0, -f1, -f2
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
        total = measure_packed(rows, W, change, y, law, x, residual)
    return done, read, state
