"""Compiled loops of the affine form of sticking soles: arrays in, arrays out.

The symbols are those of `contact.solvers.affine`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from contact.solvers.sole_factor import multiply_strips, solve_in_place
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel

FIELDS = 12  # of a plane: the entries of a map (3, 4)


class RunArrays(NamedTuple):
    """The constants of a run, for B bodies, M nodes and L planes in all.

    Attributes
    ----------
    fields : of every body (12 L_b + 1, 3, m): the forces of nodes that stick (the displacements Z
        of open ones) per entry of the maps, and at the base; flat. place : (B + 1,) where they
        begin; two equal places: nothing sticks.
    N : Phi' K_A Phi of every body (12 L_b, 12 L_b), flat. square : (B + 1,) where they begin.
    M0 : Phi' F0 (12 L,). first : (B + 1,) where the planes of every body begin.
    group, slot : (M,) plane and slot of every node that sticks; -1 open.
    y0 : (M, 3) deformed nodes at the base. nodes : (B + 1,) where the nodes of every body begin.
    whole : (B,) 1 where all nodes of a body stick to one plane.
    error : largest |1 - C_AA K_A| of a sole, Frobenius.
    """

    fields: FloatArray
    place: IntArray
    N: FloatArray
    square: IntArray
    M0: FloatArray
    first: IntArray
    group: IntArray
    slot: IntArray
    y0: FloatArray
    nodes: IntArray
    whole: IntArray
    error: float


@inner_kernel
def open_run(numbers: FloatArray, counts: IntArray) -> RunArrays:
    """Return the parts of two flat arrays: see `contact.solvers.StickRun.constants`."""
    B, M = counts[0], counts[1]
    n, at = B + 1, 2 + 4 * (B + 1)
    place, square = counts[2 : 2 + n], counts[2 + n : 2 + 2 * n]
    first, nodes = counts[2 + 2 * n : 2 + 3 * n], counts[2 + 3 * n : at]
    whole, group = counts[at : at + B], counts[at + B : at + B + M]
    slot = counts[at + B + M : at + B + 2 * M]
    a = place[B]
    b = a + square[B]
    c = b + FIELDS * first[B]
    y0 = numbers[c : c + 3 * M].reshape(M, 3)
    return RunArrays(
        numbers[:a], place, numbers[a:b], square, numbers[b:c], first, group, slot, y0, nodes,
        whole, numbers[c + 3 * M],
    )  # fmt: skip


@kernel
def spread_maps(
    K: FloatArray, y0: FloatArray, group: IntArray, planes: int, fields: FloatArray
) -> None:
    """Fill fields (12 planes, 3a) = (K_A Phi)', Phi = s_j e_i of the nodes on each plane.

    K : `pack_strips` of K_A (3a, 3a). y0 (a, 3), group (a,) of the nodes that stick, from 0 on.
    """
    s = np.empty(3 * len(y0))
    for g in range(planes):
        for j in range(4):
            for i in range(3):
                s[:] = 0.0
                for k in range(len(y0)):
                    if group[k] == g:
                        s[3 * k + i] = y0[k, j] if j < 3 else 1.0
                multiply_strips(K, 0, 0, len(s), s, fields[FIELDS * g + 3 * j + i])


@kernel
def sum_moments(y0: FloatArray, group: IntArray, forces: FloatArray, moments: FloatArray) -> None:
    """Fill moments (n, 12 L) = forces Phi of n fields of forces (n, 3a); `group` from 0 on."""
    moments[:] = 0.0
    for l in range(len(forces)):
        for k in range(len(y0)):
            at = FIELDS * group[k]
            for i in range(3):
                f = forces[l, 3 * k + i]
                for j in range(3):
                    moments[l, at + 3 * j + i] += y0[k, j] * f
                moments[l, at + 9 + i] += f


@inner_kernel
def fill_moment_map(a: FloatArray, T: FloatArray) -> None:
    """T (6, 12): moments sum s_j F_i -> force and torque about the origin at the nodes a s."""
    T[:] = 0.0
    for j in range(4):
        x, y, z = a[0, j], a[1, j], a[2, j]
        T[3, 3 * j + 1], T[3, 3 * j + 2] = -z, y
        T[4, 3 * j], T[4, 3 * j + 2] = z, -x
        T[5, 3 * j], T[5, 3 * j + 1] = -y, x
    T[0, 9] = T[1, 10] = T[2, 11] = 1.0


@inner_kernel
def close_gaps(a: FloatArray, normal: FloatArray, c: float, closed: FloatArray) -> None:
    """Fill closed (3, 4) = a - n (n'a + c e4'): the map onto the plane n.y + c = 0."""
    for j in range(4):
        gap = normal[0] * a[0, j] + normal[1] * a[1, j] + normal[2] * a[2, j]
        if j == 3:
            gap += c
        for i in range(3):
            closed[i, j] = a[i, j] - normal[i] * gap


@inner_kernel
def move_map(a: FloatArray, twist: FloatArray, dt: float, after: FloatArray) -> None:
    """after (3, 4) -= dt ([omega]x a + v e4') for the twist (v, omega) of the body."""
    v, o = twist[:3], twist[3:]
    for j in range(4):
        e = 1.0 if j == 3 else 0.0
        after[0, j] -= dt * (e * v[0] + o[1] * a[2, j] - o[2] * a[1, j])
        after[1, j] -= dt * (e * v[1] + o[2] * a[0, j] - o[0] * a[2, j])
        after[2, j] -= dt * (e * v[2] + o[0] * a[1, j] - o[1] * a[0, j])


@inner_kernel
def mean_change(a: FloatArray, after: FloatArray, omega: float, z: FloatArray) -> None:
    """z (12,) = omega a+ + (1 - omega) a - [1 0]."""
    for j in range(4):
        for i in range(3):
            one = 1.0 if i == j else 0.0
            z[3 * j + i] = omega * after[i, j] + (1.0 - omega) * a[i, j] - one


@inner_kernel(fastmath={"reassoc", "nsz", "contract"})
def solve_maps(
    run: RunArrays, maps: FloatArray, normals: FloatArray, offsets: FloatArray,
    ahead: FloatArray, S6: FloatArray, dt: float, theta: float, eta: FloatArray,
    after: FloatArray, z: FloatArray, wrench: FloatArray,
) -> None:  # fmt: skip
    """(1 + theta dt S6 L) v_bar = v_ahead + theta dt S6 w0: fill a+ (L, 3, 4), z (12 L,), w (6B,).

    maps : a (L, 3, 4). normals, offsets : n (L, 3) and c (L,), n.y + c = 0, in the axes of the
    bodies. ahead : v_bar (6B,) without contact.
    """
    first, square = run.first, run.square
    bodies, size = len(first) - 1, len(ahead)
    T, M = np.empty((len(maps), 6, FIELDS)), np.eye(size)
    L, x = np.zeros((bodies, 6, 6)), ahead.copy()
    wrench[:] = 0.0
    # Per sole: gaps closed, the wrench w0 of that change, and L, its derivative by v_bar.
    for b in range(bodies):
        low, high, t = first[b], first[b + 1], 6 * b
        if low == high:
            continue
        omega, n = theta + eta[b] / dt, FIELDS * (high - low)
        for g in range(low, high):
            fill_moment_map(maps[g], T[g])
            close_gaps(maps[g], normals[g], offsets[g], after[g])
            mean_change(maps[g], after[g], omega, z[FIELDS * g : FIELDS * (g + 1)])
        N, at = run.N[square[b] : square[b + 1]].reshape(n, n), FIELDS * low
        TN = np.zeros((6, n))
        for l in range(n):
            moment = run.M0[at + l]
            for k in range(n):
                moment += N[l, k] * z[at + k]
            g, k = low + l // FIELDS, l % FIELDS
            for i in range(6):
                part = T[g, i, k]
                if part != 0.0:
                    wrench[t + i] += part * moment
                    for j in range(n):
                        TN[i, j] += part * N[l, j]
        factor = theta * dt + eta[b]
        for i in range(6):
            for j in range(6):
                total = 0.0
                for l in range(n):
                    total += TN[i, l] * T[low + l // FIELDS, j, l % FIELDS]
                L[b, i, j] = factor * total
    # The twists v_bar that all soles together allow.
    for i in range(size):
        for b in range(bodies):
            if first[b] == first[b + 1]:
                continue
            for l in range(6):
                share = theta * dt * S6[i, 6 * b + l]
                x[i] += share * wrench[6 * b + l]
                for j in range(6):
                    M[i, 6 * b + j] += share * L[b, l, j]
    solve_in_place(M, x)
    # Wrenches and maps under these twists.
    for b in range(bodies):
        t, omega = 6 * b, theta + eta[b] / dt
        if first[b] == first[b + 1]:
            continue
        for i in range(6):
            for j in range(6):
                wrench[t + i] -= L[b, i, j] * x[t + j]
        for g in range(first[b], first[b + 1]):
            move_map(maps[g], x[t : t + 6], dt, after[g])
            mean_change(maps[g], after[g], omega, z[FIELDS * g : FIELDS * (g + 1)])


@inner_kernel(fastmath={"reassoc", "nsz", "contract"})
def sum_fields(fields: FloatArray, z: FloatArray, out: FloatArray) -> None:
    """out (3, m) = F0 + sum z_k field_k of fields (12 L + 1, 3, m)."""
    last = len(z)
    m = out.shape[1]
    for i in range(3):
        for j in range(m):
            out[i, j] = fields[last, i, j]
    for k in range(0, last, 4):
        a, b, c, d = z[k], z[k + 1], z[k + 2], z[k + 3]
        for i in range(3):
            for j in range(m):
                out[i, j] += (
                    a * fields[k, i, j] + b * fields[k + 1, i, j]
                    + c * fields[k + 2, i, j] + d * fields[k + 3, i, j]
                )  # fmt: skip
