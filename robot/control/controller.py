"""The interface between simulator and controller, and the plain joint PD along a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Protocol

import numpy as np

from robot.gait import MotionPlan
from robot.simulator import Command
from sole.base.arrays import BoolArray, FloatArray
from sole.base.compiled import kernel
from sole.base.errors import SoleError

LARGEST_COMMAND = 1e6  # the square of a larger one loses the digits of the rest
UNITS = {"positions": "rad", "velocities": "rad/s", "torques": "N m"}


@dataclass(frozen=True, eq=False, kw_only=True)
class Sensed:
    """The state of the robot as a controller knows it at one instant.

    Parameters
    ----------
    q, v : configuration and velocity: the true ones, or encoder readings and an estimate of the
        floating base.
    wrenches : (2, 6) mean wrench of the ground on the left and the right foot over the last step,
        about the origin of the sole frame and in its axes [N, N m].
    switches : (P,) whether each pad carries load, in the order of `robot.sensing.Pads`.
    """

    q: FloatArray
    v: FloatArray
    wrenches: FloatArray
    switches: BoolArray = field(default_factory=lambda: np.zeros(0, np.bool_))


class Controller(Protocol):
    """A controller with its own period; between two commands joints follow the velocities."""

    period: float
    """Time between two calls [s]; a multiple of the simulator's dt."""

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return the command for time t + period [s] from what was sensed at t."""


def steps_per_call(controller: Controller, dt: float) -> int:
    """Return the number of steps of `dt` [s] between two calls of a controller.

    Raises
    ------
    SoleError
        The controller has no period, or its period is no multiple of dt.
    """
    period = getattr(controller, "period", None)
    if not isinstance(period, int | float | np.number) or not 0 < period < inf:
        raise SoleError(
            f"controller {type(controller).__name__}: period between calls must be a positive "
            f"number of seconds, got {period!r}"
        )
    ratio = float(period) / dt
    if ratio < 1 - 1e-9 or abs(ratio - round(ratio)) > 1e-9 * ratio:
        raise SoleError(
            f"controller {type(controller).__name__}: period {period:g} s must be a multiple of dt "
            f"{dt:g} s: change one of them"
        )
    return round(ratio)


def check_command(command: object, joints: Sequence[str]) -> Command:
    """Return the output of a controller as a command of arrays for these joints.

    Raises
    ------
    SoleError
        The output is no command, has a wrong shape, or is not finite; the message names the joint.
    """
    if not isinstance(command, Command):
        raise SoleError(
            "controller: update must return a robot.simulator.Command, got "
            f"{type(command).__name__}"
        )
    rows = command.rows
    if (
        rows is not None
        and rows.shape == (3, len(joints))
        and is_within(rows.ravel(), LARGEST_COMMAND)
    ):
        return command
    torques = command.torques
    if torques is not None and _are_plain(command.positions, command.velocities, torques, joints):
        return command
    return Command(
        positions=_numbers("positions", command.positions, joints),
        velocities=_numbers("velocities", command.velocities, joints),
        torques=None if torques is None else _numbers("torques", torques, joints),
    )


def _are_plain(a: Any, b: Any, c: Any, joints: Sequence[str]) -> bool:
    """Return whether three parts are arrays (n,) that `_numbers` would return as they are."""
    for x in (a, b, c):
        if type(x) is not np.ndarray or x.dtype != float or x.shape != (len(joints),):
            return False
    return are_within(a, b, c, LARGEST_COMMAND)


def _numbers(name: str, given: Any, joints: Sequence[str]) -> FloatArray:
    """Return one part of a command as an array (n,)."""
    n = len(joints)
    try:
        array = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        array = np.array([_number(x) for x in given] if isinstance(given, list | tuple) else np.nan)
    if array.shape != (n,):
        raise SoleError(
            f"command: {name} have shape {array.shape}, expected ({n},), one for each joint from "
            f"{joints[0]} to {joints[-1]}"
        )
    if not is_within(array, LARGEST_COMMAND):
        j = int(np.argmin(np.abs(array) <= LARGEST_COMMAND))
        raise SoleError(
            f"command: {name} of joint {joints[j]} is {given[j]}, expected a number of "
            f"{UNITS[name]} within {LARGEST_COMMAND:g}"
        )
    return array


def _number(x: Any) -> float:
    try:
        return float(x)
    except (TypeError, ValueError):
        return np.nan


@kernel
def are_within(a: FloatArray, b: FloatArray, c: FloatArray, largest: float) -> bool:
    """Return whether all of three arrays (n,) are numbers within `largest`: `is_within`."""
    return is_within(a, largest) and is_within(b, largest) and is_within(c, largest)


@kernel
def is_within(array: FloatArray, largest: float) -> bool:
    """Return whether all of `array` (n,) are numbers with an absolute value up to `largest`."""
    for x in array:
        if not abs(x) <= largest:
            return False
    return True


class Follower:
    """A controller that commands the planned joint positions and velocities.

    Parameters
    ----------
    plan : holds q_ref and v_ref. period : time between two calls [s].
    """

    def __init__(self, plan: MotionPlan, period: float) -> None:
        self.plan, self.period = plan, period

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return the plan at t + period."""
        return Command.of_rows(self.rows([t + self.period])[0])

    def rows(self, times: Sequence[float]) -> FloatArray:
        """Return the plan at these times as rows of commands (N, 3, n); no torques."""
        at = [self.plan.row(t) for t in times]
        q, v = self.plan.q_ref[at, 7:], self.plan.v_ref[at, 6:]
        return np.stack([q, v, np.zeros_like(q)], axis=1)
