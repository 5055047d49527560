"""The next foothold follows the error of the divergent component of motion (DCM).

With xi = c + c'/omega relative to the standing foot, the error e = xi - xi_ref grows to
D = e exp(omega (t_1 - t)) until the landing at t_1. The goal of the swing follows its place + D as
a critically damped system with bounded speed; D is bounded, and zero if it is small.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np

from robot.online.memory import WalkProgress
from sole.base.arrays import FloatArray

STEADY, ADAPTED = 0.85, 0.5  # share of a swing after which, and speed [m/s] at which, it adapts
DEAD, MOST, INWARDS = 0.01, 0.1, 0.03  # m: ignored, largest; largest to the other foot
FOLLOW = 25.0  # 1/s


def fallen_way(
    model: Any, data: Any, frame: int, q: FloatArray, v: FloatArray, omega: float
) -> FloatArray:
    """Return (2,) the way c + c'/omega - p of the DCM from the foot that stands, `frame` [m]."""
    import pinocchio as pin

    c = pin.centerOfMass(model, data, q, v)
    under = pin.updateFramePlacement(model, data, frame).translation
    return np.asarray(c[:2] + data.vcom[0][:2] / omega - under[:2])


def dcm_error(
    now: WalkProgress, stands: int, far: FloatArray, omega: float, grown: float
) -> tuple[float, float]:
    """Return e times `grown`: the error of the DCM to be expected when the swing ends [m].

    `far` (2,) : the measured way of the DCM from the foot `stands`, see `fallen_way`.
    """
    hold, com = now.foot[stands], now.com
    x, y = (grown * float(far[k] - com[0, k] - com[1, k] / omega + hold[k]) for k in range(2))
    return x, y


def adapt_goal(
    now: WalkProgress, place: FloatArray, error: tuple[float, float], T: float, foot: int
) -> None:
    """Move the goal of the swing of a `foot` for one tick.

    Parameters
    ----------
    place : (4,) its planned foothold. error : the expected error of the DCM at landing [m].
    """
    rates = now.goal_rates
    for k in range(2):
        wanted = _without_small(min(max(error[k], -MOST), MOST))
        off = float(now.goal[k] - place[k])
        rate, a = rates[:, k].tolist()
        a += T * (FOLLOW**3 * (wanted - off) - 3 * FOLLOW**2 * rate - 3 * FOLLOW * a)
        rate, before = min(max(rate + T * a, -ADAPTED), ADAPTED), rate
        rates[0, k], rates[1, k] = rate, (rate - before) / T
        now.goal[k] += T * rate
    c, s = cos(place[3]), sin(place[3])
    x, y = (now.goal[:2] - place[:2]).tolist()
    side = -1.0 if foot == 0 else 1.0  # towards the other foot
    inwards = side * (c * y - s * x)
    if inwards > INWARDS:
        back = side * (inwards - INWARDS)
        now.goal[0] += s * back
        now.goal[1] -= c * back


def _without_small(D: float) -> float:
    """Return D, but 0 up to `DEAD`, and in between without a jump up to twice that."""
    return D * min(max(abs(D) / DEAD - 1.0, 0.0), 1.0)
