"""The classical penalty laws that linearised contact is compared with.

With the depth d = -p >= 0 of a body in the ground and its velocity p' (up is positive):

    f_n = -k p - c p'                       spring and damper, equation (2) of [RengifoEtAl2009]
    f_n = k d^n + lam d^n d'                nonlinear damping [HuntCrossley1975], n = 3/2: Hertz

k [N/m] and c [N s/m], or k [N/m^n] and lam [N s/m^(n+1)], give forces: they suit one mass. Spring
and damper pull before every separation, where k d < c p'; nonlinear damping does so only when
something else separates the bodies faster than p' = k/lam. `saturated` cuts that off, f_n =
max(0, f_n), at the price of a kink.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from contact.papers.penalty.law import PenaltyLaw, check_law
from contact.papers.penalty.penalty_checks import (
    require_not_negative,
    require_number,
    require_positive_number,
)
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError


class _NormalForce:
    """The common part of laws for the force itself."""

    def pressing(
        self, p: ArrayLike, v: ArrayLike, mass: float, load: float, approaching: ArrayLike
    ) -> FloatArray:
        """Force [N] while touching, before saturation; neither mass nor load matter."""
        raise NotImplementedError

    @property
    def resolution(self) -> float:
        """Height and velocity of a state at rest that are round-off of its forces [m, m/s]."""
        return 1e-14

    def acceleration(
        self, p: ArrayLike, v: ArrayLike, mass: float, load: float, approaching: ArrayLike
    ) -> FloatArray:
        """(load + f_n) / m [m/s^2]."""
        return np.asarray((load + self.pressing(p, v, mass, load, approaching)) / mass)


@dataclass(frozen=True)
class SpringDamper(_NormalForce):
    """f_n = -k p - c p' for p <= 0, equation (2).

    Parameters
    ----------
    k : > 0 [N/m] (the paper's k_p of this law).
    c : >= 0 [N s/m].
    saturated : never pull.
    """

    k: float
    c: float
    saturated: bool = False

    def __post_init__(self) -> None:
        require_positive_number("k", self.k)
        require_not_negative("c", self.c)
        _check_flag(self.saturated)

    def pressing(
        self, p: ArrayLike, v: ArrayLike, mass: float, load: float, approaching: ArrayLike
    ) -> FloatArray:
        """Force [N] while touching, before saturation; neither mass nor load matter."""
        return np.asarray(-self.k * np.asarray(p) - self.c * np.asarray(v))


@dataclass(frozen=True)
class HuntCrossley(_NormalForce):
    """f_n = k d^n + lam d^n d' with d = -p >= 0.

    Parameters
    ----------
    k : > 0 [N/m^n].
    lam : lambda >= 0 [N s/m^(n+1)].
    n : exponent >= 1.
    saturated : never pull.
    """

    k: float
    lam: float
    n: float = 1.5
    saturated: bool = False

    def __post_init__(self) -> None:
        require_positive_number("k", self.k)
        require_not_negative("lam", self.lam)
        if not require_number("n", self.n) >= 1:
            raise SoleError(f"n must be at least 1, got {self.n!r}")
        _check_flag(self.saturated)

    def pressing(
        self, p: ArrayLike, v: ArrayLike, mass: float, load: float, approaching: ArrayLike
    ) -> FloatArray:
        """Force [N] while touching, before saturation; neither mass nor load matter."""
        d = np.maximum(0.0, -np.asarray(p, dtype=float))
        return np.asarray(d**self.n * (self.k - self.lam * np.asarray(v)))


@dataclass(frozen=True)
class Linearised:
    """f_n = max(0, m p''^d - load) with p''^d by (3): equation (4), load = -m g in free fall.

    Parameters
    ----------
    law : kp [1/s^2], kv [1/s], epsilon; friction plays no part.
    """

    law: PenaltyLaw
    saturated: bool = True

    def __post_init__(self) -> None:
        check_law(self.law)
        if self.saturated is not True:
            raise SoleError("linearised contact is saturated by equation (19)")

    @property
    def resolution(self) -> float:
        """Nothing cancels but p - epsilon: bounces are followed to their end [m, m/s]."""
        return max(1e-24, -1e-13 * self.law.epsilon)

    def pressing(
        self, p: ArrayLike, v: ArrayLike, mass: float, load: float, approaching: ArrayLike
    ) -> FloatArray:
        """f'_n = m p''^d - load [N], before saturation."""
        return np.asarray(mass * self.acceleration(p, v, mass, load, approaching) - load)

    def acceleration(
        self, p: ArrayLike, v: ArrayLike, mass: float, load: float, approaching: ArrayLike
    ) -> FloatArray:
        """p''^d = kp (epsilon - p) - kv min(0, p') [m/s^2], equation (3); no load is left in it."""
        law = self.law
        damping = np.where(approaching, law.kv * np.asarray(v), 0.0)
        return np.asarray(law.kp * (law.epsilon - np.asarray(p)) - damping)


def _check_flag(saturated: object) -> None:
    if not isinstance(saturated, bool):
        raise SoleError(f"saturated must be true or false, got {saturated!r}")
