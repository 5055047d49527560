"""Feet at one instant: in their swing, stopped by a contact, or reaching for the ground.

The swing is that of `robot.gait.swing`, with a foothold that may move while the foot travels. A
contact stops it: the speeds v fall linearly to zero, x and y within `BLEND`, z within `STOP`,

    p(u) = p_0 + v (u - u^2/(2 B)),   0 <= u <= B.

A foot that meets no ground where it should goes straight down, with bounded acceleration.
"""

from __future__ import annotations

from robot.online.memory import WalkProgress
from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel, kernel

BLEND, STOP = 0.03, 0.005  # s in which x, y, yaw and z of a foot come to rest after a contact
REACH_ACCELERATION = 12.0  # m/s^2 of a late foot


@kernel
def swing_foot(
    s: float, T: float, start: FloatArray, goal: FloatArray, goal_rates: FloatArray,
    window: FloatArray, h: float, p: FloatArray, v: FloatArray, a: FloatArray,
) -> None:  # fmt: skip
    """Write place, velocity and acceleration (4,) of x, y, z, yaw at the share s of a swing.

    T : its duration [s]. start, goal (4,) : its ends. goal_rates (2, 2) : velocity and acceleration
    of the goal in x and y. window (2,) : shares between which it travels. h : height of the bump.
    """
    s = min(max(s, 0.0), 1.0)
    W = window[1] - window[0]
    u = min(max((s - window[0]) / W, 0.0), 1.0)
    r, dr, ddr = _rest_to_rest(u)
    dr, ddr = dr / (W * T), ddr / (W * T) ** 2
    for i in range(4):
        way = goal[i] - start[i]
        p[i], v[i], a[i] = start[i] + way * r, way * dr, way * ddr
    for i in range(2):
        v[i] += goal_rates[0, i] * r
        a[i] += goal_rates[1, i] * r + 2.0 * goal_rates[0, i] * dr
    way = goal[2] - start[2]
    r, dr, ddr = _rest_to_rest(s)
    q, d = s * (1.0 - s), 1.0 - 2.0 * s
    p[2] = start[2] + way * r + h * 64.0 * q**3
    v[2] = (way * dr + h * 192.0 * q**2 * d) / T
    a[2] = (way * ddr + h * 384.0 * q * (d * d - q)) / T**2


@inner_kernel
def _rest_to_rest(s: float) -> tuple[float, float, float]:
    return (
        s**3 * (10.0 + s * (6.0 * s - 15.0)),
        30.0 * s**2 * (1.0 - s) ** 2,
        60.0 * s * (1.0 - s) * (1.0 - 2.0 * s),
    )


@kernel
def stop_foot(u: float, stopped: FloatArray, p: FloatArray, v: FloatArray, a: FloatArray) -> bool:
    """Write place, velocity, acceleration (4,) at u [s] after a contact; whether it is at rest.

    stopped (2, 4) : place and velocity at the contact.
    """
    for i in range(4):
        B = STOP if i == 2 else BLEND
        w = min(u, B)
        p[i] = stopped[0, i] + stopped[1, i] * (w - w * w / (2.0 * B))
        v[i] = stopped[1, i] * (1.0 - w / B)
        a[i] = -stopped[1, i] / B if u < B else 0.0
    return u >= BLEND


def reach_down(
    now: WalkProgress, deepest: float, speed: float, T: float,
    p: FloatArray, v: FloatArray, a: FloatArray,
) -> None:  # fmt: skip
    """Move a late foot straight down for one tick T [s], with `speed` [m/s] up to `deepest` [m]."""
    wanted = speed if now.reach < deepest else 0.0
    most = REACH_ACCELERATION * T
    change = min(max(wanted - now.reach_rate, -most), most)
    now.reach_rate += change
    now.reach += now.reach_rate * T
    p[2] -= now.reach_rate * T
    v[:], a[:] = 0.0, 0.0
    v[2], a[2] = -now.reach_rate, -change / T
