"""Plans of standing, squatting and balancing on one leg, in the format of a walk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from robot.gait.body_motion import Tasks
from robot.gait.com import GaitMotion
from robot.gait.footholds import SIDES, GaitError, Stance
from robot.gait.footsteps import Footstep, Footsteps
from robot.gait.inverse_kinematics import stance_of
from robot.gait.plan import (
    GaitOptions,
    com_height,
    follow_reference,
    foot_size_of,
    plan_tasks,
    ticks,
)
from robot.gait.schedule import Schedule
from robot.gait.swing import FootMotion, foot_motion, rest_to_rest
from robot.gait.walk_plan import WalkPlan
from robot.gait.zmp import zmp_reference
from robot.model import RobotModel
from sole.base.arrays import FloatArray


def plan_standing(
    robot: RobotModel,
    duration: float = 1.0,
    options: GaitOptions | None = None,
    *,
    stance: Stance | None = None,
) -> WalkPlan:
    """Plan to stand still for `duration` [s], the centre of mass over the middle of the feet."""
    return plan_squat(robot, [(0.0, 0.0), (duration, 0.0)], options, stance=stance)


def plan_squat(
    robot: RobotModel,
    heights: Sequence[tuple[float, float]] = ((0.5, 0.0), (1.5, -0.1), (2.0, -0.1), (3.0, 0.0)),
    options: GaitOptions | None = None,
    *,
    stance: Stance | None = None,
) -> WalkPlan:
    """Plan to move the centre of mass up and down while both feet stand.

    Parameters
    ----------
    heights : (time [s], height [m]) with increasing times, the height relative to `com_height`.
        Between them r(s) of `robot.gait.swing` starts and ends at rest.
    stance : pose of the feet; by default that of half-sitting.
    """
    options = GaitOptions() if options is None else options
    knots = np.array(heights, dtype=float)
    if knots.ndim != 2 or knots.shape[1:] != (2,) or len(knots) < 1 or not np.isfinite(knots).all():
        raise GaitError("heights must be a list of (time, height), all finite")
    if not (knots[0, 0] >= 0 and (np.diff(knots[:, 0]) > 0).all() and knots[-1, 0] > 0):
        raise GaitError(f"times of heights must increase from 0 on, got {knots[:, 0]}")
    stance = stance_of(robot) if stance is None else stance
    rest = Footsteps(stance=stance, steps=(), final=float(knots[-1, 0]), foot=foot_size_of(robot))
    schedule = Schedule.of(rest)
    times = ticks(schedule, options.dt)
    level = com_height(robot, options) + stance.middle.z
    reference = zmp_reference(schedule, times, inset=options.inset)

    def com(t: FloatArray) -> GaitMotion:
        x, v, a = np.empty((t.size, 3)), np.zeros((t.size, 3)), np.zeros((t.size, 3))
        x[:, :2], x[:, 2] = reference[0, :2], level + knots[0, 1]
        for (since, low), (until, high) in pairwise(knots):
            T, rise = until - since, high - low
            r = rest_to_rest(np.clip((t - since) / T, 0.0, 1.0))
            for out, share, order in zip((x, v, a), r, range(3), strict=True):
                out[:, 2] += rise * share / T**order
        return x, v, a

    def feet(t: FloatArray) -> FootMotion:
        return foot_motion(schedule, t)

    tasks = Tasks(
        schedule=schedule,
        feet=feet,
        com=com,
        thickness=options.thicknesses,
        breaks=tuple(float(t) for t in knots[:, 0]),
    )
    return plan_tasks(robot, tasks, times, reference, options)


def plan_balance(
    robot: RobotModel,
    side: str = "left",
    options: GaitOptions | None = None,
    *,
    hold: float = 3.0,
    lift: float = 0.05,
    move: float = 1.0,
    initial: float = 2.0,
    final: float = 2.0,
    stance: Stance | None = None,
) -> WalkPlan:
    """Plan to stand on one leg: shift the weight, lift the other foot, hold, put it back.

    Parameters
    ----------
    side : side of the support leg.
    hold : how long the foot stays up [s]. lift : its height [m]. move : time up, and down [s].
    initial, final : time to move the centre of mass over the foot, and back [s].
    """
    options = GaitOptions() if options is None else options
    if side not in SIDES:
        raise GaitError(f"side to balance on must be 'left' or 'right', got {side!r}")
    for name, value in (("lift", lift), ("move", move), ("initial", initial)):
        if not 0 < value < math.inf:
            raise GaitError(f"{name} must be positive, got {value:g}")
    if not 0 <= hold < math.inf:
        raise GaitError(f"hold must not be negative, got {hold:g} s")
    stance = stance_of(robot) if stance is None else stance
    up = 1 - SIDES.index(side)
    step = Footstep(
        side=SIDES[up],
        foothold=stance.feet[up],
        start=initial,
        duration=hold + 2 * move,
    )
    schedule = Schedule.of(
        Footsteps(stance=stance, steps=(step,), final=final, foot=foot_size_of(robot))
    )
    times = ticks(schedule, options.dt)
    reference = zmp_reference(
        schedule, times, inset=options.inset, transfer=min(initial, final) / 2
    )

    def feet(t: FloatArray) -> FootMotion:
        still = foot_motion(
            Schedule.of(Footsteps(stance=stance, steps=(), foot=foot_size_of(robot))), t
        )
        r = rest_to_rest(np.clip((t - initial) / move, 0.0, 1.0))
        back = rest_to_rest(np.clip((t - step.end + move) / move, 0.0, 1.0))
        for order, out in enumerate((still.places, still.velocities, still.accelerations)):
            out[:, up, 2] += lift * (r[order] - back[order]) / move**order
        return still

    rough = (initial + move, step.end - move)
    return follow_reference(robot, schedule, feet, times, reference, options, rough)
