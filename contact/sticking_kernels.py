"""Compiled loops of the closed form of `contact.sticking`: arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numba import njit


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
