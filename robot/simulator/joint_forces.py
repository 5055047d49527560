"""All joint forces of one step: servos with torque limits, and stops.

Each is tau = constant - rate v+ (`servo`, `stops`) with conditions on v+: a servo stays within its
limit, a stop only pushes, no joint moves out beyond its end. The step is solved with a guess of the
active laws, checked, and solved again until all conditions hold. A servo found at its limit stays
there. Stops first change together, then one at a time, which terminates: this is a linear
complementarity problem with a positive definite matrix.
"""

from __future__ import annotations

import numpy as np

from robot.simulator import joint_forces_kernels as kernels
from robot.simulator.servo import Command, Servo
from robot.simulator.stops import Stops
from sole.base.arrays import BoolArray, FloatArray

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
    """The joint forces of one step, set up at its start.

    Parameters
    ----------
    laws : of servos and stops.
    q, v : (n,) positions and velocities at the start. command : to the joints.

    Attributes
    ----------
    numbers : (6, n) data of the kernels with the guess: `constant` and `rate` [N m, N m s/rad].
    saturated : (n,) whether a drive is at its limit.

    Raises
    ------
    SoleError
        The command is not finite or has a wrong shape.
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
        if not kernels.make_first_guess(*self._laws, q, v, asked, dt, self.numbers, self._sides):
            laws.servo.check(command)

    @property
    def torques(self) -> FloatArray:
        """Torques (n,) of the drives for the last v+ [N m]."""
        return np.asarray(self.numbers[kernels.TORQUES])

    @property
    def stopping(self) -> FloatArray:
        """Torques (n,) of the stops, likewise."""
        return np.asarray(self.numbers[kernels.STOPPING])

    def settle(self, v: FloatArray) -> bool:
        """Check v+ (n,) of the guess: keep the torques, or improve the guess and return False."""
        self._trials += 1
        return kernels.settle_guess(
            *self._laws, self._q, v, self._dt, self._trials <= TOGETHER,
            self.numbers, self._sides, self.saturated,
        )  # fmt: skip
