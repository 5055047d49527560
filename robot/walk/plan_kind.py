"""Whether a walk is planned beforehand or while it goes on, if that is left to the scenario.

`[plan] kind = "auto"` becomes "online" where the ground is not the one that the plan knows: where
it is more than `UNKNOWN` above or below a planned foothold. A plan knows the heights of its
footholds (`rise`, `footstep`), on which soles land level. Gaits other than a walk, controllers
other than stabiliser and force control, retimed gaits, feet on bushes, penalty contact and legs of
fewer than six joints keep to a fixed plan.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from contact.ground import Ground
from robot.gait import Foothold, GaitError, Walking
from robot.model import RobotModel, free_axes_of
from robot.walk.scenario import Scenario

UNKNOWN = 1e-3  # m
ALONG, ACROSS = np.linspace(-1.0, 1.0, 7), np.linspace(-1.0, 1.0, 3)  # of a tread


def with_plan_kind(scenario: Scenario, robot: RobotModel, ground: Ground) -> Scenario:
    """Return the scenario with a plan that is "fixed" or "online"."""
    s = scenario
    if s.plan.kind != "auto":
        return s
    may = (
        s.control.kind in ("stabiliser", "force")
        and s.retime is None
        and s.bush is None
        and s.contact.kind != "penalty"
        and not any(free_axes_of(robot))
    )
    gait, start = s.gait, s.start.foothold
    online = may and isinstance(gait, Walking) and is_unknown(gait, start, robot, ground)
    return replace(s, plan=replace(s.plan, kind="online" if online else "fixed"))


def is_unknown(gait: Walking, start: Foothold, robot: RobotModel, ground: Ground) -> bool:
    """Return whether the ground is above or below a planned foothold."""
    try:
        steps = gait.footsteps(robot, start).steps
    except GaitError:
        return False  # planning says it, with what would do
    treads = []
    for step in steps:
        x, y = robot.feet[step.foot].half_size
        hold = step.foothold
        treads += [hold.at(x * a, y * b) for a in ALONG for b in ACROSS]
    return bool(treads) and bool(np.abs(ground.clearance(np.array(treads))).max() > UNKNOWN)
