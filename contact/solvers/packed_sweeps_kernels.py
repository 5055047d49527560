"""Compiled sweeps over some contacts of soles: those that may change, on the block of their nodes.

Scalar arithmetic; only rows are added with fused multiplications and additions ("contract").
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.problem import SoleArrays, velocity_of
from contact.solvers.gauss_seidel_kernels import LawArrays, SweepRule, shuffle, skip_threshold
from contact.solvers.one_contact_kernels import natural_residual, renew_force
from contact.solvers.sole_sweeps_kernels import OwnBlocks, answer_force, prepare_contact
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import kernel


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


@kernel(error_model="numpy")
def measure_packed(
    rows: PackedRows, W: SoleArrays, d: FloatArray, change: FloatArray, y: FloatArray,
    law: LawArrays, x: FloatArray, residual: FloatArray,
) -> float:  # fmt: skip
    """Write the natural residual of every contact, squared, into (K,); return their sum.

    The displacements are d + change (3n,).
    """
    body, P, A = W.body, W.P, W.A
    _, q, mu, rho = law
    total, one, two, three, six = 0.0, np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(6)
    for k in range(np.uint64(len(body))):
        b = np.uint64(body[k])
        i = three * np.uint64(rows.origin[b] + rows.place[k])
        v0, v1, v2 = velocity_of(
            k, six * b, P, A, d[i] + change[i], d[i + one] + change[i + one],
            d[i + two] + change[i + two], y,
        )  # fmt: skip
        v0, v1, v2 = v0 + q[k, 0], v1 + q[k, 1], v2 + q[k, 2]
        f0, f1, f2 = x[k, 0], x[k, 1], x[k, 2]
        if rows.held[b] >= 0:
            f0, f1, f2, v0, v1, v2 = v0, v1, v2, -f0, -f1, -f2
        residual[k] = natural_residual(f0, f1, f2, v0, v1, v2, mu[k], rho)
        total += residual[k]
    return total


@kernel(fastmath={"contract"}, error_model="numpy")
def sweep_packed(
    rows: PackedRows, own: OwnBlocks, W: SoleArrays, d: FloatArray, y: FloatArray, law: LawArrays,
    x: FloatArray, rule: SweepRule, state: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Sweep as `sweep_soles` over these contacts alone, on the nodes in use.

    d (3n,) runs over these nodes, body by body, and is left alone: what the sweeps change is summed
    in the precision of the rows. Returns (sweeps done, rows read, generator state).
    """
    scale, node, body, P, A, _ = W
    local, q, mu, rho = law
    omega, wait, most, target = rule
    K = len(node)
    order, room, residual = np.arange(K), np.zeros((3, 3)), np.empty(K)
    turned, flat = own.turned, rows.flat
    zero, one, two, three = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
    twists = np.uint64(len(y))
    done, read, given = 0, 0, np.empty(3, flat.dtype)
    change = np.zeros(len(d), flat.dtype)
    total = measure_packed(rows, W, d, change, y, law, x, residual)
    while math.sqrt(total) > target * rho and done < most:
        state = shuffle(order, state)
        skip = skip_threshold(total, target, rho, wait, K)
        for o in range(K):
            k = np.uint64(order[o])
            if residual[k] <= skip:
                continue
            b, j = np.uint64(body[k]), np.uint64(rows.place[k])
            begin, t0 = three * np.uint64(rows.origin[b]), np.uint64(6) * b
            i = begin + three * j
            v0, v1, v2 = velocity_of(
                k, t0, P, A, d[i] + change[i], d[i + one] + change[i + one],
                d[i + two] + change[i + two], y,
            )  # fmt: skip
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
            for l in range(twists):
                y[l] += turned[k, zero, l] * r0 + turned[k, one, l] * r1 + turned[k, two, l] * r2
            if rows.begin[b] < 0:  # rigid
                continue
            c = scale[b]
            given[0] = c * (P[k, 0, 0] * r0 + P[k, 1, 0] * r1 + P[k, 2, 0] * r2)
            given[1] = c * (P[k, 0, 1] * r0 + P[k, 1, 1] * r1 + P[k, 2, 1] * r2)
            given[2] = c * (P[k, 0, 2] * r0 + P[k, 1, 2] * r1 + P[k, 2, 2] * r2)
            g0, g1, g2 = given[0], given[1], given[2]
            n = three * np.uint64(rows.origin[b + one] - rows.origin[b])
            stride = np.uint64(rows.stride[b])
            row0 = np.uint64(rows.begin[b]) + three * j * stride
            row1 = row0 + stride
            row2 = row1 + stride
            for l in range(n):
                change[begin + l] += g0 * flat[row0 + l] + g1 * flat[row1 + l] + g2 * flat[row2 + l]
        done += 1
        total = measure_packed(rows, W, d, change, y, law, x, residual)
    return done, read, state
