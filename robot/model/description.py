"""A humanoid in TOML (schema ``robot.humanoid/1``): links of simple solids, feet, frames.

The file holds only the left limbs; `with_right_side` adds their mirror images.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from robot.model.link_solids import (
    ORIGIN,
    BoxSpec,
    CapsuleSpec,
    SphereSpec,
    Triple,
    across,
    require_positive,
)
from sole.base.angles import Angle
from sole.base.config import STRICT, load
from sole.base.errors import ConfigError
from sole.base.units import Kilograms, Metres

SCHEMA = "robot.humanoid/1"
LEFT, RIGHT = "left_", "right_"


@dataclass(frozen=True, kw_only=True)
class LinkSpec:
    """A rigid body and the joint that carries it.

    Parameters
    ----------
    name, parent : names of the body and its parent; the root has no parent and no joint.
    joint, axis : name of the revolute joint and its axis in the link's frame, "x", "y" or "z".
    origin : position of the joint in the parent's frame [m]; all frames are parallel at angle 0.
    mass : [kg], distributed evenly over the volume of the solids.
    range : smallest and largest angle [rad].
    torque, velocity : limits of the drive [N m, rad/s].
    rotor : inertia of the rotor at the joint, after the gear [kg m2].
    """

    __pydantic_config__ = STRICT
    name: str
    parent: str = ""
    joint: str = ""
    axis: str = ""
    origin: Triple = ORIGIN
    mass: Kilograms
    range: tuple[Angle, Angle] = (-math.pi, math.pi)
    torque: float = math.inf
    velocity: float = math.inf
    rotor: float = 0.0
    boxes: tuple[BoxSpec, ...] = ()
    capsules: tuple[CapsuleSpec, ...] = ()
    spheres: tuple[SphereSpec, ...] = ()

    def __post_init__(self) -> None:
        where = f"link '{self.name}'"
        if not 0.0 <= self.mass < math.inf:
            raise ConfigError(f"{where}: mass must be at least 0, got {self.mass:g} kg")
        if self.mass > 0.0 and not self.solids:
            raise ConfigError(f"{where}: a mass of {self.mass:g} kg needs a box, capsule or sphere")
        if not self.parent:
            if self.joint or self.axis:
                raise ConfigError(f"{where}: has a joint but no parent")
            return
        if not self.joint or self.axis not in ("x", "y", "z"):
            raise ConfigError(
                f"{where}: needs a joint and its axis 'x', 'y' or 'z', got joint "
                f"'{self.joint}' and axis '{self.axis}'"
            )
        if not self.range[0] < self.range[1]:
            raise ConfigError(f"{where}: range must be [low, high] with low < high")
        require_positive(f"{where}: torque and velocity", (self.torque, self.velocity))
        if self.rotor < 0.0:
            raise ConfigError(f"{where}: rotor inertia must be at least 0, got {self.rotor:g}")

    @property
    def solids(self) -> tuple[BoxSpec | CapsuleSpec | SphereSpec, ...]:
        """All solids of the link."""
        return (*self.boxes, *self.capsules, *self.spheres)

    def mirrored(self) -> LinkSpec:
        """Return the right link of a left one: rotations about x and z change their sign."""
        low, high = self.range
        return replace(
            self,
            name=_right(self.name),
            parent=_right(self.parent),
            joint=_right(self.joint),
            origin=across(self.origin),
            range=(low, high) if self.axis == "y" else (-high, -low),
            boxes=tuple(s.mirrored() for s in self.boxes),
            capsules=tuple(s.mirrored() for s in self.capsules),
            spheres=tuple(s.mirrored() for s in self.spheres),
        )


@dataclass(frozen=True, kw_only=True)
class PointSpec:
    """A named frame on a link, parallel to it: a hand's contact point, a camera.

    `contact` : whether it may touch things.
    """

    __pydantic_config__ = STRICT
    name: str
    link: str
    origin: Triple
    contact: bool = False

    def mirrored(self) -> PointSpec:
        """Return the right frame of a left one."""
        name, link = _right(self.name), _right(self.link)
        return replace(self, name=name, link=link, origin=across(self.origin))


@dataclass(frozen=True, kw_only=True)
class PadSpec:
    """A rectangle of the underside of the foot: centre and size in the sole frame [m].

    `link` : the link that carries a pad in front of a toe joint (measured at toe angle 0).
    """

    __pydantic_config__ = STRICT
    x: Metres
    y: Metres
    length: Metres
    width: Metres
    link: str = ""

    def __post_init__(self) -> None:
        require_positive("length and width of a pad", (self.length, self.width))


@dataclass(frozen=True, kw_only=True)
class FootSpec:
    """The left foot: `sole` is the origin of the sole frame in the frame of `link` [m].

    This origin is the centre of the outline on the bond plane. The default pad is one rectangle of
    `length` and `width`.
    """

    __pydantic_config__ = STRICT
    link: str
    sole: Triple
    length: Metres
    width: Metres
    pads: tuple[PadSpec, ...] = ()

    def __post_init__(self) -> None:
        require_positive("length and width of the foot", (self.length, self.width))
        pads = self.all_pads
        for centers, extents, size, what in (
            ([p.x for p in pads], [p.length for p in pads], self.length, "length"),
            ([p.y for p in pads], [p.width for p in pads], self.width, "width"),
        ):
            low = min(c - e / 2 for c, e in zip(centers, extents, strict=True))
            high = max(c + e / 2 for c, e in zip(centers, extents, strict=True))
            if abs(low + size / 2) > 1e-9 or abs(high - size / 2) > 1e-9:
                raise ConfigError(
                    f"the pads span {low:g} to {high:g} m along the foot's {what}, expected "
                    f"{-size / 2:g} to {size / 2:g}: the sole frame is at their centre"
                )

    @property
    def all_pads(self) -> tuple[PadSpec, ...]:
        """The pads, at least one."""
        return self.pads or (PadSpec(x=0.0, y=0.0, length=self.length, width=self.width),)


@dataclass(frozen=True, kw_only=True)
class Humanoid:
    """A whole robot as data; the first link is the floating waist.

    Parameters
    ----------
    sources, guesses : published data with their key in docs/references.md, and our own guesses.
    links, points, foot : those of the waist, the middle and the left side; see `with_right_side`.
    imu : position of the inertial sensor; its axes are parallel to its link.
    half_sitting : joint angles of the reference posture [rad]; other joints are at 0.
    """

    __pydantic_config__ = STRICT
    name: str
    about: str
    sources: tuple[str, ...]
    guesses: tuple[str, ...]
    links: tuple[LinkSpec, ...]
    foot: FootSpec
    imu: PointSpec
    points: tuple[PointSpec, ...] = ()
    half_sitting: Mapping[str, Angle] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.links or self.links[0].parent:
            raise ConfigError("the first link is the waist and must have no parent")
        names = [link.name for link in self.links]
        _distinct("link", names)
        _distinct("joint", (link.joint for link in self.links[1:]))
        for number, link in enumerate(self.links[1:], 1):
            if link.parent not in names[:number]:
                raise ConfigError(
                    f"link '{link.name}': parent '{link.parent}' is not one of the links before "
                    f"it ({', '.join(names[:number])})"
                )
        carriers = [self.foot.link, self.imu.link]
        carriers += [p.link for p in self.points] + [p.link for p in self.foot.pads if p.link]
        for carrier in carriers:
            if carrier not in names:
                raise ConfigError(f"no link '{carrier}'; there are {', '.join(names)}")
        joints = {link.joint: link.range for link in self.links[1:]}
        for joint, angle in self.half_sitting.items():
            if joint not in joints:
                raise ConfigError(
                    f"half_sitting: no joint '{joint}'; there are {', '.join(joints)}"
                )
            low, high = joints[joint]
            if not low <= angle <= high:
                raise ConfigError(
                    f"half_sitting: {joint} = {math.degrees(angle):g} degrees is outside its range "
                    f"{math.degrees(low):g} to {math.degrees(high):g}"
                )
        if not self.foot.link.startswith(LEFT):
            raise ConfigError(f"the foot's link must be a left one, got '{self.foot.link}'")

    def with_right_side(self) -> Humanoid:
        """Return the robot with both sides; names that start with "left_" are mirrored."""
        axes = {link.joint: link.axis for link in self.links}
        right = {
            _right(joint): angle if axes[joint] == "y" else -angle
            for joint, angle in self.half_sitting.items()
            if joint.startswith(LEFT)
        }
        links = tuple(link.mirrored() for link in self.links if link.name.startswith(LEFT))
        points = tuple(p.mirrored() for p in self.points if p.name.startswith(LEFT))
        return replace(
            self,
            links=self.links + links,
            points=self.points + points,
            half_sitting={**self.half_sitting, **right},
        )


def load_humanoid(path: Path) -> Humanoid:
    """Read a humanoid's TOML, both sides.

    Raises
    ------
    ConfigError
        See `sole.base.config.load`; the message names the file and the key.
    """
    return load(path, Humanoid, SCHEMA).with_right_side()


def _right(name: str) -> str:
    return RIGHT + name.removeprefix(LEFT) if name.startswith(LEFT) else name


def _distinct(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ConfigError(f"two {what}s are called '{name}'")
        seen.add(name)
