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
def diagonal_blocks(node, body, P, A, own, scale, S):  # type: ignore[no-untyped-def]
    """W_kk = P_k (scale C_ii) P_k' + A_k S_bb A_k' (K, 3, 3), symmetric to the bit; its trace.

    `own` (M, 3, 3) holds C_ii.
    """
    K = len(node)
    W = np.empty((K, 3, 3))
    trace = 0.0
    for k in range(K):
        i, b = node[k], body[k]
        c, t = scale[b], 6 * b
        for a in range(3):
            p0, p1, p2 = c * P[k, a, 0], c * P[k, a, 1], c * P[k, a, 2]
            g0 = p0 * own[i, 0, 0] + p1 * own[i, 1, 0] + p2 * own[i, 2, 0]
            g1 = p0 * own[i, 0, 1] + p1 * own[i, 1, 1] + p2 * own[i, 2, 1]
            g2 = p0 * own[i, 0, 2] + p1 * own[i, 1, 2] + p2 * own[i, 2, 2]
            for e in range(a + 1):
                W[k, a, e] = g0 * P[k, e, 0] + g1 * P[k, e, 1] + g2 * P[k, e, 2]
            for j in range(6):
                y = 0.0
                for l in range(6):
                    y += A[k, a, l] * S[t + l, t + j]
                for e in range(a + 1):
                    W[k, a, e] += y * A[k, e, j]
        W[k, 0, 1], W[k, 0, 2], W[k, 1, 2] = W[k, 1, 0], W[k, 2, 0], W[k, 2, 1]
        trace += W[k, 0, 0] + W[k, 1, 1] + W[k, 2, 2]
    return W, trace


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
def responses(flat, first, position, scale, node, P, G, S, r):  # type: ignore[no-untyped-def]
    """d (3M,) = scale C f and y (6 bodies,) = S G' f with f = P' r."""
    f = gathered(first[-1], node, P, r)
    w = body_wrenches(first, G, f)
    y = np.zeros(len(w))
    for a in range(len(w)):
        if w[a] != 0.0:
            for b in range(len(w)):
                y[b] += S[a, b] * w[a]
    return displaced(flat, first, position, scale, f), y


@njit(cache=True)
def applied(flat, first, position, scale, node, body, P, A, G, S, r):  # type: ignore[no-untyped-def]
    """W r (K, 3) = P d + A y."""
    d, y = responses(flat, first, position, scale, node, P, G, S, r)
    return spread(node, body, P, A, d, y)


@njit(cache=True)
def judged(flat, first, position, scale, node, body, P, A, G, S, r, q, mu, rho):  # type: ignore[no-untyped-def]
    """Return `law_residuals` of r and u = W r + q, then u and the nodal displacements d."""
    d, y = responses(flat, first, position, scale, node, P, G, S, r)
    u = spread(node, body, P, A, d, y)
    for k in range(len(u)):
        for a in range(3):
            u[k, a] += q[k, a]
    sums, status = law_residuals(r, u, mu, rho)
    return sums, status, u, d


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
