"""The gaits of a scenario that make no steps: stand, squat, balance, move through postures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from robot.gait.footholds import SIDES, Foothold, Stance
from robot.gait.gait import MOST, Gait
from robot.gait.plan import GaitOptions, com_height
from robot.gait.poses import plan_balance, plan_squat, plan_standing
from robot.gait.postures import CURVES, KeyPosture, PosturePath, posture_path
from robot.gait.timed_path import rest_to_rest_plan
from robot.gait.walk_plan import WalkPlan
from robot.model import RobotModel
from sole.base.checks import check_count, check_one_of
from sole.base.errors import ConfigError
from sole.base.units import Metres, Seconds


@dataclass(frozen=True, kw_only=True)
class Standing(Gait):
    """Standing still on both feet, for `initial` + `final` [s].

    Parameters
    ----------
    lift : height of a swing foot [m], of the steps that an online plan is told to make; None: as
        the legs ask, see `robot.gait.usual_step`.
    """

    kind: Literal["stand"] = "stand"
    lift: Metres | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_given("lift")

    def plan_from(self, robot: RobotModel, stance: Stance, options: GaitOptions) -> WalkPlan:
        """See `Gait.plan_from`."""
        return plan_standing(robot, self.initial + self.final, options, stance=stance)


@dataclass(frozen=True, kw_only=True)
class Squatting(Gait):
    """Squats on both feet.

    Parameters
    ----------
    depth : by which the centre of mass goes down [m]. period : duration of one squat [s].
    cycles : number of squats.
    """

    kind: Literal["squat"] = "squat"
    depth: Metres = 0.1
    period: Seconds = 2.0
    cycles: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("gait: cycles", self.cycles, MOST)
        self.check_positive("depth", "period")

    def plan_from(self, robot: RobotModel, stance: Stance, options: GaitOptions) -> WalkPlan:
        """See `Gait.plan_from`."""
        half, ends = self.period / 2, 2 * self.cycles + 1
        knots = [(self.initial + k * half, -self.depth * (k % 2)) for k in range(ends)]
        return plan_squat(robot, [*knots, (knots[-1][0] + self.final, 0.0)], options, stance=stance)


@dataclass(frozen=True, kw_only=True)
class Balancing(Gait):
    """Standing on one leg for a while.

    Parameters
    ----------
    leg : the leg to balance on, "left" or "right". hold : how long the other foot stays up [s].
    lift : how high it is then [m]; None: as the legs ask.
    """

    kind: Literal["balance"] = "balance"
    leg: str = "left"
    hold: Seconds = 3.0
    lift: Metres | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_one_of("gait: leg", self.leg, SIDES)
        self.check_positive("hold")
        self.check_given("lift")

    def plan_from(self, robot: RobotModel, stance: Stance, options: GaitOptions) -> WalkPlan:
        """See `Gait.plan_from`."""
        return plan_balance(
            robot,
            self.leg,
            options,
            hold=self.hold,
            lift=self.step_of(robot).lift,
            initial=self.initial,
            final=self.final,
            stance=stance,
        )


@dataclass(frozen=True, kw_only=True)
class PostureMotion(Gait):
    """A motion through postures on one leg.

    Parameters
    ----------
    posture : postures on this leg, in order; the motion starts in the first one.
    leg : the leg to stand on, "left" or "right". lift : height of the other foot [m]; None: as the
        legs ask.
    period : mean time from one posture to the next [s].
    curve : "spline" or "bezier", see `robot.gait.postures`.
    """

    kind: Literal["postures"] = "postures"
    posture: tuple[KeyPosture, ...] = ()
    leg: str = "left"
    lift: Metres | None = None
    period: Seconds = 2.0
    curve: str = "spline"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_one_of("gait: leg", self.leg, SIDES)
        check_one_of("gait: curve", self.curve, CURVES)
        self.check_positive("period")
        self.check_given("lift")
        if not self.posture:
            raise ConfigError('gait: kind "postures" needs tables [[gait.posture]], got none')

    @property
    def duration(self) -> float:
        """Time from the first posture to the last, without retiming [s]."""
        return self.period * (len(self.posture) - 1)

    def path(
        self,
        robot: RobotModel,
        sole_thickness: float | tuple[float, float] = 0.0,
        start: Foothold | None = None,
    ) -> PosturePath:
        """Return the path through the postures; arguments as for `plan`.

        Raises
        ------
        GaitError
            A posture is out of reach; the message names it.
        """
        options = GaitOptions(sole_thickness=sole_thickness, com_height=self.com_height)
        return self._path(robot, self.stance(robot, start), options)

    def plan_from(self, robot: RobotModel, stance: Stance, options: GaitOptions) -> WalkPlan:
        """See `Gait.plan_from`."""
        path = self._path(robot, stance, options)
        return rest_to_rest_plan(path, self.duration, self.initial, self.final, options.dt)

    def _path(self, robot: RobotModel, stance: Stance, options: GaitOptions) -> PosturePath:
        return posture_path(
            robot,
            self.posture,
            stance=stance,
            leg=self.leg,
            lift=self.step_of(robot).lift,
            thickness=options.thicknesses,
            com_height=com_height(robot, options),
            curve=self.curve,
        )
