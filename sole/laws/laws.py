"""Isotropic hyperelastic laws: energy per undeformed volume in logarithmic principal stretches.

    W = w(e) + U(J),    e_i = ln lambda_i,    J = lambda_1 lambda_2 lambda_3 = exp(e_1 + e_2 + e_3)

    NeoHooke    w = mu/2 sum_i (lambda_i^2 - 1 - 2 e_i),    U = lam/4 (J^2 - 1 - 2 ln J)
    Ogden       w = sum_k 2 mu_k/a_k^2 sum_i ((J^-1/3 lambda_i)^a_k - 1),    U = kappa/2 (J - 1)^2
    Hyperfoam   w = sum_k 2 mu_k/a_k^2 (sum_i (lambda_i^a_k - 1) + (J^(-a_k b_k) - 1)/b_k),  U = 0

At small strain the shear modulus is mu, or the sum of all mu_k [Ogden1972]_, [Storakers1986]_.
A law gives the derivatives of `terms` and `volume`; `sole.hyperelastic.principal_tangent` makes
stress and tangent of them. U is apart because `ccr` takes it at the projected volume change.

Both take differences from the state of rest, e and j = J - 1, so that small strains keep all
their digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.errors import MaterialError
from sole.material import Material

MOST_TERMS = 3
LARGEST_POWER = 50.0
AXES = np.arange(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeoHooke:
    """Compressible neo-Hooke: w = mu/2 (I1 - 3 - 2 ln J), U = lam/4 (J^2 - 1 - 2 ln J).

    Parameters
    ----------
    mu, lam : Lame constants at small strain [Pa]; mu > 0, lam > -2 mu/3.

    Raises
    ------
    MaterialError
        Outside these ranges, or not finite.
    """

    mu: float
    lam: float

    def __post_init__(self) -> None:
        _check_moduli("neo-Hooke", self.mu, self.lam + 2 * self.mu / 3)

    @classmethod
    def of(cls, young_modulus: float, poisson_ratio: float) -> NeoHooke:
        """Return the law of E [Pa] and nu at small strain."""
        lam, mu = Material(young_modulus=young_modulus, poisson_ratio=poisson_ratio).lame
        return cls(mu=mu, lam=lam)

    @property
    def lame(self) -> tuple[float, float]:
        """(lambda, mu) at small strain [Pa]."""
        return self.lam, self.mu

    def terms(self, e: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return w (n,), dw/de (n, 3) and d2w/de2 (n, 3, 3) [Pa] at log stretches e (n, 3)."""
        x = np.expm1(2 * e)
        H = np.zeros((len(e), 3, 3))
        H[:, AXES, AXES] = 2 * self.mu * (x + 1)
        return self.mu / 2 * (x - 2 * e).sum(axis=1), self.mu * x, H

    def volume(self, j: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return U, dU/dJ and d2U/dJ2 [Pa] at j = J - 1."""
        lam, square = self.lam, j * (2 + j)  # J^2 - 1
        U = lam / 4 * (square - 2 * np.log1p(j))
        return U, lam / 2 * square / (1 + j), lam / 2 * (1 + (1 + j) ** -2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ogden:
    """Ogden: w = sum 2 mu_k/a_k^2 (sum_i (J^-1/3 lambda_i)^a_k - 3), U = kappa/2 (J - 1)^2.

    As in Abaqus and CalculiX with D_1 = 2/kappa; the power 2 alone is their neo-Hooke law, the
    powers (2, -2) are Mooney-Rivlin's.

    Parameters
    ----------
    mu : one to three moduli [Pa] with a positive sum, the shear modulus at small strain.
    alpha : powers, as many, not 0, at most 50 in size.
    kappa : bulk modulus [Pa], positive.

    Raises
    ------
    MaterialError
        Outside these ranges, or not finite.
    """

    mu: tuple[float, ...]
    alpha: tuple[float, ...]
    kappa: float

    def __post_init__(self) -> None:
        _check_terms("Ogden", self.mu, self.alpha)
        _check_moduli("Ogden", sum(self.mu), self.kappa)

    @classmethod
    def of(
        cls,
        young_modulus: float,
        poisson_ratio: float,
        alpha: tuple[float, ...] = (2.0,),
        share: tuple[float, ...] = (1.0,),
    ) -> Ogden:
        """Return the law of E [Pa] and nu at small strain; `share` divides mu among the powers."""
        E, nu = young_modulus, poisson_ratio
        mu = Material(young_modulus=E, poisson_ratio=nu).lame[1]
        return cls(mu=_shares("Ogden", mu, share), alpha=tuple(alpha), kappa=E / (3 - 6 * nu))

    @property
    def lame(self) -> tuple[float, float]:
        """(lambda, mu) at small strain [Pa]."""
        return self.kappa - 2 * sum(self.mu) / 3, sum(self.mu)

    def terms(self, e: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return w (n,), dw/de (n, 3) and d2w/de2 (n, 3, 3) [Pa] at log stretches e (n, 3)."""
        Q = np.eye(3) - 1 / 3  # d ln(J^-1/3 lambda_i) / d e_j
        d = e @ Q
        w, g, H = np.zeros(len(e)), np.zeros((len(e), 3)), np.zeros((len(e), 3, 3))
        for mu, a in zip(self.mu, self.alpha, strict=True):
            x = np.expm1(a * d)
            w += 2 * mu / a**2 * x.sum(axis=1)
            g += 2 * mu / a * (x @ Q)
            H += 2 * mu * (Q @ ((x + 1)[:, :, None] * Q))
        return w, g, H

    def volume(self, j: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return U, dU/dJ and d2U/dJ2 [Pa] at j = J - 1."""
        return self.kappa / 2 * j * j, self.kappa * j, np.full_like(j, self.kappa)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hyperfoam:
    """Foam: w = sum 2 mu_k/a_k^2 (sum_i lambda_i^a_k - 3 + (J^(-a_k b_k) - 1)/b_k), U = 0.

    Each term has its own Poisson's ratio nu_k and b_k = nu_k/(1 - 2 nu_k), as in Abaqus.

    Parameters
    ----------
    mu : one to three moduli [Pa] with a positive sum, the shear modulus at small strain.
    alpha : powers, as many, not 0, at most 50 in size.
    nu : Poisson's ratios of the terms, as many, inside (-1, 0.5).

    Raises
    ------
    MaterialError
        Outside these ranges, or not finite.
    """

    mu: tuple[float, ...]
    alpha: tuple[float, ...]
    nu: tuple[float, ...]

    def __post_init__(self) -> None:
        _check_terms("hyperfoam", self.mu, self.alpha)
        if len(self.nu) != len(self.mu):
            raise MaterialError(
                f"hyperfoam: got {len(self.nu)} Poisson's ratios for {len(self.mu)} terms: "
                "give one for each"
            )
        for nu in self.nu:
            if not -1 < nu < 0.5:
                raise MaterialError(
                    f"hyperfoam: Poisson's ratio of a term must lie inside (-1, 0.5), got {nu!r}"
                )
        lam, mu = self.lame
        _check_moduli("hyperfoam", mu, lam + 2 * mu / 3)

    @classmethod
    def of(
        cls,
        young_modulus: float,
        poisson_ratio: float,
        alpha: tuple[float, ...] = (8.0,),
        share: tuple[float, ...] = (1.0,),
    ) -> Hyperfoam:
        """Return the law of E [Pa] and nu at small strain; `share` divides mu among the powers."""
        mu = Material(young_modulus=young_modulus, poisson_ratio=poisson_ratio).lame[1]
        parts = _shares("hyperfoam", mu, share)
        return cls(mu=parts, alpha=tuple(alpha), nu=(poisson_ratio,) * len(parts))

    @property
    def lame(self) -> tuple[float, float]:
        """(lambda, mu) at small strain [Pa]: lambda = sum_k 2 mu_k b_k."""
        return sum(2 * mu * _beta(nu) for mu, nu in zip(self.mu, self.nu, strict=True)), sum(
            self.mu
        )

    def terms(self, e: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return w (n,), dw/de (n, 3) and d2w/de2 (n, 3, 3) [Pa] at log stretches e (n, 3)."""
        t = e.sum(axis=1)
        w, g, H = np.zeros(len(e)), np.zeros((len(e), 3)), np.zeros((len(e), 3, 3))
        for mu, a, nu in zip(self.mu, self.alpha, self.nu, strict=True):
            b = _beta(nu)
            x, y = np.expm1(a * e), np.expm1(-a * b * t)
            w += 2 * mu / a**2 * (x.sum(axis=1) + (y / b if b else -a * t))
            g += 2 * mu / a * (x - y[:, None])
            H[:, AXES, AXES] += 2 * mu * (x + 1)
            H += 2 * mu * b * (y + 1)[:, None, None]
        return w, g, H

    def volume(self, j: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return U, dU/dJ and d2U/dJ2, all 0: the volume change is part of every term."""
        zero = np.zeros_like(j)
        return zero, zero, zero


HyperelasticLaw = NeoHooke | Ogden | Hyperfoam


def _beta(nu: float) -> float:
    return nu / (1 - 2 * nu)


def _shares(name: str, mu: float, share: tuple[float, ...]) -> tuple[float, ...]:
    """Return `mu` divided in proportion to `share`."""
    if not (share and all(math.isfinite(s) for s in share) and sum(share) > 0):
        raise MaterialError(f"{name}: the shares must have a positive sum, got {share}")
    return tuple(mu * s / sum(share) for s in share)


def _check_terms(name: str, mu: tuple[float, ...], alpha: tuple[float, ...]) -> None:
    if not 1 <= len(mu) <= MOST_TERMS or len(alpha) != len(mu):
        raise MaterialError(
            f"{name}: give one to {MOST_TERMS} moduli and as many powers, "
            f"got {len(mu)} and {len(alpha)}"
        )
    for a in alpha:
        if not 0 < abs(a) <= LARGEST_POWER:
            raise MaterialError(
                f"{name}: a power must not be 0 and at most {LARGEST_POWER:g} in size, got {a!r}"
            )


def _check_moduli(name: str, mu: float, kappa: float) -> None:
    """Raise unless shear and bulk modulus at small strain are positive and finite."""
    if not (0 < mu < math.inf and 0 < kappa < math.inf):
        raise MaterialError(
            f"{name}: unstable at small strain: the shear modulus ({mu:g} Pa) and the bulk "
            f"modulus ({kappa:g} Pa) must be positive and finite"
        )
