"""The ground under a press test: exact gaps and normals of points.

A ground is a union of one or two solids ("faces" below): being outside the union means being
outside of each, so every node carries one contact per solid and the crease between two solids
needs no special case. All lengths in m, world frame, z up. `frame` (3, 3) turns the axes of
the ground into those of the world; the sole's reference configuration is parallel to it.

gap > 0 outside; normals point out of the ground.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

import numpy as np

from sole.arrays import FloatArray
from sole.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Ground(ABC):
    """What the sole is pressed on."""

    kind: ClassVar[str]
    faces: ClassVar[int]

    @property
    def frame(self) -> FloatArray:
        """(3, 3) axes of the ground in the world, columns; identity unless sloped."""
        return np.eye(3)

    @abstractmethod
    def gaps(self, p: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Gaps (faces, m) [m] and unit normals (faces, m, 3) of world points `p` (m, 3).

        `start` (m, 3) is where the points were when the increment began.
        """

    def curvatures(self, p: FloatArray) -> FloatArray:
        """dn/dp (faces, m, 3, 3) [1/m], symmetric; zero unless a face is round."""
        return np.zeros((self.faces, len(p), 3, 3))

    @abstractmethod
    def height(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Height of the ground [m] along its own z over ground coordinates x, y."""

    def header(self) -> dict[str, Any]:
        """Return plain data that `from_header` understands."""
        return {"kind": self.kind, **asdict(self)}

    def __str__(self) -> str:
        values = ",".join(f"{name}={value:g}" for name, value in asdict(self).items())
        return f"{self.kind}:{values}" if values else self.kind


LARGEST = 1e4  # m, degrees: a flatter bump is a plane


def _positive(ground: Ground, *names: str) -> None:
    for name, value in asdict(ground).items():
        if not math.isfinite(value) or (name in names and value <= 0):
            raise ConfigError(f"ground '{ground.kind}': {name} must be positive, got {value:g} m")
        if abs(value) > LARGEST:
            raise ConfigError(
                f"ground '{ground.kind}': {name} = {value:g} is more than {LARGEST:g}"
            )


@dataclass(frozen=True, kw_only=True)
class Plane(Ground):
    """A horizontal plane z = 0."""

    kind: ClassVar[str] = "plane"
    faces: ClassVar[int] = 1

    def gaps(self, p: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See `Ground.gaps`."""
        n = self.frame[:, 2]
        return (p @ n)[None], np.broadcast_to(n, (1, len(p), 3))

    def height(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """See `Ground.height`."""
        return np.zeros_like(x)


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
            raise ConfigError(f"slope must be between -90 and 90 degrees, got {self.angle:g}")

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
    faces: ClassVar[int] = 2
    rise: float = 0.01
    x: float = 0.0
    angle: float = 0.0

    def __post_init__(self) -> None:
        _positive(self, "rise")

    def _along(self, x: FloatArray, y: FloatArray) -> FloatArray:
        a = math.radians(self.angle)
        s: FloatArray = math.cos(a) * x + math.sin(a) * y - self.x
        return s

    def gaps(self, p: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See `Ground.gaps`."""
        a = math.radians(self.angle)
        up = np.array([0.0, 0.0, 1.0])
        back = np.array([-math.cos(a), -math.sin(a), 0.0])
        high = self._along(start[:, 0], start[:, 1]) >= -EDGE
        above = p[:, 2] - self.rise
        before = -self._along(p[:, 0], p[:, 1])
        top = high | ((above >= 0) & (above > before))
        normals = np.empty((2, len(p), 3))
        normals[0] = up
        normals[1] = np.where(top[:, None], up, back)
        return np.stack([p[:, 2], np.where(top, above, before)]), normals

    def height(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """See `Ground.height`."""
        return np.where(self._along(x, y) >= -EDGE, self.rise, 0.0)


EDGE = 1e-9  # a node this close to an edge [m] counts as on it, whatever the round-off


@dataclass(frozen=True, kw_only=True)
class Bump(Ground):
    """A sphere of `radius` [m] whose top is `rise` [m] above the plane, over (x, y)."""

    kind: ClassVar[str] = "bump"
    faces: ClassVar[int] = 2
    rise: float
    radius: float
    x: float = 0.0
    y: float = 0.0

    def __post_init__(self) -> None:
        _positive(self, "rise", "radius")

    def gaps(self, p: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See `Ground.gaps`."""
        return _over_plane(p, self._away(p), self.radius)

    def curvatures(self, p: FloatArray) -> FloatArray:
        """See `Ground.curvatures`."""
        return _turning(self._away(p), np.eye(3))

    def _away(self, p: FloatArray) -> FloatArray:
        return np.asarray(p - np.array([self.x, self.y, self.rise - self.radius]))

    def height(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """See `Ground.height`."""
        return _round_top((x - self.x) ** 2 + (y - self.y) ** 2, self.radius, self.rise)


@dataclass(frozen=True, kw_only=True)
class Bar(Ground):
    """A round bar of `radius` [m] across the foot, its top `rise` [m] above the plane.

    Its axis crosses the forward axis at x; `angle` [deg] turns it about the vertical.
    """

    kind: ClassVar[str] = "bar"
    faces: ClassVar[int] = 2
    rise: float
    radius: float
    x: float = 0.0
    angle: float = 0.0

    def __post_init__(self) -> None:
        _positive(self, "rise", "radius")

    def _across(self) -> FloatArray:
        a = math.radians(self.angle)
        return np.array([math.cos(a), math.sin(a), 0.0])

    def gaps(self, p: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See `Ground.gaps`."""
        return _over_plane(p, self._away(p), self.radius)

    def curvatures(self, p: FloatArray) -> FloatArray:
        """See `Ground.curvatures`."""
        across = self._across()
        return _turning(self._away(p), np.outer(across, across) + np.diag([0.0, 0.0, 1.0]))

    def _away(self, p: FloatArray) -> FloatArray:
        across = self._across()
        s = (p - np.array([self.x, 0.0, 0.0])) @ across
        away: FloatArray = s[:, None] * across
        away[:, 2] = p[:, 2] - (self.rise - self.radius)
        return away

    def height(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """See `Ground.height`."""
        across = self._across()
        s = (x - self.x) * across[0] + y * across[1]
        return _round_top(s * s, self.radius, self.rise)


def _over_plane(p: FloatArray, away: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
    """Gaps and normals over the plane z = 0 and over a round solid; `away` from its centre."""
    distance = np.linalg.norm(away, axis=1)
    normals = np.empty((2, len(p), 3))
    normals[0] = (0.0, 0.0, 1.0)
    normals[1] = away / np.maximum(distance, 1e-300)[:, None]
    return np.stack([p[:, 2], distance - radius]), normals


def _turning(away: FloatArray, across: FloatArray) -> FloatArray:
    """(2, m, 3, 3) dn/dp: none on the plane, (A - n n')/|away| with A = `across` on the other."""
    distance = np.maximum(np.linalg.norm(away, axis=1), 1e-300)
    n = away / distance[:, None]
    turn = np.zeros((2, len(away), 3, 3))
    turn[1] = (across - n[:, :, None] * n[:, None, :]) / distance[:, None, None]
    return turn


def _round_top(square: FloatArray, radius: float, rise: float) -> FloatArray:
    return np.maximum(rise - radius + np.sqrt(np.maximum(radius**2 - square, 0.0)), 0.0)


KINDS: dict[str, type[Ground]] = {c.kind: c for c in (Plane, Slope, Step, Bump, Bar)}


def parse_ground(text: str) -> Ground:
    """Read ``plane``, ``slope:10``, ``step:0.01``, ``bump:0.01,0.05``, ``bar:0.01,radius=0.02``.

    Values come in the order of the class's fields or by name; lengths in m, angles in degrees.
    """
    kind, _, rest = text.partition(":")
    cls = KINDS.get(kind.strip())
    if cls is None:
        raise ConfigError(f"unknown ground '{kind}'; known are {', '.join(KINDS)}")
    names = [f.name for f in fields(cls)]
    values: dict[str, float] = {}
    for position, item in enumerate(filter(None, rest.split(","))):
        key, equals, number = item.partition("=")
        if not equals:
            number = key
            key = names[position] if position < len(names) else ""
        if key.strip() not in names:
            raise ConfigError(f"ground '{text}': {kind} takes {', '.join(names) or 'no values'}")
        try:
            values[key.strip()] = float(number)
        except ValueError as error:
            raise ConfigError(f"ground '{text}': '{number}' is not a number") from error
    return from_header({"kind": kind.strip(), **values})


def from_header(data: dict[str, Any]) -> Ground:
    """Rebuild a ground from `Ground.header()`."""
    values = dict(data)
    kind = values.pop("kind", None)
    cls = KINDS.get(str(kind))
    if cls is None:
        raise ConfigError(f"unknown ground '{kind}'; known are {', '.join(KINDS)}")
    try:
        return cls(**values)
    except TypeError as error:
        names = ", ".join(f.name for f in fields(cls))
        raise ConfigError(f"ground '{kind}' takes {names} ({error})") from error
