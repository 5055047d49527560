"""A controller on an online plan: the plan goes on first, then the controller follows it.

Where legs are almost straight, which a fixed plan refuses, small motions of a foot ask for large
ones of the knee. So each command stays within `FASTEST` of the one before, as drives limit it; the
rate is far beyond what a walk needs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robot.control import Controller, Sensed
from robot.online.online_plan import OnlinePlan
from robot.simulator import Command

FASTEST = 50.0  # rad/s


class OnlineControl:
    """Advances the plan in every period and passes the rest to a controller.

    Parameters
    ----------
    plan : the plan. inner : a controller that reads this plan and has its period.
    """

    def __init__(self, plan: OnlinePlan, inner: Controller) -> None:
        self.plan, self.inner, self.period = plan, inner, inner.period
        self.last = plan.q_ref[0, 7:].copy()

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return the command for time t + period."""
        self.plan.advance(sensed, t)
        command = self.inner.update(sensed, t)
        most = FASTEST * self.period
        step = command.positions - self.last
        if np.abs(step).max() <= most:  # no number is not
            self.last = np.array(command.positions)
            return command
        step = np.nan_to_num(step, nan=0.0, posinf=0.0, neginf=0.0)
        self.last = self.last + np.clip(step, -most, most)
        limit, torques = self.plan.robot.torque, command.torques
        return replace(
            command,
            positions=self.last.copy(),  # compiled ticks write into `last`
            velocities=np.clip(np.nan_to_num(command.velocities), -FASTEST, FASTEST),
            torques=None if torques is None else np.clip(np.nan_to_num(torques), -limit, limit),
        )
