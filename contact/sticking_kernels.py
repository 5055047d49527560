"""Compiled loops of the closed form of `contact.sticking`: arrays in, arrays out.

The symbols are those of that module.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sole.arrays import FloatArray


def strips(K: FloatArray) -> FloatArray:
    """Lower triangle of K (3a, 3a): strip i, the rows of node i up to its own columns."""
    return np.concatenate([K[i : i + 3, : i + 3].ravel() for i in range(0, len(K), 3)])


@njit(cache=True, fastmath={"reassoc", "nsz"})
def product(K, begin, end, s, f):  # type: ignore[no-untyped-def]
    """f = K s over begin <= i < end of both, K symmetric in `strips`: every entry is read once."""
    for i in range(begin, end):
        f[i] = 0.0
    zero, one, two = np.uint64(begin), np.uint64(1), np.uint64(2)
    row0 = np.uint64(0)
    for i in range(begin, end, 3):
        left = np.uint64(i - begin)
        row1 = row0 + left + np.uint64(3)
        row2 = row1 + left + np.uint64(3)
        a, b, c = s[i], s[i + 1], s[i + 2]
        f0 = f1 = f2 = 0.0
        for j in range(left):
            k0, k1, k2, x = K[row0 + j], K[row1 + j], K[row2 + j], s[zero + j]
            f[zero + j] += a * k0 + b * k1 + c * k2
            f0 += k0 * x
            f1 += k1 * x
            f2 += k2 * x
        f[i] += f0 + a * K[row0 + left] + b * K[row0 + left + one] + c * K[row0 + left + two]
        f[i + 1] += f1 + a * K[row1 + left] + b * K[row1 + left + one] + c * K[row1 + left + two]
        f[i + 2] += f2 + a * K[row2 + left] + b * K[row2 + left + one] + c * K[row2 + left + two]
        row0 = row2 + left + np.uint64(3)


@njit(cache=True)
def twists(body, A, r, S):  # type: ignore[no-untyped-def]
    """y (6 bodies,) = S sum A_k' r_k."""
    w, y = np.zeros(len(S)), np.zeros(len(S))
    for k in range(len(body)):
        t = 6 * body[k]
        for a in range(3):
            if r[k, a] != 0.0:
                for c in range(6):
                    w[t + c] += A[k, a, c] * r[k, a]
    for a in range(len(S)):
        for b in range(len(S)):
            y[a] += S[a, b] * w[b]
    return y


@njit(cache=True)
def forces_at(K, first, last, t, contact, node, P, G, q, y, c, s, f):  # type: ignore[no-untyped-def]
    """s = b - G_A y and f = K_A s / c of one body, t its first twist, c its scale.

    Sticking contacts first <= e < last; b = -P'q; written to s and f (3a,).
    """
    for e in range(first, last):
        k, i = contact[e], 3 * node[e]
        for a in range(3):
            moved = P[k, 0, a] * q[k, 0] + P[k, 1, a] * q[k, 1] + P[k, 2, a] * q[k, 2]
            for l in range(6):
                moved += G[i + a, l] * y[t + l]
            s[3 * e + a] = -moved
    product(K, 3 * first, 3 * last, s, f)
    for i in range(3 * first, 3 * last):
        f[i] /= c


@njit(cache=True, error_model="numpy")
def corrected(  # type: ignore[no-untyped-def]
    first, contact, node, G, G0, V0, N0, S, scale, mu, y, s, f
):
    """(1 + S N0 / scale) D = S G'f - y, then f -= V0 D / scale, s -= G0 D; y = S G'f anew.

    Returns e (3a,) = G (y_new - y_old) - G0 D, the velocities that are left, |e|, and
    (1 + largest mu) |s| with s as it came.
    """
    bodies, size = len(scale), len(y)
    M, w, D, old = np.eye(size), np.zeros(size), np.zeros(size), y.copy()
    e, length = np.empty(len(f)), 0.0
    _wrenches(first, node, G, f, w)
    for a in range(size):
        D[a] = -y[a]
        for b in range(size):
            D[a] += S[a, b] * w[b]
        for b in range(bodies):
            if first[b] < first[b + 1]:
                for l in range(6):
                    for c in range(6):
                        M[a, 6 * b + c] += S[a, 6 * b + l] * N0[b, l, c] / scale[b]
    eliminate(M, D)
    for b in range(bodies):
        for j in range(3 * first[b], 3 * first[b + 1]):
            turn, force = 0.0, 0.0
            for c in range(6):
                turn += G0[j, c] * D[6 * b + c]
                force += V0[j, c] * D[6 * b + c]
            length += s[j] * s[j]
            e[j] = -turn
            s[j] -= turn
            f[j] -= force / scale[b]
    w[:] = 0.0
    _wrenches(first, node, G, f, w)
    for a in range(size):
        y[a] = 0.0
        for b in range(size):
            y[a] += S[a, b] * w[b]
    for b in range(bodies):
        for j in range(first[b], first[b + 1]):
            for a in range(3):
                for c in range(6):
                    change = y[6 * b + c] - old[6 * b + c]
                    e[3 * j + a] += G[3 * node[j] + a, c] * change
    left, steepest = 0.0, 0.0
    for j in range(len(e)):
        left += e[j] * e[j]
        steepest = max(steepest, mu[contact[j // 3]])
    return e, np.sqrt(left), (1.0 + steepest) * np.sqrt(length)


@njit(cache=True)
def _wrenches(first, node, G, f, w):  # type: ignore[no-untyped-def]
    """w (6 bodies,) += G_A' f."""
    for b in range(len(first) - 1):
        for j in range(first[b], first[b + 1]):
            for a in range(3):
                for c in range(6):
                    w[6 * b + c] += G[3 * node[j] + a, c] * f[3 * j + a]


@njit(cache=True, error_model="numpy")
def eliminate(M, y):  # type: ignore[no-untyped-def]
    """Solve M x = y in place of `y`: Gauss, largest pivot of a column; `M` is overwritten."""
    n = len(y)
    for c in range(n):
        p = c
        for a in range(c + 1, n):
            if abs(M[a, c]) > abs(M[p, c]):
                p = a
        for b in range(c, n):
            M[c, b], M[p, b] = M[p, b], M[c, b]
        y[c], y[p] = y[p], y[c]
        for a in range(c + 1, n):
            factor = M[a, c] / M[c, c]
            for b in range(c + 1, n):
                M[a, b] -= factor * M[c, b]
            y[a] -= factor * y[c]
    for a in range(n - 1, -1, -1):
        for b in range(a + 1, n):
            y[a] -= M[a, b] * y[b]
        y[a] /= M[a, a]


@njit(cache=True)
def spread_out(  # type: ignore[no-untyped-def]
    contact, owner, sticking, whole, flat, origin, position, scale, node, body, P, A, q, f, s, e, y
):
    """r, u (K, 3) of all contacts and d (3M,) of all nodes.

    Sticking: r = P f, u = P e, d = s. Elsewhere r = 0, d = scale C f row by row (nothing to do
    on a `whole` body, all of whose nodes stick), u = P d + A y + q.
    """
    r, u = np.zeros((len(node), 3)), np.empty((len(node), 3))
    d = np.zeros(3 * origin[-1])
    sticks, stuck = np.zeros(len(node), np.bool_), np.zeros(origin[-1], np.bool_)
    for j in range(len(contact)):
        k, i = contact[j], owner[j]
        sticks[k] = stuck[i] = True
        for a in range(3):
            d[3 * i + a] = s[3 * j + a]
            for c in range(3):
                r[k, a] += P[k, a, c] * f[3 * j + c]
            u[k, a] = P[k, a, 0] * e[3 * j] + P[k, a, 1] * e[3 * j + 1] + P[k, a, 2] * e[3 * j + 2]
    for b in range(len(scale)):
        if sticking[b] == sticking[b + 1] or whole[b]:
            continue
        n = 3 * (origin[b + 1] - origin[b])
        for i in range(origin[b], origin[b + 1]):
            if stuck[i]:
                continue
            for a in range(3):
                row = position[b] + (3 * (i - origin[b]) + a) * n
                total = 0.0
                for j in range(sticking[b], sticking[b + 1]):
                    at = row + 3 * (owner[j] - origin[b])
                    for c in range(3):
                        total += flat[at + c] * f[3 * j + c]
                d[3 * i + a] = scale[b] * total
    for k in range(len(node)):
        if sticks[k]:
            continue
        i, t = 3 * node[k], 6 * body[k]
        for a in range(3):
            u[k, a] = q[k, a]
            for c in range(3):
                u[k, a] += P[k, a, c] * d[i + c]
            for c in range(6):
                u[k, a] += A[k, a, c] * y[t + c]
    return r, u, d
