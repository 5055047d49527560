"""All forces in the joints of one step: servos with limits, and stops.

Each is tau = constant - rate v+ (`robot.servo`, `robot.stops`), with conditions on v+: a servo not
beyond its limit, a stop that pushes, no joint moving out beyond its end. The step is solved with a
guess, looked at, and solved again until all conditions hold. A servo found at its limit stays
there; stops come and go together at first, then one at a time, which ends: a linear
complementarity problem with a positive definite matrix.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from robot.servo import Command, Servo
from robot.stops import Stops
from sole.arrays import FloatArray

TOGETHER = 6  # trials in which several stops may change


@dataclass(eq=False)
class JointForces:
    """The forces of one step, made from its start; `constant` and `rate` (n,) are the guess.

    Parameters
    ----------
    servo, stops : their laws.
    q, v : (n,) positions and velocities at the start. command : to the joints.
    """

    servo: Servo
    stops: Stops
    q: FloatArray
    v: FloatArray
    command: Command
    dt: float
    constant: FloatArray = field(init=False)
    rate: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        n = len(self.q)
        self.motor = self.servo.constant(self.q, self.command)
        self.damping = self.servo.damping(self.dt)
        self.saturated = np.zeros(n, dtype=np.bool_)
        self._trials, self._nothing = 0, np.zeros(n)
        self._never = np.zeros(n, dtype=np.bool_)
        self.sides = self.stops.ahead(self.q, self.v, self.dt)
        self._guess()

    def settled(self, v: FloatArray) -> bool:
        """Take v+ (n,) of the guess: keep the torques; if a condition fails, guess again."""
        tau = self.motor - self.damping * v
        self.torques = np.clip(tau, -self.servo.limits, self.servo.limits)
        beyond = self.servo.beyond(tau) & ~self.saturated
        ahead = self.stops.ahead(self.q, v, self.dt)
        self.stopping, pulling, met = self._nothing, self._never, self._never
        if self.acting or ahead.any():
            self.stopping = self.stops.constant(self.q, self.sides)
            self.stopping = self.stopping - self.stops.rate(self.sides, self.dt) * v
            pulling = self.sides * self.stopping > 0
            ahead = np.where(self.sides == 0, ahead, 0)
            push = self.stops.constant(self.q, ahead) - self.stops.rate(ahead, self.dt) * v
            met = ahead * push < 0
        if not (beyond.any() or pulling.any() or met.any()):
            return True
        self._trials += 1
        if self._trials > TOGETHER:
            first = np.arange(len(v)) == np.argmax(pulling | met)
            pulling, met = pulling & first, met & first
        self.saturated |= beyond
        self.motor = np.where(beyond, np.copysign(self.servo.limits, tau), self.motor)
        self.damping = np.where(self.saturated, 0.0, self.damping)
        self.sides = np.where(pulling, 0, np.where(met, ahead, self.sides))
        self._guess()
        return False

    def _guess(self) -> None:
        self.constant, self.rate = self.motor, self.damping
        self.acting = bool(self.sides.any())
        if self.acting:
            self.constant = self.motor + self.stops.constant(self.q, self.sides)
            self.rate = self.damping + self.stops.rate(self.sides, self.dt)
