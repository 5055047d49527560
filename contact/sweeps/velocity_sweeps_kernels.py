"""Compiled loops of `contact.sweeps.velocity_sweeps`: arrays in, arrays out.

The symbols are those of that module.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.problem import SoleArrays, velocity_at
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel


class StiffnessArrays(NamedTuple):
    """K of all bodies, as in `contact.sweeps.velocity_sweeps.SoleStiffness`.

    Attributes
    ----------
    K : flat.
    position : (bodies,) where each begins, -1 for none. own : K_ii (M, 3, 3).
    G0, V0 : (3M, 6). N0 : (bodies, 6, 6).
    """

    K: FloatArray
    position: IntArray
    own: FloatArray
    G0: FloatArray
    V0: FloatArray
    N0: FloatArray


@kernel
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


@inner_kernel
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


@inner_kernel
def invert_in_place(M: FloatArray, inverse: FloatArray) -> None:
    """Gauss-Jordan with the largest pivot of a column; `inverse` comes in as 1, M is overwritten.

    For one body LAPACK takes 2.0 us instead of 0.6, for two 12.5 instead of 7.0.
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


@inner_kernel
def strain_nodes(
    held: IntArray, W: SoleArrays, q: FloatArray, x: FloatArray, y: FloatArray, s: FloatArray
) -> None:
    """s (3M,) = P'(u - A y - q) of the soles swept by velocities, x = -u."""
    _, node, body, P, A, _ = W
    Pf, Af = P.reshape(-1), A.reshape(-1)
    three, six, one, two = np.uint64(3), np.uint64(6), np.uint64(1), np.uint64(2)
    still = np.zeros(len(s))
    for k in range(np.uint64(len(node))):
        b = np.uint64(body[k])
        if held[b] < 0:
            continue
        i = three * np.uint64(node[k])
        v0, v1, v2 = velocity_at(k, i, six * b, Pf, Af, still, y)
        v0, v1, v2 = -x[k, 0] - q[k, 0] - v0, -x[k, 1] - q[k, 1] - v1, -x[k, 2] - q[k, 2] - v2
        s[i] = P[k, 0, 0] * v0 + P[k, 1, 0] * v1 + P[k, 2, 0] * v2
        s[i + one] = P[k, 0, 1] * v0 + P[k, 1, 1] * v1 + P[k, 2, 1] * v2
        s[i + two] = P[k, 0, 2] * v0 + P[k, 1, 2] * v1 + P[k, 2, 2] * v2


@inner_kernel
def settle_forces(
    held: IntArray, body: IntArray, u: FloatArray, mu: FloatArray, rho: float, r: FloatArray
) -> FloatArray:
    """Put r (K, 3) of soles swept by velocities into the cones, 0 where open; return the change.

    Where bodies are swept by forces, r stays.
    """
    change = np.zeros(r.shape)
    for k in range(len(body)):
        if held[body[k]] < 0:
            continue
        old = (r[k, 0], r[k, 1], r[k, 2])
        n, t = r[k, 2], math.sqrt(r[k, 0] * r[k, 0] + r[k, 1] * r[k, 1])
        if n <= max(rho * u[k, 2], 0.0):
            r[k, 0] = r[k, 1] = r[k, 2] = 0.0
        elif t > mu[k] * n:
            r[k, 0] *= mu[k] * n / t
            r[k, 1] *= mu[k] * n / t
        for a in range(3):
            change[k, a] = r[k, a] - old[a]
    return change


@inner_kernel
def neglected_motion(
    held: IntArray, W: SoleArrays, G0: FloatArray, change: FloatArray, D: FloatArray, u: FloatArray
) -> float:
    """Add A (y_new - y) - P G0 D to u (K, 3) of soles swept by velocities; return its size."""
    _, node, body, P, A, _ = W
    total = 0.0
    for k in range(len(node)):
        i, t = 3 * node[k], 6 * body[k]
        if held[body[k]] < 0:
            continue
        for a in range(3):
            moved = 0.0
            for c in range(6):
                turned = (
                    P[k, a, 0] * G0[i, c] + P[k, a, 1] * G0[i + 1, c] + P[k, a, 2] * G0[i + 2, c]
                )
                moved += A[k, a, c] * change[t + c] - turned * D[t + c]
            u[k, a] += moved
            total += moved * moved
    return math.sqrt(total)
