"""The ground: exact gaps and normals of points, for the press test and for the time step.

A ground is a union of solids ("faces" below): being outside the union means being outside of
each. In a press every node carries one contact per solid, so that the crease between two needs
no special case; the time step asks `query` for the two surfaces nearest to every node. All
lengths in m, world frame, z up; angles of grounds, unlike all others, in degrees. `frame` (3, 3)
turns the axes of the ground into those of the world; the sole's reference configuration is
parallel to it.

gap > 0 outside; normals point out of the ground. Kinds beyond the simplest are in
`contact.terrain.pieces`, the flat arrays behind `query` in `contact.terrain.compiled`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import MISSING, asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from contact.terrain import kernels
from contact.terrain.compiled import (
    CompiledGround,
    Piece,
    Touches,
    compile_pieces,
    gaps_of,
    grounded,
)
from contact.terrain.surface import curvature_of, flat_gap, height_of
from sole.arrays import FloatArray
from sole.config import STRICT
from sole.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Ground(ABC):
    """What the sole is pressed on and the robot walks on."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    kind: ClassVar[str]

    @property
    @abstractmethod
    def solids(self) -> tuple[Piece, ...]:
        """The simple solids that this kind adds to a scene, without a floor."""

    def assembled(self) -> tuple[Piece, ...]:
        """All simple solids of this ground: the plane z = 0 and what stands on it."""
        return grounded((FLOOR, *self.solids))

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """What `assembled` returned, kept."""
        return self.assembled()

    @property
    def faces(self) -> int:
        """Contacts of a node in a press test: one per piece."""
        return len(self.pieces)

    @cached_property
    def compiled(self) -> CompiledGround:
        """The ground as flat arrays; keep it, or call `query`, which does."""
        return compile_pieces(self.pieces)

    def query(
        self, points: FloatArray, before: FloatArray | None = None, axes: FloatArray | None = None
    ) -> Touches:
        """Return the two surfaces nearest to each point (n, 3); see `CompiledGround.query`."""
        return self.compiled.query(points, before, axes)

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
        gaps, normals = gaps_of(self.compiled, p, start)
        for s, piece in enumerate(self.pieces):
            if piece.kind == kernels.BOX:
                gaps[s], normals[s] = flat_gap(piece, p, start)
        return gaps, normals

    def curvatures(self, p: FloatArray) -> FloatArray:
        """dn/dp (faces, m, 3, 3) [1/m], symmetric; zero unless a face is round."""
        return np.stack([curvature_of(piece, p) for piece in self.pieces])

    def height(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Height of the ground [m] along its own z over ground coordinates x, y."""
        return height_of(self.pieces, self.frame, x, y)

    def header(self) -> dict[str, Any]:
        """Return plain data that `from_header` understands."""
        return {"kind": self.kind, **asdict(self)}

    def __str__(self) -> str:
        """Return what `parse_ground` reads, with units: ``slope:angle=20 deg,heading=0 deg``."""
        values = [
            f"{f.name}={getattr(self, f.name):g} {unit_of(f.name, str(f.type))}".rstrip()
            for f in fields(self)
        ]
        return f"{self.kind}:{','.join(values)}" if values else self.kind


ANGLES = ("angle", "heading", "yaw", "pitch", "roll")


def unit_of(name: str, kind: str) -> str:
    """Return the unit of a ground's field: "deg", "m", or "" of counts and names."""
    if kind != "float":
        return ""
    return "deg" if name in ANGLES else "m"


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
        if f.type != "float":
            continue
        unit = unit_of(name, "float")
        if not math.isfinite(value) or (name in names and value <= 0):
            wanted = "positive" if name in names else "finite"
            raise ConfigError(
                f"ground '{ground.kind}': {name} must be {wanted}, got {value:g} {unit}"
            )
        if abs(value) > LARGEST:
            raise ConfigError(
                f"ground '{ground.kind}': {name} = {value:g} {unit} is more than {LARGEST:g}"
            )


def yawed(angle: float) -> FloatArray:
    """Axes (3, 3), columns, turned by `angle` [deg] about the vertical."""
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


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
    """A plane through the world's origin that rises by `angle` [deg] towards `heading` [deg].

    Heading 0 is forward (x), 90 left (y). The reference sole lies parallel to it.
    """

    kind: ClassVar[str] = "slope"
    angle: float
    heading: float = 0.0

    def __post_init__(self) -> None:
        if not (abs(self.angle) < 90 and math.isfinite(self.heading)):
            raise ConfigError(f"slope must be between -90 and 90 degrees, got {self.angle:g} deg")

    @property
    def frame(self) -> FloatArray:
        """See `Ground.frame`."""
        a, h = math.radians(self.angle), math.radians(self.heading)
        ca, sa, ch, sh = math.cos(a), math.sin(a), math.cos(h), math.sin(h)
        turn = np.array([[ch, -sh, 0.0], [sh, ch, 0.0], [0.0, 0.0, 1.0]])
        tilt = np.array([[ca, 0.0, -sa], [0.0, 1.0, 0.0], [sa, 0.0, ca]])
        return np.asarray(turn @ tilt @ turn.T)


@dataclass(frozen=True, kw_only=True)
class Step(Ground):
    """A step edge: the ground is `height` [m] higher where x' >= x.

    x' is measured along a horizontal axis turned by `angle` [deg] from the forward one. For
    the length of an increment a node keeps the side it was on when the increment began: high
    nodes rest on the upper tread, low ones on the lower tread and against the riser.
    """

    kind: ClassVar[str] = "step"
    rise: float = 0.01
    x: float = 0.0
    angle: float = 0.0

    def __post_init__(self) -> None:
        check_numbers(self, "rise")

    @property
    def solids(self) -> tuple[Piece, ...]:
        """See `Ground.solids`."""
        axes = yawed(self.angle)
        size = np.array([0.0, -np.inf, -np.inf, np.inf, np.inf, self.rise])
        return (Piece(kind=kernels.BOX, origin=self.x * axes[:, 0], axes=axes, size=size),)


@dataclass(frozen=True, kw_only=True)
class Bump(Ground):
    """A sphere of `radius` [m] whose top is `rise` [m] above the plane, over (x, y)."""

    kind: ClassVar[str] = "bump"
    rise: float
    radius: float
    x: float = 0.0
    y: float = 0.0

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

    Its axis crosses the forward axis at x; `angle` [deg] turns it about the vertical.
    """

    kind: ClassVar[str] = "bar"
    rise: float
    radius: float
    x: float = 0.0
    angle: float = 0.0

    def __post_init__(self) -> None:
        check_numbers(self, "rise", "radius")

    @property
    def solids(self) -> tuple[Piece, ...]:
        """See `Ground.solids`."""
        centre = np.array([self.x, 0.0, self.rise - self.radius])
        size = np.array([self.radius, np.inf, 0.0, 0.0, 0.0, 0.0])
        return (Piece(kind=kernels.ROD, origin=centre, axes=yawed(self.angle), size=size),)


READ: dict[str, Any] = {"int": int, "float": float, "str": str}


def known_kinds() -> dict[str, type[Ground]]:
    """Return every kind of ground by its name."""
    from contact.terrain.field import HeightField
    from contact.terrain.pieces import Box, Gravel, Scene, Stairs

    kinds = (Plane, Slope, Step, Bump, Bar, Stairs, Box, Gravel, HeightField, Scene)
    return {cls.kind: cls for cls in kinds}


def _kind(name: str) -> type[Ground]:
    kinds = known_kinds()
    if name not in kinds:
        raise ConfigError(f"unknown ground '{name}'; known are {', '.join(kinds)}")
    return kinds[name]


def parse_ground(text: str) -> Ground:
    """Read ``plane``, ``slope:10``, ``step:0.01``, ``bump:0.01,0.05``, ``bar:0.01,radius=0.02``.

    Values come in the order of the class's fields or by name; lengths in m, angles in degrees,
    with the unit or without (``slope:10 deg``).
    ``heightfield:FILE,SCALE,HEIGHT`` reads an array or an image, ``NAME.toml`` a ground file.
    """
    if text.endswith(".toml"):
        from contact.terrain.file import load_ground

        return load_ground(Path(text))
    kind, _, rest = text.partition(":")
    cls = _kind(kind.strip())
    if cls.kind == "scene":
        raise ConfigError(f"ground '{text}': a scene of several solids is a .toml file")
    types = {f.name: f.type for f in fields(cls)}
    if cls.kind == "heightfield":
        del types["heights"]
        types = {"file": "str", "scale": "float", "height": "float", **types}
    names = list(types)
    values: dict[str, Any] = {}
    for position, item in enumerate(filter(None, rest.split(","))):
        key, equals, number = item.partition("=")
        if not equals:
            number = key
            key = names[position] if position < len(names) else ""
        if key.strip() not in names:
            raise ConfigError(f"ground '{text}': {kind} takes {', '.join(names) or 'no values'}")
        kind_of = str(types[key.strip()])
        number = number.strip().removesuffix(unit_of(key.strip(), kind_of) or " ").strip()
        try:
            values[key.strip()] = READ[kind_of](number)
        except ValueError as error:
            what = "whole number" if types[key.strip()] == "int" else "number"
            raise ConfigError(f"ground '{text}': '{number}' is not a {what}") from error
    needed = [f.name for f in fields(cls) if f.default is MISSING]
    needed = ["file", "scale"] if cls.kind == "heightfield" else needed
    missing = [name for name in needed if name not in values]
    if missing:
        units = {name: unit_of(name, str(kind_of)) for name, kind_of in types.items()}
        takes = ", ".join(f"{name} [{unit}]" if unit else name for name, unit in units.items())
        raise ConfigError(f"ground '{text}': {', '.join(missing)} missing; {kind} takes {takes}")
    return from_header({"kind": kind.strip(), **values})


def from_header(data: dict[str, Any]) -> Ground:
    """Rebuild a ground from `Ground.header()`."""
    values = dict(data)
    kind = str(values.pop("kind", None))
    cls = _kind(kind)
    if kind == "heightfield" and "file" in values:
        from contact.terrain.field import read_heights

        file, height = Path(values.pop("file")), values.pop("height", 1.0)
        values["heights"] = read_heights(file, height)
    if "parts" in values:
        values["parts"] = tuple(from_header(part) for part in values["parts"])
    try:
        return cls(**values)
    except TypeError as error:
        names = ", ".join(f.name for f in fields(cls))
        got = ", ".join(values) or "nothing"
        raise ConfigError(f"ground '{kind}' takes {names}; got {got}") from error
