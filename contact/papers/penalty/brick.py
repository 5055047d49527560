"""A brick slides down a ramp with friction: force, and motion in closed form [RengifoEtAl2009].

    m p'' = m g sin(alpha) - f_r                                                       (5)
    p''^d = -kv p'                                                                     (7)
    f_r = sign(f'_r) min(|f'_r|, mu m g cos(alpha)),  f'_r = m g sin(alpha) + m kv p'   (8)

x points down the ramp. Between the velocities

    -(g/kv) (mu cos + sin)  and  v_s = (g/kv) (mu cos - sin)

friction is not saturated and p' decays as exp(-kv t); beyond, it is Coulomb's. (The paper's second
form (9) of (8) has -v_s for the lower one; that holds for alpha = 0 only.) So the brick stops if
and only if mu cos(alpha) > sin(alpha), with the force m g sin(alpha), which needs no threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import cos, inf, log, pi, sin

import numpy as np
from numpy.typing import ArrayLike

from contact.papers.penalty.ball import GRAVITY
from contact.papers.penalty.events import SwitchedTrajectory, integrate_switched
from contact.papers.penalty.law import PenaltyLaw, check_law
from contact.papers.penalty.penalty_checks import (
    require_finite,
    require_number,
    require_positive_number,
)
from sole.base.arrays import BoolArray, FloatArray
from sole.base.errors import SoleError


@dataclass(frozen=True, eq=False)
class Slide:
    """Distance x [m], velocity p' [m/s] and friction f_r [N], up the ramp, at given times."""

    way: FloatArray
    velocity: FloatArray
    force: FloatArray


@dataclass(frozen=True)
class Brick:
    """A brick with the velocity p'(0) at x = 0.

    Parameters
    ----------
    law : kv > 0 and mu; kp plays no part.
    angle : alpha of the ramp [rad], from 0 to less than pi/2.
    velocity : p'(0) [m/s], down the ramp is positive.
    mass : m > 0 [kg].
    gravity : g > 0 [m/s^2].

    Raises
    ------
    SoleError
        For values out of these ranges.
    """

    law: PenaltyLaw
    angle: float
    velocity: float = 1.0
    mass: float = 1.0
    gravity: float = GRAVITY

    def __post_init__(self) -> None:
        check_law(self.law)
        require_number("velocity", self.velocity)
        require_positive_number("mass", self.mass)
        require_positive_number("gravity", self.gravity)
        if not 0 <= require_number("angle", self.angle) < pi / 2:
            raise SoleError(f"angle must be from 0 to less than pi/2 rad, got {self.angle:g} rad")
        if self.law.kv == 0:
            raise SoleError("kv must be positive: without it friction never slows the brick")

    @property
    def downhill(self) -> float:
        """g sin(alpha) [m/s^2]."""
        return self.gravity * sin(self.angle)

    @property
    def grip(self) -> float:
        """mu g cos(alpha) [m/s^2]."""
        return self.law.friction * self.gravity * cos(self.angle)

    @property
    def threshold(self) -> float:
        """v_s = (g/kv) (mu cos(alpha) - sin(alpha)) [m/s]; above it friction is Coulomb's."""
        return (self.grip - self.downhill) / self.law.kv

    @property
    def lower_threshold(self) -> float:
        """-(g/kv) (mu cos(alpha) + sin(alpha)) [m/s]; below it friction is Coulomb's, downhill."""
        return -(self.grip + self.downhill) / self.law.kv

    @property
    def stops(self) -> bool:
        """Whether mu cos(alpha) > sin(alpha): then from any velocity."""
        return self.grip > self.downhill

    @property
    def stick_force(self) -> float:
        """m g sin(alpha) [N], friction of the brick at rest."""
        return self.mass * self.downhill

    @property
    def stop_way(self) -> float:
        """Where the brick comes to rest [m]; infinite if it does not."""
        if not self.stops:
            return inf
        _, x, v = self._pieces[-1][:3]
        return x + v / self.law.kv

    def force(self, velocity: ArrayLike) -> FloatArray:
        """f_r [N] by equation (8), up the ramp; velocities p' [m/s] of any shape."""
        f = self.mass * (self.downhill + self.law.kv * require_finite("velocity", velocity))
        return np.asarray(np.sign(f) * np.minimum(np.abs(f), self.mass * self.grip))

    def motion(self, times: ArrayLike) -> Slide:
        """Return way, velocity and friction at `times` >= 0 [s], any shape, in closed form."""
        t = require_finite("times", times)
        if not (t >= 0).all():
            raise SoleError("times must be finite and not negative")
        x, v = np.zeros_like(t), np.zeros_like(t)
        for start, x_0, v_0, a, end in self._pieces:
            here = (start <= t) & (t < end)
            tau = t[here] - start
            if np.isnan(a):  # p'' = -kv p'
                x[here] = x_0 - v_0 / self.law.kv * np.expm1(-self.law.kv * tau)
                v[here] = v_0 * np.exp(-self.law.kv * tau)
            else:
                x[here], v[here] = x_0 + v_0 * tau + a * tau**2 / 2, v_0 + a * tau
        return Slide(x, v, self.force(v))

    @cached_property
    def _pieces(self) -> list[tuple[float, float, float, float, float]]:
        """Pieces (start, x, p', p'', end); p'' is constant, or nan where p' decays."""
        kv, v_s, v_l = self.law.kv, self.threshold, self.lower_threshold
        t, x, v = 0.0, 0.0, self.velocity
        pieces = []
        if v < v_l:
            b = self.downhill + self.grip
            end = (v_l - v) / b if b > 0 else inf
            pieces.append((t, x, v, b, t + end))
            if end == inf:
                return pieces
            t, x, v = t + end, x + (v_l**2 - v**2) / (2 * b), v_l
        if v <= v_s or not self.stops:
            if v <= v_s < 0:  # friction cannot hold it: it slows uphill as if damped, then slides
                end = log(v / v_s) / kv
                pieces.append((t, x, v, np.nan, t + end))
                t, x, v = t + end, x + (v - v_s) / kv, v_s
            elif v <= v_s:
                return [*pieces, (t, x, v, np.nan, inf)]
            return [*pieces, (t, x, v, self.downhill - self.grip, inf)]
        a = self.grip - self.downhill
        end = (v - v_s) / a
        pieces.append((t, x, v, -a, t + end))
        return [*pieces, (t + end, x + (v**2 - v_s**2) / (2 * a), v_s, np.nan, inf)]


def integrate_slide(brick: Brick, times: ArrayLike) -> SwitchedTrajectory:
    """Integrate (5) with (8) from one saturation to the next: states (x, p') at `times` [s].

    Switches are f'_r - mu m g cos(alpha) and f'_r + mu m g cos(alpha), per mass: at the events of
    the first the velocity is v_s.
    """
    kv, down, grip = brick.law.kv, brick.downhill, brick.grip

    def rhs(_: float, y: FloatArray, mode: BoolArray) -> list[float]:
        above, over = mode
        v = float(y[1])
        return [v, down - (grip if above else down + kv * v if over else -grip)]

    def switches(_: float, y: FloatArray) -> list[float]:
        required = down + kv * float(y[1])
        return [required - grip, required + grip]

    return integrate_switched(rhs, switches, [0.0, brick.velocity], times)
