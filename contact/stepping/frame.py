"""What a time step sees at its start and keeps: nodes, ground, frames of the contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from contact.stepping import look_kernels as kernels
from contact.stepping.bodies import Bodies
from contact.stepping.state import SoleState
from contact.terrain.several import SeveralGrounds
from sole.arrays import BoolArray, FloatArray, IntArray, trusted

SLACK = 1.0  # a contact is looked at if it may close within dt at 1 + SLACK times the speed
SHALLOW = 1e-4  # m: a node no deeper has not forgotten through which face it came


@dataclass(frozen=True, eq=False)
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
    b, U, R, M = bodies, state.displacement, rotations, bodies.nodes
    local, world, outside = np.empty((3, M, 3))
    compiled = cast(Any, kernels)
    compiled.place_nodes(b.points, U, b.body, R, places, local, world)
    gaps, normals, solid = ground.nearest(world, state.outside if state.solid[0, 0] >= 0 else world)
    most = gaps.size
    forces, earlier = np.empty((2, *state.forces.shape))
    where, mu, G = np.empty((3, most), np.int64), np.empty(most), np.empty((3 * M, 6))
    P, A = np.empty((most, 3, 3)), np.empty((most, 3, 6))
    K, same = compiled.looked(
        local, world, gaps, normals, solid, SHALLOW,
        b.body, b.friction, R, ahead, U, rate, state.solid, state.outside,
        state.forces, state.earlier, listed, dt, SLACK,
        outside, forces, earlier, where, P, A, G, mu,
    )  # fmt: skip
    node, slot, owner = where[:, :K].copy()
    return trusted(
        Frame,
        rotations=R,
        local=local,
        outside=outside,
        gaps=gaps,
        solid=solid,
        normals=normals,
        forces=state.forces if same else forces,
        earlier=state.earlier if same else earlier,
        steady=state.steady if same else 0,
        node=node,
        slot=slot,
        body=owner,
        P=P[:K],
        A=A[:K],
        G=G,
        friction=mu[:K],
    )
