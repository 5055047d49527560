"""The solids of a link: boxes, capsules and balls [m]."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sole.base.config import STRICT
from sole.base.errors import ConfigError

Triple = tuple[float, float, float]
ORIGIN: Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class BoxSpec:
    """A box along the link's axes; `size` holds its full lengths [m]."""

    __pydantic_config__ = STRICT
    size: Triple
    center: Triple = ORIGIN

    def __post_init__(self) -> None:
        require_positive("size of a box", self.size)

    def mirrored(self) -> BoxSpec:
        """Return its image under y -> -y."""
        return replace(self, center=across(self.center))


@dataclass(frozen=True, kw_only=True)
class CapsuleSpec:
    """A capsule: the centres of its two half balls and their radius [m]."""

    __pydantic_config__ = STRICT
    ends: tuple[Triple, Triple]
    radius: float

    def __post_init__(self) -> None:
        require_positive("radius of a capsule", (self.radius,))
        if self.ends[0] == self.ends[1]:
            raise ConfigError(f"the ends of a capsule are both {self.ends[0]}: use a sphere")

    def mirrored(self) -> CapsuleSpec:
        """Return its image under y -> -y."""
        return replace(self, ends=(across(self.ends[0]), across(self.ends[1])))


@dataclass(frozen=True, kw_only=True)
class SphereSpec:
    """A ball: centre and radius [m]."""

    __pydantic_config__ = STRICT
    radius: float
    center: Triple = ORIGIN

    def __post_init__(self) -> None:
        require_positive("radius of a sphere", (self.radius,))

    def mirrored(self) -> SphereSpec:
        """Return its image under y -> -y."""
        return replace(self, center=across(self.center))


def across(point: Triple) -> Triple:
    """Return a point's image under y -> -y."""
    return (point[0], 0.0 - point[1], point[2])  # no -0.0


def require_positive(what: str, values: Iterable[float]) -> None:
    """Raise ConfigError unless all values are above 0; NaN is not."""
    values = tuple(values)
    if not all(v > 0.0 for v in values):
        raise ConfigError(f"{what} must be positive, got {', '.join(f'{v:g}' for v in values)}")
