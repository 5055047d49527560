"""Compiled loops of the operator of soles on feet: blocks, gathering and spreading."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sole.base.arrays import FloatArray, Index, IntArray
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


@kernel(error_model="numpy")
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


@kernel(error_model="numpy")
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


@kernel(error_model="numpy")
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


@kernel(error_model="numpy")
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


@kernel(error_model="numpy")
def sum_traces(blocks: FloatArray) -> float:
    """Sum of the diagonal entries of blocks (K, 3, 3)."""
    total = 0.0
    for k in range(len(blocks)):
        total += blocks[k, 0, 0] + blocks[k, 1, 1] + blocks[k, 2, 2]
    return total


@kernel(error_model="numpy")
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


@kernel(error_model="numpy", fastmath={"contract"})
def displace_nodes(C: ComplianceArrays, scale: FloatArray, f: FloatArray) -> FloatArray:
    """scale C f (3M,): row by row of the loaded nodes (C is symmetric), in a fixed order.

    Unlike a BLAS product it reads nothing for unloaded nodes, gives the same bits on any
    number of threads, and does not wait for other threads on a busy machine.
    """
    flat, first, position = C
    d, known = np.zeros(len(f)), -1
    for b in range(len(position)):
        if position[b] < 0 or b == known:
            continue
        if has_loaded_twin(first, b, position, f):
            known = b + 1
            displace_twins(flat, first, b, position[b], scale, f, d)
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


@kernel(error_model="numpy")
def has_loaded_twin(first: IntArray, b: int, position: IntArray, f: FloatArray) -> bool:
    """Whether the bodies b and b + 1 share their C and both carry forces f (3M,)."""
    if b + 1 >= len(position) or position[b] != position[b + 1]:
        return False
    here, there, end = 3 * first[b], 3 * first[b + 1], 3 * first[b + 2]
    return bool(f[here:there].any()) and bool(f[there:end].any())


@kernel(error_model="numpy", fastmath={"contract"})
def displace_twins(
    flat: FloatArray,
    first: IntArray,
    b: int,
    position: int,
    scale: FloatArray,
    f: FloatArray,
    d: FloatArray,
) -> None:
    """Add scale C f of the bodies b and b + 1, which share their C: each row is read once.

    Bit for bit what either gives alone: no term is left out for the other's sake but zeros.
    """
    c, e = scale[b], scale[b + 1]
    n, zero, two = np.uint64(3 * (first[b + 1] - first[b])), np.uint64(position), np.uint64(2)
    begin, other = np.uint64(3 * first[b]), np.uint64(3 * first[b + 1])
    for i in range(np.uint64(0), n, np.uint64(3)):
        left, right = begin + i, other + i
        g0, g1, g2 = c * f[left], c * f[left + np.uint64(1)], c * f[left + two]
        h0, h1, h2 = e * f[right], e * f[right + np.uint64(1)], e * f[right + two]
        row0 = zero + i * n
        row1 = row0 + n
        row2 = row1 + n
        if not (g0 == 0.0 and g1 == 0.0 and g2 == 0.0 and h0 == 0.0 and h1 == 0.0 and h2 == 0.0):
            for j in range(n):
                a0, a1, a2 = flat[row0 + j], flat[row1 + j], flat[row2 + j]
                d[begin + j] += g0 * a0 + g1 * a1 + g2 * a2
                d[other + j] += h0 * a0 + h1 * a1 + h2 * a2


@kernel(error_model="numpy")
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


@kernel(error_model="numpy")
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


@kernel(error_model="numpy")
def apply_operator(C: ComplianceArrays, W: SoleArrays, G: FloatArray, r: FloatArray) -> FloatArray:
    """W r (K, 3) = P d + A y."""
    C, W = ComplianceArrays(*C), SoleArrays(*W)
    d, y = compute_responses(C, W, G, r)
    return compute_velocities(W, d, y)


@kernel(error_model="numpy")
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


@kernel(error_model="numpy")
def velocity_at(
    k: Index, i: Index, t: Index, P: FloatArray, A: FloatArray, d: FloatArray, y: FloatArray
) -> tuple[float, float, float]:
    """P_k d_i + A_k y_b of contact k; `i` and `t`: where d_i and y_b begin (unsigned numbers)."""
    return velocity_of(k, t, P, A, d[i], d[i + np.uint64(1)], d[i + np.uint64(2)], y)


@kernel(error_model="numpy")
def velocity_of(
    k: Index, t: Index, P: FloatArray, A: FloatArray, d0: float, d1: float, d2: float,
    y: FloatArray,
) -> tuple[float, float, float]:  # fmt: skip
    """P_k d_i + A_k y_b of contact k, d_i = (d0, d1, d2); `t`: where y_b begins (unsigned).

    The sums are nested: terms added one after the other would wait for each other.
    """
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    four, five = np.uint64(4), np.uint64(5)
    y0, y1, y2 = y[t], y[t + one], y[t + two]
    y3, y4, y5 = y[t + three], y[t + four], y[t + five]
    u0 = (P[k, 0, 0] * d0 + P[k, 0, 1] * d1) + (P[k, 0, 2] * d2 + A[k, 0, 0] * y0)
    u1 = (P[k, 1, 0] * d0 + P[k, 1, 1] * d1) + (P[k, 1, 2] * d2 + A[k, 1, 0] * y0)
    u2 = (P[k, 2, 0] * d0 + P[k, 2, 1] * d1) + (P[k, 2, 2] * d2 + A[k, 2, 0] * y0)
    u0 += (A[k, 0, 1] * y1 + A[k, 0, 2] * y2) + (
        A[k, 0, 3] * y3 + (A[k, 0, 4] * y4 + A[k, 0, 5] * y5)
    )
    u1 += (A[k, 1, 1] * y1 + A[k, 1, 2] * y2) + (
        A[k, 1, 3] * y3 + (A[k, 1, 4] * y4 + A[k, 1, 5] * y5)
    )
    u2 += (A[k, 2, 1] * y1 + A[k, 2, 2] * y2) + (
        A[k, 2, 3] * y3 + (A[k, 2, 4] * y4 + A[k, 2, 5] * y5)
    )
    return u0, u1, u2


@kernel(error_model="numpy")
def compute_velocities(W: SoleArrays, d: FloatArray, y: FloatArray) -> FloatArray:
    """P_k d_i + A_k y_b (K, 3)."""
    _, node, body, P, A, _ = W
    u, three, six = np.empty((len(node), 3)), np.uint64(3), np.uint64(6)
    for k in range(np.uint64(len(node))):
        i, t = three * np.uint64(node[k]), six * np.uint64(body[k])
        u[k, 0], u[k, 1], u[k, 2] = velocity_at(k, i, t, P, A, d, y)
    return u


@kernel(error_model="numpy")
def sum_law_residuals(
    r: FloatArray, u: FloatArray, mu: FloatArray, rho: float
) -> tuple[FloatArray, IntArray]:
    """Return the sums over contacts of the laws of `contact.coulomb`, squared, and the statuses.

    Returns ([natural map^2, signorini^2, distance to the cone^2, distance of v to the dual
    cone^2, |r . v|], status (K,)) with v = u + mu |u_t| n; written with the projection alone,
    apart from the solver's kernels.
    """
    status = np.zeros(len(r), dtype=np.int64)
    return np.array(sum_laws(r, u, mu, rho, status)), status


@kernel(error_model="numpy")
def sum_laws(
    r: FloatArray, u: FloatArray, mu: FloatArray, rho: float, status: FloatArray | IntArray
) -> tuple[float, float, float, float, float]:
    """Return the sums of `sum_law_residuals`; write the statuses into (K,)."""
    natural = signorini = cone = dual = power = 0.0
    for k in range(np.uint64(len(r))):
        m, r0, r1, r2 = mu[k], r[k, 0], r[k, 1], r[k, 2]
        v0, v1 = u[k, 0], u[k, 1]
        v2 = u[k, 2] + m * np.sqrt(v0 * v0 + v1 * v1)
        a0, a1, a2 = r0 - rho * v0, r1 - rho * v1, r2 - rho * v2
        b0, b1, b2 = project(a0, a1, a2, m)
        natural += (r0 - b0) ** 2 + (r1 - b1) ** 2 + (r2 - b2) ** 2
        signorini += min(r2, rho * u[k, 2]) ** 2
        b0, b1, b2 = project(r0, r1, r2, m)
        cone += (r0 - b0) ** 2 + (r1 - b1) ** 2 + (r2 - b2) ** 2
        b0, b1, b2 = project(-v0, -v1, -v2, m)  # Moreau: v + P_K(-v) is in the dual cone
        dual += b0 * b0 + b1 * b1 + b2 * b2
        power += abs(r0 * v0 + r1 * v1 + r2 * v2)
        status[k] = 0
        if r2 > max(rho * u[k, 2], 0.0):
            status[k] = 2 if a0 * a0 + a1 * a1 > (m * r2) ** 2 else 1
    return natural, signorini, cone, dual, power


@kernel(error_model="numpy")
def extrapolate_start(start: FloatArray, previous: FloatArray, mu: FloatArray) -> FloatArray:
    """P_K(start + (start - previous)) for every contact (K, 3)."""
    r = np.empty(start.shape)
    write_start(start, previous, mu, r)
    return r


@kernel(error_model="numpy")
def write_start(start: FloatArray, previous: FloatArray, mu: FloatArray, r: FloatArray) -> None:
    """Write `extrapolate_start` into r (K, 3)."""
    for k in range(np.uint64(len(start))):
        a0, a1, a2 = start[k, 0], start[k, 1], start[k, 2]
        b0, b1, b2 = previous[k, 0], previous[k, 1], previous[k, 2]
        r[k, 0], r[k, 1], r[k, 2] = project(a0 + (a0 - b0), a1 + (a1 - b1), a2 + (a2 - b2), mu[k])


@kernel(error_model="numpy")
def project(p0: float, p1: float, p2: float, mu: float) -> tuple[float, float, float]:
    """Project a point on the cone |p_t| <= mu p_n."""
    s = np.sqrt(p0 * p0 + p1 * p1)
    if s <= mu * p2 and p2 >= 0.0:
        return p0, p1, p2
    if mu * s <= -p2:
        return 0.0, 0.0, 0.0
    n = (p2 + mu * s) / (1.0 + mu * mu)
    scale = mu * n / s if s > 0.0 else 0.0
    return scale * p0, scale * p1, n
