"""Compiled loops that pose the contact problem of a (sub-)step, u = W r + q, and its start.

Imports numpy and numba only; arrays in, arrays out: see `contact.step.step_arrays`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from contact.step.step_arrays import ContactArrays, NodeArrays
from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel


class PosedArrays(NamedTuple):
    """What `pose_problem` writes: q and the start (K, 3), the last statuses (K,)."""

    q: FloatArray
    start: FloatArray
    status: IntArray


@inner_kernel
def extrapolate_forces(
    contacts: ContactArrays, forces: FloatArray, earlier: FloatArray, r: FloatArray
) -> None:
    """r (K, 3) = P (f + (f - earlier)); plain f where the contact is one step old."""
    node, slot, _, P, _ = contacts
    for k in range(len(node)):
        i, s = node[k], slot[k]
        y0, y1, y2 = forces[i, s, 0], forces[i, s, 1], forces[i, s, 2]
        e0, e1, e2 = earlier[i, s, 0], earlier[i, s, 1], earlier[i, s, 2]
        old = e0 != 0.0 or e1 != 0.0 or e2 != 0.0
        if old and (y0 != 0.0 or y1 != 0.0 or y2 != 0.0):
            y0, y1, y2 = 2.0 * y0 - e0, 2.0 * y1 - e1, 2.0 * y2 - e2
        for a in range(3):
            r[k, a] = P[k, a, 0] * y0 + P[k, a, 1] * y1 + P[k, a, 2] * y2


@kernel
def pose_problem(
    contacts: ContactArrays,
    nodes: NodeArrays,
    forces: FloatArray,
    earlier: FloatArray,
    rate: FloatArray,
    ahead: FloatArray,
    dt: float,
    push: float,
    own: FloatArray,
    S: FloatArray,
    posed: PosedArrays,
) -> tuple[float, float]:
    """q = A v - rate P U + n max(g, -push dt)/dt, v = `ahead` without contact forces.

    The start is that of `extrapolate_forces`. Returns the trace of W = rate P C P' + A S A' and
    |q|^2; `own` (M, 3, 3) holds C_ii.
    """
    nodes, posed = NodeArrays(*nodes), PosedArrays(*posed)
    node, slot, owner, P, A = contacts
    U, gap, q = nodes.U, nodes.gaps, posed.q
    trace = size = 0.0
    squares, six = np.zeros((len(rate), 6, 6)), np.uint64(6)
    zero, one, two = np.uint64(0), np.uint64(1), np.uint64(2)
    for k in range(np.uint64(len(node))):
        i, b = np.uint64(node[k]), np.uint64(owner[k])
        s, t, c = np.uint64(slot[k]), six * b, rate[b]
        posed.status[k] = nodes.status[i, s]
        trace += c * (own[i, 0, 0] + own[i, 1, 1] + own[i, 2, 2])
        d0, d1, d2 = c * U[i, zero], c * U[i, one], c * U[i, two]
        for a in range(np.uint64(3)):
            value = -(P[k, a, zero] * d0 + P[k, a, one] * d1 + P[k, a, two] * d2)
            for l in range(six):
                value += A[k, a, l] * ahead[t + l]
            if a == two:
                value += max(gap[i, s] / dt, -push)
            q[k, a] = value
            size += value * value
        for l in range(six):
            a0, a1, a2 = A[k, zero, l], A[k, one, l], A[k, two, l]
            for e in range(l + one):
                squares[b, l, e] += a0 * A[k, zero, e] + a1 * A[k, one, e] + a2 * A[k, two, e]
    for o in range(len(rate)):
        for g in range(6):
            trace += squares[o, g, g] * S[6 * o + g, 6 * o + g]
            for h in range(g):
                trace += squares[o, g, h] * (S[6 * o + g, 6 * o + h] + S[6 * o + h, 6 * o + g])
    extrapolate_forces(contacts, forces, earlier, posed.start)
    return trace, size


@kernel
def find_sticking_set(
    status: IntArray, owner: IntArray, first: IntArray
) -> tuple[BoolArray, int, bool, bool]:
    """Which contacts stick (K,), how many, whether any slips, whether soles stick as a whole."""
    stuck, each = np.zeros(len(status), np.bool_), np.zeros(len(first) - 1, np.int64)
    count, slips, whole = 0, False, True
    for k in range(len(status)):
        if status[k] == 1:
            stuck[k] = True
            each[owner[k]] += 1
            count += 1
        slips = slips or status[k] == 2
    for b in range(len(each)):
        whole = whole and (each[b] == 0 or each[b] == first[b + 1] - first[b])
    return stuck, count, slips, whole
