"""What the simulator asks of a controller, what it shows it, and what it takes for an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Protocol

import numpy as np

from robot.control.limits import within
from robot.mechanics.servo import Command
from sole.arrays import BoolArray, FloatArray
from sole.errors import SoleError

UNITS = {"positions": "rad", "velocities": "rad/s", "torques": "N m"}
LARGEST = 1e6  # of any of these: more is a mistake, and squares of it lose the digits of the rest


@dataclass(frozen=True, eq=False, kw_only=True)
class Sensed:
    """What a controller knows of the robot at one instant.

    Parameters
    ----------
    q, v : configuration and velocity as far as it is known: the true ones, or encoders and an
        estimate of the floating base.
    wrenches : (2, 6) mean wrench of the ground on the left and the right foot over the last step,
        about the origin of the sole frame, its axes [N, N m].
    switches : (P,) whether each pad carries load, in the order of `robot.sensing.pads.Pads`.
    """

    q: FloatArray
    v: FloatArray
    wrenches: FloatArray
    switches: BoolArray = field(default_factory=lambda: np.zeros(0, np.bool_))


class Controller(Protocol):
    """Anything with a rate of its own; between two commands joints follow the velocities."""

    period: float
    """Time between two calls [s]; a multiple of the simulator's dt."""

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return the command for time t + period [s], from what was sensed at t."""


def steps_per_call(controller: Controller, dt: float) -> int:
    """Return how many steps of `dt` [s] there are between two calls of a controller.

    Raises
    ------
    SoleError
        It has no period, or one that is no multiple of dt.
    """
    period = getattr(controller, "period", None)
    if not isinstance(period, int | float | np.number) or not 0 < period < inf:
        raise SoleError(
            f"controller {type(controller).__name__}: period must be a positive number of seconds "
            f"between two calls, got {period!r}"
        )
    ratio = float(period) / dt
    if ratio < 1 - 1e-9 or abs(ratio - round(ratio)) > 1e-9 * ratio:
        raise SoleError(
            f"controller {type(controller).__name__}: period {period:g} s must be a multiple of dt "
            f"{dt:g} s: change one of them"
        )
    return round(ratio)


def checked(command: object, joints: Sequence[str]) -> Command:
    """Return what a controller gave as a command of arrays, for the joints with these names.

    Raises
    ------
    SoleError
        It is no command, does not fit, or is not finite; names the joint.
    """
    if not isinstance(command, Command):
        raise SoleError(
            "controller: update must return a robot.mechanics.servo.Command, got "
            f"{type(command).__name__}"
        )
    torques = command.torques
    return Command(
        positions=_numbers("positions", command.positions, joints),
        velocities=_numbers("velocities", command.velocities, joints),
        torques=None if torques is None else _numbers("torques", torques, joints),
    )


def _numbers(name: str, given: Any, joints: Sequence[str]) -> FloatArray:
    """Return (n,) of what a controller gave for all joints."""
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
    if not within(array, LARGEST):
        j = int(np.argmin(np.abs(array) <= LARGEST))
        raise SoleError(
            f"command: {name} of joint {joints[j]} is {given[j]}, expected a number of "
            f"{UNITS[name]} within {LARGEST:g}"
        )
    return array


def _number(x: Any) -> float:
    try:
        return float(x)
    except (TypeError, ValueError):
        return np.nan
