"""The base of every ground: exact gaps and normals of points, for press and time step.

A ground is a union of solids ("faces" below): being outside the union means being outside of
each. In a press every node carries one contact per solid, so that the crease between two needs
no special case; the time step takes the two surfaces nearest to every node, more among stones.
All lengths in m, world frame, z up; angles in rad, degrees where a ground is text. `frame` (3, 3)
turns the axes of the ground into those of the world; the sole's reference configuration is
parallel to it.

gap > 0 outside; normals point out of the ground. Kinds are in `simple_grounds`, `walking_grounds`
and `height_field`, the flat arrays behind `query` in `compiled_ground`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from contact.ground import piece_kernels as kernels
from contact.ground.compiled_ground import (
    CompiledGround,
    Piece,
    Touches,
    compile_pieces,
    extend_to_floor,
)
from contact.ground.press_gap import compute_curvature, measure_box_gaps, measure_piece_gaps
from contact.ground.surface_grid import height_of
from sole.base.angles import angles_of, degrees_of, key_of, stored
from sole.base.arrays import FloatArray
from sole.base.config import STRICT
from sole.base.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Ground(ABC):
    """A ground that a sole is pressed on and a robot walks on."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    kind: ClassVar[str]

    @property
    @abstractmethod
    def solids(self) -> tuple[Piece, ...]:
        """The simple solids that this kind adds to a scene, without a floor."""

    def assembled(self) -> tuple[Piece, ...]:
        """All simple solids of this ground: the plane z = 0 and what stands on it."""
        return extend_to_floor((FLOOR, *self.solids))

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The solids of `assembled`, cached."""
        return self.assembled()

    @property
    def faces(self) -> int:
        """Contacts of a node in a press test: one per piece."""
        return len(self.pieces)

    @cached_property
    def compiled(self) -> CompiledGround:
        """The ground as flat arrays, cached."""
        return compile_pieces(self.pieces)

    def query(
        self, points: FloatArray, before: FloatArray | None = None, axes: FloatArray | None = None
    ) -> Touches:
        """Return the two surfaces nearest to each point (n, 3); see `CompiledGround.query`."""
        return self.compiled.query(points, before, axes)

    def clearance(self, points: FloatArray) -> FloatArray:
        """Return the gap (n,) of world points (n, 3) to the nearest surface [m]; see `query`."""
        gap, _, _ = self.compiled.nearest(np.ascontiguousarray(points, dtype=float))
        return gap[:, 0]

    @property
    def frame(self) -> FloatArray:
        """(3, 3) axes of the ground in the world, columns; identity unless sloped."""
        return np.eye(3)

    def gaps(self, p: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Gaps (faces, m) [m] and unit normals (faces, m, 3) of world points `p` (m, 3).

        `start` (m, 3) is where the points were when the increment began.

        Raises
        ------
        ConfigError
            More solids than a press takes: every node carries a contact for each.
        """
        if self.faces > MOST_FACES:
            raise ConfigError(
                f"the press takes grounds of at most {MOST_FACES} solids, this one has "
                f"{self.faces}: keep only those under the sole"
            )
        gaps, normals = measure_piece_gaps(self.compiled, p, start)
        for s, piece in enumerate(self.pieces):
            if piece.kind == kernels.BOX:
                gaps[s], normals[s] = measure_box_gaps(piece, p, start)
        return gaps, normals

    def curvatures(self, p: FloatArray) -> FloatArray:
        """dn/dp (faces, m, 3, 3) [1/m], symmetric; zero unless a face is round."""
        return np.stack([compute_curvature(piece, p) for piece in self.pieces])

    def height(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Height of the ground [m] along its own z over ground coordinates x, y."""
        return height_of(self.pieces, self.frame, x, y)

    def header(self) -> dict[str, Any]:
        """Return plain data that `ground_from_header` understands."""
        return {"kind": self.kind, **stored(type(self), asdict(self))}

    def __str__(self) -> str:
        """Return what `parse_ground` reads, with units: ``slope:angle_deg=20,heading_deg=0``."""
        values = []
        for f in fields(self):
            name, value = f.name, getattr(self, f.name)
            angle = name in angles_of(type(self))
            text = (
                f"{degrees_of(value):.12g}" if angle else f"{value:g} {unit_of_field(str(f.type))}"
            )
            values.append(f"{key_of(type(self), name)}={text}".rstrip())
        return f"{self.kind}:{','.join(values)}" if values else self.kind


def unit_of_field(kind: str) -> str:
    """Return the unit of a ground's field of a type as text: "m", or "deg", or "" of counts."""
    return {"Metres": "m", "Angle": "deg"}.get(kind, "")


FLOOR = Piece(kind=kernels.PLANE)
MOST_FACES = 128
LARGEST = 1e4  # m, degrees: a flatter bump is a plane


def check_numbers(ground: Ground, *names: str) -> None:
    """Refuse values that are not finite or too large, and `names` that are not positive."""
    for f in fields(ground):
        name, value = f.name, getattr(ground, f.name)
        if f.type == "int":
            if not isinstance(value, int):
                raise ConfigError(
                    f"ground '{ground.kind}': {name} must be a whole number, got {value}"
                )
        if f.type not in ("Metres", "Angle"):
            continue
        unit = "m"
        if f.type == "Angle":
            value, unit = math.degrees(value), "degrees"
        if not math.isfinite(value) or (name in names and value <= 0):
            wanted = "positive" if name in names else "finite"
            raise ConfigError(
                f"ground '{ground.kind}': {name} must be {wanted}, got {value:g} {unit}"
            )
        if abs(value) > LARGEST:
            raise ConfigError(
                f"ground '{ground.kind}': {name} = {value:g} {unit} is more than {LARGEST:g}"
            )


def axes_by_yaw(angle: float) -> FloatArray:
    """Axes (3, 3), columns, turned by `angle` [rad] about the vertical."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
