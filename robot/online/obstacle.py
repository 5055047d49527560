"""A swing foot that has met something in its way goes higher, and over it, in the time left.

On the way d to its foothold a foot has met something if the ground holds it back, with a force

    -F_d > `HELD` F_z   and more than a foot has that touches,

F_d the part of F along d: on level ground friction below `HELD` cannot do that. If `SHORT` or more
of the way and `LEFT` or more of the time is left, it swings on from here: first straight up, then
forward, over a bump of `BUMP` at least. It hopes for ground `HIGHER` than where it is. If there is
none it is late, and reaches down.
"""

from __future__ import annotations

from math import cos, hypot, sin

from sole.base.arrays import FloatArray

HELD = 1.0  # of the force on the foot upward
SHORT = 0.03  # m
LEFT = 0.15  # s
HIGHER = 0.04  # m
BUMP = 0.12  # m
WINDOW = (0.2, 0.9)  # shares of the time left between which it travels


def is_in_the_way(w: FloatArray, here: FloatArray, goal: FloatArray, least: float) -> bool:
    """Return whether the ground holds a swing foot back.

    Parameters
    ----------
    w : (6,) wrench of the ground on the foot, in axes of the foot [N, N m]. here, goal : (4,) x, y,
        z, yaw of its tread and of its foothold [m, rad]. least : force of a foot that touches [N].
    """
    x, y = float(goal[0] - here[0]), float(goal[1] - here[1])
    way, yaw = hypot(x, y), float(here[3])
    if way < SHORT:
        return False
    c, s = cos(yaw), sin(yaw)
    along = ((c * x + s * y) * float(w[0]) + (c * y - s * x) * float(w[1])) / way
    return -along > max(HELD * float(w[2]), least)
