"""The next foothold follows the error of the divergent component of motion (DCM).

With xi = c + c'/omega relative to the standing foot, the error e = xi - xi_ref grows to
D = e exp(omega (t_1 - t)) until the landing at t_1. The goal of the swing follows its place + D as
a critically damped system with bounded speed; D is bounded, and zero if it is small.
"""

from __future__ import annotations

from math import cos, exp, sin

import numpy as np

from robot.tree import LinkArrays, find_centre, open_tree, place_frame
from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import inner_kernel, kernel

STEADY, ADAPTED = 0.85, 0.5  # share of a swing after which, and speed [m/s] at which, it adapts
DEAD, MOST, INWARDS = 0.01, 0.1, 0.03  # m: ignored, largest; largest to the other foot
FOLLOW = 25.0  # 1/s


@kernel
def fallen_way(
    tree_tuple: Bundle, links_buffer: FloatArray, carrier: int, placement: FloatArray,
    q: FloatArray, v: FloatArray, omega: float, far: FloatArray,
) -> None:  # fmt: skip
    """Fill the way c + c'/omega - p (2,) of the DCM from the foot that stands [m].

    carrier, placement (4, 4) : the link of its sole frame, and the frame in the link's axes.
    links_buffer : of `open_tree`, work space.
    """
    tree, c, speed, pose = LinkArrays(*tree_tuple), np.empty(3), np.empty(3), np.empty((3, 4))
    find_centre(tree, q, v, links_buffer, c, speed)
    place_frame(open_tree(links_buffer, len(tree.joints)), carrier, placement, pose)
    for i in range(2):
        far[i] = c[i] + speed[i] / omega - pose[i, 3]


@kernel
def adapt_goal(
    foot: int, place: FloatArray, hold: FloatArray, com: FloatArray, far: FloatArray,
    omega: float, share: float, left: float, T: float, goal: FloatArray, rates: FloatArray,
) -> None:  # fmt: skip
    """Move the goal (4,) of the swing of a `foot` for one tick T [s], with its `rates` (2, 2).

    Parameters
    ----------
    place, hold : (4,) planned foothold of this foot, and where the other one is commanded to stand.
    com : (3, 2) position, velocity and acceleration in the plan. far : (2,) of `fallen_way`.
    share, left : share of the error that is heeded, and time until the landing [s].
    """
    grown = share * exp(omega * max(left, 0.0))
    for k in range(2):
        error = grown * (far[k] - com[0, k] - com[1, k] / omega + hold[k])
        wanted = without_small(min(max(error, -MOST), MOST))
        off, rate, a = goal[k] - place[k], rates[0, k], rates[1, k]
        a += T * (FOLLOW**3 * (wanted - off) - 3 * FOLLOW**2 * rate - 3 * FOLLOW * a)
        new = min(max(rate + T * a, -ADAPTED), ADAPTED)
        rates[0, k], rates[1, k] = new, (new - rate) / T
        goal[k] += T * new
    c, s = cos(place[3]), sin(place[3])
    x, y = goal[0] - place[0], goal[1] - place[1]
    side = -1.0 if foot == 0 else 1.0  # towards the other foot
    inwards = side * (c * y - s * x)
    if inwards > INWARDS:
        back = side * (inwards - INWARDS)
        goal[0] += s * back
        goal[1] -= c * back


@inner_kernel
def without_small(D: float) -> float:
    """Return D, but 0 up to `DEAD`, and in between without a jump up to twice that."""
    return D * min(max(abs(D) / DEAD - 1.0, 0.0), 1.0)
