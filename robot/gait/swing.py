"""Swing trajectories of the feet: polynomials in x, y, z and yaw.

With s in [0, 1] the elapsed fraction of the swing,

    x, y, yaw:  from + (to - from) r(s'),          r(s) = 10 s^3 - 15 s^4 + 6 s^5,
    z:          from + (to - from) r(s) + h b(s) + w l(s),   b(s) = 64 s^3 (1 - s)^3,
                                                   l(s) = -4 s^3 + 7 s^4 - 3 s^5.

r and b start and end with zero velocity and acceleration. So does l, but its slope at the end is 1,
so that w sets the landing velocity. h is chosen so that the highest point lies `lift` above the
higher end. s' is the elapsed fraction of a window: a climbing foot travels after it has risen half
the way, and a descending foot sinks the last half after it has travelled, so that both clear the
edge of the stair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robot.gait.footholds import Foothold, GaitError
from robot.gait.footsteps import Footstep
from robot.gait.schedule import Schedule
from sole.base.arrays import FloatArray

LATEST = 0.4  # fraction of a swing after which a climbing foot travels at the latest
SHORTEST_TRAVEL = 0.45  # fraction of a swing: a quicker travel would be too fast for the joints
BUMP = 64.0


def rest_to_rest(s: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return r(s) = 10 s^3 - 15 s^4 + 6 s^5 and its first two derivatives, for s in [0, 1]."""
    s = np.asarray(s, dtype=float)
    return (
        s**3 * (10 + s * (6 * s - 15)),
        30 * s**2 * (1 - s) ** 2,
        60 * s * (1 - s) * (1 - 2 * s),
    )


def bump(s: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return b(s) = 64 s^3 (1 - s)^3, 1 at the middle, and its first two derivatives."""
    s = np.asarray(s, dtype=float)
    u, du = s * (1 - s), 1 - 2 * s
    return BUMP * u**3, 3 * BUMP * u**2 * du, 6 * BUMP * u * (du**2 - u)


def landing(s: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return l(s) = -4 s^3 + 7 s^4 - 3 s^5, whose slope at s = 1 is 1, and two derivatives."""
    s = np.asarray(s, dtype=float)
    return (
        s**3 * (-4 + s * (7 - 3 * s)),
        s**2 * (-12 + s * (28 - 15 * s)),
        s * (-24 + s * (84 - 60 * s)),
    )


@dataclass(frozen=True, kw_only=True)
class Swing:
    """Parameters of the swing.

    Parameters
    ----------
    lift : height of the sole over the higher end [m]; a step may have its own.
    landing_speed : downward speed at landing [m/s]; zero: the foot lands at rest.
    arrive : fraction of the swing after which the foot is over its foothold, 0.5 to 1; earlier
        where the foot steps down. On unknown ground a foot should arrive before it may touch.
    """

    lift: float = 0.06
    landing_speed: float = 0.0
    arrive: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.lift < math.inf:
            raise GaitError(f"lift must be positive, got {self.lift:g} m")
        if not 0 <= self.landing_speed < math.inf:
            raise GaitError(
                f"landing_speed must not be negative (it is downward), got {self.landing_speed:g}"
            )
        if not 0.5 <= self.arrive <= 1.0:
            raise GaitError(
                f"arrive must be 0.5 to 1, a fraction of the swing, got {self.arrive:g}"
            )


@dataclass(frozen=True, eq=False)
class FootMotion:
    """Motion of both treads at N times, in the world; the last axis is x, y, z, yaw.

    Parameters
    ----------
    places, velocities, accelerations : (N, 2, 4) [m, rad and per s, s^2], left and right.
    """

    places: FloatArray
    velocities: FloatArray
    accelerations: FloatArray


def swing_step(
    here: Foothold, step: Footstep, times: ArrayLike, swing: Swing
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return position, velocity and acceleration (N, 4) of the swing foot of a `step` from `here`.

    `times` [s] outside the step count as its ends.
    """
    T = step.duration
    s = np.clip((np.asarray(times, dtype=float) - step.start) / T, 0.0, 1.0)
    start = here.values
    way = step.foothold.values - start
    lift = swing.lift if step.lift is None else step.lift
    h = bump_height(way[2], lift, swing.landing_speed * T)
    a, b = travel(way[2], h, swing.arrive)
    r = rest_to_rest(np.clip((s - a) / (b - a), 0.0, 1.0))
    up, arc, touch = rest_to_rest(s), bump(s), landing(s)
    motion = []
    for order in range(3):
        part = way * (r[order] / ((b - a) * T) ** order)[:, None]
        z = way[2] * up[order] + h * arc[order] - swing.landing_speed * T * touch[order]
        part[:, 2] = z / T**order
        motion.append(part)
    motion[0] += start
    return motion[0], motion[1], motion[2]


def travel(rise: float, h: float, arrive: float = 1.0) -> tuple[float, float]:
    """Return the interval (a, b) of the swing in which the foot travels; (0, 1) on flat ground.

    With `arrive` < 1 it ends there at the latest, but lasts at least `SHORTEST_TRAVEL`.
    """
    s = np.linspace(0.0, LATEST, 401)
    risen = abs(rise) * rest_to_rest(s)[0] + h * bump(s)[0] >= abs(rise) / 2
    wait = float(s[risen.argmax()]) if risen.any() else LATEST
    a, b = (wait, 1.0) if rise > 0 else (0.0, 1.0 - wait)
    return a, min(b, max(arrive, a + SHORTEST_TRAVEL))


def breaks(schedule: Schedule, swing: Swing) -> tuple[float, ...]:
    """Return the times at which the jerk of a foot jumps within its swing [s]."""
    times = []
    for step, stance in zip(schedule.footsteps.steps, schedule.footsteps.stances, strict=False):
        rise = step.foothold.z - stance.feet[step.foot].z
        lift = swing.lift if step.lift is None else step.lift
        h = bump_height(rise, lift, swing.landing_speed * step.duration)
        window = travel(rise, h, swing.arrive)
        times += [step.start + s * step.duration for s in window if 0 < s < 1]
    return tuple(times)


def bump_height(rise: float, lift: float, drop: float = 0.0) -> float:
    """Return h so that max of rise r(s) + h b(s) - drop l(s) is max(0, rise) + lift.

    Newton's method on h at the highest point, which rises by b per unit of h: exact to 1e-12 m.
    """
    target, s = max(0.0, rise) + lift, np.linspace(0.0, 1.0, 2049)
    base, arc = rise * rest_to_rest(s)[0] - drop * landing(s)[0], bump(s)[0]
    h = lift
    for _ in range(50):
        z = base + h * arc
        k = min(max(int(z.argmax()), 1), s.size - 2)
        top, lean = _peak(rise, drop, h, float(s[k]))
        if abs(target - top) < 1e-13 * (1 + abs(target)):
            break
        h += (target - top) / lean
    return h


def _peak(rise: float, drop: float, h: float, s: float) -> tuple[float, float]:
    """Return the height of the peak near s, refined by Newton's method, and b there."""
    for _ in range(20):
        r, b, l = rest_to_rest(s), bump(s), landing(s)
        slope, curve = (float(rise * r[i] + h * b[i] - drop * l[i]) for i in (1, 2))
        if curve >= 0:
            break
        step = -slope / curve
        s = min(max(s + step, 1e-3), 1 - 1e-3)
        if abs(step) < 1e-15:
            break
    r, b, l = rest_to_rest(s), bump(s), landing(s)
    return float(rise * r[0] + h * b[0] - drop * l[0]), float(b[0])


def foot_motion(schedule: Schedule, times: ArrayLike, swing: Swing | None = None) -> FootMotion:
    """Return the motion of both treads at the `times` (N,) [s]: at rest except in their swings."""
    swing = Swing() if swing is None else swing
    times = np.asarray(times, dtype=float)
    walk = schedule.footsteps
    place = np.zeros((times.size, 2, 4))
    velocity, acceleration = np.zeros_like(place), np.zeros_like(place)
    for foot, hold in enumerate(walk.stance.feet):
        place[:, foot] = hold.values
    for step, stance in zip(walk.steps, walk.stances, strict=False):
        during = (times >= step.start) & (times < step.end)
        p, v, a = swing_step(stance.feet[step.foot], step, times[during], swing)
        place[during, step.foot] = p
        velocity[during, step.foot], acceleration[during, step.foot] = v, a
        place[times >= step.end, step.foot] = step.foothold.values
    return FootMotion(place, velocity, acceleration)
