"""The bouncing ball on linearised penalty contact, in closed form [RengifoEtAl2009].

    m p'' = -m g + f_n                                                       (1)
    p''^d = -kp p - kv min(0, p')                                            (3)
    f_n = 0 for p > 0,   f_n = m g + m p''^d for p <= 0                      (4)

In contact gravity is cancelled, p'' = -kp p - kv min(0, p'): a damped way down from p = 0 at the
speed u, an undamped way up. With omega = sqrt(kp), a = kv/2 and tau_1 the time down,

    e = exp(-a tau_1),   depth e u / omega,   contact lasts tau_1 + pi/(2 omega),

whatever m, g and u. So e depends on kp/kv^2 alone. (The paper says on kp/kv; but with kp/kv = 1
it is 0.98, 0.55 or 0.03 for kv = 0.001, 1 or 1000.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import atan2, exp, inf, log, log1p, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from contact.papers.penalty.law import PenaltyLaw, check_law
from contact.papers.penalty.penalty_checks import (
    require_finite,
    require_not_negative,
    require_number,
    require_positive_number,
)
from sole.base import constants
from sole.base.arrays import BoolArray, FloatArray
from sole.base.errors import SoleError

GRAVITY = constants.GRAVITY  # m/s^2
MOST = 10_000_000  # impacts


def turn_time(law: PenaltyLaw) -> float:
    """tau_1 [s] from touching the ground to the deepest point; infinite for kp = 0.

    arccos(zeta) / sqrt(kp (1 - zeta^2)) with zeta = kv / (2 sqrt(kp)), 1/sqrt(kp) at zeta = 1 and
    arccosh beyond.
    """
    omega, a = sqrt(law.kp), law.kv / 2
    if omega == 0.0:
        return inf
    if a < omega:
        omega_d = sqrt((omega - a) * (omega + a))
        return atan2(omega_d, a) / omega_d
    slow, fast, spread = _rates(law)
    if fast > 1e100 * slow:  # their ratio may be beyond the floats
        return (2 * log(fast) - log(law.kp)) / spread
    return log1p(spread / slow) / spread if spread > 0 else 1 / omega


def contact_time(law: PenaltyLaw) -> float:
    """tau_1 + pi / (2 sqrt(kp)) [s], the same for every impact: bounces never accumulate."""
    return turn_time(law) + pi / (2 * sqrt(law.kp)) if law.kp > 0 else inf


def restitution(law: PenaltyLaw) -> float:
    """e = exp(-kv tau_1 / 2), speed after over speed before; sqrt(kp)/kv where that is small."""
    return exp(-law.kv / 2 * turn_time(law)) if law.kv > 0 else float(law.kp > 0)


def peak_acceleration(law: PenaltyLaw, u: float) -> float:
    """Largest p''^d [m/s^2] in an impact at speed u; the force is m (g + this).

    kv u, at touching, if kp <= kv^2; else u omega exp(-zeta (3 arccos zeta - pi) / sqrt(1 -
    zeta^2)), later. (The paper: the maximal force depends only on kv. It depends on m and u too,
    and for kp > kv^2 on kp.)
    """
    require_not_negative("the speed u", u)
    omega, a = sqrt(law.kp), law.kv / 2
    if omega <= law.kv:
        return law.kv * u
    omega_d = sqrt((omega - a) * (omega + a))
    return u * omega * exp(-a * (3 * atan2(omega_d, a) - pi) / omega_d)


@dataclass(frozen=True, eq=False)
class BallMotion:
    """Height p [m], velocity p' [m/s] and force f_n [N], in the shape of the times asked for."""

    height: FloatArray
    velocity: FloatArray
    force: FloatArray


@dataclass(frozen=True)
class BouncingBall:
    """All bounces of a ball, exactly.

    Parameters
    ----------
    law : kp and kv; epsilon must be 0 (with a steady penetration the ball need not leave).
    mass : m > 0 [kg].
    height : p >= 0 [m] at the time 0.
    velocity : p' [m/s] at the time 0, up is positive.
    gravity : g > 0 [m/s^2].

    Raises
    ------
    SoleError
        For values out of these ranges.
    """

    law: PenaltyLaw
    mass: float = 1.0
    height: float = 1.0
    velocity: float = 0.0
    gravity: float = GRAVITY

    def __post_init__(self) -> None:
        check_law(self.law)
        require_number("height", self.height)
        require_number("velocity", self.velocity)
        require_positive_number("mass", self.mass)
        require_positive_number("gravity", self.gravity)
        if self.height < 0:
            raise SoleError(f"the ball must start above ground, got height {self.height:g} m")
        if self.law.epsilon != 0:
            raise SoleError(
                f"the closed form is for epsilon = 0, got {self.law.epsilon:g} m: "
                "integrate with contact.papers.penalty.drop"
            )

    @cached_property
    def impact_speed(self) -> float:
        """Speed u [m/s] at the first touch."""
        return sqrt(self.velocity**2 + 2 * self.gravity * self.height)

    @cached_property
    def impact_time(self) -> float:
        """When the ball first touches [s]."""
        return (self.velocity + self.impact_speed) / self.gravity

    @property
    def penetration(self) -> float:
        """Depth [m] of the first impact, e u / omega, or u / kv for kp = 0; the n-th: e^(n-1)."""
        if self.law.kp > 0:
            return restitution(self.law) * self.impact_speed / sqrt(self.law.kp)
        return self.impact_speed / self.law.kv if self.law.kv > 0 else inf

    @property
    def peak_force(self) -> float:
        """Largest force [N], m (g + peak acceleration of the first impact)."""
        return self.mass * (self.gravity + peak_acceleration(self.law, self.impact_speed))

    def impacts(self, end: float) -> tuple[FloatArray, FloatArray]:
        """Return when the ball touches up to the time `end` [s], and how fast [m/s]."""
        if not self.impact_time <= require_number("end", end):
            return np.empty(0), np.empty(0)
        contact = contact_time(self.law)
        count = int((end - self.impact_time) / contact) + 1
        if count > MOST:
            raise SoleError(f"{count} impacts by {end:g} s, at most {MOST} fit: ask for less time")
        speeds = self.impact_speed * np.power(restitution(self.law), np.arange(count))
        times = self.impact_time + np.zeros(count)
        if count > 1:
            times[1:] += np.cumsum(contact + 2 * speeds[1:] / self.gravity)
        kept = times <= end
        return times[kept], speeds[kept]

    def motion(self, times: ArrayLike) -> BallMotion:
        """Return height, velocity and force at `times` >= 0 [s], any shape, any order."""
        t = require_finite("times", times)
        if not (t >= 0).all():
            raise SoleError("times must be finite and not negative")
        starts, speeds = self.impacts(float(t.max(initial=0.0)))
        bounce = np.searchsorted(starts, t, "right") - 1
        n = np.maximum(bounce, 0)
        t_i, u = (starts[n], speeds[n]) if len(starts) else (np.zeros_like(t), np.zeros_like(t))
        tau, falling = t - t_i, bounce < 0
        touching = ~falling & (tau <= contact_time(self.law))
        p, v = _contact(self.law, np.where(touching, tau, 0.0), u)
        e, g = restitution(self.law), self.gravity
        s = np.where(falling, t, tau - contact_time(self.law) if self.law.kp > 0 else 0.0)
        up = np.where(falling, self.velocity, e * u)
        flight = np.where(falling, self.height, 0.0) + up * s - g * s**2 / 2
        height, velocity = np.where(touching, p, flight), np.where(touching, v, up - g * s)
        return BallMotion(height, velocity, np.where(touching, _force(self, height, velocity), 0.0))


def _force(ball: BouncingBall, p: FloatArray, v: FloatArray) -> FloatArray:
    """f_n = m g + m p''^d, equation (4)."""
    law = ball.law
    return ball.mass * (ball.gravity - law.kp * p - law.kv * np.minimum(0.0, v))


def _rates(law: PenaltyLaw) -> tuple[float, float, float]:
    """Slow and fast decay rate of the way down for kv^2 >= 4 kp, and their difference [1/s]."""
    omega, a = sqrt(law.kp), law.kv / 2
    root = sqrt(a - omega) * sqrt(a + omega)
    return (law.kp / (a + root) if a > 0 else 0.0), a + root, 2 * root


def _contact(law: PenaltyLaw, tau: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Height and velocity at `tau` after touching at speed u."""
    omega, a, tau_1 = sqrt(law.kp), law.kv / 2, turn_time(law)
    down: BoolArray = tau <= tau_1
    s = np.where(down, tau, 0.0)
    if a < omega:
        omega_d = sqrt((omega - a) * (omega + a))
        decay, S = np.exp(-a * s), np.sin(omega_d * s) / omega_d
        p, v = -u * decay * S, -u * decay * (np.cos(omega_d * s) - a * S)
    else:
        slow, fast, spread = _rates(law)
        G = -np.expm1(-spread * s) / spread if spread > 0 else s
        p, v = -u * np.exp(-slow * s) * G, -u * (np.exp(-fast * s) - slow * np.exp(-slow * s) * G)
    if omega == 0.0:
        return p, v
    phase, left = omega * np.where(down, 0.0, tau - tau_1), restitution(law) * u
    return np.where(down, p, -left / omega * np.cos(phase)), np.where(down, v, left * np.sin(phase))
