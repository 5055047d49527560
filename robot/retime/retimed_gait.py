"""The table [retime] of a scenario: its gait as fast as cones and drives allow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot.gait import BodyPath, Foothold, Gait, PlanPath, PostureMotion, WalkPlan
from robot.model import RobotModel
from robot.retime.retime_choice import RetimeChoice
from robot.retime.retiming import Retiming, retime
from robot.retime.sole_surface import retime_on_soles
from robot.soles import FeetOnSoles
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError


@dataclass(frozen=True, eq=False, kw_only=True)
class RetimedGait:
    """A gait before and after.

    Parameters
    ----------
    choice : what was asked for. own : duration of the path without retiming [s].
    retiming : the fastest time law. plan : the motion at every tick, scaled by `choice.factor`.
    edges (2, 2, 2) : smallest and largest x, y of each tread in its sole frame [m].
    """

    choice: RetimeChoice
    own: float
    retiming: Retiming
    plan: WalkPlan
    edges: FloatArray


def gait_path(
    gait: Gait,
    robot: RobotModel,
    period: float,
    sole_thickness: float | tuple[float, float],
    start: Foothold | None = None,
    edges: FloatArray | None = None,
) -> BodyPath:
    """Return the path of a gait: of its postures, or its plan; arguments as for `Gait.plan`."""
    if isinstance(gait, PostureMotion):
        return gait.path(robot, sole_thickness, start)
    return PlanPath(robot, gait.plan(robot, period, sole_thickness, start, edges))


def retime_gait(
    gait: Gait,
    robot: RobotModel,
    choice: RetimeChoice,
    period: float,
    sole_thickness: float | tuple[float, float],
    start: Foothold | None = None,
    feet: FeetOnSoles | None = None,
) -> RetimedGait:
    """Return a gait as fast as the table [retime] allows; arguments as for `Gait.plan`.

    A path through postures stands for the gait's `initial` and `final` times around it. `feet` :
    the soles, whose edges bound the cones; None: bare feet.

    Raises
    ------
    SoleError
        No time law meets the constraints, or the surface of rigid soles is asked for; the message
        says where, and which facet or joint.
    """
    edges = None if feet is None else feet.edges
    path = gait_path(gait, robot, period, sole_thickness, start, edges)
    ready = path.end_rate > 0
    limits = choice.limits(plan=ready)
    if choice.surface == "rigid":
        retiming = retime(path, choice.cone, limits, points=choice.points, edges=edges)
    else:
        if feet is None:
            raise SoleError('[retime] surface = "sole" needs soles on the feet')
        retiming = retime_on_soles(
            path, feet, choice.cone, limits, reserve=choice.reserve, points=choice.points
        ).retiming
    plan = retiming.plan(period) if ready else retiming.plan(period, gait.initial, gait.final)
    if edges is None:
        edges = np.array([[-foot.half_size, foot.half_size] for foot in robot.feet])
    return RetimedGait(
        choice=choice,
        own=gait.duration if isinstance(gait, PostureMotion) else path.end,
        retiming=retiming,
        plan=plan if choice.factor == 1.0 else plan.scaled(choice.factor),
        edges=edges,
    )
