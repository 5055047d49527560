"""A gait as a scenario names it, and its plan."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

from robot.gait.footsteps import SIDES, Foothold, Footsteps, Stance, Timing, listed
from robot.gait.kinematics import stance_of
from robot.gait.plan import GaitOptions, foot_of, plan_walk, robot_walk
from robot.gait.poses import plan_balance, plan_squat, plan_standing
from robot.gait.swing import Swing
from robot.gait.walk_plan import WalkPlan
from robot.modelling.robot_model import RobotModel
from robot.values import one_of, positive
from sole.arrays import FloatArray
from sole.config import STRICT
from sole.errors import ConfigError

KINDS = ("walk", "stand", "squat", "balance")


@dataclass(frozen=True, kw_only=True)
class Landing:
    """A footstep of a list.

    Parameters
    ----------
    foot : "left" or "right". x, y, z : of the tread's centre [m]; yaw [deg]. In the world: unless
        told otherwise the robot starts around (0, 0, 0), its feet parallel to x.
    """

    __pydantic_config__ = STRICT
    foot: str
    x: float
    y: float
    z: float = 0.0
    yaw: float = 0.0

    def __post_init__(self) -> None:
        one_of("gait: foot", self.foot, SIDES)

    @property
    def foothold(self) -> Foothold:
        """Where it lands."""
        return Foothold(self.x, self.y, self.z, radians(self.yaw))


@dataclass(frozen=True, kw_only=True)
class Gait:
    """What the robot does.

    Parameters
    ----------
    kind : "walk", "stand", "squat" or "balance".
    steps : number of steps; one more brings the feet together. forward, sideways : from one
        foothold to the next [m]. turn : [deg]. rise : height from one foothold to the next [m].
        See `robot.gait.footsteps.walk`.
    footstep : instead of these five, a list of landings.
    width : between the feet [m]; None: as in the robot's half-sitting posture. com_height : of the
        centre of mass over the treads [m]; None: as in that posture.
    single, double : how long one foot and both carry [s]; initial, final : standing before and
        after [s]. lift : of a swing foot, also in balance [m].
    depth : by which a squat lowers the centre of mass [m]; period : of one [s]; cycles : how many.
    leg : the one to balance on. hold : how long the other foot stays up [s].
    """

    __pydantic_config__ = STRICT
    kind: str = "walk"
    steps: int = 6
    forward: float = 0.2
    sideways: float = 0.0
    turn: float = 0.0
    rise: float = 0.0
    footstep: tuple[Landing, ...] = ()
    width: float | None = None
    com_height: float | None = None
    single: float = 0.7
    double: float = 0.1
    initial: float = 1.6
    final: float = 1.6
    lift: float = 0.06
    depth: float = 0.1
    period: float = 2.0
    cycles: int = 2
    leg: str = "left"
    hold: float = 3.0

    def __post_init__(self) -> None:
        one_of("gait: kind", self.kind, KINDS)
        one_of("gait: leg", self.leg, SIDES)
        for name in ("steps", "cycles"):
            if getattr(self, name) < 1:
                raise ConfigError(f"gait: {name} must be at least 1, got {getattr(self, name)}")
        for name in ("single", "double", "initial", "final", "lift", "depth", "period", "hold"):
            positive("gait", {name: getattr(self, name)})
        numbers = ("steps", "forward", "sideways", "turn", "rise")
        given = [n for n in numbers if getattr(self, n) != getattr(Gait, n)]
        if self.footstep and given:
            raise ConfigError(
                f"gait: {', '.join(given)} beside a list of footsteps: leave out one or the other"
            )


def plan_gait(
    gait: Gait,
    robot: RobotModel,
    period: float,
    sole_thickness: float | tuple[float, float],
    start: Foothold | None = None,
    edges: FloatArray | None = None,
) -> WalkPlan:
    """Plan what a scenario asks for, a tick every `period` [s].

    `start` : the middle between the feet at first; None: the world's origin, looking along x.
    `edges` : of the treads, see `GaitOptions`.

    Raises
    ------
    GaitError
        Out of reach or too fast; says the step or the time, the joint or what is missed.
    """
    g = gait
    options = GaitOptions(
        dt=period,
        sole_thickness=sole_thickness,
        edges=edges,
        com_height=g.com_height,
        swing=Swing(lift=g.lift),
    )
    stance = stance_of(robot) if g.width is None else Stance.parallel(g.width)
    if start is not None:
        stance = stance.at(start)
    if g.kind == "walk":
        return plan_walk(robot, _footsteps(g, robot, stance), options)
    if g.kind == "stand":
        return plan_standing(robot, g.initial + g.final, options, stance=stance)
    if g.kind == "squat":
        return plan_squat(robot, _heights(g), options, stance=stance)
    return plan_balance(
        robot,
        g.leg,
        options,
        hold=g.hold,
        lift=g.lift,
        initial=g.initial,
        final=g.final,
        stance=stance,
    )


def _footsteps(g: Gait, robot: RobotModel, stance: Stance) -> Footsteps:
    timing = Timing(single=g.single, double=g.double, initial=g.initial, final=g.final)
    if g.footstep:
        holds = [(step.foot, step.foothold) for step in g.footstep]
        return listed(holds, stance=stance, timing=timing, foot=foot_of(robot))
    return robot_walk(
        robot,
        g.steps,
        g.forward,
        sideways=g.sideways,
        turn=radians(g.turn),
        rise=g.rise,
        timing=timing,
        stance=stance,
    )


def _heights(g: Gait) -> list[tuple[float, float]]:
    """Return (time, height) of the centre of mass: down and up in `period`, `cycles` times."""
    knots = [(g.initial + k * g.period / 2, -g.depth * (k % 2)) for k in range(2 * g.cycles + 1)]
    return [*knots, (knots[-1][0] + g.final, 0.0)]
