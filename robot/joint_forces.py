"""All forces in the joints of one step: servos with limits, stops, and springs behind them.

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
from sole.arrays import FloatArray, frozen
from sole.errors import ConfigError, SoleError

TOGETHER = 6  # trials in which several stops may change


@dataclass(frozen=True, eq=False, kw_only=True)
class Springs:
    """Passive joints of one degree of freedom behind the driven ones: tau = -k q+ - d v+.

    Parameters
    ----------
    stiffness : k (m,) [N m/rad or N/m]. damping : d (m,) [N m s/rad or N s/m].
    """

    stiffness: FloatArray
    damping: FloatArray

    def __post_init__(self) -> None:
        n = np.shape(self.stiffness)
        for name in ("stiffness", "damping"):
            array = frozen(getattr(self, name))
            if array.shape != n or array.ndim != 1:
                raise SoleError(f"springs: {name} has shape {array.shape}, expected {n}")
            if not (np.isfinite(array) & (array >= 0)).all():
                raise ConfigError(f"springs: {name} must be finite and not negative")
            object.__setattr__(self, name, array)


@dataclass(eq=False)
class JointForces:
    """The forces of one step, made from its start; `constant` and `rate` (n + m,) are the guess.

    Parameters
    ----------
    servo, stops, springs : their laws.
    q, v : (n + m,) positions and velocities at the start. command : to the n driven joints.
    """

    servo: Servo
    stops: Stops
    springs: Springs
    q: FloatArray
    v: FloatArray
    command: Command
    dt: float
    constant: FloatArray = field(init=False)
    rate: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        n = len(self.servo.kp)
        self.driven, own = self.q[:n], self.q[n:]
        self.motor = self.servo.constant(self.driven, self.command)
        self.damping = self.servo.damping(self.dt)
        self.saturated = np.zeros(n, dtype=np.bool_)
        self._trials = 0
        self.sides = self.stops.ahead(self.driven, self.v[:n], self.dt)
        k, d = self.springs.stiffness, self.springs.damping
        self._springs = -k * own, d + self.dt * k
        self._guess()

    def settled(self, new: FloatArray) -> bool:
        """Take v+ (n + m,) of the guess: keep the torques; if a condition fails, guess again."""
        n = len(self.motor)
        v = new[:n]
        tau = self.motor - self.damping * v
        self.torques = np.clip(tau, -self.servo.limits, self.servo.limits)
        self.stopping = self.stops.constant(self.driven, self.sides)
        self.stopping -= self.stops.rate(self.sides, self.dt) * v
        self.spring = self._springs[0] - self._springs[1] * new[n:]
        beyond = self.servo.beyond(tau) & ~self.saturated
        pulling = self.sides * self.stopping > 0
        ahead = np.where(self.sides == 0, self.stops.ahead(self.driven, v, self.dt), 0)
        push = self.stops.constant(self.driven, ahead) - self.stops.rate(ahead, self.dt) * v
        met = ahead * push < 0
        if not (beyond.any() or pulling.any() or met.any()):
            return True
        self._trials += 1
        if self._trials > TOGETHER:
            first = np.arange(n) == np.argmax(pulling | met)
            pulling, met = pulling & first, met & first
        self.saturated |= beyond
        self.motor = np.where(beyond, np.copysign(self.servo.limits, tau), self.motor)
        self.damping = np.where(self.saturated, 0.0, self.damping)
        self.sides = np.where(pulling, 0, np.where(met, ahead, self.sides))
        self._guess()
        return False

    def _guess(self) -> None:
        stop = self.stops.constant(self.driven, self.sides)
        self.constant = np.concatenate([self.motor + stop, self._springs[0]])
        rate = self.damping + self.stops.rate(self.sides, self.dt)
        self.rate = np.concatenate([rate, self._springs[1]])
