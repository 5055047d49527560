"""Compiled loops of the time step around its contact solver: arrays in, arrays out.

Imports numpy and numba only. M nodes of `body` (M,), S slots per node, K contacts of `owner`
(K,), B bodies. Vectors are in
the axes of the body unless called world; contact order (t1, t2, n).
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
def offsets(node, slot, P, velocity, gap, dt, push, q):  # type: ignore[no-untyped-def]
    """q (K, 3) = P velocity + n max(g, -push dt)/dt."""
    for k in range(len(node)):
        i = node[k]
        v0, v1, v2 = velocity[i, 0], velocity[i, 1], velocity[i, 2]
        for a in range(3):
            q[k, a] = P[k, a, 0] * v0 + P[k, a, 1] * v1 + P[k, a, 2] * v2
        q[k, 2] += max(gap[i, slot[k]] / dt, -push)


@njit(cache=True)
def nodal_forces(node, slot, owner, P, A, r, status, by_slot, by_status, f, wrench):  # type: ignore[no-untyped-def]
    """by_slot (M, S, 3) = P' r, f (M, 3) its sum over slots, wrench (6B,) = G' f; zero before."""
    for k in range(len(node)):
        i, s = node[k], slot[k]
        by_status[i, s] = status[k]
        r0, r1, r2 = r[k, 0], r[k, 1], r[k, 2]
        if r0 == 0.0 and r1 == 0.0 and r2 == 0.0:
            continue
        for a in range(3):
            value = P[k, 0, a] * r0 + P[k, 1, a] * r1 + P[k, 2, a] * r2
            by_slot[i, s, a] = value
            f[i, a] += value
        t = 6 * owner[k]
        for j in range(6):
            wrench[t + j] += A[k, 0, j] * r0 + A[k, 1, j] * r1 + A[k, 2, j] * r2


@njit(cache=True)
def advance(U, e, f, d, body, rigid, rate, eta, dt, theta, U_new, e_new):  # type: ignore[no-untyped-def]
    """dU = dt (d - rate U), de = dt rate (f - e), d = rate C f, rate = 1/(theta dt + eta).

    Returns (elastic, viscous, numerical): growth of 1/2 U.e and the two losses, all [J].
    """
    elastic = viscous = numerical = 0.0
    for i in range(len(U)):
        b = body[i]
        if rigid[b]:
            for a in range(3):
                U_new[i, a] = e_new[i, a] = 0.0
            continue
        lost = 0.0
        for a in range(3):
            dU = dt * (d[3 * i + a] - rate[b] * U[i, a])
            de = dt * rate[b] * (f[i, a] - e[i, a])
            U_new[i, a] = U[i, a] + dU
            e_new[i, a] = e[i, a] + de
            lost += dU * de
            elastic += dU * (e[i, a] + 0.5 * de)
        viscous += eta[b] / dt * lost
        numerical += (theta - 0.5) * lost
    return elastic, viscous, numerical


@njit(cache=True)
def contact_work(node, owner, P, A, r, twist, U, U_new, dt):  # type: ignore[no-untyped-def]
    """(friction, push) [J]: sum r . (dt A twist + P (U_new - U)), tangential and normal."""
    friction = push = 0.0
    for k in range(len(node)):
        r0, r1, r2 = r[k, 0], r[k, 1], r[k, 2]
        if r0 == 0.0 and r1 == 0.0 and r2 == 0.0:
            continue
        i = node[k]
        t = 6 * owner[k]
        for a in range(3):
            s = 0.0
            for j in range(6):
                s += A[k, a, j] * twist[t + j]
            s *= dt
            for c in range(3):
                s += P[k, a, c] * (U_new[i, c] - U[i, c])
            if a < 2:
                friction += r[k, a] * s
            else:
                push += r[k, a] * s
    return friction, push


@njit(cache=True)
def move_gaps(gap, normal, body, R, local, twist, U, U_new, dt):  # type: ignore[no-untyped-def]
    """gap (M, S) += n . (dt (v + omega x y) + U_new - U), in place: normals frozen."""
    M, S = gap.shape
    for i in range(M):
        b = body[i]
        t = 6 * b
        x, y, z = local[i, 0], local[i, 1], local[i, 2]
        m0 = dt * (twist[t] + twist[t + 4] * z - twist[t + 5] * y) + U_new[i, 0] - U[i, 0]
        m1 = dt * (twist[t + 1] + twist[t + 5] * x - twist[t + 3] * z) + U_new[i, 1] - U[i, 1]
        m2 = dt * (twist[t + 2] + twist[t + 3] * y - twist[t + 4] * x) + U_new[i, 2] - U[i, 2]
        w0 = R[b, 0, 0] * m0 + R[b, 0, 1] * m1 + R[b, 0, 2] * m2
        w1 = R[b, 1, 0] * m0 + R[b, 1, 1] * m1 + R[b, 1, 2] * m2
        w2 = R[b, 2, 0] * m0 + R[b, 2, 1] * m1 + R[b, 2, 2] * m2
        for s in range(S):
            if gap[i, s] < np.inf:
                gap[i, s] += normal[i, s, 0] * w0 + normal[i, s, 1] * w1 + normal[i, s, 2] * w2


@njit(cache=True)
def missed(gap, listed, tolerance):  # type: ignore[no-untyped-def]
    """Mark in `listed` (M, S) the contacts left out whose gap closed; return how many."""
    count = 0
    for i in range(gap.shape[0]):
        for s in range(gap.shape[1]):
            if gap[i, s] < -tolerance and not listed[i, s]:
                listed[i, s] = True
                count += 1
    return count
