"""Feet as rectangles on the ground, seen from above: whether they overlap, cross, pass through."""

from __future__ import annotations

import math

import numpy as np

from robot.gait.footholds import Foothold
from sole.arrays import FloatArray

SAMPLES = 33  # of a swing, for feet that pass through each other


def collision(
    here: Foothold, there: Foothold, still: Foothold, side: str, foot: tuple[float, float]
) -> str | None:
    """Return what is wrong with a foot's way past the standing one, in words; None: nothing.

    Parameters
    ----------
    here, there : from where to where the foot on this `side` moves, straight.
    still : where the other one stands.
    foot : length and width of both [m].
    """
    box = corners(still, foot)
    if overlap(corners(there, foot), box):
        return "lands on the standing foot: widen the stance or shorten the step"
    away = there.place[:2] - still.place[:2]
    left = math.cos(still.yaw) * away[1] - math.sin(still.yaw) * away[0]
    ahead = math.cos(still.yaw) * away[0] + math.sin(still.yaw) * away[1]
    if (left < 0) == (side == "left") and abs(ahead) < foot[0]:
        return "crosses the legs: it lands on the far side of the standing foot"
    for s in np.linspace(0.0, 1.0, SAMPLES):
        x, y, yaw = (
            float((1 - s) * getattr(here, n) + s * getattr(there, n)) for n in ("x", "y", "yaw")
        )
        if overlap(corners(Foothold(x, y, 0.0, yaw), foot), box):
            return "passes through the standing foot: widen the stance"
    return None


def corners(hold: Foothold, foot: tuple[float, float]) -> FloatArray:
    """Return the corners (4, 2) of a foot's rectangle, in order around it [m]."""
    a, b = foot[0] / 2, foot[1] / 2
    return np.array([hold.at(x, y)[:2] for x, y in ((a, b), (-a, b), (-a, -b), (a, -b))])


def overlap(one: FloatArray, other: FloatArray) -> bool:
    """Return whether two rectangles (4, 2) share area: no side of either separates them."""
    for box in (one, other):
        for axis in (box[0] - box[1], box[1] - box[2]):
            a, b = one @ axis, other @ axis
            if a.max() <= b.min() + 1e-12 or b.max() <= a.min() + 1e-12:
                return False
    return True
