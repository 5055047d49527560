"""Compiled loops of the closed form of `contact.sticking`: arrays in, arrays out.

Imports numpy and numba only; the symbols are those of that module.
"""

from __future__ import annotations

import numpy as np
from numba import njit

COLUMNS = 7  # translations, rotations, b


@njit(cache=True, error_model="numpy")
def stick_reactions(  # type: ignore[no-untyped-def]
    inverse, position, shifts, contact, node, first, P, G, q, scale, S, contacts
):
    """r (contacts, 3): V = K_A [G, b], (1 + S G'V_G / scale) y = S G'V_b / scale, f, r = P f."""
    bodies = len(position)
    size = 6 * bodies
    V = np.zeros((COLUMNS, 3 * len(contact)))
    V[:3] = shifts
    load_columns(contact, node, P, G, q, V[3:], inverse, position, first)
    M, w, y = np.eye(size), np.zeros(size), np.zeros(size)
    N = np.empty((6, COLUMNS))
    for s in range(bodies):
        if first[s] == first[s + 1]:
            continue
        moments(first[s], first[s + 1], node, G, V, N)
        for c in range(6):
            w[6 * s + c] = N[c, 6] / scale[s]
            for a in range(size):
                g = S[a, 6 * s + c] / scale[s]
                for e in range(6):
                    M[a, 6 * s + e] += g * N[c, e]
    for a in range(size):
        for b in range(size):
            y[a] += S[a, b] * w[b]
    eliminate(M, y)
    return spread_forces(contact, first, P, V, y, scale, contacts)


@njit(cache=True)
def load_columns(contact, node, P, G, q, V, inverse, position, first):  # type: ignore[no-untyped-def]
    """V (4, 3a) = K_A [G_4, G_5, G_6, b] with b_i = -P_k' q_k: one pass over K_A.

    K_A is symmetric: three rows at a time, those of a node, are added up.
    """
    x = np.empty((4, 3))
    for s in range(len(position)):
        n = np.uint64(3 * (first[s + 1] - first[s]))
        begin = np.uint64(3 * first[s])
        for e in range(first[s], first[s + 1]):
            k, i = contact[e], 3 * node[e]
            for a in range(3):
                for c in range(3):
                    x[c, a] = G[i + a, 3 + c]
                x[3, a] = -(P[k, 0, a] * q[k, 0] + P[k, 1, a] * q[k, 1] + P[k, 2, a] * q[k, 2])
            row0 = np.uint64(position[s]) + np.uint64(3 * (e - first[s])) * n
            row1 = row0 + n
            row2 = row1 + n
            x00, x01, x02 = x[0, 0], x[0, 1], x[0, 2]
            x10, x11, x12 = x[1, 0], x[1, 1], x[1, 2]
            x20, x21, x22 = x[2, 0], x[2, 1], x[2, 2]
            x30, x31, x32 = x[3, 0], x[3, 1], x[3, 2]
            for j in range(n):
                k0, k1, k2 = inverse[row0 + j], inverse[row1 + j], inverse[row2 + j]
                V[0, begin + j] += x00 * k0 + x01 * k1 + x02 * k2
                V[1, begin + j] += x10 * k0 + x11 * k1 + x12 * k2
                V[2, begin + j] += x20 * k0 + x21 * k1 + x22 * k2
                V[3, begin + j] += x30 * k0 + x31 * k1 + x32 * k2


@njit(cache=True)
def moments(start, end, node, G, V, N):  # type: ignore[no-untyped-def]
    """N (6, 7) = G_A' V of one body."""
    N[:] = 0.0
    for e in range(start, end):
        for a in range(3):
            for c in range(6):
                g = G[3 * node[e] + a, c]
                if g != 0.0:  # most translations
                    for l in range(COLUMNS):
                        N[c, l] += g * V[l, 3 * e + a]


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


@njit(cache=True, error_model="numpy")
def spread_forces(contact, first, P, V, y, scale, contacts):  # type: ignore[no-untyped-def]
    """r_k = P_k f_i with f = (V_b - V_G y) / scale, (contacts, 3), zero elsewhere."""
    r = np.zeros((contacts, 3))
    f = np.empty(3)
    for s in range(len(first) - 1):
        for e in range(first[s], first[s + 1]):
            for a in range(3):
                f[a] = V[6, 3 * e + a]
                for c in range(6):
                    f[a] -= V[c, 3 * e + a] * y[6 * s + c]
                f[a] /= scale[s]
            k = contact[e]
            for a in range(3):
                r[k, a] = P[k, a, 0] * f[0] + P[k, a, 1] * f[1] + P[k, a, 2] * f[2]
    return r
