"""What sweeps over soles by forces need of every contact, in one pass over the problem.

    A_k = P_k G_i,    A_k S,    W_kk = P_k (scale C_ii) P_k' + A_k S_bb A_k'

in one loop: calls for every contact, with the arrays of some bundles, take longer than this. A_k S
is kept body by body in rows of `ROW` numbers, the last two of them zero: rows at places that LLVM
knows become a few instructions, without a look for overlaps at every contact. It must not know how
many numbers a row has, or it writes the loop out number by number.
"""

from __future__ import annotations

import numpy as np

from contact.problem import velocity_at
from contact.solvers.one_contact_kernels import prepare_entries
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel

ROW = 8  # numbers that a twist takes


@inner_kernel
def write_velocities(
    node: IntArray,
    body: IntArray,
    P: FloatArray,
    A: FloatArray,
    d: FloatArray,
    y: FloatArray,
    q: FloatArray,
    u: FloatArray,
) -> None:
    """Write u (K, 3) = P_k d_i + A_k y_b + q_k; P (9K,), A (18K,)."""
    three, six = np.uint64(3), np.uint64(6)
    for k in range(np.uint64(len(node))):
        i, t = three * np.uint64(node[k]), six * np.uint64(body[k])
        u0, u1, u2 = velocity_at(k, i, t, P, A, d, y)
        u[k, 0], u[k, 1], u[k, 2] = u0 + q[k, 0], u1 + q[k, 1], u2 + q[k, 2]


@inner_kernel
def pad_support(S: FloatArray) -> FloatArray:
    """Blocks S_bc (6, 6) of all pairs of bodies, one behind the other, their rows of `ROW`."""
    bodies = len(S) // 6
    panel = np.zeros(bodies * bodies * 6 * ROW)
    for b in range(bodies):
        for c in range(bodies):
            for l in range(6):
                begin = ((b * bodies + c) * 6 + l) * ROW
                for o in range(6):
                    panel[begin + o] = S[6 * b + l, 6 * c + o]
    return panel


@inner_kernel(fastmath={"contract"})
def prepare_motions(
    node: IntArray,
    owner: IntArray,
    P: FloatArray,
    G: FloatArray,
    scale: FloatArray,
    S: FloatArray,
    own: FloatArray,
    body: IntArray,
    A: FloatArray,
    turned: FloatArray,
    local: FloatArray,
) -> float:
    """Write A_k = P_k G_i and A_k S; return the trace of W.

    Also the body of every contact (K,), and W_kk = P_k (scale C_ii) P_k' + A_k S_bb A_k' as
    W_00, W_10, W_11, W_20, W_21, W_22 in local (K, 18). A (18 K,); turned (3 K bodies, ROW):
    of every contact the blocks (3, ROW) of all bodies. `owner` (M,) is the body of every node,
    `own` (M, 3, 3) holds C_ii.
    """
    trace, panel, G, bodies = 0.0, pad_support(S), G.reshape(-1), np.uint64(len(S) // 6)
    count, turned = np.uint64(turned.shape[1]), turned.reshape(-1)
    zero, one, two, three = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
    four, five, six = np.uint64(4), np.uint64(5), np.uint64(6)
    twelve, row = np.uint64(12), np.uint64(ROW)
    for k in range(np.uint64(len(node))):
        i, b = np.uint64(node[k]), np.uint64(owner[node[k]])
        body[k] = b
        a, g, c = three * six * k, three * six * i, scale[b]
        c00, c11, c22 = c * own[i, 0, 0], c * own[i, 1, 1], c * own[i, 2, 2]
        c01, c02, c12 = c * own[i, 0, 1], c * own[i, 0, 2], c * own[i, 1, 2]
        p0, p1, p2 = P[k, 0, 0], P[k, 0, 1], P[k, 0, 2]
        r0, r1, r2 = P[k, 1, 0], P[k, 1, 1], P[k, 1, 2]
        n0, n1, n2 = P[k, 2, 0], P[k, 2, 1], P[k, 2, 2]
        g0, g1 = p0 * c00 + p1 * c01 + p2 * c02, p0 * c01 + p1 * c11 + p2 * c12
        g2 = p0 * c02 + p1 * c12 + p2 * c22
        w00 = g0 * p0 + g1 * p1 + g2 * p2
        w10 = g0 * r0 + g1 * r1 + g2 * r2
        w20 = g0 * n0 + g1 * n1 + g2 * n2
        g0, g1 = r0 * c00 + r1 * c01 + r2 * c02, r0 * c01 + r1 * c11 + r2 * c12
        g2 = r0 * c02 + r1 * c12 + r2 * c22
        w11 = g0 * r0 + g1 * r1 + g2 * r2
        w21 = g0 * n0 + g1 * n1 + g2 * n2
        g0, g1 = n0 * c00 + n1 * c01 + n2 * c02, n0 * c01 + n1 * c11 + n2 * c12
        g2 = n0 * c02 + n1 * c12 + n2 * c22
        w22 = g0 * n0 + g1 * n1 + g2 * n2
        for l in range(six):
            g0, g1, g2 = G[g + l], G[g + six + l], G[g + twelve + l]
            A[a + l] = p0 * g0 + p1 * g1 + p2 * g2
            A[a + six + l] = r0 * g0 + r1 * g1 + r2 * g2
            A[a + twelve + l] = n0 * g0 + n1 * g1 + n2 * g2
        a0, a1, a2 = A[a], A[a + one], A[a + two]
        a3, a4, a5 = A[a + three], A[a + four], A[a + five]
        b0, b1, b2 = A[a + six], A[a + six + one], A[a + six + two]
        b3, b4, b5 = A[a + six + three], A[a + six + four], A[a + six + five]
        d0, d1, d2 = A[a + twelve], A[a + twelve + one], A[a + twelve + two]
        d3, d4, d5 = A[a + twelve + three], A[a + twelve + four], A[a + twelve + five]
        for e in range(bodies):
            t, s = (k * bodies + e) * three * row, (b * bodies + e) * six * row
            for j in range(count):
                x0, x1, x2 = panel[s + j], panel[s + row + j], panel[s + two * row + j]
                x3, x4 = panel[s + three * row + j], panel[s + four * row + j]
                x5 = panel[s + five * row + j]
                turned[t + j] = a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3 + a4 * x4 + a5 * x5
                turned[t + row + j] = b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3 + b4 * x4 + b5 * x5
                turned[t + two * row + j] = (
                    d0 * x0 + d1 * x1 + d2 * x2 + d3 * x3 + d4 * x4 + d5 * x5
                )
        t = (k * bodies + b) * three * row
        for l in range(six):
            x0, x1, x2 = turned[t + l], turned[t + row + l], turned[t + row + row + l]
            g0, g1, g2 = A[a + l], A[a + six + l], A[a + twelve + l]
            w00, w10, w11 = w00 + x0 * g0, w10 + x1 * g0, w11 + x1 * g1
            w20, w21, w22 = w20 + x2 * g0, w21 + x2 * g1, w22 + x2 * g2
        trace += w00 + w11 + w22
        local[k, zero], local[k, one], local[k, two] = w00, w10, w11
        local[k, three], local[k, np.uint64(4)], local[k, np.uint64(5)] = w20, w21, w22
    return trace


@inner_kernel
def prepare_all_entries(least: float, local: FloatArray) -> None:
    """Replace the entries of W_kk in local (K, 18) by what `prepare_entries` makes of them."""
    for k in range(len(local)):
        p = local[k]
        prepare_entries((p[0], p[1], p[2]), (p[3], p[4], p[5]), least, p)
