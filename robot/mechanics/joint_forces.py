"""All forces in the joints of one step: servos with limits, and stops.

Each is tau = constant - rate v+ (`servo`, `stops`), with conditions on v+: a servo not beyond its
limit, a stop that pushes, no joint moving out beyond its end. The step is solved with a
guess, looked at, and solved again until all conditions hold. A servo found at its limit stays
there; stops come and go together at first, then one at a time, which ends: a linear
complementarity problem with a positive definite matrix.
"""

from __future__ import annotations

import numpy as np

from robot.mechanics import joint_forces_kernels as kernels
from robot.mechanics.servo import Command, Servo
from robot.mechanics.stops import Stops
from sole.arrays import BoolArray, FloatArray

TOGETHER = 6  # trials in which several stops may change


class JointLaws:
    """Servos and stops of all joints, side by side.

    Parameters
    ----------
    servo, stops : for the same n joints.
    """

    def __init__(self, servo: Servo, stops: Stops) -> None:
        self.servo = servo
        table = np.array([servo.kp, servo.kd, servo.limits, stops.lower, stops.upper])
        self.numbers = table, stops.stiffness, stops.damping


class JointForces:
    """The forces of one step, made from its start.

    Parameters
    ----------
    laws : of servos and stops.
    q, v : (n,) positions and velocities at the start. command : to the joints.

    Attributes
    ----------
    numbers : (6, n) what the kernels know, with the guess: `constant` and `rate` [N m, N m s/rad].
    saturated : (n,) which drives are at their limit.

    Raises
    ------
    SoleError
        The command is not finite or does not fit.
    """

    __slots__ = ("_dt", "_laws", "_q", "_sides", "_trials", "numbers", "saturated")

    def __init__(
        self, laws: JointLaws, q: FloatArray, v: FloatArray, command: Command, dt: float
    ) -> None:
        n = len(q)
        self._laws, self._q, self._dt, self._trials = laws.numbers, q, dt, 0
        self.numbers, self._sides = np.empty((6, n)), np.empty(n, dtype=np.int64)
        self.saturated: BoolArray = np.zeros(n, dtype=np.bool_)
        asked = laws.servo.asked(command)
        if not kernels.first_guess(*self._laws, q, v, asked, dt, self.numbers, self._sides):
            laws.servo.check(command)

    @property
    def torques(self) -> FloatArray:
        """(n,) of the drives for the v+ last looked at [N m]."""
        return np.asarray(self.numbers[kernels.TORQUES])

    @property
    def stopping(self) -> FloatArray:
        """(n,) of the stops, likewise."""
        return np.asarray(self.numbers[kernels.STOPPING])

    def settled(self, v: FloatArray) -> bool:
        """Take v+ (n,) of the guess: keep the torques; if a condition fails, guess again."""
        self._trials += 1
        return kernels.settled(
            *self._laws, self._q, v, self._dt, self._trials <= TOGETHER,
            self.numbers, self._sides, self.saturated,
        )  # fmt: skip
