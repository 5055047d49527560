"""A point mass falls on a penalty contact, and may be pulled off it: motion and force, event-aware.

m p'' = load + f_n(p, p'),   load = -m g, and -m g + pull from a time on
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from contact.papers.penalty.ball import GRAVITY
from contact.papers.penalty.events import SwitchedTrajectory, check_times, integrate_switched
from contact.papers.penalty.penalty_checks import (
    require_not_negative,
    require_number,
    require_positive_number,
)
from sole.base.arrays import BoolArray, FloatArray
from sole.base.errors import SoleError


class NormalLaw(Protocol):
    """A contact force along the normal; see `contact.papers.penalty.spring_damper`.

    `approaching` stands for v <= 0, but frozen between events.
    """

    @property
    def resolution(self) -> float:
        """The smallest height and velocity that are followed [m, m/s]."""

    @property
    def saturated(self) -> bool:
        """Whether the force is cut off at zero."""

    def pressing(
        self, p: ArrayLike, v: ArrayLike, mass: float, load: float, approaching: ArrayLike
    ) -> FloatArray:
        """Force [N] while touching, before saturation."""

    def acceleration(
        self, p: ArrayLike, v: ArrayLike, mass: float, load: float, approaching: ArrayLike
    ) -> FloatArray:
        """(load + that force) / m [m/s^2], without round-off where they cancel."""


@dataclass(frozen=True, eq=False)
class Drop:
    """Height [m], velocity [m/s], force [N] at the times (N,) [s], and every touch and departure.

    Parameters
    ----------
    touches, departures : times (k,) [s] when p passed zero on the way down, up.
    touch_speeds, departure_speeds : (k,) >= 0 [m/s].
    """

    times: FloatArray
    height: FloatArray
    velocity: FloatArray
    force: FloatArray
    touches: FloatArray
    touch_speeds: FloatArray
    departures: FloatArray
    departure_speeds: FloatArray


def drop(
    law: NormalLaw,
    times: ArrayLike,
    *,
    mass: float = 1.0,
    height: float = 1.0,
    velocity: float = 0.0,
    gravity: float = GRAVITY,
    pull: float = 0.0,
    pull_time: float = np.inf,
) -> Drop:
    """Integrate the fall from one event to the next.

    Parameters
    ----------
    law : the contact.
    times : (N,) [s], increasing, the first is the start.
    mass, gravity : m > 0 [kg], g >= 0 [m/s^2].
    height, velocity : at the start [m], [m/s]; a height < 0 is in the ground.
    pull : upward force [N] from `pull_time` [s] on.

    Raises
    ------
    SoleError
        A mass <= 0, a negative gravity, values that are not finite, or bad times.
    """
    if not hasattr(law, "pressing"):
        raise SoleError(f"law must be a contact law such as SpringDamper, got {law!r}")
    require_positive_number("mass", mass)
    require_not_negative("gravity", gravity)
    require_number("height", height)
    require_number("velocity", velocity)
    require_number("pull", pull)
    if pull_time != np.inf:
        require_number("pull_time", pull_time, "seconds")
    T = check_times(times)
    weight = -mass * gravity
    if not T[0] < pull_time < T[-1]:
        load = weight + (pull if pull_time <= T[0] else 0.0)
        return _drop(law, _fall(law, T, np.array([height, velocity]), mass, load), mass, load)
    early, late = T[pull_time > T], T[pull_time < T]
    first = _fall(law, np.append(early, pull_time), np.array([height, velocity]), mass, weight)
    second = _fall(law, np.append(pull_time, late), first.states[-1], mass, weight + pull)
    at = int(pull_time not in T)  # the time of the pull itself shows the force it brings
    return _joined(
        _drop(law, first, mass, weight, slice(None, -1)),
        _drop(law, second, mass, weight + pull, slice(at, None)),
    )


def _fall(
    law: NormalLaw, T: FloatArray, start: FloatArray, mass: float, load: float
) -> SwitchedTrajectory:
    """Switches are p, p' and the unsaturated force."""

    def rhs(_: float, y: FloatArray, mode: BoolArray) -> list[float]:
        p, v = float(y[0]), float(y[1])
        away, rising, pressing = mode
        if away or (law.saturated and not pressing):
            return [v, load / mass]
        return [v, float(law.acceleration(p, v, mass, load, not rising))]

    def switches(_: float, y: FloatArray) -> list[float]:
        p, v = float(y[0]), float(y[1])
        return [p, v, float(law.pressing(p, v, mass, load, v <= 0))]

    return integrate_switched(rhs, switches, start, T, atol=law.resolution)


def _drop(
    law: NormalLaw, path: SwitchedTrajectory, mass: float, load: float, kept: slice = slice(None)
) -> Drop:
    p, v = path.states[kept].T
    away, rising, _ = path.modes[kept].T
    force = np.where(away, 0.0, law.pressing(p, v, mass, load, ~rising))
    force = np.maximum(0.0, force) if law.saturated else force
    at = path.event_switches == 0
    t, v_at, up = path.event_times[at], path.event_states[at, 1], path.event_signs[at]
    return Drop(
        times=path.times[kept],
        height=p,
        velocity=v,
        force=force,
        touches=t[~up],
        touch_speeds=-v_at[~up],
        departures=t[up],
        departure_speeds=v_at[up],
    )


def _joined(first: Drop, second: Drop) -> Drop:
    return Drop(**{k: np.concatenate([getattr(first, k), getattr(second, k)]) for k in vars(first)})
