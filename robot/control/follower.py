"""Plain joint PD on a plan: no feedback but that of the joints."""

from __future__ import annotations

from robot.control.controller import Sensed
from robot.gait.plan import WalkPlan
from robot.mechanics.servo import Command


class Follower:
    """Gives the joints their planned positions and velocities.

    Parameters
    ----------
    plan : with q_ref and v_ref. period : between two calls [s].
    """

    def __init__(self, plan: WalkPlan, period: float) -> None:
        self.plan, self.period = plan, period

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return the plan at t + period."""
        tick = self.plan.at(t + self.period)
        return Command(positions=tick.q[7:], velocities=tick.v[6:])
