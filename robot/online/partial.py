"""Partial footholds: a foot that stands on an edge with a strip of its heel or toes steps again.

The centre of pressure x of a foot that has just landed tells the strip s on which it stands, as
an evenly pressed strip has it in its middle:

    x = -(T_y + h F_x)/F_z,      s = 2 (X - |x|),

X half the length of the tread, h the thickness of the sole, (F, T) about the sole frame. If s is
below `STRIP` of the length for `SURE`, the foot goes on by s + `BEYOND`, away from what it met:
forward from its heel, back from its toes.
"""

from __future__ import annotations

from math import copysign, cos, exp, sin

import numpy as np

from sole.base.arrays import FloatArray

STRIP, LEAST_LOAD = 0.2, 0.08  # of the length of a foot; share of the weight
SURE = 0.008  # s
WATCHED = 0.06  # s after a landing
BEYOND = 0.04  # m
AGAIN, BUMP = 0.12, 0.015  # s that the second swing lasts, and m by which it rises
EDGE = 0.75  # of a foot: where its centre of pressure goes meanwhile
FARTHER, WIDER = 0.12, 0.06  # m: most forward and sideways
REACHED = 0.06  # s for the way down
WINDOW = (0.15, 0.85)  # shares of it between which it travels


def way_off(w: FloatArray, h: float, half: float, most: float) -> float:
    """Return by how much a foot should go forward to be off the edge [m]; 0: it is on no edge.

    Parameters
    ----------
    w : (6,) wrench about the sole frame, F_z > 0. h : thickness of the sole [m]. half : half the
        length of the tread [m]. most : widest strip [m].
    """
    x = -float(w[4] + h * w[0]) / float(w[2])
    strip = 2.0 * max(half - abs(x), 0.0)
    return copysign(strip + BEYOND, -x) if strip < most else 0.0


def grown_way(
    far: FloatArray, yaw: float, foot: int, half_size: FloatArray, omega: float, off: float
) -> FloatArray:
    """Return the way (3,) off an edge that also follows the DCM until the foot has stepped again.

    The robot falls on meanwhile: the DCM xi grows away from the centre of pressure z as
    z + (xi - z) exp(omega t).

    Parameters
    ----------
    far : (2,) way of the DCM from the foot that stands [m]. yaw : of both [rad]. foot : 0 left, 1
        right, of the one that steps. half_size : (2,) of the tread that stands [m]. omega : of the
        pendulum [1/s]. off : least way forward [m].
    """
    ahead, left = cos(yaw) * far[0] + sin(yaw) * far[1], cos(yaw) * far[1] - sin(yaw) * far[0]
    side = 1.0 if foot == 0 else -1.0
    X, Y = half_size * EDGE
    grown = exp(omega * (AGAIN + REACHED)) - 1.0
    x = min(max((ahead - X) * grown, off), FARTHER)
    y = side * min(max((side * left - Y) * grown, 0.0), WIDER)
    return np.array([cos(yaw) * x - sin(yaw) * y, sin(yaw) * x + cos(yaw) * y, 0.0])
