"""The height of the centre of mass: aimed at rest at some time, or sinking with a late foot.

From (z, z', z'') at t_0 a quintic goes to rest at the target at t_0 + D,

    z(s) = z + z' s + z''/2 s^2 + c_3 s^3 + c_4 s^4 + c_5 s^5.

While a foot reaches for the ground the target moves; the height follows as a critically damped
spring with bounded acceleration.
"""

from __future__ import annotations

from robot.online.memory import WalkProgress
from sole.base.arrays import FloatArray
from sole.base.compiled import kernel

SINK, FALLS = 12.0, 4.0  # 1/s and m/s^2 with which the height follows a late foot
SHORTEST = 0.1  # s: shortest D
SAME = 2e-3  # m: heights that differ by less are the same aim


def aim_height(now: WalkProgress, T: float, until: float, target: float) -> None:
    """Let the height go to rest at `target` [m] at the time `until`, by a quintic."""
    t, rise = (now.row - 1) * T, now.rise
    if t < rise[0] + rise[1] and abs(target - rise[2]) < SAME:
        return  # it is on its way there
    D = max(until - t, SHORTEST)
    z, v, a = (float(x) for x in now.height)
    d, e, f = target - z - D * (v + D * a / 2), -D * (v + D * a), -D * D * a
    c3, c4, c5 = 10 * d - 4 * e + f / 2, -15 * d + 7 * e - f, 6 * d - 3 * e + f / 2
    rise[:] = (t, D, target, z, v, a / 2, c3 / D**3, c4 / D**4, c5 / D**5)


def sink(now: WalkProgress, T: float, target: float) -> None:
    """Let the height follow a moving target [m] for one tick."""
    z, v, _ = now.height.tolist()
    a = min(max(SINK * (SINK * (target - z) - 2 * v), -FALLS), FALLS)
    now.height[:] = (z + T * (v + T / 2 * a), v + T * a, a)
    now.rise[1] = 0.0  # nothing is aimed at


@kernel
def follow_height(rise: FloatArray, t: float, height: FloatArray) -> None:
    """Fill height, speed and acceleration (3,) at t [s] on the quintic `rise` (9,)."""
    D, target, c0, c1, c2 = rise[1], rise[2], rise[3], rise[4], rise[5]
    c3, c4, c5, s = rise[6], rise[7], rise[8], t - rise[0]
    if s >= D:
        height[0], height[1], height[2] = target, 0.0, 0.0
        return
    height[0] = c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
    height[1] = c1 + s * (2 * c2 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))
    height[2] = 2 * c2 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))
