"""Plans that go on from where the feet are: contacts decide when and where steps end.

plan = OnlinePlan(robot, plan_walk(robot), PlanChoice(kind="online"), lift=0.06)
controller = OnlineControl(plan, Stabiliser(robot, plan, ...))
plan.steer(forward=0.3, turn=0.1);  plan.stop()
"""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.online.calm_kernels import (
        CalmPlan,
        CalmRules,
        CalmState,
        copy_state,
        make_calm_tick,
        store_state,
    )
    from robot.online.calm_ticks import CalmControl, calm_plan, no_plan, take_ticks
    from robot.online.choice import PlanChoice, WalkCommand
    from robot.online.online_control import FASTEST, OnlineControl
    from robot.online.online_plan import OnlinePlan
    from robot.online.timeline import Timeline
else:
    # Later: at once, `sole walk MISSPELT` would import 15 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "FASTEST",
    "CalmControl",
    "CalmPlan",
    "CalmRules",
    "CalmState",
    "OnlineControl",
    "OnlinePlan",
    "PlanChoice",
    "Timeline",
    "WalkCommand",
    "calm_plan",
    "copy_state",
    "make_calm_tick",
    "no_plan",
    "store_state",
    "take_ticks",
]
