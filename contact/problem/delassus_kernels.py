"""Compiled loops of the operator of soles on feet: blocks, gathering and spreading.

    W r = P d + A y,    d = scale C sum P'r,    y = S sum A'r,
    W_kk = scale P_k C_kk P_k' + A_k S A_k'

P, A are frames and motions of the contacts, S is the support of the feet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from contact.problem.compliance_kernels import ComplianceArrays, displace_nodes
from contact.problem.law_kernels import sum_law_residuals
from sole.base.arrays import FloatArray, Index, IntArray
from sole.base.compiled import inner_kernel, kernel


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


@inner_kernel
def support_block(
    k: Index, t: Index, A: FloatArray, S: FloatArray, sign: float, W: FloatArray
) -> None:
    """Add the lower triangle of sign A_k S_bb A_k' to W (3, 3); `t`: where body b begins in S."""
    a = A[k]
    one, two, three = t + np.uint64(1), t + np.uint64(2), t + np.uint64(3)
    four, five = t + np.uint64(4), t + np.uint64(5)
    for e in range(np.uint64(3)):
        y0 = y1 = y2 = y3 = y4 = y5 = 0.0
        for l in range(np.uint64(6)):
            x, row = sign * a[e, l], t + l
            y0 += x * S[row, t]
            y1 += x * S[row, one]
            y2 += x * S[row, two]
            y3 += x * S[row, three]
            y4 += x * S[row, four]
            y5 += x * S[row, five]
        for f in range(e + np.uint64(1)):
            W[e, f] += (y0 * a[f, 0] + y1 * a[f, 1] + y2 * a[f, 2]) + (
                y3 * a[f, 3] + y4 * a[f, 4] + y5 * a[f, 5]
            )


@inner_kernel
def turned_block(k: Index, P: FloatArray, c: float, C: FloatArray, W: FloatArray) -> None:
    """Write the lower triangle of P_k c C P_k' into W (3, 3); of C its symmetric part is used."""
    p = P[k]
    c01, c02 = 0.5 * c * (C[0, 1] + C[1, 0]), 0.5 * c * (C[0, 2] + C[2, 0])
    c12 = 0.5 * c * (C[1, 2] + C[2, 1])
    c00, c11, c22 = c * C[0, 0], c * C[1, 1], c * C[2, 2]
    for a in range(np.uint64(3)):
        p0, p1, p2 = p[a, 0], p[a, 1], p[a, 2]
        g0 = p0 * c00 + p1 * c01 + p2 * c02
        g1 = p0 * c01 + p1 * c11 + p2 * c12
        g2 = p0 * c02 + p1 * c12 + p2 * c22
        for e in range(a + np.uint64(1)):
            W[a, e] = g0 * p[e, 0] + g1 * p[e, 1] + g2 * p[e, 2]


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
    trace, three, six = 0.0, np.uint64(3), np.uint64(6)
    zero, one, two = np.uint64(0), np.uint64(1), np.uint64(2)
    for k in range(np.uint64(len(node))):
        i, b = np.uint64(node[k]), np.uint64(owner[node[k]])
        body[k] = b
        j, t = three * i, six * b
        turned = coupled = 0.0
        for a in range(three):
            p0, p1, p2 = P[k, a, 0], P[k, a, 1], P[k, a, 2]
            for l in range(six):
                A[k, a, l] = p0 * G[j, l] + p1 * G[j + one, l] + p2 * G[j + two, l]
            turned += (
                p0 * (own[i, 0, 0] * p0 + own[i, 0, 1] * p1 + own[i, 0, 2] * p2)
                + p1 * (own[i, 1, 0] * p0 + own[i, 1, 1] * p1 + own[i, 1, 2] * p2)
            ) + p2 * (own[i, 2, 0] * p0 + own[i, 2, 1] * p1 + own[i, 2, 2] * p2)
        for l in range(six):  # the sum of S_bb by entries of A_k'A_k
            x0, x1, x2, part = A[k, zero, l], A[k, one, l], A[k, two, l], 0.0
            for e in range(six):
                entry = x0 * A[k, zero, e] + x1 * A[k, one, e] + x2 * A[k, two, e]
                part += entry * S[t + l, t + e]
            coupled += part
        trace += scale[b] * turned + coupled
    return A, body, trace


@kernel
def compute_diagonal_blocks(W: SoleArrays, own: FloatArray) -> FloatArray:
    """W_kk = P_k (scale C_ii) P_k' + A_k S_bb A_k' (K, 3, 3), symmetric to the bit.

    `own` (M, 3, 3) holds C_ii.
    """
    scale, node, body, P, A, S = W
    blocks = np.empty((len(node), 3, 3))
    for k in range(np.uint64(len(node))):
        i, b, block = np.uint64(node[k]), np.uint64(body[k]), blocks[k]
        turned_block(k, P, scale[b], own[i], block)
        support_block(k, np.uint64(6) * b, A, S, 1.0, block)
        block[0, 1], block[0, 2], block[1, 2] = block[1, 0], block[2, 0], block[2, 1]
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
    f, one, two, three = np.zeros(3 * nodes), np.uint64(1), np.uint64(2), np.uint64(3)
    for k in range(np.uint64(len(node))):
        i, p = three * np.uint64(node[k]), P[k]
        r0, r1, r2 = r[k, 0], r[k, 1], r[k, 2]
        f[i] += p[0, 0] * r0 + p[1, 0] * r1 + p[2, 0] * r2
        f[i + one] += p[0, 1] * r0 + p[1, 1] * r1 + p[2, 1] * r2
        f[i + two] += p[0, 2] * r0 + p[1, 2] * r1 + p[2, 2] * r2
    return f


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


@inner_kernel(fastmath={"contract"})
def row_velocity(
    P: FloatArray,
    p: Index,
    A: FloatArray,
    a: Index,
    d: tuple[float, float, float],
    y: tuple[float, float, float, float, float, float],
) -> float:
    """One component of `velocity_at`: a row of P_k times d, one of A_k times y.

    `p`, `a` : where the rows begin in P (9K,) and A (18K,). LLVM puts this little into loops. The
    sums are nested: terms added one after the other would wait for each other.
    """
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    four, five = np.uint64(4), np.uint64(5)
    u: float = (P[p] * d[0] + P[p + one] * d[1]) + (P[p + two] * d[2] + A[a] * y[0])
    u += (A[a + one] * y[1] + A[a + two] * y[2]) + (
        A[a + three] * y[3] + (A[a + four] * y[4] + A[a + five] * y[5])
    )
    return u


@inner_kernel(fastmath={"contract"})
def velocity_at(
    k: Index, i: Index, t: Index, P: FloatArray, A: FloatArray, d: FloatArray, y: FloatArray
) -> tuple[float, float, float]:
    """P_k d_i + A_k y_b of contact k; P (9K,), A (18K,): LLVM knows where their numbers are.

    `i` and `t`: where d_i and y_b begin (unsigned numbers).
    """
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    four, five, six = np.uint64(4), np.uint64(5), np.uint64(6)
    p = np.uint64(9) * k
    here, a = (np.float64(d[i]), np.float64(d[i + one]), np.float64(d[i + two])), p + p
    twist = y[t], y[t + one], y[t + two], y[t + three], y[t + four], y[t + five]
    return (
        row_velocity(P, p, A, a, here, twist),
        row_velocity(P, p + three, A, a + six, here, twist),
        row_velocity(P, p + six, A, a + six + six, here, twist),
    )


@inner_kernel
def compute_velocities(W: SoleArrays, d: FloatArray, y: FloatArray) -> FloatArray:
    """P_k d_i + A_k y_b (K, 3)."""
    _, node, body, P, A, _ = W
    P, A = P.reshape(-1), A.reshape(-1)
    u, three, six = np.empty((len(node), 3)), np.uint64(3), np.uint64(6)
    for k in range(np.uint64(len(node))):
        i, t = three * np.uint64(node[k]), six * np.uint64(body[k])
        u[k, 0], u[k, 1], u[k, 2] = velocity_at(k, i, t, P, A, d, y)
    return u


@inner_kernel
def compute_twists(W: SoleArrays, r: FloatArray, y: FloatArray) -> None:
    """y (6 bodies,) = S sum A_k' r_k."""
    body, A, S = W.body, W.A, W.S
    w, six = np.zeros(len(S)), np.uint64(6)
    zero, one, two = np.uint64(0), np.uint64(1), np.uint64(2)
    for k in range(np.uint64(len(body))):
        r0, r1, r2 = r[k, zero], r[k, one], r[k, two]
        if r0 == 0.0 and r1 == 0.0 and r2 == 0.0:
            continue
        t = six * np.uint64(body[k])
        for c in range(six):
            w[t + c] += A[k, zero, c] * r0 + A[k, one, c] * r1 + A[k, two, c] * r2
    for a in range(len(S)):
        y[a] = 0.0
        for b in range(len(S)):
            y[a] += S[a, b] * w[b]
