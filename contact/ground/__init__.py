"""Grounds: planes, steps, stairs, boxes, gravel, height fields; gap and normal at a point."""

from contact.ground.compiled_ground import CompiledGround, Piece
from contact.ground.ground import Ground
from contact.ground.ground_file import load_ground, parse_ground
from contact.ground.height_field import HeightField
from contact.ground.query_kernels import GroundArrays, fill_plane_gaps, find_surfaces
from contact.ground.simple_grounds import (
    Bump,
    Plane,
    Slope,
    Step,
    ground_from_header,
)
from contact.ground.surface_grid import triangulate_surface
from contact.ground.walking_grounds import (
    Box,
    CompositeGround,
    Gravel,
    Stairs,
)

__all__ = [
    "Box",
    "Bump",
    "CompiledGround",
    "CompositeGround",
    "Gravel",
    "Ground",
    "GroundArrays",
    "HeightField",
    "Piece",
    "Plane",
    "Slope",
    "Stairs",
    "Step",
    "fill_plane_gaps",
    "find_surfaces",
    "ground_from_header",
    "load_ground",
    "parse_ground",
    "triangulate_surface",
]
