"""Compiled loops with which a time step looks at the ground: nodes, memory, contacts, frames.

Imports numpy and numba only; arrays in, arrays out. M nodes of `body` (M,), S slots per node, K
contacts, B bodies. Vectors are in the axes of the body unless called world; contact order
(t1, t2, n).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True)
def place_nodes(points, U, body, R, p, local, world):  # type: ignore[no-untyped-def]
    """local = x + U, world = R local + p."""
    for i in range(len(points)):
        b = body[i]
        for a in range(3):
            local[i, a] = points[i, a] + U[i, a]
        for a in range(3):
            world[i, a] = p[b, a] + (
                R[b, a, 0] * local[i, 0] + R[b, a, 1] * local[i, 1] + R[b, a, 2] * local[i, 2]
            )


@njit(cache=True)
def rigid_geometry(local, G):  # type: ignore[no-untyped-def]
    """G (3M, 6): node velocity v + omega x y of a twist, at the deformed nodes y."""
    G[:] = 0.0
    for i in range(len(local)):
        x, y, z = local[i, 0], local[i, 1], local[i, 2]
        G[3 * i, 0] = G[3 * i + 1, 1] = G[3 * i + 2, 2] = 1.0
        G[3 * i, 4], G[3 * i, 5] = z, -y
        G[3 * i + 1, 3], G[3 * i + 1, 5] = -z, x
        G[3 * i + 2, 3], G[3 * i + 2, 4] = y, -x


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
def free_velocities(local, body, U, rate, twist, out):  # type: ignore[no-untyped-def]
    """out (M, 3) = v + omega x y - rate U, rate = 1/(theta dt + eta): nodes without forces."""
    for i in range(len(local)):
        b = body[i]
        t = 6 * b
        x, y, z = local[i, 0], local[i, 1], local[i, 2]
        out[i, 0] = twist[t] + twist[t + 4] * z - twist[t + 5] * y - rate[b] * U[i, 0]
        out[i, 1] = twist[t + 1] + twist[t + 5] * x - twist[t + 3] * z - rate[b] * U[i, 1]
        out[i, 2] = twist[t + 2] + twist[t + 3] * y - twist[t + 4] * x - rate[b] * U[i, 2]


@njit(cache=True)
def select(gap, normal, body, R, velocity, forces, extra, dt, slack):  # type: ignore[no-untyped-def]
    """Contacts (node, slot) that may close within dt, or did last time.

    A contact is kept if g + dt (n . v) <= dt slack |v|_max over its body, or if it carried
    force, or if `extra` (M, S) names it.
    """
    M, S = gap.shape
    B = len(R)
    fastest = np.zeros(B)
    for i in range(M):
        v0, v1, v2 = velocity[i, 0], velocity[i, 1], velocity[i, 2]
        fastest[body[i]] = max(fastest[body[i]], v0 * v0 + v1 * v1 + v2 * v2)
    node = np.empty(M * S, np.int64)
    slot = np.empty(M * S, np.int64)
    K = 0
    for i in range(M):
        b = body[i]
        v0, v1, v2 = velocity[i, 0], velocity[i, 1], velocity[i, 2]
        w0 = R[b, 0, 0] * v0 + R[b, 0, 1] * v1 + R[b, 0, 2] * v2
        w1 = R[b, 1, 0] * v0 + R[b, 1, 1] * v1 + R[b, 1, 2] * v2
        w2 = R[b, 2, 0] * v0 + R[b, 2, 1] * v1 + R[b, 2, 2] * v2
        reach = dt * slack * math.sqrt(fastest[b])
        for s in range(S):
            if not gap[i, s] < np.inf:
                continue
            speed = normal[i, s, 0] * w0 + normal[i, s, 1] * w1 + normal[i, s, 2] * w2
            bears = forces[i, s, 0] != 0.0 or forces[i, s, 1] != 0.0 or forces[i, s, 2] != 0.0
            if gap[i, s] + dt * speed <= reach or bears or extra[i, s]:
                node[K], slot[K] = i, s
                K += 1
    return node[:K].copy(), slot[:K].copy()


@njit(cache=True)
def contact_frames(node, slot, normal, body, R, local, P, A):  # type: ignore[no-untyped-def]
    """P (K, 3, 3) in the axes of the body, A = P G (K, 3, 6).

    t1 is the forward axis of the body along the surface (its left axis where that is steep).
    """
    for k in range(len(node)):
        i, s = node[k], slot[k]
        b = body[i]
        w = normal[i, s]
        n0 = R[b, 0, 0] * w[0] + R[b, 1, 0] * w[1] + R[b, 2, 0] * w[2]
        n1 = R[b, 0, 1] * w[0] + R[b, 1, 1] * w[1] + R[b, 2, 1] * w[2]
        n2 = R[b, 0, 2] * w[0] + R[b, 1, 2] * w[1] + R[b, 2, 2] * w[2]
        if abs(n0) > 0.9:
            t0, t1, t2 = -n1 * n0, 1.0 - n1 * n1, -n1 * n2
        else:
            t0, t1, t2 = 1.0 - n0 * n0, -n0 * n1, -n0 * n2
        size = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
        t0, t1, t2 = t0 / size, t1 / size, t2 / size
        P[k, 0, 0], P[k, 0, 1], P[k, 0, 2] = t0, t1, t2
        P[k, 1, 0], P[k, 1, 1], P[k, 1, 2] = n1 * t2 - n2 * t1, n2 * t0 - n0 * t2, n0 * t1 - n1 * t0
        P[k, 2, 0], P[k, 2, 1], P[k, 2, 2] = n0, n1, n2
        x, y, z = local[i, 0], local[i, 1], local[i, 2]
        for a in range(3):
            p0, p1, p2 = P[k, a, 0], P[k, a, 1], P[k, a, 2]
            A[k, a, 0], A[k, a, 1], A[k, a, 2] = p0, p1, p2
            A[k, a, 3] = p2 * y - p1 * z  # y x p
            A[k, a, 4] = p0 * z - p2 * x
            A[k, a, 5] = p1 * x - p0 * y


@njit(cache=True)
def looked(  # type: ignore[no-untyped-def]
    local, world, gap, normal, solid, shallow,
    body, mu, R, ahead, U, rate, old_solid, old_outside, old_forces, old_earlier, listed, dt,
    slack, outside, forces, earlier, where, P, A, G, friction,
):  # fmt: skip
    """All that follows from the answer of the ground: see `contact.stepping.frame.Frame`.

    Written: outside, G; for K contacts (in arrays long enough) where = (node, slot, body), P, A,
    friction; forces and earlier unless every node met the surfaces of the last step. Returns K
    and whether that is so.
    """
    outside[:] = old_outside
    keep_outside(world, gap, normal, shallow, outside)
    same = align(solid, old_solid, old_forces, old_earlier, forces, earlier)
    velocity = np.empty(local.shape)
    free_velocities(local, body, U, rate, ahead, velocity)
    node, slot = select(
        gap, normal, body, R, velocity, old_forces if same else forces, listed, dt, slack
    )
    K = len(node)
    for k in range(K):
        where[0, k], where[1, k], where[2, k] = node[k], slot[k], body[node[k]]
        friction[k] = mu[node[k]]
    contact_frames(node, slot, normal, body, R, local, P, A)
    rigid_geometry(local, G)
    return K, same


@njit(cache=True)
def unsound(R, p, twists, free_twists, S6):  # type: ignore[no-untyped-def]
    """0: all finite, S6 symmetric to 1e-8, no negative diagonal; 1: not finite; 2: not so."""
    total = R.sum() + p.sum() + twists.sum() + free_twists.sum() + S6.sum()
    if not math.isfinite(total):
        return 1
    largest = far = 0.0
    for i in range(len(S6)):
        if S6[i, i] < 0.0:
            return 2
        for j in range(i + 1):
            largest = max(largest, abs(S6[i, j]))
            far = max(far, abs(S6[i, j] - S6[j, i]))
    return 2 if far > 1e-8 * largest else 0
