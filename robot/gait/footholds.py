"""Poses of the feet on the ground.

A foothold is the pose of a sole's tread: (x, y, z) of the point under the origin of the sole frame
and the yaw about the vertical, all in the world. Feet are flat. The order of the two feet is always
left, right: `SIDES`. Seen from above feet are rectangles; steps that make them overlap, cross or
pass through each other are refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from sole.base.angles import Angle
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.base.units import Metres

SIDES = ("left", "right")
SAMPLES = 33  # of a swing, to find feet that pass through each other


class GaitError(SoleError):
    """A gait that cannot be walked; the message names the step and, where one fails, the joint."""


@dataclass(frozen=True)
class Foothold:
    """Pose of a tread on the ground, or of the middle between two.

    Parameters
    ----------
    x, y, z : centre of the tread in the world [m].
    yaw : turn about the vertical, from x to the left [rad].
    """

    x: Metres
    y: Metres
    z: Metres = 0.0
    yaw: Angle = 0.0

    def __post_init__(self) -> None:
        for name in ("x", "y", "z", "yaw"):
            value = getattr(self, name)
            if not isinstance(value, int | float | np.number) or not math.isfinite(value):
                raise GaitError(f"{name} of a foothold must be a finite number, got {value!r}")

    @property
    def values(self) -> FloatArray:
        """(x, y, z, yaw) (4,) [m, rad]."""
        return np.array([self.x, self.y, self.z, self.yaw])

    @property
    def place(self) -> FloatArray:
        """(x, y, z) (3,) [m]."""
        return np.array([self.x, self.y, self.z])

    def at(self, forward: float, left: float) -> FloatArray:
        """Return the point (3,) at these distances forward and left along the foot's axes [m]."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return np.array([self.x + c * forward - s * left, self.y + s * forward + c * left, self.z])


@dataclass(frozen=True)
class Stance:
    """Both feet on the ground."""

    left: Foothold
    right: Foothold

    @classmethod
    def parallel(cls, width: float, *, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> Stance:
        """Return parallel feet around (x, y), their centres `width` [m] apart."""
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
        """The midpoint between the feet."""
        (x, y, z), yaw = (self.left.place + self.right.place) / 2, self.left.yaw + self.right.yaw
        return Foothold(float(x), float(y), float(z), yaw / 2)

    def at(self, middle: Foothold) -> Stance:
        """Return the same stance moved to this `middle`."""
        here, feet = self.middle, []
        turn = middle.yaw - here.yaw
        around = Foothold(middle.x, middle.y, 0.0, turn)
        for foot in self.feet:
            x, y, _ = around.at(foot.x - here.x, foot.y - here.y)
            feet.append(Foothold(float(x), float(y), middle.z + foot.z - here.z, foot.yaw + turn))
        return Stance(*feet)

    def with_foot(self, side: str, hold: Foothold) -> Stance:
        """Return the stance with one foot moved."""
        return replace(self, **{side: hold})


def find_collision(
    here: Foothold, there: Foothold, still: Foothold, side: str, foot: tuple[float, float]
) -> str | None:
    """Return in words how a swing foot collides with the standing one; None: it does not.

    Parameters
    ----------
    here, there : start and end of the straight path of the foot on this `side`.
    still : foothold of the standing foot.
    foot : length and width of both feet [m].
    """
    box = foot_corners(still, foot)
    if overlap(foot_corners(there, foot), box):
        return "lands on the standing foot: widen the stance or shorten the step"
    away = there.place[:2] - still.place[:2]
    left = math.cos(still.yaw) * away[1] - math.sin(still.yaw) * away[0]
    ahead = math.cos(still.yaw) * away[0] + math.sin(still.yaw) * away[1]
    if (left < 0) == (side == "left") and abs(ahead) < foot[0]:
        return "crosses the legs: it would land on the far side of the standing foot"
    for s in np.linspace(0.0, 1.0, SAMPLES):
        x, y, yaw = (
            float((1 - s) * getattr(here, n) + s * getattr(there, n)) for n in ("x", "y", "yaw")
        )
        if overlap(foot_corners(Foothold(x, y, 0.0, yaw), foot), box):
            return "passes through the standing foot: widen the stance"
    return None


def foot_corners(hold: Foothold, foot: tuple[float, float]) -> FloatArray:
    """Return the corners (4, 2) of a foot's rectangle, in order around it [m]."""
    a, b = foot[0] / 2, foot[1] / 2
    return np.array([hold.at(x, y)[:2] for x, y in ((a, b), (-a, b), (-a, -b), (a, -b))])


def overlap(one: FloatArray, other: FloatArray) -> bool:
    """Return whether two rectangles (4, 2) overlap: no side of either separates them."""
    for box in (one, other):
        for axis in (box[0] - box[1], box[1] - box[2]):
            a, b = one @ axis, other @ axis
            if a.max() <= b.min() + 1e-12 or b.max() <= a.min() + 1e-12:
                return False
    return True
