"""Compiled: the planes under the nodes of a run, for steps of which no Python asks the ground."""

from __future__ import annotations

from typing import NamedTuple

from contact.ground import GroundArrays, fill_plane_gaps, find_surfaces
from contact.step.affine_step_kernels import find_planes
from contact.step.look_kernels import place_nodes
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel


class LookArrays(NamedTuple):
    """What a look at one ground needs, and room for what it finds.

    Attributes
    ----------
    points, body : (M, 3), (M,) nodes at rest and their bodies. ground : `GroundArrays`.
    plane : (2, 3) point and normal of a ground that is one plane; (0, 3): it is not.
    reach : of second surfaces [m].
    same : how near two offsets of one plane are [m].
    local, world : (M, 3). gaps, normals : (M, S), (M, S, 3). planes : (L, 4) as in `GroundAhead`.
    """

    points: FloatArray
    body: IntArray
    ground: GroundArrays
    plane: FloatArray
    reach: float
    same: float
    local: FloatArray
    world: FloatArray
    gaps: FloatArray
    normals: FloatArray
    planes: FloatArray


@inner_kernel
def look_below(
    look: LookArrays, U: FloatArray, outside: FloatArray, R: FloatArray, p: FloatArray,
    solid: IntArray,
) -> None:  # fmt: skip
    """Fill nodes, gaps, normals and the pieces `solid` (M, S) below soles at R, p."""
    place_nodes(look.points, look.body, U, R, p, look.local, look.world)
    if len(look.plane) > 0:
        origin, n = look.plane[0], look.plane[1]
        fill_plane_gaps(look.world, origin, n, look.gaps, look.normals, solid)
    else:
        found = look.gaps, look.normals, solid
        find_surfaces(look.world, outside, look.reach, look.ground, *found)


@inner_kernel
def look_ahead(
    constants: Bundle, look_tuple: Bundle, U: FloatArray, outside: FloatArray, R: FloatArray,
    p: FloatArray, before: IntArray, solid: IntArray,
) -> bool:  # fmt: skip
    """Fill gaps, normals, planes and the pieces `solid` (M, S) below soles at R, p.

    U, outside, before : of the last step, `before` its pieces. False: a node has left its plane.
    """
    look = LookArrays(*look_tuple)
    look_below(look, U, outside, R, p, solid)
    return find_planes(
        constants, look.world, look.gaps, look.normals, solid, before, look.same, look.planes
    )
