"""All forces in the joints of one step: servos with limits, and stops.

Each is tau = constant - rate v+ (`robot.servo`, `robot.stops`), with conditions on v+: a servo not
beyond its limit, a stop that pushes, no joint moving out beyond its end. The step is solved with a
guess, looked at, and solved again until all conditions hold. A servo found at its limit stays
there; stops come and go together at first, then one at a time, which ends: a linear
complementarity problem with a positive definite matrix.
"""

from __future__ import annotations

import numpy as np

from robot import joint_forces_kernels as kernels
from robot.servo import Command, Servo
from robot.stops import Stops
from sole.arrays import BoolArray, FloatArray

TOGETHER = 6  # trials in which several stops may change


class JointForces:
    """The forces of one step, made from its start.

    Parameters
    ----------
    servo, stops : their laws.
    q, v : (n,) positions and velocities at the start. command : to the joints.

    Attributes
    ----------
    constant, rate : (n,) of the guess.
    torques, stopping : (n,) of drives and stops for the v+ last looked at [N m].
    saturated : (n,) which drives are at their limit.

    Raises
    ------
    SoleError
        The command is not finite or does not fit.
    """

    def __init__(
        self,
        servo: Servo,
        stops: Stops,
        q: FloatArray,
        v: FloatArray,
        command: Command,
        dt: float,
    ) -> None:
        n = len(q)
        self._numbers, self._sides = np.empty((6, n)), np.empty(n, dtype=np.int64)
        _, _, self.constant, self.rate, self.torques, self.stopping = self._numbers
        self._servo, self._stops, self._q, self._dt, self._trials = servo, stops, q, dt, 0
        self.saturated: BoolArray = np.zeros(n, dtype=np.bool_)
        fine = kernels.first_guess(
            servo.kp, servo.kd, stops.lower, stops.upper, stops.stiffness, stops.damping,
            q, v, servo.asked(command), dt, self._numbers, self._sides,
        )  # fmt: skip
        if not fine:
            servo.check(command)

    def settled(self, v: FloatArray) -> bool:
        """Take v+ (n,) of the guess: keep the torques; if a condition fails, guess again."""
        self._trials += 1
        servo, stops = self._servo, self._stops
        return kernels.settled(
            servo.limits, stops.lower, stops.upper, stops.stiffness, stops.damping,
            self._q, v, self._dt, self._trials <= TOGETHER,
            self._numbers, self._sides, self.saturated,
        )  # fmt: skip
