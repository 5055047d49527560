"""Compiled loops over what a time step remembers: places, surfaces, forces, status.

Imports numpy and numba only. M nodes, S slots per node, K contacts; vectors are in the axes of
the body unless called world.
"""

from __future__ import annotations

import math

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
def keep_outside(world, gap, normal, shallow, outside):  # type: ignore[no-untyped-def]
    """Update `outside` (M, 3): where a node is outside, or just inside (then its way out).

    A node deeper than `shallow` keeps the place from where it came; NaN is replaced anyway.
    """
    for i in range(len(world)):
        g = gap[i, 0]
        if g < -shallow and not math.isnan(outside[i, 0]):
            continue
        out = 1e-9 - g if -shallow <= g < 0.0 else 0.0
        for a in range(3):
            outside[i, a] = world[i, a] + out * normal[i, 0, a]


@njit(cache=True)
def align(solid, old, forces, earlier, new_forces, new_earlier):  # type: ignore[no-untyped-def]
    """Carry forces (M, S, 3) to the slots where their pieces of the ground are now.

    Returns whether nothing changed; then nothing is written.
    """
    M, S = solid.shape
    same = True
    for i in range(M):
        for s in range(S):
            same = same and solid[i, s] == old[i, s]
    if same:
        return True
    for i in range(M):
        for s in range(S):
            for a in range(3):
                new_forces[i, s, a] = new_earlier[i, s, a] = 0.0
            # Two facets of one field carry one number: a slot that kept its number keeps its force.
            kept = -1
            if solid[i, s] >= 0 and old[i, s] == solid[i, s]:
                kept = s
            elif solid[i, s] >= 0:
                for o in range(S):
                    if old[i, o] == solid[i, s] and old[i, o] != solid[i, o]:
                        kept = o
            if kept >= 0:
                for a in range(3):
                    new_forces[i, s, a] = forces[i, kept, a]
                    new_earlier[i, s, a] = earlier[i, kept, a]
    return False


@njit(cache=True)
def still_sticks(status, before):  # type: ignore[no-untyped-def]
    """Whether `status` (M, S) is that of `before`, nothing slips and something touches."""
    some = False
    for i in range(status.shape[0]):
        for s in range(status.shape[1]):
            if status[i, s] != before[i, s] or status[i, s] > 1:
                return False
            some = some or status[i, s] == 1
    return some
