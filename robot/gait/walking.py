"""The walk of a scenario: equal steps, or a list of footsteps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from robot.gait.footholds import SIDES, Foothold, Stance
from robot.gait.footsteps import STEPS, Footsteps, Timing, listed
from robot.gait.gait import MOST, Gait
from robot.gait.plan import GaitOptions, foot_size_of, plan_walk, robot_walk
from robot.gait.swing import Swing
from robot.gait.walk_plan import WalkPlan
from robot.model import RobotModel
from sole.base.angles import Angle, key_of
from sole.base.checks import check_count, check_one_of
from sole.base.config import STRICT
from sole.base.errors import ConfigError
from sole.base.units import Metres, Seconds, Speeds


@dataclass(frozen=True, kw_only=True)
class Landing(Foothold):
    """A footstep in a list of footsteps: a foothold, and the foot that lands there.

    Parameters
    ----------
    foot : "left" or "right". By default the robot starts around (0, 0, 0) with its feet parallel
        to x.
    """

    __pydantic_config__ = STRICT
    foot: str

    def __post_init__(self) -> None:
        super().__post_init__()
        check_one_of("gait: foot", self.foot, SIDES)


@dataclass(frozen=True, kw_only=True)
class Walking(Gait):
    """A walk of equal steps, or over a list of footsteps.

    Parameters
    ----------
    steps : number of steps; one more brings the feet together. forward, sideways : step length
        from one foothold to the next [m]. turn : [rad]. rise : height difference per step [m].
        See `robot.gait.footsteps.walk`. forward, single, double, lift : None: as the legs ask, see
        `robot.gait.usual_step`.
    footstep : a list of landings, given instead of these five.
    single, double : durations of single and double support [s].
    lift : height of a swing foot [m].
    landing_speed : downward speed at which a foot is planned to land [m/s].
    """

    kind: Literal["walk"] = "walk"
    steps: int = STEPS
    forward: Metres | None = None
    sideways: Metres = 0.0
    turn: Angle = 0.0
    rise: Metres = 0.0
    footstep: tuple[Landing, ...] = ()
    single: Seconds | None = None
    double: Seconds | None = None
    lift: Metres | None = None
    landing_speed: Speeds = Swing.landing_speed

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("gait: steps", self.steps, MOST)
        self.check_given("single", "double", "lift")
        numbers = ("steps", "forward", "sideways", "turn", "rise")
        given = [key_of(Walking, n) for n in numbers if getattr(self, n) != getattr(Walking, n)]
        if self.footstep and given:
            raise ConfigError(
                f"gait: got {', '.join(given)} and a list of footsteps: leave out one or the other"
            )

    def footsteps(self, robot: RobotModel, start: Foothold | None = None) -> Footsteps:
        """Return where and when the feet land; `start` as in `plan`.

        Raises
        ------
        GaitError
            Feet overlap or cross, or a step is out of reach; the message names the step.
        """
        return self._from(robot, self.stance(robot, start))

    def plan_from(self, robot: RobotModel, stance: Stance, options: GaitOptions) -> WalkPlan:
        """See `Gait.plan_from`."""
        lift = self.step_of(robot).lift
        swing = replace(options.swing, lift=lift, landing_speed=self.landing_speed)
        return plan_walk(robot, self._from(robot, stance), replace(options, swing=swing))

    def _from(self, robot: RobotModel, stance: Stance) -> Footsteps:
        step = self.step_of(robot)
        timing = Timing(
            single=step.single, double=step.double, initial=self.initial, final=self.final
        )
        if self.footstep:
            holds = [(step.foot, step) for step in self.footstep]
            return listed(holds, stance=stance, timing=timing, foot=foot_size_of(robot))
        return robot_walk(
            robot,
            self.steps,
            step.forward,
            sideways=self.sideways,
            turn=self.turn,
            rise=self.rise,
            timing=timing,
            stance=stance,
        )
