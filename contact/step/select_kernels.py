"""Compiled loops that select the contacts which a time step examines.

Imports numpy and numba only; arrays in, arrays out: see `contact.step.step_arrays`.
"""

from __future__ import annotations

import math

import numpy as np

from contact.step.step_arrays import NearArrays
from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.compiled import inner_kernel

CREEP = 1e-3  # m/s: what a node may move beside its foot before it is missed


@inner_kernel
def find_pressed(
    body: IntArray, bodies: int, forces: FloatArray, share: float
) -> tuple[BoolArray, BoolArray]:
    """Which contacts bore force (M, S), and of which bodies almost all nodes did (B,).

    `share` of the nodes of such a body may bear none.
    """
    M, S, _ = forces.shape
    bears, missing, nodes = np.zeros((M, S), np.bool_), np.zeros(bodies), np.zeros(bodies)
    for i in range(M):
        some = False
        for s in range(S):
            bears[i, s] = forces[i, s, 0] != 0.0 or forces[i, s, 1] != 0.0 or forces[i, s, 2] != 0.0
            some = some or bears[i, s]
        nodes[body[i]] += 1.0
        missing[body[i]] += 0.0 if some else 1.0
    return bears, missing <= share * nodes


@inner_kernel
def fill_rigid_velocities(
    near: NearArrays, body: IntArray, twists: FloatArray, velocity: FloatArray, fastest: FloatArray
) -> None:
    """velocity (M, 3), world: v + omega x y of `twists` (6B,); fastest (B,): its largest size."""
    R, local = near.rotations, near.local
    fastest[:] = 0.0
    for i in range(len(local)):
        b, t = body[i], 6 * body[i]
        x, y, z = local[i, 0], local[i, 1], local[i, 2]
        v0 = twists[t] + twists[t + 4] * z - twists[t + 5] * y
        v1 = twists[t + 1] + twists[t + 5] * x - twists[t + 3] * z
        v2 = twists[t + 2] + twists[t + 3] * y - twists[t + 4] * x
        fastest[b] = max(fastest[b], v0 * v0 + v1 * v1 + v2 * v2)
        for a in range(3):
            velocity[i, a] = R[b, a, 0] * v0 + R[b, a, 1] * v1 + R[b, a, 2] * v2
    for b in range(len(fastest)):
        fastest[b] = math.sqrt(fastest[b])


@inner_kernel
def select_contacts(
    near: NearArrays,
    body: IntArray,
    twists: FloatArray,
    forces: FloatArray,
    extra: BoolArray,
    dt: float,
    slack: float,
    share: float,
) -> tuple[IntArray, IntArray]:
    """Contacts (node, slot) that may close within dt, or did last time.

    While its forces stay, a sole moves with its foot. So a contact is kept if g + dt (n . v) is at
    most dt slack (|v| + `CREEP`), v that of `twists` (6B,) and |v| the largest of its body; if it
    carried force; or if `extra` (M, S) names it. The third surface of a node and those after it
    have no slack: most of them never touch.

    A sole of which all nodes but `share` bear force has one contact at each node, which sweeps by
    velocities need: where force is, or else where the gap will be least.

    What is left out and closes is missed once, and then named.
    """
    gap, normal = near.gaps, near.normals
    M, S = gap.shape
    fastest, velocity = np.empty(len(near.rotations)), np.empty((M, 3))
    fill_rigid_velocities(near, body, twists, velocity, fastest)
    bears, pressed = find_pressed(body, len(fastest), forces, share)
    node = np.empty(M * S, np.int64)
    slot = np.empty(M * S, np.int64)
    K = 0
    for i in range(M):
        v0, v1, v2 = velocity[i, 0], velocity[i, 1], velocity[i, 2]
        reach, bare = dt * slack * (fastest[body[i]] + CREEP), True
        nearest, least = -1, np.inf
        for s in range(S):
            if not gap[i, s] < np.inf:
                continue
            bare = bare and not bears[i, s]
            closing = normal[i, s, 0] * v0 + normal[i, s, 1] * v1 + normal[i, s, 2] * v2
            left = gap[i, s] + dt * closing
            if left < least:
                nearest, least = s, left
            wide = reach if s < 2 else 0.0
            if bears[i, s] or extra[i, s] or (left <= wide and not pressed[body[i]]):
                node[K], slot[K] = i, s
                K += 1
        if pressed[body[i]] and bare and nearest >= 0 and not extra[i, nearest]:
            node[K], slot[K] = i, nearest
            K += 1
    return node[:K].copy(), slot[:K].copy()
