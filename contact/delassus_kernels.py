"""Compiled loops of the operator of soles on feet: blocks, gathering and spreading."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def contact_motions(node, P, G):  # type: ignore[no-untyped-def]
    """A_k = P_k G_i (K, 3, 6)."""
    A = np.empty((len(node), 3, 6))
    for k in range(len(node)):
        i = 3 * node[k]
        for a in range(3):
            for c in range(6):
                A[k, a, c] = (
                    P[k, a, 0] * G[i, c] + P[k, a, 1] * G[i + 1, c] + P[k, a, 2] * G[i + 2, c]
                )
    return A


@njit(cache=True)
def diagonal_blocks(flat, first, position, scale, node, body, P, A, S):  # type: ignore[no-untyped-def]
    """W_kk = P_k (scale C_ii) P_k' + A_k S_bb A_k' (K, 3, 3), symmetric to the bit."""
    K = len(node)
    W = np.zeros((K, 3, 3))
    C = np.zeros((3, 3))
    left = np.empty((3, 3))
    pushed = np.empty((3, 6))
    for k in range(K):
        b = body[k]
        if position[b] >= 0:
            n = 3 * (first[b + 1] - first[b])
            i = 3 * (node[k] - first[b])
            for a in range(3):
                for c in range(3):
                    C[a, c] = scale[b] * flat[position[b] + (i + a) * n + i + c]
        else:
            C[:] = 0.0
        for a in range(3):
            for c in range(3):
                left[a, c] = P[k, a, 0] * C[0, c] + P[k, a, 1] * C[1, c] + P[k, a, 2] * C[2, c]
            for c in range(6):
                total = 0.0
                for e in range(6):
                    total += A[k, a, e] * S[6 * b + e, 6 * b + c]
                pushed[a, c] = total
        for a in range(3):
            for c in range(a + 1):
                total = left[a, 0] * P[k, c, 0] + left[a, 1] * P[k, c, 1] + left[a, 2] * P[k, c, 2]
                for e in range(6):
                    total += pushed[a, e] * A[k, c, e]
                W[k, a, c] = total
                W[k, c, a] = total
    return W


@njit(cache=True)
def trace(blocks):  # type: ignore[no-untyped-def]
    """Sum of the diagonal entries of blocks (K, 3, 3)."""
    total = 0.0
    for k in range(len(blocks)):
        total += blocks[k, 0, 0] + blocks[k, 1, 1] + blocks[k, 2, 2]
    return total


@njit(cache=True)
def gathered(nodes, node, P, r):  # type: ignore[no-untyped-def]
    """f (3 nodes,) = sum of P_k' r_k at every node."""
    f = np.zeros(3 * nodes)
    for k in range(len(node)):
        i = 3 * node[k]
        for c in range(3):
            f[i + c] += P[k, 0, c] * r[k, 0] + P[k, 1, c] * r[k, 1] + P[k, 2, c] * r[k, 2]
    return f


@njit(cache=True)
def displaced(flat, first, position, scale, f):  # type: ignore[no-untyped-def]
    """scale C f (3M,): row by row of the loaded nodes (C is symmetric), in a fixed order.

    Unlike a BLAS product it reads nothing for unloaded nodes, gives the same bits on any
    number of threads, and does not wait for other threads on a busy machine.
    """
    d = np.zeros(len(f))
    for b in range(len(position)):
        if position[b] < 0:
            continue
        c = scale[b]
        n = np.uint64(3 * (first[b + 1] - first[b]))
        begin = np.uint64(3 * first[b])
        for i in range(first[b], first[b + 1]):
            g0, g1, g2 = c * f[3 * i], c * f[3 * i + 1], c * f[3 * i + 2]
            if g0 == 0.0 and g1 == 0.0 and g2 == 0.0:
                continue
            row0 = np.uint64(position[b]) + np.uint64(3 * (i - first[b])) * n
            row1 = row0 + n
            row2 = row1 + n
            for j in range(n):
                d[begin + j] += g0 * flat[row0 + j] + g1 * flat[row1 + j] + g2 * flat[row2 + j]
    return d


@njit(cache=True)
def body_wrenches(first, G, f):  # type: ignore[no-untyped-def]
    """G' f (6 bodies,)."""
    bodies = len(first) - 1
    w = np.zeros(6 * bodies)
    for b in range(bodies):
        for i in range(3 * first[b], 3 * first[b + 1]):
            if f[i] != 0.0:
                for c in range(6):
                    w[6 * b + c] += G[i, c] * f[i]
    return w


@njit(cache=True)
def applied(flat, first, position, scale, node, body, P, A, G, S, r):  # type: ignore[no-untyped-def]
    """W r (K, 3) = P d + A y with d = scale C P' r and y = S G' P' r."""
    f = gathered(first[-1], node, P, r)
    w = body_wrenches(first, G, f)
    y = np.zeros(len(w))
    for a in range(len(w)):
        if w[a] != 0.0:
            for b in range(len(w)):
                y[b] += S[a, b] * w[a]
    return spread(node, body, P, A, displaced(flat, first, position, scale, f), y)


@njit(cache=True)
def spread(node, body, P, A, d, y):  # type: ignore[no-untyped-def]
    """P_k d_i + A_k y_b (K, 3)."""
    u = np.empty((len(node), 3))
    for k in range(len(node)):
        i, b = 3 * node[k], 6 * body[k]
        for a in range(3):
            total = P[k, a, 0] * d[i] + P[k, a, 1] * d[i + 1] + P[k, a, 2] * d[i + 2]
            for c in range(6):
                total += A[k, a, c] * y[b + c]
            u[k, a] = total
    return u


@njit(cache=True)
def stick_columns(contact, node, P, G, q):  # type: ignore[no-untyped-def]
    """[G_i, -P_k' q_k] of the contacts k on their nodes i, (3a, 7)."""
    out = np.empty((3 * len(contact), 7))
    for e in range(len(contact)):
        k, i = contact[e], 3 * node[e]
        for a in range(3):
            for c in range(6):
                out[3 * e + a, c] = G[i + a, c]
            out[3 * e + a, 6] = -(
                P[k, 0, a] * q[k, 0] + P[k, 1, a] * q[k, 1] + P[k, 2, a] * q[k, 2]
            )
    return out


@njit(cache=True)
def stick_forces(contact, first, P, answer, y, contacts):  # type: ignore[no-untyped-def]
    """r_k = P_k f_i with f = answer_7 - answer_1..6 y_b, (contacts, 3), zero elsewhere."""
    r = np.zeros((contacts, 3))
    f = np.empty(3)
    for b in range(len(first) - 1):
        for e in range(first[b], first[b + 1]):
            for a in range(3):
                f[a] = answer[3 * e + a, 6]
                for c in range(6):
                    f[a] -= answer[3 * e + a, c] * y[6 * b + c]
            k = contact[e]
            for a in range(3):
                r[k, a] = P[k, a, 0] * f[0] + P[k, a, 1] * f[1] + P[k, a, 2] * f[2]
    return r


@njit(cache=True)
def law_residuals(r, u, mu, rho):  # type: ignore[no-untyped-def]
    """Return the sums over contacts of the laws of `contact.cone`, squared, and the statuses.

    Returns ([natural map^2, signorini^2, distance to the cone^2, distance of v to the dual
    cone^2, |r . v|], status (K,)) with v = u + mu |u_t| n; written with the projection alone,
    apart from the solver's kernels.
    """
    total = np.zeros(5)
    status = np.zeros(len(r), dtype=np.int64)
    point = np.empty(3)
    v = np.empty(3)
    for k in range(len(r)):
        m = mu[k]
        v[0], v[1] = u[k, 0], u[k, 1]
        v[2] = u[k, 2] + m * np.sqrt(u[k, 0] ** 2 + u[k, 1] ** 2)
        for a in range(3):
            point[a] = r[k, a] - rho * v[a]
        slipping = np.sqrt(point[0] ** 2 + point[1] ** 2) > m * r[k, 2]
        _nearest(point, m)
        total[0] += (
            (r[k, 0] - point[0]) ** 2 + (r[k, 1] - point[1]) ** 2 + (r[k, 2] - point[2]) ** 2
        )
        total[1] += min(r[k, 2], rho * u[k, 2]) ** 2
        for a in range(3):
            point[a] = r[k, a]
        _nearest(point, m)
        total[2] += (
            (r[k, 0] - point[0]) ** 2 + (r[k, 1] - point[1]) ** 2 + (r[k, 2] - point[2]) ** 2
        )
        for a in range(3):
            point[a] = -v[a]
        _nearest(point, m)  # Moreau: v + P_K(-v) is the point of the dual cone
        total[3] += point[0] ** 2 + point[1] ** 2 + point[2] ** 2
        total[4] += abs(r[k, 0] * v[0] + r[k, 1] * v[1] + r[k, 2] * v[2])
        if r[k, 2] > max(rho * u[k, 2], 0.0):
            status[k] = 2 if slipping else 1
    return total, status


@njit(cache=True)
def started(start, previous, mu):  # type: ignore[no-untyped-def]
    """P_K(start + (start - previous)) for every contact (K, 3)."""
    r = np.empty(start.shape)
    for k in range(len(start)):
        for a in range(3):
            r[k, a] = start[k, a] + (start[k, a] - previous[k, a])
        _nearest(r[k], mu[k])
    return r


@njit(cache=True)
def _nearest(p, mu):  # type: ignore[no-untyped-def]
    """Project `p` (3,) on the cone |p_t| <= mu p_n, in place."""
    s = np.sqrt(p[0] * p[0] + p[1] * p[1])
    if s <= mu * p[2] and p[2] >= 0.0:
        return
    if mu * s <= -p[2]:
        p[0] = p[1] = p[2] = 0.0
        return
    n = (p[2] + mu * s) / (1.0 + mu * mu)
    scale = mu * n / s if s > 0.0 else 0.0
    p[0] *= scale
    p[1] *= scale
    p[2] = n
