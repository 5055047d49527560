"""Compiled loops of the closed form of `contact.solvers.sticking`: arrays in, arrays out.

The symbols are those of that module.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.problem import ComplianceArrays, SoleArrays, compute_twists
from contact.solvers.resting_points_kernels import RestArrays, measure_rigid_motion
from contact.solvers.sole_factor import multiply_strips, solve_in_place
from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel


class StickArrays(NamedTuple):
    """The factors of all soles for one set of sticking contacts.

    Attributes
    ----------
    K : K_A of all soles, one behind the other. position : where each begins.
    first : (bodies + 1,) where the contacts of every body begin. contact, node : (a,).
    whole : (bodies,) which soles stick as a whole.
    G0, V0 : (3a, 6). N0 : (bodies, 6, 6).
    """

    K: FloatArray
    position: IntArray
    first: IntArray
    contact: IntArray
    node: IntArray
    whole: BoolArray
    G0: FloatArray
    V0: FloatArray
    N0: FloatArray


class StickState(NamedTuple):
    """The unknowns of the passes: y (6 bodies,), s, f (3a,), x (6 bodies,)."""

    y: FloatArray
    s: FloatArray
    f: FloatArray
    x: FloatArray


@inner_kernel
def turn_back_offsets(
    contact: IntArray, W: SoleArrays, q: FloatArray, y: FloatArray, s: FloatArray
) -> None:
    """s (3a,) = b - G_A y = -P_k'(q_k + A_k y) of the sticking contacts."""
    body, P, A = W.body, W.P, W.A
    u = np.empty(3)
    for j in range(len(contact)):
        k = contact[j]
        t = 6 * body[k]
        for a in range(3):
            u[a] = q[k, a]
            for c in range(6):
                u[a] += A[k, a, c] * y[t + c]
        for a in range(3):
            s[3 * j + a] = -(P[k, 0, a] * u[0] + P[k, 1, a] * u[1] + P[k, 2, a] * u[2])


@inner_kernel
def turn_reactions(contact: IntArray, P: FloatArray, f: FloatArray, r: FloatArray) -> None:
    """r_k (K, 3) = P_k f of the sticking contacts."""
    for j in range(len(contact)):
        k = contact[j]
        for a in range(3):
            r[k, a] = P[k, a, 0] * f[3 * j] + P[k, a, 1] * f[3 * j + 1] + P[k, a, 2] * f[3 * j + 2]


@inner_kernel
def correct_forces(
    factor: StickArrays,
    W: SoleArrays,
    rest: RestArrays,
    state: StickState,
    r: FloatArray,
    u: FloatArray,
) -> float:
    """(1 + S N0 / scale) D - S E Z = S A'r - y,  E'D = z - E'y;  then f -= V0 D / scale, ...

    s -= G0 D, x += X Z, r = P f where soles stick, r = A x at `rigid` contacts, y = S A'r.
    Written, too: what is left at the soles' contacts, u = A (y - y_old) - P G0 D. Returns |u|.
    """
    _, _, first, contact, _, _, G0, V0, N0 = factor
    scale, _, body, P, A, S = W
    rigid, E, X, z = rest
    y, s, f, x = state
    bodies, size, ranks = len(scale), len(y), len(z)
    # The small system in the twists of the bodies, and the forces z of rigid points.
    M, D, old = np.eye(size + ranks), np.empty(size + ranks), y.copy()
    turn_reactions(contact, P, f, r)
    compute_twists(W, r, D)
    for a in range(size):
        D[a] -= y[a]
        for b in range(bodies):
            if first[b] < first[b + 1]:
                for l in range(6):
                    g = S[a, 6 * b + l] / scale[b]
                    for c in range(6):
                        M[a, 6 * b + c] += g * N0[b, l, c]
    for e in range(size, size + ranks):
        M[e, e] = 0.0
        D[e] = z[e - size]
        for b in range(size):
            M[e, b] = E[b, e - size]
            D[e] -= M[e, b] * y[b]
        for a in range(size):
            for b in range(size):
                M[a, e] -= S[a, b] * M[e, b]
    # Its solution corrects displacements and forces of the soles, then those of rigid points.
    solve_in_place(M, D)
    for b in range(bodies):
        for i in range(3 * first[b], 3 * first[b + 1]):
            turn, force = 0.0, 0.0
            for c in range(6):
                turn += G0[i, c] * D[6 * b + c]
                force += V0[i, c] * D[6 * b + c]
            s[i] -= turn
            f[i] -= force / scale[b]
    turn_reactions(contact, P, f, r)
    if ranks:
        for a in range(size):
            for e in range(ranks):
                x[a] += X[a, e] * D[size + e]
        for k in rigid:
            for a in range(3):
                r[k, a] = 0.0
                for c in range(6):
                    r[k, a] += A[k, a, c] * x[6 * body[k] + c]
    compute_twists(W, r, y)
    # What is left at the contacts of soles.
    left = 0.0
    d = np.empty(3)
    for j in range(len(contact)):
        k = contact[j]
        t = 6 * body[k]
        for a in range(3):
            d[a] = 0.0
            for c in range(6):
                d[a] += G0[3 * j + a, c] * D[t + c]
        for a in range(3):
            value = -(P[k, a, 0] * d[0] + P[k, a, 1] * d[1] + P[k, a, 2] * d[2])
            for c in range(6):
                value += A[k, a, c] * (y[t + c] - old[t + c])
            u[k, a] = value
            left += value * value
    return math.sqrt(left)


@inner_kernel
def spread_displacements(
    factor: StickArrays,
    compliances: ComplianceArrays,
    W: SoleArrays,
    q: FloatArray,
    state: StickState,
    status: IntArray,
    u: FloatArray,
    d: FloatArray,
) -> None:
    """d (3M,) of all nodes, s where they stick, elsewhere scale C f row by row; u of the others.

    C of a `whole` body, all of whose nodes stick, is not read. u = P d + A y + q where
    `status` (K,) is not 1.
    """
    _, _, first, contact, owner, whole, _, _, _ = factor
    C, origin, place = compliances
    scale, node, body, P, A, _ = W
    y, s, f, _ = state
    d[:] = 0.0
    stuck = np.zeros(origin[-1], np.bool_)
    for j in range(len(contact)):
        i = owner[j]
        stuck[i] = True
        d[3 * i], d[3 * i + 1], d[3 * i + 2] = s[3 * j], s[3 * j + 1], s[3 * j + 2]
    for b in range(len(scale)):
        if first[b] == first[b + 1] or whole[b]:
            continue
        n = 3 * (origin[b + 1] - origin[b])
        for i in range(origin[b], origin[b + 1]):
            if stuck[i]:
                continue
            for a in range(3):
                row = place[b] + (3 * (i - origin[b]) + a) * n
                total = 0.0
                for j in range(first[b], first[b + 1]):
                    at = row + 3 * (owner[j] - origin[b])
                    total += C[at] * f[3 * j] + C[at + 1] * f[3 * j + 1] + C[at + 2] * f[3 * j + 2]
                d[3 * i + a] = scale[b] * total
    for k in range(len(node)):
        if status[k] == 1:
            continue
        i, t = 3 * node[k], 6 * body[k]
        for a in range(3):
            u[k, a] = q[k, a] + P[k, a, 0] * d[i] + P[k, a, 1] * d[i + 1] + P[k, a, 2] * d[i + 2]
            for c in range(6):
                u[k, a] += A[k, a, c] * y[t + c]


@kernel
def find_stuck_forces(
    factor: StickArrays,
    compliances: ComplianceArrays,
    W: SoleArrays,
    q: FloatArray,
    mu: FloatArray,
    rest: RestArrays,
    start: FloatArray,
    enough: float,
    passes: int,
    r: FloatArray,
    u: FloatArray,
    d: FloatArray,
) -> float:
    """Write r, u (K, 3) and d (3M,); `start` (K, 3) gives the first y, |u| <= `enough` ends.

    Returns (1 + largest mu) |s|.
    """
    factor, rest = StickArrays(*factor), RestArrays(*rest)
    compliances, W = ComplianceArrays(*compliances), SoleArrays(*W)
    K, position, first, contact = factor.K, factor.position, factor.first, factor.contact
    scale, S = W.scale, W.S
    y, s, f = np.empty(len(S)), np.empty(3 * len(contact)), np.empty(3 * len(contact))
    compute_twists(W, start, y)
    r[:] = 0.0
    state = StickState(y, s, f, np.zeros(len(S)))
    length = 0.0
    for _ in range(passes):
        turn_back_offsets(contact, W, q, y, s)
        length = 0.0
        for i in range(len(s)):
            length += s[i] * s[i]
        for b in range(len(scale)):
            multiply_strips(K, position[b], 3 * first[b], 3 * first[b + 1], s, f)
            for i in range(3 * first[b], 3 * first[b + 1]):
                f[i] /= scale[b]
        left = correct_forces(factor, W, rest, state, r, u)
        if not max(left, measure_rigid_motion(rest.contact, W, q, y)) > enough:
            break
    status = np.zeros(len(W.node), np.int64)
    steepest = 0.0
    for k in contact:
        status[k], steepest = 1, max(steepest, mu[k])
    spread_displacements(factor, compliances, W, q, state, status, u, d)
    return (1.0 + steepest) * math.sqrt(length)
