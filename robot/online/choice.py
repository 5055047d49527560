"""The `[plan]` table of a scenario: a plan made beforehand, or one that follows the contacts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite

from sole.base.angles import Angle
from sole.base.checks import check_one_of, check_positive
from sole.base.config import STRICT
from sole.base.errors import ConfigError
from sole.base.units import Metres, Seconds


@dataclass(frozen=True, kw_only=True)
class WalkCommand:
    """A change of the walk while it goes on.

    Parameters
    ----------
    time : when it is given [s]; it counts from the next step on.
    forward, sideways : speeds [m/s], positive ahead and to the left. turn : [rad/s], to the left.
    stop : close the feet and stand instead. lower : by how much lower it then stands, until the
        next step [m].
    """

    __pydantic_config__ = STRICT
    time: Seconds
    forward: float = 0.0
    sideways: float = 0.0
    turn: Angle = 0.0
    stop: bool = False
    lower: Metres = 0.0

    def __post_init__(self) -> None:
        speeds = (self.forward, self.sideways, self.turn)
        if not (0 <= self.time < inf and all(map(isfinite, speeds))):
            raise ConfigError(
                f"command: time must not be negative and speeds finite, got {self.time:g} s and "
                f"{speeds}"
            )
        if self.stop and any(speeds):
            raise ConfigError("command: stop goes without forward, sideways and turn")
        if not 0 <= self.lower < inf or (self.lower and not self.stop):
            raise ConfigError(
                f"command: lower must not be negative and needs stop, got {self.lower:g} m"
            )


@dataclass(frozen=True, kw_only=True)
class PlanChoice:
    """How a walk is planned.

    Parameters
    ----------
    kind : "fixed", made before the walk; "online", which follows the contacts: see
        `robot.online`; "auto", online on ground that the plan does not know:
        `robot.walk.plan_kind`. The other keys are for plans that follow.
    early, late : whether it heeds feet that touch earlier or later than planned.
    step_over : whether a foot that meets something in its way goes higher, once a step; not
        without `early`. For the true state: so fast a swing misleads the estimator.
    partial : whether a foot that stands on an edge with a strip of heel or toes steps again.
    adapt : share of the predicted error of the divergent component of motion by which the next
        foothold moves; 0: never.
    reach_speed : at which a late foot goes down [m/s]. reach_depth : how far at most [m].
    wait : how long at most [s].
    arrive : fraction of a swing after which the foot is over its foothold.
    crouch : by how much lower the robot walks than with a fixed plan [m]: legs that are almost
        straight cannot reach down.
    command : changes of the walk while it goes on, in the order of their times.
    """

    __pydantic_config__ = STRICT
    kind: str = "auto"
    early: bool = True
    late: bool = True
    step_over: bool = False
    partial: bool = True
    adapt: float = 1.0
    reach_speed: float = 0.6
    reach_depth: Metres = 0.09
    wait: Seconds = 0.5
    arrive: float = 0.9
    crouch: Metres = 0.04
    command: tuple[WalkCommand, ...] = ()

    def __post_init__(self) -> None:
        check_one_of("plan: kind", self.kind, ("auto", "fixed", "online"))
        names = ("reach_speed", "reach_depth", "wait")
        check_positive("plan", {name: getattr(self, name) for name in names})
        if not 0.5 <= self.arrive <= 1.0:
            raise ConfigError(f"plan: arrive must be 0.5 to 1, got {self.arrive:g}")
        if not 0.0 <= self.adapt <= 2.0:
            raise ConfigError(f"plan: adapt must be 0 to 2, got {self.adapt:g}")
        if not 0.0 <= self.crouch < inf:
            raise ConfigError(f"plan: crouch must not be negative, got {self.crouch:g} m")
        if self.command and not self.follows:
            raise ConfigError('plan: commands need kind = "online"; a fixed plan cannot change')
        if any(b.time < a.time for a, b in pairwise(self.command)):
            raise ConfigError("plan: commands must be in the order of their times")

    @property
    def follows(self) -> bool:
        """Whether the plan follows the contacts; "auto" is not decided yet."""
        return self.kind == "online"

    @property
    def endless(self) -> bool:
        """Whether the walk goes on for ever: its last command is no stop."""
        return bool(self.command) and not self.command[-1].stop
