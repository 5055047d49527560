"""What all gaits have in common: where the robot stands before, and how a plan is asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Self

from robot.gait.footholds import Foothold, Stance
from robot.gait.footsteps import Timing
from robot.gait.inverse_kinematics import stance_of
from robot.gait.plan import GaitOptions, com_height
from robot.gait.swing import Swing
from robot.gait.usual_step import UsualStep, usual_step
from robot.gait.walk_plan import WalkPlan
from robot.model import RobotModel
from sole.base.arrays import FloatArray
from sole.base.checks import check_one_of, check_positive
from sole.base.config import STRICT
from sole.base.units import Metres, Seconds

MOST = 1000  # steps or cycles: a quarter of an hour


@dataclass(frozen=True, kw_only=True)
class Gait(ABC):
    """What the robot does: the table [gait] of a scenario. Each kind is a class of its own.

    Parameters
    ----------
    kind : name of the kind in files; each class has its own.
    initial, final : standing time before and after the motion [s].
    width : distance between the feet [m]; None: that of the half-sitting posture.
    com_height : height of the centre of mass over the treads [m]; None: that of the same posture.
    """

    __pydantic_config__ = STRICT
    kind: str = ""
    initial: Seconds = Timing.initial
    final: Seconds = Timing.final
    width: Metres | None = None
    com_height: Metres | None = None

    def __post_init__(self) -> None:
        check_one_of("gait: kind", self.kind, (type(self).kind,))
        self.check_positive("initial", "final")

    def check_positive(self, *names: str) -> None:
        """Raise ConfigError unless these fields are positive and finite."""
        check_positive("gait", {name: getattr(self, name) for name in names})

    def check_given(self, *names: str) -> None:
        """As `check_positive`, of fields that may be None."""
        self.check_positive(*(name for name in names if getattr(self, name) is not None))

    def step_of(self, robot: RobotModel) -> UsualStep:
        """Return the step of this gait: what it leaves open is the usual step of the robot."""
        given = {name: getattr(self, name, None) for name in UsualStep._fields}
        return usual_step(robot)._replace(**{k: v for k, v in given.items() if v is not None})

    def fitted(self, robot: RobotModel) -> Self:
        """Return the gait with the numbers of its step, as of `step_of`."""
        own = {field.name for field in fields(self)}
        if getattr(self, "footstep", ()):
            own -= {"forward"}
        step = self.step_of(robot)._asdict()
        return replace(self, **{name: value for name, value in step.items() if name in own})

    def stance(self, robot: RobotModel, start: Foothold | None = None) -> Stance:
        """Return where the feet stand before the gait; `start` as in `plan`."""
        stance = stance_of(robot) if self.width is None else Stance.parallel(self.width)
        return stance if start is None else stance.at(start)

    def plan(
        self,
        robot: RobotModel,
        period: Seconds,
        sole_thickness: float | tuple[float, float],
        start: Foothold | None = None,
        edges: FloatArray | None = None,
        *,
        arrive: float = Swing.arrive,
        crouch: float = 0.0,
    ) -> WalkPlan:
        """Return the plan of this gait with a tick every `period` [s].

        Parameters
        ----------
        sole_thickness : distance from tread to sole frame [m], one number or (left, right).
        start : the initial midpoint between the feet; None: the world's origin, facing along x.
        edges : bounds of the treads, see `GaitOptions`.
        arrive : see `Swing`.
        crouch : by how much lower than otherwise the centre of mass is [m].

        Raises
        ------
        GaitError
            The gait is out of reach or too fast. The message names the step and the joint.
        """
        options = GaitOptions(
            dt=period,
            sole_thickness=sole_thickness,
            edges=edges,
            com_height=self.com_height,
            swing=Swing(arrive=arrive),
        )
        if crouch:
            options = replace(options, com_height=com_height(robot, options) - crouch)
        return self.plan_from(robot, self.stance(robot, start), options)

    @abstractmethod
    def plan_from(self, robot: RobotModel, stance: Stance, options: GaitOptions) -> WalkPlan:
        """Return the plan that begins in a `stance`; errors as of `plan`."""
