"""Gaits: from a few numbers to joint angles at every tick.

A plan is made in this order: footsteps, schedule (which foot carries when), ZMP reference, preview
control of the CoM, swing feet, inverse kinematics of every instant, checks, `WalkPlan`.
"""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.gait.footholds import (
        Foothold,
        GaitError,
        foot_corners,
    )
    from robot.gait.footsteps import Timing, listed
    from robot.gait.gait import (
        Gait,
        Landing,
        path_of,
        plan_gait,
    )
    from robot.gait.inverse_kinematics import (
        BodyKinematics,
        Targets,
        stance_of,
    )
    from robot.gait.newton_kernels import factor_lu, solve_lu
    from robot.gait.plan import (
        GaitOptions,
        foot_size_of,
        plan_walk,
        robot_walk,
    )
    from robot.gait.poses import (
        plan_balance,
        plan_squat,
        plan_standing,
    )
    from robot.gait.postures import KeyPosture, PosturePath
    from robot.gait.schedule import Schedule
    from robot.gait.timed_path import BodyPath, PlanPath, plan_along, rest_to_rest_plan
    from robot.gait.walk_plan import PlanArrays, PlanErrors, WalkPlan, plan_errors
else:
    __getattr__ = load_later(__name__)

__all__ = [
    "BodyKinematics",
    "BodyPath",
    "Foothold",
    "Gait",
    "GaitError",
    "GaitOptions",
    "KeyPosture",
    "Landing",
    "PlanArrays",
    "PlanErrors",
    "PlanPath",
    "PosturePath",
    "Schedule",
    "Targets",
    "Timing",
    "WalkPlan",
    "factor_lu",
    "foot_corners",
    "foot_size_of",
    "listed",
    "path_of",
    "plan_along",
    "plan_balance",
    "plan_errors",
    "plan_gait",
    "plan_squat",
    "plan_standing",
    "plan_walk",
    "rest_to_rest_plan",
    "robot_walk",
    "solve_lu",
    "stance_of",
]
