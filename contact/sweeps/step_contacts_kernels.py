"""Compiled: which contacts of a step may change, their problem, and a look at all others.

The symbols are those of `contact.solvers.step_sweeps`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.one_contact_kernels import NUMBERS, natural_residual
from contact.problem import ComplianceArrays, SoleArrays, displace_nodes, velocity_at
from contact.sweeps.block_sweeps_kernels import LawArrays
from contact.sweeps.solve_soles_kernels import GivenArrays
from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel

FAINT = 1e-13  # of the largest force of a sole: what is left of forces that fade away


class StepStart(NamedTuple):
    """Where a solve begins.

    Attributes
    ----------
    r : (K, 3) forces, projected on the cones. status : (K,) of the last step.
    d, f : (M, 3) displacements and nodal forces that belong to each other: d = scale C f.
    ahead : (6 bodies,) twists without contact forces, a part of q.
    lost : bound of |d/scale - C f| [m], Frobenius, of all bodies.
    """

    r: FloatArray
    status: IntArray
    d: FloatArray
    f: FloatArray
    ahead: FloatArray
    lost: float


@inner_kernel
def guess_velocities(
    held: IntArray, W: SoleArrays, q: FloatArray, start: StepStart, y: FloatArray, x: FloatArray
) -> None:
    """x (K, 3) = -u of soles swept by velocities: 0 where a node stuck.

    Elsewhere u = P d + A y + q of the displacements d at hand, u_n = 0 where it slid.
    """
    _, node, body, P, A, _ = W
    P, A = P.reshape(-1), A.reshape(-1)
    three, six, flat = np.uint64(3), np.uint64(6), start.d.reshape(-1)
    for k in range(np.uint64(len(node))):
        b = np.uint64(body[k])
        if held[b] < 0:
            continue
        if start.status[k] == 1:
            x[k, 0] = x[k, 1] = x[k, 2] = 0.0
            continue
        u0, u1, u2 = velocity_at(k, three * np.uint64(node[k]), six * b, P, A, flat, y)
        x[k, 0], x[k, 1], x[k, 2] = -(u0 + q[k, 0]), -(u1 + q[k, 1]), -(u2 + q[k, 2])
        if start.status[k] == 2 or x[k, 2] > 0.0:
            x[k, 2] = 0.0


@inner_kernel
def find_active(
    held: IntArray, W: SoleArrays, q: FloatArray, status: IntArray, d: FloatArray, y: FloatArray,
    x: FloatArray, active: BoolArray,
) -> None:  # fmt: skip
    """Name the contacts (K,) whose x may change: of a sole swept by velocities what did not stick.

    Of another what bears force, or would close if the displacements stayed d.
    """
    _, node, body, P, A, _ = W
    P, A, three, six = P.reshape(-1), A.reshape(-1), np.uint64(3), np.uint64(6)
    for k in range(np.uint64(len(node))):
        b = np.uint64(body[k])
        if held[b] >= 0:
            active[k] = status[k] != 1
        elif x[k, 2] > 0.0:
            active[k] = True
        else:
            _, _, u2 = velocity_at(k, three * np.uint64(node[k]), six * b, P, A, d, y)
            active[k] = u2 + q[k, 2] < 0.0


@inner_kernel
def look_at_all(
    held: IntArray, W: SoleArrays, d: FloatArray, y: FloatArray, given: GivenArrays, x: FloatArray,
    share: float, active: BoolArray,
) -> float:  # fmt: skip
    """Name the contacts whose residual exceeds `share`; return the sum over all, squared.

    Of a body swept by velocities, d is K s/scale, else u = P d + A y + q.
    """
    _, node, body, P, A, _ = W
    P, A = P.reshape(-1), A.reshape(-1)
    q, mu, rho = given
    total, three, six, still = 0.0, np.uint64(3), np.uint64(6), np.zeros(len(y))
    for k in range(np.uint64(len(node))):
        b = np.uint64(body[k])
        f0, f1, f2 = x[k, 0], x[k, 1], x[k, 2]
        if held[b] >= 0:
            v0, v1, v2 = velocity_at(k, three * np.uint64(node[k]), six * b, P, A, d, still)
            f0, f1, f2, v0, v1, v2 = v0, v1, v2, -f0, -f1, -f2
        else:
            v0, v1, v2 = velocity_at(k, three * np.uint64(node[k]), six * b, P, A, d, y)
            v0, v1, v2 = v0 + q[k, 0], v1 + q[k, 1], v2 + q[k, 2]
        one = natural_residual(f0, f1, f2, v0, v1, v2, mu[k], rho)
        active[k] = active[k] or one > share
        total += one
    return total


@inner_kernel
def take_contacts(
    which: IntArray, held: IntArray, W: SoleArrays, V0: FloatArray, factor: FloatArray,
    S: FloatArray, given: GivenArrays, y: FloatArray, x: FloatArray, d: FloatArray,
) -> tuple[SoleArrays, LawArrays, FloatArray]:  # fmt: skip
    """Return the problem of some contacts as sweeps see it, and their x.

    A body swept by velocities has H = -P V0/scale in the place of A and the offset P d, another
    P d + q + A y; d (3M,) are the displacements at hand.
    """
    _, node, body, P, A, _ = W
    q, mu, rho = given
    K = len(which)
    i, b, frame, H = (
        np.empty(K, np.int64),
        np.empty(K, np.int64),
        np.empty((K, 3, 3)),
        np.empty((K, 3, 6)),
    )
    offset, slope, mine = np.empty((K, 3)), np.empty(K), np.empty((K, 3))
    for j in range(K):
        k = which[j]
        i[j], b[j], slope[j] = node[k], body[k], mu[k]
        at, t, c = 3 * i[j], 6 * b[j], factor[b[j]]
        for a in range(3):
            mine[j, a] = x[k, a]
            p0, p1, p2 = P[k, a, 0], P[k, a, 1], P[k, a, 2]
            frame[j, a, 0], frame[j, a, 1], frame[j, a, 2] = p0, p1, p2
            offset[j, a] = p0 * d[at] + p1 * d[at + 1] + p2 * d[at + 2]
            if held[b[j]] >= 0:
                p0, p1, p2 = c * p0, c * p1, c * p2
                for l in range(6):
                    H[j, a, l] = p0 * V0[at, l] + p1 * V0[at + 1, l] + p2 * V0[at + 2, l]
                continue
            offset[j, a] += q[k, a]
            for l in range(6):
                H[j, a, l] = A[k, a, l]
                offset[j, a] += A[k, a, l] * y[t + l]
    local = np.zeros((K, NUMBERS))
    return SoleArrays(factor, i, b, frame, H, S), LawArrays(local, offset, slope, rho), mine


@inner_kernel
def sum_swept_forces(held: IntArray, nodes: int, W: SoleArrays, x: FloatArray) -> FloatArray:
    """f (3 nodes,) = sum of P' x over the contacts of soles swept by forces."""
    node, body, P = W.node, W.body, W.P
    f, three, one, two = np.zeros(3 * nodes), np.uint64(3), np.uint64(1), np.uint64(2)
    for k in range(np.uint64(len(node))):
        if held[body[k]] >= 0:
            continue
        i, r0, r1, r2 = three * np.uint64(node[k]), x[k, 0], x[k, 1], x[k, 2]
        f[i] += P[k, 0, 0] * r0 + P[k, 1, 0] * r1 + P[k, 2, 0] * r2
        f[i + one] += P[k, 0, 1] * r0 + P[k, 1, 1] * r1 + P[k, 2, 1] * r2
        f[i + two] += P[k, 0, 2] * r0 + P[k, 1, 2] * r1 + P[k, 2, 2] * r2
    return f


@inner_kernel
def find_changed_nodes(
    held: IntArray, first: IntArray, W: SoleArrays, start: StepStart, x: FloatArray,
    active: BoolArray, wanted: BoolArray,
) -> FloatArray:  # fmt: skip
    """Return by how much forces x differ from those of the start (3M,), of soles swept by forces.

    wanted (M,) : nodes of which any force differs, or with an `active` contact.
    """
    node, f = W.node, sum_swept_forces(held, first[-1], W, x)
    for b in range(len(held)):
        if held[b] >= 0:
            continue
        for i in range(first[b], first[b + 1]):
            for a in range(3):
                f[3 * i + a] -= start.f[i, a]
            wanted[i] = f[3 * i] != 0.0 or f[3 * i + 1] != 0.0 or f[3 * i + 2] != 0.0
    for k in range(len(node)):
        wanted[node[k]] = wanted[node[k]] or active[k]
    return f


@inner_kernel(fastmath={"contract"})
def add_change(
    C: ComplianceArrays, b: int, scale: float, f: FloatArray, start: StepStart, least: float,
    d: FloatArray,
) -> None:  # fmt: skip
    """d (3M,) = d0 + scale C (f - f0) of the nodes of body b, changes below `least` left out.

    Rows of two nodes at a time are added: d is read and written half as often.
    """
    flat, low, three, waits = C.flat, C.first[b], np.uint64(3), False
    n, begin = np.uint64(3 * (C.first[b + 1] - low)), np.uint64(3 * low)
    row0 = row1 = row2 = np.uint64(C.position[b])
    g0 = g1 = g2 = 0.0
    for i in range(low, C.first[b + 1]):
        for a in range(3):
            d[3 * i + a] = start.d[i, a]
    for i in range(low, C.first[b + 1]):
        h0 = f[3 * i] - start.f[i, 0]
        h1 = f[3 * i + 1] - start.f[i, 1]
        h2 = f[3 * i + 2] - start.f[i, 2]
        if abs(h0) + abs(h1) + abs(h2) <= least:
            continue
        h0, h1, h2 = scale * h0, scale * h1, scale * h2
        row3 = np.uint64(C.position[b]) + three * np.uint64(i - low) * n
        row4 = row3 + n
        row5 = row4 + n
        if waits:
            for j in range(n):
                d[begin + j] += (
                    g0 * flat[row0 + j] + g1 * flat[row1 + j] + g2 * flat[row2 + j]
                ) + (h0 * flat[row3 + j] + h1 * flat[row4 + j] + h2 * flat[row5 + j])
        row0, row1, row2, g0, g1, g2, waits = row3, row4, row5, h0, h1, h2, not waits
    if waits:
        for j in range(n):
            d[begin + j] += g0 * flat[row0 + j] + g1 * flat[row1 + j] + g2 * flat[row2 + j]


@inner_kernel
def answer_forces(
    held: IntArray, C: ComplianceArrays, W: SoleArrays, start: StepStart, x: FloatArray,
    most: float, d: FloatArray,
) -> float:  # fmt: skip
    """Write d (3M,) = scale C f of soles swept by forces; return a bound of |d - scale C f|.

    d0 + scale C (f - f0) is enough where what it lacks, scale `lost` of earlier steps, is not above
    `most`; else, and where nothing is loaded, all of f is multiplied. Of soles swept by velocities
    `lost` remains.
    """
    first, f = C.first, sum_swept_forces(held, C.first[-1], W, x)
    place, fastest, some = np.full(len(held), -1), 0.0, False
    for b in range(len(held)):
        if held[b] >= 0:
            fastest = max(fastest, W.scale[b])
            continue
        largest = 0.0
        for i in range(3 * first[b], 3 * first[b + 1]):
            largest = max(largest, abs(f[i]))
        if largest == 0.0 or C.position[b] < 0 or W.scale[b] * start.lost > most:
            place[b], some = C.position[b], True
        else:
            add_change(C, b, W.scale[b], f, start, FAINT * largest, d)
            fastest = max(fastest, W.scale[b])
    if some:
        found = displace_nodes(ComplianceArrays(C.flat, first, place), W.scale, f)
        for b in range(len(held)):
            if held[b] < 0 and (place[b] >= 0 or C.position[b] < 0):
                for i in range(3 * first[b], 3 * first[b + 1]):
                    d[i] = found[i]
    return fastest * start.lost


@kernel
def keep_lost(lost: float, unsure: float, scale: FloatArray, dt: float) -> float:
    """Return the bound of |U - C e| [m] after a step from that before it and that of its solve.

    U = (1 - k) U0 + k d/scale and e = (1 - k) e0 + k f with k = dt scale, of every body.
    """
    kept, taken, slowest = 0.0, 0.0, math.inf
    for b in range(len(scale)):
        k = dt * scale[b]
        kept, taken, slowest = max(kept, abs(1.0 - k)), max(taken, k), min(slowest, scale[b])
    return kept * lost + taken * unsure / slowest
