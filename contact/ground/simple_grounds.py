"""The simplest grounds, each a plane or one solid on a plane, and every kind by its name.

Lengths in m, world frame, z up; angles in rad.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from contact.ground import piece_kernels as kernels
from contact.ground.compiled_ground import Piece
from contact.ground.ground import Ground, axes_by_yaw, check_numbers
from contact.ground.height_field import HeightField, read_heights
from contact.ground.walking_grounds import Box, CompositeGround, Gravel, Stairs
from sole.base.angles import Angle, degrees_of, restored
from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError
from sole.base.near_names import did_you_mean
from sole.base.units import Metres


@dataclass(frozen=True, kw_only=True)
class Plane(Ground):
    """A horizontal plane z = 0."""

    kind: ClassVar[str] = "plane"

    @property
    def solids(self) -> tuple[Piece, ...]:
        """See `Ground.solids`."""
        return (Piece(kind=kernels.PLANE, axes=self.frame),)

    def assembled(self) -> tuple[Piece, ...]:
        """See `Ground.assembled`."""
        return self.solids


@dataclass(frozen=True, kw_only=True)
class Slope(Plane):
    """A plane through the world's origin that rises by `angle` [rad] towards `heading` [rad].

    Heading 0 is forward (x), pi/2 left (y). The reference sole lies parallel to it.
    """

    kind: ClassVar[str] = "slope"
    angle: Angle
    heading: Angle = 0.0

    def __post_init__(self) -> None:
        if not (abs(self.angle) < math.pi / 2 and math.isfinite(self.heading)):
            raise ConfigError(
                "slope must be between -90 and 90 degrees (angle_deg, or angle in rad), got "
                f"{degrees_of(self.angle):g} degrees"
            )

    @property
    def frame(self) -> FloatArray:
        """See `Ground.frame`."""
        a, h = self.angle, self.heading
        ca, sa, ch, sh = math.cos(a), math.sin(a), math.cos(h), math.sin(h)
        turn = np.array([[ch, -sh, 0.0], [sh, ch, 0.0], [0.0, 0.0, 1.0]])
        tilt = np.array([[ca, 0.0, -sa], [0.0, 1.0, 0.0], [sa, 0.0, ca]])
        return np.asarray(turn @ tilt @ turn.T)


@dataclass(frozen=True, kw_only=True)
class Step(Ground):
    """A step edge: the ground is `rise` [m] higher where x' >= x.

    x' is measured along a horizontal axis turned by `angle` [rad] from the forward one. For
    the length of an increment a node keeps the side it was on when the increment began: high
    nodes rest on the upper tread, low ones on the lower tread and against the riser.
    """

    kind: ClassVar[str] = "step"
    rise: Metres = 0.01
    x: Metres = 0.0
    angle: Angle = 0.0

    def __post_init__(self) -> None:
        if -np.inf < self.rise < 0:
            raise ConfigError(
                f"ground 'step': rise must be positive, got {self.rise:g} m: a step down at x = "
                f"{self.x:g} m is step:{-self.rise:g},{0.0 - self.x:g},angle_deg=180, a robot "
                f"begins on it with [start] z = {-self.rise:g}"
            )
        check_numbers(self, "rise")

    @property
    def solids(self) -> tuple[Piece, ...]:
        """See `Ground.solids`."""
        axes = axes_by_yaw(self.angle)
        size = np.array([0.0, -np.inf, -np.inf, np.inf, np.inf, self.rise])
        return (Piece(kind=kernels.BOX, origin=self.x * axes[:, 0], axes=axes, size=size),)


@dataclass(frozen=True, kw_only=True)
class Bump(Ground):
    """A sphere of `radius` [m] whose top is `rise` [m] above the plane, over (x, y)."""

    kind: ClassVar[str] = "bump"
    rise: Metres
    radius: Metres
    x: Metres = 0.0
    y: Metres = 0.0

    def __post_init__(self) -> None:
        check_numbers(self, "rise", "radius")

    @property
    def solids(self) -> tuple[Piece, ...]:
        """See `Ground.solids`."""
        centre = np.array([self.x, self.y, self.rise - self.radius])
        return (Piece(kind=kernels.BALL, origin=centre, size=np.array([self.radius] + [0.0] * 5)),)


@dataclass(frozen=True, kw_only=True)
class Bar(Ground):
    """A round bar of `radius` [m] across the foot, its top `rise` [m] above the plane.

    Its axis crosses the forward axis at x; `angle` [rad] turns it about the vertical.
    """

    kind: ClassVar[str] = "bar"
    rise: Metres
    radius: Metres
    x: Metres = 0.0
    angle: Angle = 0.0

    def __post_init__(self) -> None:
        check_numbers(self, "rise", "radius")

    @property
    def solids(self) -> tuple[Piece, ...]:
        """See `Ground.solids`."""
        centre = np.array([self.x, 0.0, self.rise - self.radius])
        size = np.array([self.radius, np.inf, 0.0, 0.0, 0.0, 0.0])
        return (Piece(kind=kernels.ROD, origin=centre, axes=axes_by_yaw(self.angle), size=size),)


def known_kinds() -> dict[str, type[Ground]]:
    """Return every kind of ground under its name."""
    kinds = (Plane, Slope, Step, Bump, Bar, Stairs, Box, Gravel, HeightField, CompositeGround)
    return {cls.kind: cls for cls in kinds}


def kind_named(name: str) -> type[Ground]:
    """Return a kind of ground by its name; ConfigError lists all kinds if it is unknown."""
    kinds = known_kinds()
    if name not in kinds:
        near = did_you_mean(name, kinds)
        raise ConfigError(f"unknown ground '{name}'; known are {', '.join(kinds)}{near}")
    return kinds[name]


def ground_from_header(data: dict[str, Any]) -> Ground:
    """Rebuild a ground from `Ground.header()`.

    Raises
    ------
    ConfigError
        Not the header of a ground, or of an older version, which wrote angles without a unit.
    """
    values = dict(data)
    kind = str(values.pop("kind", None))
    cls = kind_named(kind)
    try:
        values = restored(cls, values)
    except ConfigError as error:
        raise ConfigError(f"ground '{kind}': {error}") from error
    return make_ground(kind, values)


def make_ground(kind: str, values: dict[str, Any]) -> Ground:
    """Return a ground of one kind from its fields."""
    cls = kind_named(kind)
    if kind == "heightfield" and "file" in values:
        file, height = Path(values.pop("file")), values.pop("height", 1.0)
        values["heights"] = read_heights(file, height)
    if "parts" in values:
        values["parts"] = tuple(ground_from_header(part) for part in values["parts"])
    try:
        return cls(**values)
    except TypeError as error:
        names = ", ".join(f.name for f in fields(cls))
        got = ", ".join(values) or "nothing"
        raise ConfigError(f"ground '{kind}' takes {names}; got {got}") from error
