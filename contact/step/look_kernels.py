"""Compiled loops that find the contacts of a time step: nodes, memory, contacts, frames.

Imports numpy and numba only; arrays in, arrays out: see `contact.step.step_arrays`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from contact.ground import find_surfaces
from contact.step.select_kernels import select_contacts
from contact.step.step_arrays import BodyArrays, MemoryArrays, NearArrays, StepMotion
from sole.base.arrays import BoolArray, Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel

SAME, AROUND, BELOW = range(3)  # answers of `align_forces`


class FoundArrays(NamedTuple):
    """What `find_contacts` writes; arrays of contacts are long enough for all nodes.

    Attributes
    ----------
    outside : (M, 3). G : (3M, 6). where : (3, MS) node, slot, body of every contact.
    P, A, friction : (MS, 3, 3), (MS, 3, 6), (MS,) of every contact.
    forces, earlier : (M, S, 3), unless every node met the surfaces of the last step.
    """

    outside: FloatArray
    G: FloatArray
    where: IntArray
    P: FloatArray
    A: FloatArray
    friction: FloatArray
    forces: FloatArray
    earlier: FloatArray


@kernel
def place_nodes(
    points: FloatArray,
    body: IntArray,
    U: FloatArray,
    R: FloatArray,
    p: FloatArray,
    local: FloatArray,
    world: FloatArray,
) -> None:
    """local = x + U, world = R local + p."""
    for i in range(len(points)):
        b = body[i]
        for a in range(3):
            local[i, a] = points[i, a] + U[i, a]
        for a in range(3):
            world[i, a] = p[b, a] + (
                R[b, a, 0] * local[i, 0] + R[b, a, 1] * local[i, 1] + R[b, a, 2] * local[i, 2]
            )


@kernel
def look_at_pieces(
    points: FloatArray, body: IntArray, U: FloatArray, R: FloatArray, p: FloatArray,
    outside: FloatArray, reach: float, pieces: Bundle, local: FloatArray, world: FloatArray,
    near: tuple[FloatArray, FloatArray, IntArray],
) -> None:  # fmt: skip
    """Fill the places of all nodes and the surfaces near them: gaps, normals, pieces.

    outside : (M, 3) where the nodes were last outside, or (0, 3). reach, pieces : those of a
    `contact.ground.CompiledGround`.
    """
    place_nodes(points, body, U, R, p, local, world)
    gaps, normals, solid = near
    find_surfaces(world, outside, reach, pieces, gaps, normals, solid)


@kernel
def fill_rigid_geometry(local: FloatArray, G: FloatArray) -> None:
    """G (3M, 6): node velocity v + omega x y of a twist, at the deformed nodes y."""
    G[:] = 0.0
    for i in range(len(local)):
        x, y, z = local[i, 0], local[i, 1], local[i, 2]
        G[3 * i, 0] = G[3 * i + 1, 1] = G[3 * i + 2, 2] = 1.0
        G[3 * i, 4], G[3 * i, 5] = z, -y
        G[3 * i + 1, 3], G[3 * i + 1, 5] = -z, x
        G[3 * i + 2, 3], G[3 * i + 2, 4] = y, -x


@inner_kernel
def keep_outside(
    world: FloatArray, gap: FloatArray, normal: FloatArray, shallow: float, outside: FloatArray
) -> None:
    """Update `outside` (M, 3): the node itself if outside, the surface point if just inside.

    A node deeper than `shallow` keeps the point from which it came; NaN is always replaced.
    """
    for i in range(len(world)):
        g = gap[i, 0]
        if g < -shallow and not math.isnan(outside[i, 0]):
            continue
        out = 1e-9 - g if -shallow <= g < 0.0 else 0.0
        for a in range(3):
            outside[i, a] = world[i, a] + out * normal[i, 0, a]


@inner_kernel
def align_forces(
    solid: IntArray,
    old: IntArray,
    forces: FloatArray,
    earlier: FloatArray,
    new_forces: FloatArray,
    new_earlier: FloatArray,
) -> int:
    """Carry forces (M, S, 3) to the slots where their pieces of the ground are now.

    Returns `SAME` if nothing changed, then nothing is written; `AROUND` if only slots changed that
    bear nothing; `BELOW` if a node that bears force met another piece.
    """
    M, S = solid.shape
    moved = SAME
    for i in range(M):
        for s in range(S):
            if solid[i, s] != old[i, s]:
                f = forces[i, s]
                bears = f[0] != 0.0 or f[1] != 0.0 or f[2] != 0.0
                moved = max(moved, BELOW if bears else AROUND)
    if moved == SAME:
        return moved
    for i in range(M):
        for s in range(S):
            for a in range(3):
                new_forces[i, s, a] = new_earlier[i, s, a] = 0.0
            # Two facets of one field carry one number: a slot that kept its number keeps its force.
            kept = -1
            if solid[i, s] >= 0 and old[i, s] == solid[i, s]:
                kept = s
            elif solid[i, s] >= 0:
                for o in range(S):
                    if old[i, o] == solid[i, s] and old[i, o] != solid[i, o]:
                        kept = o
            if kept >= 0:
                for a in range(3):
                    new_forces[i, s, a] = forces[i, kept, a]
                    new_earlier[i, s, a] = earlier[i, kept, a]
    return moved


@kernel
def fill_contact_frames(
    node: IntArray,
    slot: IntArray,
    near: NearArrays,
    body: IntArray,
    P: FloatArray,
    A: FloatArray,
) -> None:
    """P (K, 3, 3) in the axes of the body, A = P G (K, 3, 6).

    t1 is the forward axis of the body along the surface (its left axis where that is steep).
    """
    R, local, normal = near.rotations, near.local, near.normals
    for k in range(len(node)):
        i, s = node[k], slot[k]
        b = body[i]
        w = normal[i, s]
        n0 = R[b, 0, 0] * w[0] + R[b, 1, 0] * w[1] + R[b, 2, 0] * w[2]
        n1 = R[b, 0, 1] * w[0] + R[b, 1, 1] * w[1] + R[b, 2, 1] * w[2]
        n2 = R[b, 0, 2] * w[0] + R[b, 1, 2] * w[1] + R[b, 2, 2] * w[2]
        if abs(n0) > 0.9:
            t0, t1, t2 = -n1 * n0, 1.0 - n1 * n1, -n1 * n2
        else:
            t0, t1, t2 = 1.0 - n0 * n0, -n0 * n1, -n0 * n2
        size = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
        t0, t1, t2 = t0 / size, t1 / size, t2 / size
        P[k, 0, 0], P[k, 0, 1], P[k, 0, 2] = t0, t1, t2
        P[k, 1, 0], P[k, 1, 1], P[k, 1, 2] = n1 * t2 - n2 * t1, n2 * t0 - n0 * t2, n0 * t1 - n1 * t0
        P[k, 2, 0], P[k, 2, 1], P[k, 2, 2] = n0, n1, n2
        x, y, z = local[i, 0], local[i, 1], local[i, 2]
        for a in range(3):
            p0, p1, p2 = P[k, a, 0], P[k, a, 1], P[k, a, 2]
            A[k, a, 0], A[k, a, 1], A[k, a, 2] = p0, p1, p2
            A[k, a, 3] = p2 * y - p1 * z  # y x p
            A[k, a, 4] = p0 * z - p2 * x
            A[k, a, 5] = p1 * x - p0 * y


@kernel
def find_contacts(
    near: NearArrays,
    world: FloatArray,
    bodies: BodyArrays,
    memory: MemoryArrays,
    twists: FloatArray,
    listed: BoolArray,
    dt: float,
    shallow: float,
    slack: float,
    share: float,
    found: FoundArrays,
) -> tuple[int, int]:
    """Fill `found` from the ground's answer: contacts, frames, memory.

    world : (M, 3) nodes. twists : (6B,), listed : (M, S), dt and share as
    `contact.step.look_at_ground` has them; shallow and slack: its `SHALLOW`, `SLACK`.
    Returns K and the answer of `align_forces`.
    """
    near, bodies = NearArrays(*near), BodyArrays(*bodies)
    memory, found = MemoryArrays(*memory), FoundArrays(*found)
    local, body = near.local, bodies.body
    found.outside[:] = memory.outside
    keep_outside(world, near.gaps, near.normals, shallow, found.outside)
    old, earlier = memory.forces, memory.earlier
    moved = align_forces(near.solid, memory.solid, old, earlier, found.forces, found.earlier)
    node, slot = select_contacts(
        near,
        body,
        twists,
        old if moved == SAME else found.forces,
        listed,
        dt,
        slack,
        share,
    )
    K = len(node)
    for k in range(K):
        found.where[0, k], found.where[1, k], found.where[2, k] = node[k], slot[k], body[node[k]]
        found.friction[k] = bodies.friction[node[k]]
    fill_contact_frames(node, slot, near, body, found.P, found.A)
    fill_rigid_geometry(local, found.G)
    return K, moved


@kernel
def check_motion(R: FloatArray, p: FloatArray, motion: StepMotion) -> int:
    """Return 0, 1 if a value is not finite, or 2 if S6 is asymmetric or has a negative diagonal.

    Symmetric is to 1e-8 of the largest entry.
    """
    twists, free_twists, S6, _ = motion
    total = R.sum() + p.sum() + twists.sum() + free_twists.sum() + S6.sum()
    if not math.isfinite(total):
        return 1
    largest = far = 0.0
    for i in range(len(S6)):
        if S6[i, i] < 0.0:
            return 2
        for j in range(i + 1):
            largest = max(largest, abs(S6[i, j]))
            far = max(far, abs(S6[i, j] - S6[j, i]))
    return 2 if far > 1e-8 * largest else 0
