"""What a time step sees at its start and keeps: nodes, ground, frames of the contacts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact.stepping import kernels, memory_kernels
from contact.stepping.bodies import Bodies
from contact.stepping.state import SoleState
from contact.terrain.several import SeveralGrounds
from sole.arrays import BoolArray, FloatArray, IntArray

SLACK = 1.0  # a contact is looked at if it may close within dt at 1 + SLACK times the speed
SHALLOW = 1e-4  # m: a node no deeper has not forgotten through which face it came


@dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """Geometry of a step, frozen; vectors in the axes of the bodies unless called world.

    Parameters
    ----------
    rotations : R (B, 3, 3). local : x + U (M, 3).
    outside : (M, 3) world, as in `SoleState`.
    gaps, solid : (M, S) of all nodes. normals : (M, S, 3) world.
    forces, earlier : (M, S, 3) of the last two steps, in the slots of this one.
    steady : as in `SoleState`; 0 if a node has come upon another surface.
    node, slot, body : (K,) the contacts that may close.
    P, A : (K, 3, 3) frames and (K, 3, 6) motions P G of the contacts. G : (3M, 6).
    friction : mu (K,).
    """

    rotations: FloatArray
    local: FloatArray
    outside: FloatArray
    gaps: FloatArray
    solid: IntArray
    normals: FloatArray
    forces: FloatArray
    earlier: FloatArray
    steady: int
    node: IntArray
    slot: IntArray
    body: IntArray
    P: FloatArray
    A: FloatArray
    G: FloatArray
    friction: FloatArray


def look(
    bodies: Bodies,
    ground: SeveralGrounds,
    state: SoleState,
    rotations: FloatArray,
    places: FloatArray,
    ahead: FloatArray,
    rate: FloatArray,
    dt: float,
    listed: BoolArray,
) -> Frame:
    """Ask the ground and select the contacts that may close within `dt`.

    `ahead` (6B,) are the mean twists without contact forces, `rate` (B,) = 1/(theta dt + eta);
    `listed` (M, S) contacts are taken in any case.
    """
    b, U, R = bodies, state.displacement, rotations
    local, world, velocity = np.empty((3, b.nodes, 3))
    kernels.place_nodes(b.points, U, b.body, R, places, local, world)
    known = state.outside if state.solid[0, 0] >= 0 else world
    touches = ground.query(world, known)
    gaps, solid = touches.gap, touches.solid
    normals = np.ascontiguousarray(touches.normal)
    outside = state.outside.copy()
    memory_kernels.keep_outside(world, gaps, normals, SHALLOW, outside)
    forces, earlier, steady = state.forces, state.earlier, state.steady
    moved = np.empty((2, *forces.shape))
    if not memory_kernels.align(solid, state.solid, forces, earlier, moved[0], moved[1]):
        forces, earlier, steady = moved[0], moved[1], 0
    kernels.free_velocities(local, b.body, U, rate, ahead, velocity)
    node, slot = kernels.select(gaps, normals, b.body, R, velocity, forces, listed, dt, SLACK)
    K = len(node)
    P, A = np.empty((K, 3, 3)), np.empty((K, 3, 6))
    kernels.contact_frames(node, slot, normals, b.body, R, local, P, A)
    G = np.empty((3 * b.nodes, 6))
    kernels.rigid_geometry(local, G)
    return Frame(
        R, local, outside, gaps, solid, normals, forces, earlier, steady,
        node, slot, b.body[node], P, A, G, b.friction[node],
    )  # fmt: skip
