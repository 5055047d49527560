"""Compiled loops of `contact.solvers.velocity_sweeps`: arrays in, arrays out.

The symbols are those of that module.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from contact.problem import SoleArrays
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import kernel


class StiffnessArrays(NamedTuple):
    """K of all bodies, as in `contact.solvers.velocity_sweeps.SoleStiffness`.

    Attributes
    ----------
    K : flat. compact : the same, in single precision where it would not fit the cache.
    position : (bodies,) where each begins, -1 for none. own : K_ii (M, 3, 3).
    G0, V0 : (3M, 6). N0 : (bodies, 6, 6).
    """

    K: FloatArray
    compact: FloatArray
    position: IntArray
    own: FloatArray
    G0: FloatArray
    V0: FloatArray
    N0: FloatArray


class StartArrays(NamedTuple):
    """Where a solve begins: forces r and those a step before (K, 3); they are extrapolated.

    For soles swept by velocities also the displacements d (M, 3) and the statuses (K,) before.
    """

    r: FloatArray
    before: FloatArray
    d: FloatArray
    status: IntArray


@kernel(error_model="numpy")
def find_held_bodies(
    status: IntArray, W: SoleArrays, first: IntArray, position: IntArray, share: float
) -> tuple[IntArray, int]:
    """Return `position` (bodies,), -1 where a body is to be swept by forces, and how many are not.

    A body is swept by velocities if it has a stiffness, every node is one contact, and at most
    `share` of them did not stick.
    """
    W = SoleArrays(*W)
    bodies = len(position)
    loose, listed = np.zeros(bodies, np.int64), np.zeros(bodies, np.int64)
    seen, held = np.zeros(first[-1], np.bool_), position.copy()
    for k in range(len(status)):
        b = W.body[k]
        if seen[W.node[k]]:
            held[b] = -1
        seen[W.node[k]] = True
        listed[b] += 1
        if status[k] != 1:
            loose[b] += 1
    count = 0
    for b in range(bodies):
        m = first[b + 1] - first[b]
        if listed[b] < m or loose[b] > share * m:
            held[b] = -1
        if held[b] >= 0:
            count += 1
    return held, count


@kernel(error_model="numpy")
def couple_twists(held: IntArray, W: SoleArrays, N0: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(1 + S N0/scale)^-1 and S~ = (1 + S N0/scale)^-1 S, N0 of the `held` bodies."""
    n = len(W.S)
    M, inverse, turned = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    some = False
    for a in range(n):
        M[a, a] = inverse[a, a] = 1.0
        for c in range(n):
            turned[a, c] = W.S[a, c]
    for b in range(len(held)):
        if held[b] < 0:
            continue
        some = True
        for a in range(n):
            for l in range(6):
                g = W.S[a, 6 * b + l] / W.scale[b]
                for c in range(6):
                    M[a, 6 * b + c] += g * N0[b, l, c]
    if some:
        invert_in_place(M, inverse)
        for a in range(n):
            for c in range(n):
                turned[a, c] = 0.0
                for l in range(n):
                    turned[a, c] += inverse[a, l] * W.S[l, c]
    return inverse, turned


@kernel(error_model="numpy")
def invert_in_place(M: FloatArray, inverse: FloatArray) -> None:
    """Gauss-Jordan with the largest pivot of a column; `inverse` comes in as 1, M is overwritten.

    LAPACK would take longer to compile than all sweeps.
    """
    n = len(M)
    for c in range(n):
        p = c
        for a in range(c + 1, n):
            if abs(M[a, c]) > abs(M[p, c]):
                p = a
        for l in range(n):
            M[c, l], M[p, l] = M[p, l], M[c, l]
            inverse[c, l], inverse[p, l] = inverse[p, l], inverse[c, l]
        one = 1.0 / M[c, c]
        for l in range(n):
            M[c, l] *= one
            inverse[c, l] *= one
        for a in range(n):
            factor = M[a, c]
            if a != c and factor != 0.0:
                for l in range(n):
                    M[a, l] -= factor * M[c, l]
                    inverse[a, l] -= factor * inverse[c, l]


@kernel(error_model="numpy")
def mirror_motions(held: IntArray, V0: FloatArray, W: SoleArrays) -> FloatArray:
    """Motions H (K, 3, 6) of the sweeps: A by forces, -P V0/scale by velocities."""
    scale, node, body, P, A, _ = W
    H = A.copy()
    for k in range(len(node)):
        i, b = 3 * node[k], body[k]
        if held[b] < 0:
            continue
        c = -1.0 / scale[b]
        for a in range(3):
            p0, p1, p2 = c * P[k, a, 0], c * P[k, a, 1], c * P[k, a, 2]
            for l in range(6):
                H[k, a, l] = p0 * V0[i, l] + p1 * V0[i + 1, l] + p2 * V0[i + 2, l]
    return H


@kernel(fastmath={"reassoc", "nsz"}, error_model="numpy")
def multiply_lower(
    K: FloatArray, position: int, n: int, s: FloatArray, scale: float, begin: int, f: FloatArray
) -> None:
    """f = K s/scale over n numbers from `begin` of both; of K only the lower triangle is read."""
    for i in range(begin, begin + n):
        f[i] = 0.0
    zero, one, two, size = np.uint64(begin), np.uint64(1), np.uint64(2), np.uint64(n)
    for i in range(0, n, 3):
        left = np.uint64(i)
        row0 = np.uint64(position) + left * size
        row1 = row0 + size
        row2 = row1 + size
        a, b, c = s[begin + i] / scale, s[begin + i + 1] / scale, s[begin + i + 2] / scale
        f0 = f1 = f2 = 0.0
        for j in range(left):
            k0, k1, k2, x = K[row0 + j], K[row1 + j], K[row2 + j], s[zero + j]
            f[zero + j] += a * k0 + b * k1 + c * k2
            f0 += k0 * x
            f1 += k1 * x
            f2 += k2 * x
        row0, row1, row2 = row0 + left, row1 + left, row2 + left
        f[begin + i] += f0 / scale + a * K[row0] + b * K[row1] + c * K[row2]
        f[begin + i + 1] += f1 / scale + a * K[row1] + b * K[row1 + one] + c * K[row2 + one]
        f[begin + i + 2] += f2 / scale + a * K[row2] + b * K[row2 + one] + c * K[row2 + two]


@kernel(fastmath={"reassoc", "nsz"}, error_model="numpy")
def multiply_twins(
    K: FloatArray, position: int, n: int, s: FloatArray, scale: tuple[float, float],
    begin: tuple[int, int], f: FloatArray,
) -> None:  # fmt: skip
    """Do the same as `multiply_lower` for two bodies that share their K: it is read once."""
    for i in range(n):
        f[begin[0] + i] = f[begin[1] + i] = 0.0
    zero, other = np.uint64(begin[0]), np.uint64(begin[1])
    one, two, size = np.uint64(1), np.uint64(2), np.uint64(n)
    for i in range(0, n, 3):
        left = np.uint64(i)
        row0 = np.uint64(position) + left * size
        row1 = row0 + size
        row2 = row1 + size
        l, r = zero + left, other + left
        a, b, c = s[l] / scale[0], s[l + one] / scale[0], s[l + two] / scale[0]
        d, e, g = s[r] / scale[1], s[r + one] / scale[1], s[r + two] / scale[1]
        f0 = f1 = f2 = g0 = g1 = g2 = 0.0
        for j in range(left):
            k0, k1, k2 = K[row0 + j], K[row1 + j], K[row2 + j]
            x, y = s[zero + j], s[other + j]
            f[zero + j] += a * k0 + b * k1 + c * k2
            f[other + j] += d * k0 + e * k1 + g * k2
            f0 += k0 * x
            f1 += k1 * x
            f2 += k2 * x
            g0 += k0 * y
            g1 += k1 * y
            g2 += k2 * y
        row0, row1, row2 = row0 + left, row1 + left, row2 + left
        f[l] += f0 / scale[0] + a * K[row0] + b * K[row1] + c * K[row2]
        f[l + one] += f1 / scale[0] + a * K[row1] + b * K[row1 + one] + c * K[row2 + one]
        f[l + two] += f2 / scale[0] + a * K[row2] + b * K[row2 + one] + c * K[row2 + two]
        f[r] += g0 / scale[1] + d * K[row0] + e * K[row1] + g * K[row2]
        f[r + one] += g1 / scale[1] + d * K[row1] + e * K[row1 + one] + g * K[row2 + one]
        f[r + two] += g2 / scale[1] + d * K[row2] + e * K[row2 + one] + g * K[row2 + two]


@kernel(error_model="numpy")
def multiply_held(
    stiff: StiffnessArrays, held: IntArray, first: IntArray, scale: FloatArray, s: FloatArray,
    d: FloatArray,
) -> None:  # fmt: skip
    """d (3M,) = K s/scale of the `held` bodies; neighbours that share K read it once."""
    K, known = stiff.K, -1
    for b in range(len(held)):
        if held[b] < 0 or b == known:
            continue
        begin, n = 3 * first[b], 3 * (first[b + 1] - first[b])
        if b + 1 < len(held) and held[b] == held[b + 1]:
            known = b + 1
            multiply_twins(K, held[b], n, s, (scale[b], scale[b + 1]), (begin, 3 * first[b + 1]), d)
        else:
            multiply_lower(K, held[b], n, s, scale[b], begin, d)


@kernel(error_model="numpy")
def guess_unknowns(
    held: IntArray, W: SoleArrays, q: FloatArray, start: StartArrays, r: FloatArray, y: FloatArray
) -> FloatArray:
    """x (K, 3): forces r, or -u of soles swept by velocities: 0 where a node stuck.

    Elsewhere u = P d + A y + q of the displacements d at hand, u_n = 0 where it slid.
    """
    _, node, body, P, A, _ = W
    x = r.copy()
    for k in range(len(node)):
        i, t = node[k], 6 * body[k]
        if held[body[k]] < 0:
            continue
        for a in range(3):
            x[k, a] = 0.0
            if start.status[k] == 1:
                continue
            value = q[k, a]
            for c in range(3):
                value += P[k, a, c] * start.d[i, c]
            for c in range(6):
                value += A[k, a, c] * y[t + c]
            x[k, a] = -value
        if start.status[k] == 2 or x[k, 2] > 0.0:
            x[k, 2] = 0.0
    return x


@kernel(error_model="numpy")
def strain_nodes(
    held: IntArray, W: SoleArrays, q: FloatArray, x: FloatArray, y: FloatArray, s: FloatArray
) -> None:
    """s (3M,) = P'(u - A y - q) of the soles swept by velocities, x = -u."""
    _, node, body, P, A, _ = W
    for k in range(len(node)):
        i, t = 3 * node[k], 6 * body[k]
        if held[body[k]] < 0:
            continue
        s[i] = s[i + 1] = s[i + 2] = 0.0
        for a in range(3):
            value = -x[k, a] - q[k, a]
            for c in range(6):
                value -= A[k, a, c] * y[t + c]
            for c in range(3):
                s[i + c] += P[k, a, c] * value
