"""The force law of [SygullaEtAl2017], equations (14) and (15), without the robot around it.

    (14)  delta e' + e = 0,   e = lambda_d - lambda
    (15)  w_f' = U^-1 (lambda_d' + (lambda_d - lambda)/delta)

turns an error of the contact wrench (T_x, T_y, F_z) into a velocity of the foot's pose
(sin alpha_x, sin alpha_y, z_TCP). On a plant lambda' = U_p w_f' the error obeys

    e' = -(1/delta) U_p U^-1 e       (lambda_d at rest),

so e = e_0 exp(-t/delta) for U_p = U, and exp(-kappa t/delta) along an eigenvector of U_p U^-1 with
eigenvalue kappa, the ratio of true to assumed stiffness. Sampled with a hold of T,

    e[k + 1] = (1 - kappa T/delta) e[k],   stable if and only if 0 < kappa T/delta < 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from contact.papers.foundation.inversion import inverse
from sole.base.arrays import FloatArray, frozen, shaped
from sole.base.checks import numbers, positive
from sole.base.errors import ConfigError, SoleError


@dataclass(frozen=True, eq=False, kw_only=True)
class ForceLaw:
    """Equation (15) with a given inverse of U.

    Parameters
    ----------
    U_inverse : (3, 3), of `inverse` or, for lines and points, `regularised_inverse`.
    delta : time constant [s].

    Raises
    ------
    ConfigError
        delta that is not positive.
    """

    U_inverse: FloatArray
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "U_inverse", frozen(shaped("U_inverse", self.U_inverse, (3, 3))))
        object.__setattr__(self, "delta", positive("delta", self.delta, "s", ConfigError))

    @classmethod
    def of(cls, U: ArrayLike, delta: float) -> ForceLaw:
        """Take U (3, 3) itself; refuse a singular one and one that is not a spring."""
        return cls(U_inverse=inverse(shaped("U", U, (3, 3))), delta=delta)

    def rate(
        self, wrench: ArrayLike, desired: ArrayLike, desired_rate: ArrayLike = (0.0, 0.0, 0.0)
    ) -> FloatArray:
        """w_f' (..., 3) of equation (15) [1/s, 1/s, m/s].

        Parameters
        ----------
        wrench, desired : lambda and lambda_d (..., 3): T_x, T_y [N m], F_z [N] on the foot.
        desired_rate : lambda_d' (..., 3).
        """
        lam, lam_d, rate_d = (
            _wrenches(n, v)
            for n, v in (("wrench", wrench), ("desired", desired), ("rate", desired_rate))
        )
        return np.asarray((rate_d + (lam_d - lam) / self.delta) @ self.U_inverse.T)

    def increment(
        self,
        wrench: ArrayLike,
        desired: ArrayLike,
        dt: float,
        next_desired: ArrayLike | None = None,
    ) -> FloatArray:
        """Change (..., 3) of the pose over a sample of `dt` [s]: T w_f' with lambda_d' held.

        lambda_d' is the change of lambda_d to its value one sample later, if that is given: then
        e[k + 1] = (1 - T/delta) e[k] holds for moving targets too.
        """
        positive("dt", dt, "s", ConfigError)
        target = _wrenches("desired", desired)
        ahead = target if next_desired is None else _wrenches("next_desired", next_desired)
        return dt * self.rate(wrench, target, (ahead - target) / dt)

    def mismatch(self, plant: ArrayLike) -> FloatArray:
        """kappa (3,): eigenvalues of U_p U^-1 for a `plant` U_p (3, 3), ascending in size."""
        values = np.linalg.eigvals(shaped("plant", plant, (3, 3)) @ self.U_inverse)
        values = values[np.argsort(np.abs(values))]
        return np.asarray(values.real if np.isrealobj(values) or not values.imag.any() else values)

    def error_gain(self, plant: ArrayLike, dt: float) -> FloatArray:
        """I - (T/delta) U_p U^-1 (3, 3): e[k + 1] = gain e[k] while lambda_d rests."""
        positive("dt", dt, "s", ConfigError)
        U_p = shaped("plant", plant, (3, 3))
        return np.asarray(np.eye(3) - dt / self.delta * U_p @ self.U_inverse)

    def stable(self, plant: ArrayLike, dt: float) -> bool:
        """Whether the sampled error dies out: the spectral radius of `error_gain` is below 1."""
        return bool(np.abs(np.linalg.eigvals(self.error_gain(plant, dt))).max() < 1)


def _wrenches(name: str, values: ArrayLike) -> FloatArray:
    array = numbers(name, values)
    if array.shape[-1:] != (3,) or not np.isfinite(array).all():
        raise SoleError(f"{name} must be finite and (..., 3): T_x, T_y, F_z; got {array.shape}")
    return array
