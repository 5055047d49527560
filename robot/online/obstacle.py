"""A swing foot that has met something in its way goes higher, and over it, in the time left.

On the way d to its foothold a foot has met something if the ground pushes it back, with the force

    -F_d > `BACK` F_z,

F_d the part of F along d, and if `SHORT` or more of the way is left. Then it swings from here:
first straight up, then forward, over a bump of `BUMP` at least. It expects ground `HIGHER` than
where it is. If it finds none there it is late, and reaches down.
"""

from __future__ import annotations

from math import cos, hypot, sin

from sole.base.arrays import FloatArray

BACK = 1.0  # of the force on the foot upward
SHORT = 0.03  # m
HIGHER = 0.04  # m: ground is expected there
BUMP = 0.12  # m
AWAY = 0.01  # m by which the foot draws back from what it met
WINDOW = (0.2, 0.9)  # shares of the time left between which it travels


def is_in_the_way(w: FloatArray, here: FloatArray, goal: FloatArray) -> bool:
    """Return whether the ground holds a swing foot back.

    Parameters
    ----------
    w : (6,) wrench of the ground on the foot, in axes of the foot [N, N m]. here, goal : (4,) x, y,
        z, yaw of its tread and of its foothold [m, rad].
    """
    x, y = float(goal[0] - here[0]), float(goal[1] - here[1])
    way, yaw = hypot(x, y), float(here[3])
    if way < SHORT:
        return False
    c, s = cos(yaw), sin(yaw)
    along = ((c * x + s * y) * float(w[0]) + (c * y - s * x) * float(w[1])) / way
    return -along > BACK * abs(float(w[2]))


def draw_back(here: FloatArray, goal: FloatArray) -> FloatArray:
    """Return (4,) the place `AWAY` from what was met, from which a foot goes over it."""
    x, y = float(goal[0] - here[0]), float(goal[1] - here[1])
    back = here.copy()
    back[0] -= AWAY * x / hypot(x, y)
    back[1] -= AWAY * y / hypot(x, y)
    return back
