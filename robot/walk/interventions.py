"""What is done to a robot from outside while it runs: pushes, pulls by a spring, changes.

A pull is a spring between a point x of a link and a target x_p that moves, with a damper to the
world and a limit:

    f = k (x_p - x) - b x',      |f| <= limit,

at the state at the start of each step. `sole live walk` writes them down as a user acts, so that
`sole walk` repeats everything to the bit.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import inf, isfinite

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.checks import check_one_of, check_positive
from sole.base.config import STRICT
from sole.base.errors import ConfigError
from sole.base.units import Metres, Newtons, Pascals, Seconds

LIMIT = 150.0  # N: usual limit of a pull, about what a hand does
STIFFEST = 5000.0  # N/m: largest stiffness of a pull
NOW = 1e-9  # s: round-off in times
KINDS = ("stabiliser", "force", "pd")


@dataclass(frozen=True, kw_only=True)
class PushPlan:
    """A force on the waist from t = `start` for `duration` [s]; world axes [N]."""

    __pydantic_config__ = STRICT
    force: tuple[Newtons, Newtons, Newtons]
    start: Seconds
    duration: Seconds = 0.1

    def __post_init__(self) -> None:
        check_positive("push", {"duration": self.duration})
        if not 0 <= self.start < inf:
            raise ConfigError(f"push: start must not be negative, got {self.start:g} s")


@dataclass(frozen=True, kw_only=True)
class PullPlan:
    """A spring between a point of a link and a target that moves: see the top of this file.

    Parameters
    ----------
    path : times and places (t, x, y, z) of the target, world axes [s, m]. It acts from the first
        time on; if that is 0, while the robot settles, too.
    link : "waist", a joint, a contact point, a box or any frame of the model. point : in its axes
        [m].
    stiffness : k [N/m], at most 5000. damping : b [N s/m]. limit : of the force [N].
    end : when it lets go [s]; None: never.
    smooth : whether the target moves evenly between the places, or stays until the next.
    """

    __pydantic_config__ = STRICT
    path: tuple[tuple[float, float, float, float], ...]
    link: str = "waist"
    point: tuple[Metres, Metres, Metres] = (0.0, 0.0, 0.0)
    stiffness: float = 1000.0
    damping: float = 50.0
    limit: Newtons = LIMIT
    end: Seconds | None = None
    smooth: bool = False

    def __post_init__(self) -> None:
        check_positive("pull", {"stiffness": self.stiffness, "limit": self.limit})
        if self.stiffness > STIFFEST:
            raise ConfigError(
                f"pull: stiffness must be at most {STIFFEST:g} N/m, got {self.stiffness:g} N/m"
            )
        if not 0 <= self.damping < inf:
            raise ConfigError(f"pull: damping must not be negative, got {self.damping:g} N s/m")
        if not self.path:
            raise ConfigError("pull: path is empty: give at least one [t, x, y, z]")
        if not all(map(isfinite, (*self.point, *(x for row in self.path for x in row)))):
            raise ConfigError("pull: point and path must be finite numbers")
        times = [row[0] for row in self.path]
        if times[0] < 0 or any(b < a for a, b in pairwise(times)):
            raise ConfigError("pull: the times of the path must not be negative, and in order")
        if self.end is not None and not times[0] < self.end < inf:
            raise ConfigError(
                f"pull: end must be after its start at {times[0]:g} s, got {self.end:g} s"
            )

    @cached_property
    def _times(self) -> list[float]:
        return [row[0] for row in self.path]

    @property
    def start(self) -> float:
        """When it begins [s]."""
        return self.path[0][0]

    def acts(self, t: float) -> bool:
        """Return whether it acts in a step that begins at t [s]."""
        return self.start <= max(t, 0.0) + NOW and (self.end is None or t + NOW < self.end)

    def target(self, t: float) -> FloatArray:
        """Return x_p (3,) at t [s]."""
        i = max(bisect_right(self._times, t + NOW) - 1, 0)
        here = np.array(self.path[i][1:])
        if not self.smooth or i + 1 == len(self.path):
            return here
        t0, t1 = self._times[i], self._times[i + 1]
        share = min(max((t - t0) / (t1 - t0), 0.0), 1.0)
        there = np.array(self.path[i + 1][1:])
        return np.asarray(here + share * (there - here))

    def force(self, t: float, place: FloatArray, velocity: FloatArray) -> FloatArray:
        """Return f (3,) [N] on a point at x = `place` (3,) with the velocity x' (3,)."""
        f = self.stiffness * (self.target(t) - place) - self.damping * velocity
        size = float(np.linalg.norm(f))
        return np.asarray(f if size <= self.limit else f * (self.limit / size))


@dataclass(frozen=True, kw_only=True)
class SceneChange:
    """A change of soles, ground or controller from the step that begins at `time` [s] on.

    Parameters
    ----------
    young, poisson : of the pads [Pa, 1]; a sole from a file cannot change. friction : Coulomb's mu
        of both soles.
    controller : "stabiliser", "force" or "pd".
    plate : x, y of the middle, side and height [m] of a square plate that is put on the ground.
    """

    __pydantic_config__ = STRICT
    time: Seconds
    young: Pascals | None = None
    poisson: float | None = None
    friction: float | None = None
    controller: str | None = None
    plate: tuple[Metres, Metres, Metres, Metres] | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.time < inf:
            raise ConfigError(f"change: time must not be negative, got {self.time:g} s")
        if self.young is not None:
            check_positive("change", {"young": self.young})
        if self.poisson is not None and not -1 < self.poisson < 0.5:
            raise ConfigError(f"change: poisson must lie in (-1, 0.5), got {self.poisson:g}")
        if self.friction is not None and not 0 <= self.friction < inf:
            raise ConfigError(f"change: friction must not be negative, got {self.friction:g}")
        if self.controller is not None:
            check_one_of("change: controller", self.controller, KINDS)
        if self.plate is not None:
            if not all(map(isfinite, self.plate)):
                raise ConfigError("change: plate must be four finite numbers x, y, side, height")
            check_positive("change: plate", {"side": self.plate[2], "height": self.plate[3]})
