"""Gaits: from a few numbers to joint angles at every tick.

A plan is made in this order: footsteps, schedule (which foot carries when), ZMP reference, preview
control of the CoM, swing feet, inverse kinematics of every instant, checks, `WalkPlan`.
"""

from robot.gait.following_kernels import follow_tasks
from robot.gait.footholds import (
    Foothold,
    GaitError,
    Stance,
    foot_corners,
)
from robot.gait.footsteps import Footstep, Footsteps, Timing, listed
from robot.gait.gait import Gait
from robot.gait.gait_kinds import GAITS, AnyGait, change_gait, class_of
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
from robot.gait.reach import OUT, TOO_FAST, describe_change, is_usual, within_reach
from robot.gait.schedule import Schedule
from robot.gait.standing_gaits import Balancing, PostureMotion, Squatting, Standing
from robot.gait.swing import Swing, bump_height, travel
from robot.gait.timed_path import BodyPath, PlanPath, plan_along, rest_to_rest_plan
from robot.gait.usual_step import UsualStep, describe_usual, usual_step
from robot.gait.walk_plan import (
    MotionPlan,
    PlanArrays,
    PlanErrors,
    Tick,
    WalkPlan,
    plan_errors,
)
from robot.gait.walking import Landing, Walking
from robot.gait.zmp import TRANSFER, pendulum_rate
from robot.gait.zmp_preview import PreviewGains, preview_gains

__all__ = [
    "GAITS",
    "OUT",
    "TOO_FAST",
    "TRANSFER",
    "AnyGait",
    "Balancing",
    "BodyKinematics",
    "BodyPath",
    "Foothold",
    "Footstep",
    "Footsteps",
    "Gait",
    "GaitError",
    "GaitOptions",
    "KeyPosture",
    "Landing",
    "MotionPlan",
    "PlanArrays",
    "PlanErrors",
    "PlanPath",
    "PostureMotion",
    "PosturePath",
    "PreviewGains",
    "Schedule",
    "Squatting",
    "Stance",
    "Standing",
    "Swing",
    "Targets",
    "Tick",
    "Timing",
    "UsualStep",
    "WalkPlan",
    "Walking",
    "bump_height",
    "change_gait",
    "class_of",
    "describe_change",
    "describe_usual",
    "factor_lu",
    "follow_tasks",
    "foot_corners",
    "foot_size_of",
    "is_usual",
    "listed",
    "pendulum_rate",
    "plan_along",
    "plan_balance",
    "plan_errors",
    "plan_squat",
    "plan_standing",
    "plan_walk",
    "preview_gains",
    "rest_to_rest_plan",
    "robot_walk",
    "solve_lu",
    "stance_of",
    "travel",
    "usual_step",
    "within_reach",
]
