"""The geometry that a time step fixes at its start: nodes, gaps, contact frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact.step.bodies import Bodies, SeveralGrounds
from contact.step.look_kernels import (
    BELOW,
    SAME,
    FoundArrays,
    find_contacts,
    look_at_pieces,
    place_nodes,
)
from contact.step.sole_state import SoleState
from contact.step.step_arrays import ContactArrays, NearArrays
from sole.base.arrays import BoolArray, FloatArray, sealed, trusted
from sole.base.compiled import packed

SPEED_SLACK = 1.0  # a contact is examined if it may close within dt at 1 + this times the speed
SHALLOW = 1e-4  # m: a deeper node keeps the point outside from which it came


@dataclass(frozen=True, eq=False)
class StepFrame:
    """Geometry of a step, frozen; vectors in the axes of the bodies unless called world.

    Parameters
    ----------
    near : the surfaces near every node.
    contacts : (K) that may close.
    friction : mu (K,).
    geometry : G (3M, 6) of the deformed nodes.
    outside : (M, 3) world, as in `SoleState`.
    forces, earlier : (M, S, 3) of the last two steps, in the slots of this one.
    steady : as in `SoleState`; 0 if a node that bore force met another surface.
    """

    near: NearArrays
    contacts: ContactArrays
    friction: FloatArray
    geometry: FloatArray
    outside: FloatArray
    forces: FloatArray
    earlier: FloatArray
    steady: int


def look_near(
    bodies: Bodies,
    ground: SeveralGrounds,
    state: SoleState,
    rotations: FloatArray,
    places: FloatArray,
) -> tuple[FloatArray, NearArrays]:
    """Return the nodes (M, 3), axes of their grounds, and the surfaces near them."""
    M, S, outside = bodies.nodes, ground.slots, state.outside
    local, world = np.empty((M, 3)), np.empty((M, 3))
    known = state.solid[0, 0] >= 0  # not before the first step
    if ground.pieces is None:
        place_nodes(bodies.points, bodies.body, state.displacement, rotations, places, local, world)
        gaps, normals, solid = ground.nearest(world, outside if known else world)
    else:
        gaps, normals, solid = np.empty((M, S)), np.empty((M, S, 3)), np.empty((M, S), np.int64)
        look_at_pieces(
            bodies.points, bodies.body, state.displacement, rotations, places,
            outside if known else outside[:0], *ground.pieces, local, world, (gaps, normals, solid),
        )  # fmt: skip
    return world, NearArrays(rotations, local, gaps, normals, solid)


def look_at_ground(
    bodies: Bodies,
    ground: SeveralGrounds,
    state: SoleState,
    rotations: FloatArray,
    places: FloatArray,
    twists: FloatArray,
    dt: float,
    listed: BoolArray,
    share: float,
) -> StepFrame:
    """Query the ground and select the contacts that may close within `dt`.

    `twists` (6B,) are those with which bodies move if their forces stay; `listed` (M, S) contacts
    are taken in any case. `share` of the nodes of a sole may bear no force where it is swept by
    velocities; a negative one: no sole is.
    """
    M, outside = bodies.nodes, np.empty((bodies.nodes, 3))
    world, near = look_near(bodies, ground, state, rotations, places)
    most = near.gaps.size
    forces, earlier = np.empty((2, *state.forces.shape))
    where, mu, G = np.empty((3, most), np.int64), np.empty(most), np.empty((3 * M, 6))
    P, A = np.empty((most, 3, 3)), np.empty((most, 3, 6))
    found = FoundArrays(outside, G, where, P, A, mu, forces, earlier)
    K, moved = find_contacts(
        packed(near), world, packed(bodies.arrays), packed(state.memory), twists, listed, dt,
        SHALLOW, SPEED_SLACK, share, packed(found),
    )  # fmt: skip
    node, slot, owner = where[:, :K].copy()
    return trusted(
        StepFrame,
        near=near,
        contacts=ContactArrays(node, slot, owner, P[:K], A[:K]),
        friction=mu[:K],
        geometry=G,
        outside=outside,
        forces=state.forces if moved == SAME else sealed(forces),
        earlier=state.earlier if moved == SAME else sealed(earlier),
        steady=0 if moved == BELOW else state.steady,
    )
