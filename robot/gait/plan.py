"""`plan_walk`: from footsteps to everything a controller needs at every tick."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robot.gait.assembled_plan import assemble_plan
from robot.gait.body_motion import SPACING, Tasks, body_motion
from robot.gait.com import com_motion, pendulum_zmp
from robot.gait.footholds import GaitError
from robot.gait.footsteps import STEP_LENGTH, STEPS, Footsteps, walk
from robot.gait.inverse_kinematics import stance_of
from robot.gait.plan_checks import check_limits, check_support
from robot.gait.schedule import Schedule
from robot.gait.swing import FootMotion, Swing, breaks, foot_motion
from robot.gait.walk_plan import WalkPlan
from robot.gait.zmp import TRANSFER, body_zmp, zmp_reference
from robot.gait.zmp_preview import WINDOW, preview_gains
from robot.model import RobotModel, free_axes_of
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY

LONGEST = 2_000_000  # ticks of a plan
HIGHEST = 10.0  # m: a slip of units, not a robot
COARSE = 5e-3  # s between evaluations of the body's ZMP in a correction


@dataclass(frozen=True, kw_only=True)
class GaitOptions:
    """Options of a walk over given footsteps.

    Parameters
    ----------
    dt : time between ticks [s].
    sole_thickness : distance from tread to sole frame [m], one number or (left, right).
    edges : (2, 2, 2) smallest and largest x and y of the left and the right tread in the sole frame
        [m]; the ZMP must stay within. None: those of the feet.
    com_height : height of the centre of mass over the ground [m]; None: that of half-sitting.
    swing : lift and landing of the feet.
    inset : offset of the ZMP in each foot, forward and inward [m]: `robot.gait.zmp.anchors`.
    transfer, smooth : ZMP in double support: `robot.gait.zmp.zmp_reference`.
    window, Q, R : preview control: `robot.gait.zmp_preview.preview_gains`.
    corrections : number of times the plan is repeated with the ZMP difference between body and
        pendulum subtracted from the reference (the dynamics filter of [KajitaEtAl2003]).
    spacing : time between solutions of the inverse kinematics [s].
    """

    dt: float = 1e-3
    sole_thickness: float | tuple[float, float] = 0.0
    edges: FloatArray | None = field(default=None, compare=False)
    com_height: float | None = None
    swing: Swing = field(default_factory=Swing)
    inset: tuple[float, float] = (0.0, 0.0)
    transfer: float = TRANSFER
    smooth: bool = True
    window: float = WINDOW
    Q: float = 1.0
    R: float | None = None
    corrections: int = 1
    spacing: float = SPACING

    def __post_init__(self) -> None:
        if not 0 < self.dt <= 0.02:
            raise GaitError(f"dt of a plan must be positive and at most 0.02 s, got {self.dt:g}")
        if not all(0 <= thickness < math.inf for thickness in self.thicknesses):
            raise GaitError(f"sole_thickness must not be negative, got {self.sole_thickness} m")
        if self.com_height is not None and not 0 < self.com_height <= HIGHEST:
            raise GaitError(
                f"com_height must be positive and at most {HIGHEST:g} m, got {self.com_height:g} m"
            )
        if not 0 <= self.corrections <= 5:
            raise GaitError(f"corrections must be 0 to 5, got {self.corrections}")

    @property
    def thicknesses(self) -> tuple[float, float]:
        """Thickness of the left and the right sole [m]."""
        given = self.sole_thickness
        return given if isinstance(given, tuple) else (given, given)


def robot_walk(
    robot: RobotModel, count: int = STEPS, forward: float = STEP_LENGTH, **numbers: Any
) -> Footsteps:
    """Return `robot.gait.footsteps.walk` with the stance and the feet of this robot."""
    numbers.setdefault("stance", stance_of(robot))
    numbers.setdefault("foot", foot_size_of(robot))
    return walk(count, forward, **numbers)


def foot_size_of(robot: RobotModel) -> tuple[float, float]:
    """Return the length and width of the larger foot [m]."""
    size = 2 * np.max([foot.half_size for foot in robot.feet], axis=0)
    return float(size[0]), float(size[1])


def plan_walk(
    robot: RobotModel,
    footsteps: Footsteps | None = None,
    options: GaitOptions | None = None,
) -> WalkPlan:
    """Plan a walk over the `footsteps`, by default `STEPS` steps of length `STEP_LENGTH`.

    Parameters
    ----------
    robot : the robot that walks.
    options : see `GaitOptions`.

    Raises
    ------
    GaitError
        The walk is out of reach or too fast. The message names the step and the joint.
    """
    footsteps = robot_walk(robot) if footsteps is None else footsteps
    options = GaitOptions() if options is None else options
    schedule = Schedule.of(footsteps)
    times = ticks(schedule, options.dt)
    reference = zmp_reference(
        schedule, times, inset=options.inset, transfer=options.transfer, smooth=options.smooth
    )

    def feet(t: FloatArray) -> FootMotion:
        return foot_motion(schedule, t, options.swing)

    rough = breaks(schedule, options.swing)
    return follow_reference(robot, schedule, feet, times, reference, options, rough)


def follow_reference(
    robot: RobotModel,
    schedule: Schedule,
    feet: Callable[[FloatArray], FootMotion],
    times: FloatArray,
    reference: FloatArray,
    options: GaitOptions,
    breaks: tuple[float, ...] = (),
) -> WalkPlan:
    """Return the plan with the given foot motion, whose ZMP follows the `reference` (N, 3).

    Corrections evaluate the body every `COARSE` seconds only, as its ZMP changes little in between.
    """
    height = com_height(robot, options)
    gains = preview_gains(options.dt, height, window=options.window, Q=options.Q, R=options.R)
    shift = np.zeros((times.size, 2))
    for more in range(options.corrections, -1, -1):
        com = com_motion(schedule, times, reference, gains, height=height, shift=shift)
        tasks = Tasks(
            schedule=schedule,
            feet=feet,
            com=com,
            thickness=options.thicknesses,
            breaks=(*breaks, com.fading),
        )
        if more:
            some = slice(None, None, max(1, round(COARSE / options.dt)))
            now, rough = times[some], max(options.spacing, 4 * COARSE)
            motion = body_motion(robot, tasks, now, spacing=rough)
            off = body_zmp(robot, *motion, reference[some, 2])
            off -= pendulum_zmp(com(now), reference[some, 2], GRAVITY)
            from scipy.interpolate import CubicSpline

            shift = CubicSpline(now, off)(times)
    return plan_tasks(robot, tasks, times, reference, options)


def plan_tasks(
    robot: RobotModel,
    tasks: Tasks,
    times: FloatArray,
    reference: FloatArray,
    options: GaitOptions,
) -> WalkPlan:
    """Return the plan of any tasks; `reference` (N, 3) is the ZMP on the ground."""
    q, v, a = body_motion(robot, tasks, times, spacing=options.spacing)
    check_limits(robot, tasks.schedule, times, q, v)
    plan = assemble_plan(
        robot,
        tasks.schedule,
        tasks.thickness,
        times,
        (q, v, a),
        tasks.com(times),
        feet=sole_frames(tasks, times) if not any(free_axes_of(robot)) else _followed(robot, q),
        ground=reference[:, 2],
        reference=reference[:, :2],
    )
    check_support(robot, tasks.schedule, times, plan.zmp, options.edges)
    return plan


def sole_frames(tasks: Tasks, times: FloatArray) -> FloatArray:
    """Return the poses (N, 2, 4, 4) of the sole frames."""
    places = tasks.feet(times).places
    poses = np.zeros((*places.shape[:2], 4, 4))
    c, s = np.cos(places[..., 3]), np.sin(places[..., 3])
    poses[..., 0, 0], poses[..., 1, 1], poses[..., 0, 1], poses[..., 1, 0] = c, c, -s, s
    poses[..., 2, 2] = poses[..., 3, 3] = 1.0
    poses[..., :3, 3] = places[..., :3] + tasks.lift
    return poses


def _followed(robot: RobotModel, q: FloatArray) -> FloatArray:
    """Return the poses (N, 2, 4, 4) of sole frames that follow their legs, at q (N, nq)."""
    import pinocchio as pin

    model, data = robot.model, robot.model.createData()
    poses = np.empty((len(q), 2, 4, 4))
    for k, row in enumerate(q):
        pin.framesForwardKinematics(model, data, row)
        poses[k] = [data.oMf[foot.frame].homogeneous for foot in robot.feet]
    return poses


def ticks(schedule: Schedule, dt: float) -> FloatArray:
    """Return the times (N,) from 0 to the end of the schedule, rounded up to a tick."""
    count = math.ceil(schedule.end / dt - 1e-9) + 1
    if count > LONGEST:
        raise GaitError(f"{schedule.end:g} s take {count} ticks of {dt:g} s, more than {LONGEST}")
    return np.asarray(np.arange(count) * dt, dtype=float)


def com_height(robot: RobotModel, options: GaitOptions) -> float:
    """Return the height of the centre of mass [m]: the given one, or that of half-sitting.

    With soles of different thickness the thinner one decides: its leg keeps its length, the other
    bends.
    """
    import pinocchio as pin

    if options.com_height is not None:
        return options.com_height
    com = pin.centerOfMass(robot.model, robot.model.createData(), robot.q0)
    return float(com[2]) + min(options.thicknesses)
