"""The gait of a scenario, and its plan."""

from __future__ import annotations

from dataclasses import dataclass, replace

from robot.gait.footholds import SIDES, Foothold, Stance
from robot.gait.footsteps import STEP_LENGTH, STEPS, Footsteps, Timing, listed
from robot.gait.inverse_kinematics import stance_of
from robot.gait.plan import GaitOptions, com_height, foot_size_of, plan_walk, robot_walk
from robot.gait.poses import plan_balance, plan_squat, plan_standing
from robot.gait.postures import CURVES, KeyPosture, PosturePath, posture_path
from robot.gait.swing import Swing
from robot.gait.timed_path import rest_to_rest_plan
from robot.gait.walk_plan import WalkPlan
from robot.model import RobotModel
from sole.base.angles import Angle, key_of
from sole.base.arrays import FloatArray
from sole.base.checks import check_count, check_one_of, check_positive
from sole.base.config import STRICT
from sole.base.errors import ConfigError
from sole.base.units import Metres, Seconds, Speeds

MOST = 1000  # steps or cycles: a quarter of an hour
KINDS = ("walk", "stand", "squat", "balance", "postures")


@dataclass(frozen=True, kw_only=True)
class Landing:
    """A footstep in a list of footsteps.

    Parameters
    ----------
    foot : "left" or "right". x, y, z : centre of the tread in the world [m]; yaw [rad]. By default
        the robot starts around (0, 0, 0) with its feet parallel to x.
    """

    __pydantic_config__ = STRICT
    foot: str
    x: Metres
    y: Metres
    z: Metres = 0.0
    yaw: Angle = 0.0

    def __post_init__(self) -> None:
        check_one_of("gait: foot", self.foot, SIDES)

    @property
    def foothold(self) -> Foothold:
        """The foothold of this landing."""
        return Foothold(self.x, self.y, self.z, self.yaw)


@dataclass(frozen=True, kw_only=True)
class Gait:
    """What the robot does: walk, stand, squat, balance, or move through postures on one foot.

    Parameters
    ----------
    kind : "walk", "stand", "squat", "balance" or "postures".
    steps : number of steps; one more brings the feet together. forward, sideways : step length
        from one foothold to the next [m]. turn : [rad]. rise : height difference per step [m].
        See `robot.gait.footsteps.walk`.
    footstep : a list of landings, given instead of these five.
    width : distance between the feet [m]; None: that of the half-sitting posture. com_height :
        height of the centre of mass over the treads [m]; None: that of the same posture.
    single, double : durations of single and double support [s]. initial, final : standing time
        before and after the gait [s]. lift : height of a swing foot, also in balance [m].
    landing_speed : downward speed at which a foot is planned to land [m/s].
    depth : by which a squat lowers the centre of mass [m]. period : duration of one squat [s].
        cycles : number of squats.
    leg : the leg to balance on. hold : how long the other foot stays up [s].
    posture : postures on this leg, in order; the motion starts in the first one and passes one
        every `period` on average. curve : "spline" or "bezier", see `robot.gait.postures`.
    """

    __pydantic_config__ = STRICT
    kind: str = "walk"
    steps: int = STEPS
    forward: Metres = STEP_LENGTH
    sideways: Metres = 0.0
    turn: Angle = 0.0
    rise: Metres = 0.0
    footstep: tuple[Landing, ...] = ()
    width: Metres | None = None
    com_height: Metres | None = None
    single: Seconds = Timing.single
    double: Seconds = Timing.double
    initial: Seconds = Timing.initial
    final: Seconds = Timing.final
    lift: Metres = Swing.lift
    landing_speed: Speeds = Swing.landing_speed
    depth: Metres = 0.1
    period: Seconds = 2.0
    cycles: int = 2
    leg: str = "left"
    hold: Seconds = 3.0
    posture: tuple[KeyPosture, ...] = ()
    curve: str = "spline"

    def __post_init__(self) -> None:
        check_one_of("gait: kind", self.kind, KINDS)
        check_one_of("gait: leg", self.leg, SIDES)
        check_one_of("gait: curve", self.curve, CURVES)
        if (self.kind == "postures") != bool(self.posture):
            raise ConfigError(
                'gait: kind "postures" and the tables [[gait.posture]] belong together, got kind '
                f'"{self.kind}" and {len(self.posture)} postures'
            )
        for name in ("steps", "cycles"):
            check_count(f"gait: {name}", getattr(self, name), MOST)
        for name in ("single", "double", "initial", "final", "lift", "depth", "period", "hold"):
            check_positive("gait", {name: getattr(self, name)})
        numbers = ("steps", "forward", "sideways", "turn", "rise")
        given = [key_of(Gait, n) for n in numbers if getattr(self, n) != getattr(Gait, n)]
        if self.footstep and given:
            raise ConfigError(
                f"gait: got {', '.join(given)} and a list of footsteps: leave out one or the other"
            )


def plan_gait(
    gait: Gait,
    robot: RobotModel,
    period: Seconds,
    sole_thickness: float | tuple[float, float],
    start: Foothold | None = None,
    edges: FloatArray | None = None,
    *,
    arrive: float = Swing.arrive,
    crouch: float = 0.0,
) -> WalkPlan:
    """Plan the gait of a scenario with a tick every `period` [s].

    `start` : the initial midpoint between the feet; None: the world's origin, facing along x.
    `edges` : bounds of the treads, see `GaitOptions`. `arrive` : see `Swing`. `crouch` : by how
    much lower than otherwise the centre of mass is [m].

    Raises
    ------
    GaitError
        The gait is out of reach or too fast. The message names the step and the joint.
    """
    g = gait
    options = GaitOptions(
        dt=period,
        sole_thickness=sole_thickness,
        edges=edges,
        com_height=g.com_height,
        swing=Swing(lift=g.lift, landing_speed=g.landing_speed, arrive=arrive),
    )
    if crouch:
        options = replace(options, com_height=com_height(robot, options) - crouch)
    stance = standing_at(g, robot, start)
    if g.kind == "postures":
        path = path_of(g, robot, sole_thickness, start)
        return rest_to_rest_plan(path, g.period * (len(g.posture) - 1), g.initial, g.final, period)
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


def path_of(
    gait: Gait,
    robot: RobotModel,
    sole_thickness: float | tuple[float, float] = 0.0,
    start: Foothold | None = None,
) -> PosturePath:
    """Return the path of a gait of the kind "postures"; arguments as for `plan_gait`.

    Raises
    ------
    GaitError
        A posture is out of reach; the message names it.
    """
    options = GaitOptions(sole_thickness=sole_thickness, com_height=gait.com_height)
    return posture_path(
        robot,
        gait.posture,
        stance=standing_at(gait, robot, start),
        leg=gait.leg,
        lift=gait.lift,
        thickness=options.thicknesses,
        com_height=com_height(robot, options),
        curve=gait.curve,
    )


def standing_at(gait: Gait, robot: RobotModel, start: Foothold | None = None) -> Stance:
    """Return where the feet stand before a gait; `start` as in `plan_gait`."""
    stance = stance_of(robot) if gait.width is None else Stance.parallel(gait.width)
    return stance if start is None else stance.at(start)


def footsteps_of(gait: Gait, robot: RobotModel, start: Foothold | None = None) -> Footsteps:
    """Return the footsteps of a gait of the kind "walk"; `start` as in `plan_gait`."""
    return _footsteps(gait, robot, standing_at(gait, robot, start))


def _footsteps(g: Gait, robot: RobotModel, stance: Stance) -> Footsteps:
    timing = Timing(single=g.single, double=g.double, initial=g.initial, final=g.final)
    if g.footstep:
        holds = [(step.foot, step.foothold) for step in g.footstep]
        return listed(holds, stance=stance, timing=timing, foot=foot_size_of(robot))
    return robot_walk(
        robot,
        g.steps,
        g.forward,
        sideways=g.sideways,
        turn=g.turn,
        rise=g.rise,
        timing=timing,
        stance=stance,
    )


def _heights(g: Gait) -> list[tuple[float, float]]:
    """Return (time, height) of the centre of mass: down and up in `period`, `cycles` times."""
    knots = [(g.initial + k * g.period / 2, -g.depth * (k % 2)) for k in range(2 * g.cycles + 1)]
    return [*knots, (knots[-1][0] + g.final, 0.0)]
