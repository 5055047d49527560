"""Compiled: what a recorder takes from the nodes of all bodies in one step."""

from __future__ import annotations

import numpy as np
from numba import njit

from sole.arrays import FloatArray, IntArray


@njit(cache=True)
def taken(
    q: FloatArray, before: FloatArray, torques: FloatArray, M: FloatArray,
    acceleration: FloatArray, dt: float, damping: float,
    friction: float, push: float, viscous: float, numerical: float,
    stops: float, outer: float, bushes: float, sums: FloatArray,
    first: IntArray, fits: FloatArray, areas: FloatArray,
    U: FloatArray, forces: FloatArray,
    motion: FloatArray, largest: FloatArray, pressure: FloatArray, touching: FloatArray,
) -> None:  # fmt: skip
    """Take a step: add to the running `sums` (8,) and look at the nodes.

    Of the drives tau . (q - before); lost by the time step, besides `numerical` in the soles,
    damping dv'M dv with dv = dt acceleration.

    Of the nodes motion (B, 6), largest |U| (B,), pressure (B,) and touching (B,) are filled, from
    `first` (B + 1,) nodes of every body, `fits` (M, 6, 3) rigid fits node by node, `areas` (M,),
    U (M, 3), forces (M, S, 3).
    """
    for j in range(len(torques)):
        sums[0] += torques[j] * (q[7 + j] - before[7 + j])
    lost = 0.0
    for i in range(len(acceleration)):
        row = 0.0
        for j in range(len(acceleration)):
            row += M[i, j] * acceleration[j]
        lost += acceleration[i] * row
    sums[1] += friction
    sums[2] += push
    sums[3] += viscous
    sums[4] += numerical + damping * dt * dt * lost
    sums[5] += stops
    sums[6] += outer
    sums[7] += bushes
    for b in range(len(first) - 1):
        motion[b] = 0.0
        far, most, count = 0.0, 0.0, 0
        for i in range(first[b], first[b + 1]):
            x, y, z = U[i, 0], U[i, 1], U[i, 2]
            for k in range(6):
                motion[b, k] += fits[i, k, 0] * x + fits[i, k, 1] * y + fits[i, k, 2] * z
            far = max(far, x * x + y * y + z * z)
            normal, any_force = 0.0, 0.0
            for s in range(forces.shape[1]):
                normal += forces[i, s, 2]
                any_force += abs(forces[i, s, 0]) + abs(forces[i, s, 1]) + abs(forces[i, s, 2])
            if any_force > 0.0:
                count += 1
            if areas[i] > 0.0:
                most = max(most, normal / areas[i])
        largest[b] = np.sqrt(far)
        pressure[b] = most
        touching[b] = count


@njit(cache=True)
def slid(
    body: IntArray,
    node: IntArray,
    velocity: FloatArray,
    reactions: FloatArray,
    status: IntArray,
    dt: float,
    path: FloatArray,
    sliding: FloatArray,
) -> None:
    """Add to path (B,) the mean over nodes, by normal force, of |u_t| dt; count sliding nodes.

    One (sub-)step of K contacts: node (K,), velocity and reactions (K, 3) as t1, t2, n, status
    (K,) 2 where they slip. `body` (M,) of every node.
    """
    B = len(path)
    load, moved = np.zeros(B), np.zeros(B)
    for k in range(len(node)):
        b = body[node[k]]
        normal = reactions[k, 2]
        if normal <= 0.0:
            continue
        load[b] += normal
        if status[k] == 2:
            moved[b] += normal * np.hypot(velocity[k, 0], velocity[k, 1])
            sliding[b] += 1.0
    for b in range(B):
        if load[b] > 0.0:
            path[b] += dt * moved[b] / load[b]
