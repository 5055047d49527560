"""Compiled loops that pose the contact problem of a (sub-)step, u = W r + q, and its start.

Imports numpy and numba only; arrays in, arrays out. M nodes of `body` (M,), S slots per node, K
contacts of `owner` (K,). Vectors are in the axes of the body.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def warm_start(node, slot, P, forces, earlier, r):  # type: ignore[no-untyped-def]
    """r (K, 3) = P (f + (f - earlier)); plain f where the contact is one step old."""
    for k in range(len(node)):
        i, s = node[k], slot[k]
        y0, y1, y2 = forces[i, s, 0], forces[i, s, 1], forces[i, s, 2]
        e0, e1, e2 = earlier[i, s, 0], earlier[i, s, 1], earlier[i, s, 2]
        old = e0 != 0.0 or e1 != 0.0 or e2 != 0.0
        if old and (y0 != 0.0 or y1 != 0.0 or y2 != 0.0):
            y0, y1, y2 = 2.0 * y0 - e0, 2.0 * y1 - e1, 2.0 * y2 - e2
        for a in range(3):
            r[k, a] = P[k, a, 0] * y0 + P[k, a, 1] * y1 + P[k, a, 2] * y2


@njit(cache=True)
def posed(  # type: ignore[no-untyped-def]
    node, slot, owner, P, A, U, rate, ahead, gap, dt, push, forces, earlier, status,
    own, S, q, start, last,
):  # fmt: skip
    """q = A v - rate P U + n max(g, -push dt)/dt, v = `ahead` without contact forces.

    Written: q and the start of `warm_start` (K, 3), the last statuses (K,). Returns the trace of
    W = rate P C P' + A S A' and |q|^2; `own` (M, 3, 3) holds C_ii.
    """
    trace = size = 0.0
    for k in range(len(node)):
        i, b = node[k], owner[k]
        t = 6 * b
        last[k] = status[i, slot[k]]
        trace += rate[b] * (own[i, 0, 0] + own[i, 1, 1] + own[i, 2, 2])
        for a in range(3):
            value = 0.0
            for c in range(3):
                value -= P[k, a, c] * U[i, c]
            value *= rate[b]
            for c in range(6):
                value += A[k, a, c] * ahead[t + c]
                moved = 0.0
                for l in range(6):
                    moved += S[t + c, t + l] * A[k, a, l]
                trace += A[k, a, c] * moved
            if a == 2:
                value += max(gap[i, slot[k]] / dt, -push)
            q[k, a] = value
            size += value * value
    warm_start(node, slot, P, forces, earlier, start)
    return trace, size


@njit(cache=True)
def sticking_set(status, owner, first):  # type: ignore[no-untyped-def]
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
