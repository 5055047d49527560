"""Grounds to walk on: boxes, stairs, gravel and scenes of several solids.

Lengths in m, angles in rad, world axes. Each stands on the plane z = 0, except in a scene that has
a plane, a slope or a height field.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from contact.ground import piece_kernels as kernels
from contact.ground.compiled_ground import Piece, extend_to_floor
from contact.ground.ground import FLOOR, Ground, axes_by_yaw, check_numbers
from sole.base.angles import Angle
from sole.base.arrays import FloatArray
from sole.base.checks import check_seed
from sole.base.errors import ConfigError
from sole.base.units import Metres

MOST_STEPS, MOST_STONES = 10_000, 100_000


@dataclass(frozen=True, kw_only=True)
class Box(Ground):
    """A box, `length` by `width`, whose top is `rise` above its base.

    (x, y, z) is the centre of its base [m]; R = Rz(yaw) Ry(pitch) Rx(roll) [rad] about that point.
    """

    kind: ClassVar[str] = "box"
    length: Metres
    width: Metres
    rise: Metres
    x: Metres = 0.0
    y: Metres = 0.0
    z: Metres = 0.0
    yaw: Angle = 0.0
    pitch: Angle = 0.0
    roll: Angle = 0.0

    def __post_init__(self) -> None:
        check_numbers(self, "length", "width", "rise")

    @property
    def solids(self) -> tuple[Piece, ...]:
        """See `Ground.solids`."""
        half = np.array([self.length / 2, self.width / 2])
        size = np.array([*-half, 0.0, *half, self.rise])
        origin = np.array([self.x, self.y, self.z])
        axes = axes_by_angles(self.yaw, self.pitch, self.roll)
        return (Piece(kind=kernels.BOX, origin=origin, axes=axes, size=size),)


@dataclass(frozen=True, kw_only=True)
class Stairs(Ground):
    """`count` steps of depth `run` and height `rise` that climb towards `heading` [rad].

    (x, y) is the middle of the foot of the first riser. The top one is a `landing` deep; stairs
    of `width` 0 have no sides. To go down them, start on the landing.
    """

    kind: ClassVar[str] = "stairs"
    run: Metres = 0.25
    rise: Metres = 0.1
    count: int = 3
    width: Metres = 0.0
    x: Metres = 0.0
    y: Metres = 0.0
    heading: Angle = 0.0
    landing: Metres = 1.0

    def __post_init__(self) -> None:
        check_numbers(self, "run", "rise", "landing")
        if self.width < 0:
            raise ConfigError(f"ground 'stairs': width must not be negative, got {self.width:g} m")
        if not 1 <= self.count <= MOST_STEPS:
            raise ConfigError(f"ground 'stairs': count must be 1 to {MOST_STEPS}, got {self.count}")

    @property
    def solids(self) -> tuple[Piece, ...]:
        """One box for each step, from its riser to the end, so that no joint shows."""
        half = self.width / 2 if self.width > 0 else math.inf
        end = (self.count - 1) * self.run + self.landing
        origin, axes = np.array([self.x, self.y, 0.0]), axes_by_yaw(self.heading)
        sizes = (
            np.array([k * self.run, -half, -np.inf, end, half, (k + 1) * self.rise])
            for k in range(self.count)
        )
        return tuple(Piece(kind=kernels.BOX, origin=origin, axes=axes, size=s) for s in sizes)


@dataclass(frozen=True, kw_only=True)
class Gravel(Ground):
    """`count` round stones on a rectangle `length` by `width` about (x, y), from a `seed`.

    Radius and height of every stone are uniform between half of `radius` and `rise` and the
    whole; stones may overlap.
    """

    kind: ClassVar[str] = "gravel"
    count: int = 100
    rise: Metres = 0.005
    radius: Metres = 0.01
    length: Metres = 1.0
    width: Metres = 1.0
    x: Metres = 0.0
    y: Metres = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_numbers(self, "rise", "radius", "length", "width")
        if not 1 <= self.count <= MOST_STONES:
            raise ConfigError(
                f"ground 'gravel': count must be 1 to {MOST_STONES}, got {self.count}"
            )
        check_seed("ground 'gravel': seed", self.seed)

    @property
    def solids(self) -> tuple[Piece, ...]:
        """See `Ground.solids`."""
        draw = np.random.default_rng(self.seed).random((self.count, 4))
        place = np.array([self.x, self.y]) + (draw[:, :2] - 0.5) * [self.length, self.width]
        radius = self.radius * (1 + draw[:, 2]) / 2
        top = self.rise * (1 + draw[:, 3]) / 2
        stones = []
        for (x, y), r, z in zip(place, radius, top, strict=True):
            size = np.array([r, 0.0, 0.0, 0.0, 0.0, 0.0])
            stones.append(Piece(kind=kernels.BALL, origin=np.array([x, y, z - r]), size=size))
        return tuple(stones)


@dataclass(frozen=True, kw_only=True)
class CompositeGround(Ground):
    """The union of several grounds, without the floor under each.

    Without a plane, a slope or a height field among them, the plane z = 0 is there too. A box
    that stands upright in a horizontal plane has no underside. The sole of a press starts level.
    """

    kind: ClassVar[str] = "scene"
    parts: tuple[Ground, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise ConfigError("a scene needs at least one solid")
        if any(isinstance(part, CompositeGround) for part in self.parts):
            raise ConfigError("a scene holds solids, not other scenes")

    @property
    def solids(self) -> tuple[Piece, ...]:
        """See `Ground.solids`."""
        return tuple(piece for part in self.parts for piece in part.solids)

    def assembled(self) -> tuple[Piece, ...]:
        """See `Ground.assembled`."""
        solids = self.solids
        based = any(s.kind in (kernels.PLANE, kernels.FIELD) for s in solids)
        return extend_to_floor(solids if based else (FLOOR, *solids))

    def header(self) -> dict[str, Any]:
        """See `Ground.header`."""
        return {"kind": self.kind, "parts": [part.header() for part in self.parts]}

    def __str__(self) -> str:
        kinds = [part.kind for part in self.parts]
        return "scene of " + ", ".join(
            f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)
        )


def axes_by_angles(yaw: float, pitch: float, roll: float) -> FloatArray:
    """R = Rz(yaw) Ry(pitch) Rx(roll) [rad], columns are the turned axes."""
    cp, sp, cr, sr = math.cos(pitch), math.sin(pitch), math.cos(roll), math.sin(roll)
    about_y = np.array([[cp, 0.0, sp], [0.0, 1.0, 0.0], [-sp, 0.0, cp]])
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, cr, -sr], [0.0, sr, cr]])
    return np.asarray(axes_by_yaw(yaw) @ about_y @ about_x)
