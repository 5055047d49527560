"""Compiled loops of the operator of soles on feet: blocks, gathering and spreading."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import kernel


class ComplianceArrays(NamedTuple):
    """C of all bodies, as in `contact.problem.Compliances`."""

    flat: FloatArray
    first: IntArray
    position: IntArray


class SoleArrays(NamedTuple):
    """W of soles on feet by contacts, as in `contact.problem.SoleDelassus`.

    Attributes
    ----------
    scale : (bodies,). node, body : (K,). P, A : (K, 3, 3) frames and (K, 3, 6) motions P G.
    S : (6 bodies, 6 bodies).
    """

    scale: FloatArray
    node: IntArray
    body: IntArray
    P: FloatArray
    A: FloatArray
    S: FloatArray


@kernel
def compute_motions(
    node: IntArray,
    owner: IntArray,
    P: FloatArray,
    G: FloatArray,
    scale: FloatArray,
    S: FloatArray,
    own: FloatArray,
) -> tuple[FloatArray, IntArray, float]:
    """A_k = P_k G_i (K, 3, 6), the body of every contact (K,), and the trace of W.

    `owner` (M,) is the body of every node, `own` (M, 3, 3) holds C_ii. The trace is the sum
     of those of scale P_k C_ii P_k' + A_k S_bb A_k'.
    """
    A, body = np.empty((len(node), 3, 6)), np.empty(len(node), np.int64)
    trace = 0.0
    for k in range(len(node)):
        i, b = 3 * node[k], owner[node[k]]
        body[k] = b
        t = 6 * b
        for a in range(3):
            for c in range(6):
                A[k, a, c] = (
                    P[k, a, 0] * G[i, c] + P[k, a, 1] * G[i + 1, c] + P[k, a, 2] * G[i + 2, c]
                )
            for j in range(6):
                y = 0.0
                for l in range(6):
                    y += A[k, a, l] * S[t + l, t + j]
                trace += y * A[k, a, j]
            for c in range(3):
                turned = 0.0
                for e in range(3):
                    turned += P[k, a, e] * own[node[k], e, c]
                trace += scale[b] * turned * P[k, a, c]
    return A, body, trace


@kernel
def compute_diagonal_blocks(W: SoleArrays, own: FloatArray) -> FloatArray:
    """W_kk = P_k (scale C_ii) P_k' + A_k S_bb A_k' (K, 3, 3), symmetric to the bit.

    `own` (M, 3, 3) holds C_ii.
    """
    scale, node, body, P, A, S = W
    K = len(node)
    blocks = np.empty((K, 3, 3))
    for k in range(K):
        i, b = node[k], body[k]
        c, t = scale[b], 6 * b
        for a in range(3):
            p0, p1, p2 = c * P[k, a, 0], c * P[k, a, 1], c * P[k, a, 2]
            g0 = p0 * own[i, 0, 0] + p1 * own[i, 1, 0] + p2 * own[i, 2, 0]
            g1 = p0 * own[i, 0, 1] + p1 * own[i, 1, 1] + p2 * own[i, 2, 1]
            g2 = p0 * own[i, 0, 2] + p1 * own[i, 1, 2] + p2 * own[i, 2, 2]
            for e in range(a + 1):
                blocks[k, a, e] = g0 * P[k, e, 0] + g1 * P[k, e, 1] + g2 * P[k, e, 2]
            for j in range(6):
                y = 0.0
                for l in range(6):
                    y += A[k, a, l] * S[t + l, t + j]
                for e in range(a + 1):
                    blocks[k, a, e] += y * A[k, e, j]
        own_block = blocks[k]
        own_block[0, 1], own_block[0, 2] = own_block[1, 0], own_block[2, 0]
        own_block[1, 2] = own_block[2, 1]
    return blocks


@kernel
def sum_traces(blocks: FloatArray) -> float:
    """Sum of the diagonal entries of blocks (K, 3, 3)."""
    total = 0.0
    for k in range(len(blocks)):
        total += blocks[k, 0, 0] + blocks[k, 1, 1] + blocks[k, 2, 2]
    return total


@kernel
def gather_forces(nodes: int, node: IntArray, P: FloatArray, r: FloatArray) -> FloatArray:
    """f (3 nodes,) = sum of P_k' r_k at every node."""
    f = np.zeros(3 * nodes)
    for k in range(len(node)):
        i = 3 * node[k]
        for c in range(3):
            f[i + c] += P[k, 0, c] * r[k, 0] + P[k, 1, c] * r[k, 1] + P[k, 2, c] * r[k, 2]
    return f


@kernel
def displace_nodes(C: ComplianceArrays, scale: FloatArray, f: FloatArray) -> FloatArray:
    """scale C f (3M,): row by row of the loaded nodes (C is symmetric), in a fixed order.

    Unlike a BLAS product it reads nothing for unloaded nodes, gives the same bits on any
    number of threads, and does not wait for other threads on a busy machine.
    """
    flat, first, position = C
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


@kernel
def sum_body_wrenches(first: IntArray, G: FloatArray, f: FloatArray) -> FloatArray:
    """G' f (6 bodies,)."""
    bodies = len(first) - 1
    w = np.zeros(6 * bodies)
    for b in range(bodies):
        for i in range(3 * first[b], 3 * first[b + 1]):
            if f[i] != 0.0:
                for c in range(6):
                    w[6 * b + c] += G[i, c] * f[i]
    return w


@kernel
def compute_responses(
    C: ComplianceArrays, W: SoleArrays, G: FloatArray, r: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """d (3M,) = scale C f and y (6 bodies,) = S G' f with f = P' r."""
    C, W = ComplianceArrays(*C), SoleArrays(*W)
    f = gather_forces(C.first[-1], W.node, W.P, r)
    w = sum_body_wrenches(C.first, G, f)
    y = np.zeros(len(w))
    for a in range(len(w)):
        if w[a] != 0.0:
            for b in range(len(w)):
                y[b] += W.S[a, b] * w[a]
    return displace_nodes(C, W.scale, f), y


@kernel
def apply_operator(C: ComplianceArrays, W: SoleArrays, G: FloatArray, r: FloatArray) -> FloatArray:
    """W r (K, 3) = P d + A y."""
    C, W = ComplianceArrays(*C), SoleArrays(*W)
    d, y = compute_responses(C, W, G, r)
    return compute_velocities(W, d, y)


@kernel
def judge_forces(
    C: ComplianceArrays,
    W: SoleArrays,
    G: FloatArray,
    r: FloatArray,
    q: FloatArray,
    mu: FloatArray,
    rho: float,
) -> tuple[tuple[float, ...], IntArray, FloatArray, FloatArray]:
    """Return `sum_law_residuals` of r and u = W r + q, then u and the nodal displacements d."""
    C, W = ComplianceArrays(*C), SoleArrays(*W)
    d, y = compute_responses(C, W, G, r)
    u = compute_velocities(W, d, y)
    for k in range(len(u)):
        for a in range(3):
            u[k, a] += q[k, a]
    s, status = sum_law_residuals(r, u, mu, rho)
    return (s[0], s[1], s[2], s[3], s[4]), status, u, d


@kernel
def compute_velocities(W: SoleArrays, d: FloatArray, y: FloatArray) -> FloatArray:
    """P_k d_i + A_k y_b (K, 3)."""
    _, node, body, P, A, _ = W
    u = np.empty((len(node), 3))
    for k in range(len(node)):
        i, b = 3 * node[k], 6 * body[k]
        for a in range(3):
            total = P[k, a, 0] * d[i] + P[k, a, 1] * d[i + 1] + P[k, a, 2] * d[i + 2]
            for c in range(6):
                total += A[k, a, c] * y[b + c]
            u[k, a] = total
    return u


@kernel
def sum_law_residuals(
    r: FloatArray, u: FloatArray, mu: FloatArray, rho: float
) -> tuple[FloatArray, IntArray]:
    """Return the sums over contacts of the laws of `contact.coulomb`, squared, and the statuses.

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
        _project(point, m)
        total[0] += (
            (r[k, 0] - point[0]) ** 2 + (r[k, 1] - point[1]) ** 2 + (r[k, 2] - point[2]) ** 2
        )
        total[1] += min(r[k, 2], rho * u[k, 2]) ** 2
        for a in range(3):
            point[a] = r[k, a]
        _project(point, m)
        total[2] += (
            (r[k, 0] - point[0]) ** 2 + (r[k, 1] - point[1]) ** 2 + (r[k, 2] - point[2]) ** 2
        )
        for a in range(3):
            point[a] = -v[a]
        _project(point, m)  # Moreau: v + P_K(-v) is the point of the dual cone
        total[3] += point[0] ** 2 + point[1] ** 2 + point[2] ** 2
        total[4] += abs(r[k, 0] * v[0] + r[k, 1] * v[1] + r[k, 2] * v[2])
        if r[k, 2] > max(rho * u[k, 2], 0.0):
            status[k] = 2 if slipping else 1
    return total, status


@kernel
def extrapolate_start(start: FloatArray, previous: FloatArray, mu: FloatArray) -> FloatArray:
    """P_K(start + (start - previous)) for every contact (K, 3)."""
    r = np.empty(start.shape)
    for k in range(len(start)):
        for a in range(3):
            r[k, a] = start[k, a] + (start[k, a] - previous[k, a])
        _project(r[k], mu[k])
    return r


@kernel
def _project(p: FloatArray, mu: float) -> None:
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
