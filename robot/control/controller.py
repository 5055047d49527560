"""What the simulator asks of a controller, and what it shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from robot.servo import Command
from sole.arrays import FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Sensed:
    """What a controller knows of the robot at one instant.

    Parameters
    ----------
    q, v : configuration and velocity as far as it is known: the true ones, or encoders and an
        estimate of the floating base.
    wrenches : (2, 6) mean wrench of the ground on the left and the right foot over the last step,
        about the origin of the sole frame, its axes [N, N m].
    """

    q: FloatArray
    v: FloatArray
    wrenches: FloatArray


class Controller(Protocol):
    """Anything with a rate of its own; the simulator holds its command in between."""

    period: float
    """Time between two calls [s]; a multiple of the simulator's dt."""

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return the command for time t + period [s], from what was sensed at t."""
