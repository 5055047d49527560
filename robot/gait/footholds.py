"""Places of the feet on the ground.

A foothold is the place of a sole's tread: (x, y, z) of the point under the origin of the sole frame
and the yaw about the vertical, all in the world. Feet are flat. The order of the two feet is left,
right everywhere: `SIDES`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from sole.arrays import FloatArray
from sole.errors import SoleError

SIDES = ("left", "right")


class GaitError(SoleError):
    """A gait that cannot be walked; names the step, and the joint if it is one's fault."""


@dataclass(frozen=True)
class Foothold:
    """Place of a tread on the ground, x, y, z [m] and yaw [rad] in the world."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    yaw: float = 0.0

    def __post_init__(self) -> None:
        for name in ("x", "y", "z", "yaw"):
            value = getattr(self, name)
            if not isinstance(value, int | float | np.number) or not math.isfinite(value):
                raise GaitError(f"{name} of a foothold must be a finite number, got {value!r}")

    @property
    def place(self) -> FloatArray:
        """(x, y, z) (3,) [m]."""
        return np.array([self.x, self.y, self.z])

    def at(self, forward: float, left: float) -> FloatArray:
        """Return the point (3,) that lies so far forward and to the left in the foot's axes."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return np.array([self.x + c * forward - s * left, self.y + s * forward + c * left, self.z])


@dataclass(frozen=True)
class Stance:
    """Both feet on the ground."""

    left: Foothold
    right: Foothold

    @classmethod
    def parallel(cls, width: float, *, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> Stance:
        """Return feet side by side, `width` [m] between their centres, around (x, y)."""
        if not 0 < width < math.inf:
            raise GaitError(f"width of a stance must be positive, got {width:g} m")
        middle = Foothold(x, y, 0.0, yaw)
        places = [middle.at(0.0, w) for w in (width / 2, -width / 2)]
        return cls(*(Foothold(float(p[0]), float(p[1]), 0.0, yaw) for p in places))

    @property
    def feet(self) -> tuple[Foothold, Foothold]:
        """Left, right."""
        return self.left, self.right

    @property
    def middle(self) -> Foothold:
        """Half-way between the feet."""
        (x, y, z), yaw = (self.left.place + self.right.place) / 2, self.left.yaw + self.right.yaw
        return Foothold(float(x), float(y), float(z), yaw / 2)

    def at(self, middle: Foothold) -> Stance:
        """Return the same stance with its `middle` elsewhere."""
        here, feet = self.middle, []
        turn = middle.yaw - here.yaw
        around = Foothold(middle.x, middle.y, 0.0, turn)
        for foot in self.feet:
            x, y, _ = around.at(foot.x - here.x, foot.y - here.y)
            feet.append(Foothold(float(x), float(y), middle.z + foot.z - here.z, foot.yaw + turn))
        return Stance(*feet)

    def with_foot(self, side: str, hold: Foothold) -> Stance:
        """Return the stance with one foot elsewhere."""
        return replace(self, **{side: hold})
