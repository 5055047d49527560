"""The contact wrench cone of a rectangle in closed form [CaronPhamNakamura2015].

Half length X along x, half width Y along y; wrench at the rectangle's centre, axes of the foot,
ground on foot. Vertex forces in the pyramids (13)-(14) |f^x_i|, |f^y_i| <= mu f^z_i that sum up to
the wrench exist if and only if

    (15) |f^x| <= mu f^z        (16) |f^y| <= mu f^z        (17) f^z > 0
    (18) |tau^x| <= Y f^z       (19) |tau^y| <= X f^z       (20) tau^z_min <= tau^z <= tau^z_max

    tau^z_min = -mu (X + Y) f^z + |Y f^x - mu tau^x| + |X f^y - mu tau^y|
    tau^z_max = +mu (X + Y) f^z - |Y f^x + mu tau^x| - |X f^y + mu tau^y|.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from contact.frames import wrenches_of
from contact.wrench_cone.cone_kernels import (
    ConeMargin,
    rectangle_holds,
    rectangle_share,
    rectangle_yaw,
)
from contact.wrench_cone.friction_pyramids import checked_friction
from contact.wrench_cone.yaw_interval import YawTorque
from sole.base.arrays import BoolArray, FloatArray
from sole.base.errors import SoleError

SMALLEST = 1e-50  # [m]; products of shorter sides with friction vanish


def checked_halves(half_length: float, half_width: float) -> tuple[float, float]:
    """Return X and Y [m], finite and positive."""
    sides = []
    for name, value in (("half length", half_length), ("half width", half_width)):
        try:
            side = float(value)
        except (TypeError, ValueError) as error:
            raise SoleError(f"the {name} of a rectangle must be one number [m]: {error}") from error
        if not (math.isfinite(side) and side > 0):
            raise SoleError(f"the {name} of a rectangle must be positive [m], got {side:g}")
        sides.append(side)
    if not SMALLEST <= min(sides) <= max(sides) <= 1 / SMALLEST:
        raise SoleError(f"sides of a rectangle must be {SMALLEST:g} to {1 / SMALLEST:g} m")
    return sides[0], sides[1]


def rectangle_corners(half_length: float, half_width: float) -> FloatArray:
    """Return the vertices (4, 2) of the rectangle, counter-clockwise from front left."""
    X, Y = half_length, half_width
    return np.array([[X, Y], [-X, Y], [-X, -Y], [X, -Y]])


def rectangle_rows(half_length: float, half_width: float, mu: float) -> FloatArray:
    """Return A (16, 6) with A w <= 0 for (15), (16), (18), (19), (20); it implies f^z >= 0."""
    X, Y = half_length, half_width
    rows = [
        [1, 0, -mu, 0, 0, 0],
        [-1, 0, -mu, 0, 0, 0],
        [0, 1, -mu, 0, 0, 0],
        [0, -1, -mu, 0, 0, 0],
        [0, 0, -Y, 1, 0, 0],
        [0, 0, -Y, -1, 0, 0],
        [0, 0, -X, 0, 1, 0],
        [0, 0, -X, 0, -1, 0],
    ]
    signs = [(s, t) for s in (1, -1) for t in (1, -1)]
    rows += [[s * Y, t * X, -mu * (X + Y), -s * mu, -t * mu, -1] for s, t in signs]  # tau^z_min
    rows += [[s * Y, t * X, -mu * (X + Y), s * mu, t * mu, 1] for s, t in signs]  # tau^z_max
    return np.array(rows, dtype=float)


# Forces are those of the ground: with f^x = mu f^z the foot is about to slide backward.
RECTANGLE_WORDS = (
    "slide backward",
    "slide forward",
    "slide right",
    "slide left",
    "tilt about left edge",
    "tilt about right edge",
    "tilt about heel",
    "tilt about toe",
    "yaw left about front right corner",
    "yaw left about rear right corner",
    "yaw left about front left corner",
    "yaw left about rear left corner",
    "yaw right about rear left corner",
    "yaw right about front left corner",
    "yaw right about rear right corner",
    "yaw right about front right corner",
)


def rectangle_holds_wrench(
    wrenches: ArrayLike, half_length: float, half_width: float, friction: float
) -> BoolArray:
    """Return whether (15)-(20) hold for wrenches (..., 6), as printed and without tolerance."""
    X, Y = checked_halves(half_length, half_width)
    mu = checked_friction(friction)
    w = wrenches_of(wrenches)
    held: BoolArray = rectangle_holds(_listed(w), X, Y, mu)
    return held.reshape(w.shape[:-1])


def rectangle_margin(
    wrenches: ArrayLike, half_length: float, half_width: float, friction: float
) -> ConeMargin:
    """Return margins (...,) of wrenches (..., 6) and the rows (...,) where they are least.

    1 - max of |f^x|/(mu f^z), |f^y|/(mu f^z), |tau^x|/(Y f^z), |tau^y|/(X f^z) and of what (20)
    uses of mu (X + Y) f^z: the same as `WrenchCone.margin` of the 16 rows, in one pass.
    -inf and row -1 for f^z <= 0.

    Raises
    ------
    SoleError
        Wrong arguments, and friction 0: `WrenchCone` takes that.
    """
    X, Y = checked_halves(half_length, half_width)
    mu = checked_friction(friction)
    if mu == 0:
        raise SoleError("the closed form of the margin divides by friction: use WrenchCone for 0")
    w = wrenches_of(wrenches)
    value, facet = rectangle_share(_listed(w), X, Y, mu)
    return ConeMargin(value.reshape(w.shape[:-1])[()], facet.reshape(w.shape[:-1])[()])


def rectangle_yaw_torque(
    wrenches: ArrayLike, half_length: float, half_width: float, friction: float
) -> YawTorque:
    """Return the interval (20) of tau^z for wrenches (..., 6); their own tau^z is not used.

    tau^z_safe = -sgn(f^x tau^x) min(Y|f^x|, mu|tau^x|) - sgn(f^y tau^y) min(X|f^y|, mu|tau^y|)
    half width = mu (X + Y) f^z - max(Y|f^x|, mu|tau^x|) - max(X|f^y|, mu|tau^y|)

    (15)-(19) are not checked: where those fail, no yaw torque holds the foot. For f^z <= 0 the
    half width is not positive.
    """
    X, Y = checked_halves(half_length, half_width)
    mu = checked_friction(friction)
    w = wrenches_of(wrenches)
    lowest, highest, safe, half = rectangle_yaw(_listed(w), X, Y, mu).reshape(4, *w.shape[:-1])
    return YawTorque(lowest=lowest, highest=highest, safe=safe, half_width=half)


def _listed(w: FloatArray) -> FloatArray:
    return np.ascontiguousarray(w.reshape(-1, 6))
