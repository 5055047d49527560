"""Interpolation along Poisson's ratio nu: mu C at a few nu gives mu C at all others.

With a common nu in all layers and fixed ratios of E, K / mu = A + r B with
r = lambda/mu = 2 nu/(1 - 2 nu), and condensation makes K_c / mu a rational function of r. All its
singularities lie on r <= -2/3 (bulk modulus zero). The variable

    x = log(r + 2/3) = log(kappa / mu) = log(2 (1 + nu) / (3 (1 - 2 nu)))

maps the admissible nu in (-1, 1/2) to the real line and the singularities to Im x = +-pi, so
the Chebyshev interpolant of mu C (and of K_c / mu) in x converges like rho^-k with

    rho = s + sqrt(s^2 + 1),    s = pi / h,    h = half the length of the interval in x

[Trefethen2019]_. In nu itself the interpolant fails near 1/2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sole.base.arrays import FloatArray, frozen, sealed
from sole.base.errors import MaterialError

SAFETY = 1.0  # further nodes beyond the a-priori rate
MOST_NODES = 60


def log_bulk_ratio(nu: float) -> float:
    """Return x = log(2 (1 + nu) / (3 (1 - 2 nu))) for -1 < nu < 1/2."""
    if not -1 < nu < 0.5:
        raise MaterialError(f"Poisson's ratio must lie inside (-1, 0.5), got {nu:g}")
    return float(np.log(2 * (1 + nu) / (3 * (1 - 2 * nu))))


def poisson_ratio(x: float) -> float:
    """Invert `log_bulk_ratio`: nu = (3 q - 2) / (6 q + 2) with q = exp(x) = kappa/mu."""
    q = float(np.exp(x))
    return (3 * q - 2) / (6 * q + 2)


def convergence_rate(low: float, high: float) -> float:
    """Return rho, by which each further node divides the error for nu in [low, high]."""
    h = (log_bulk_ratio(high) - log_bulk_ratio(low)) / 2
    s = np.pi / h
    return float(s + np.sqrt(s * s + 1))


def nodes_needed(low: float, high: float, tolerance: float) -> int:
    """Return the a-priori number of nodes for a relative error `tolerance` on [low, high]."""
    k = np.log(1 / tolerance) / np.log(convergence_rate(low, high)) + SAFETY
    return max(2, int(np.ceil(k)))


@dataclass(frozen=True, eq=False)
class NuGrid:
    """k Chebyshev nodes (of the first kind, in x) for nu in [low, high].

    The error of the interpolant is T_k(x) g(x) with g smooth, so it is largest near |T_k| = 1.
    `checks` has three such verification points that are not nodes: both ends and one in the middle.
    """

    low: float
    high: float
    count: int

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise MaterialError(f"expected low < high, got nu from {self.low:g} to {self.high:g}")
        if not 2 <= self.count <= MOST_NODES:
            raise MaterialError(f"expected 2 to {MOST_NODES} nodes, got {self.count}")

    def _x(self, t: FloatArray) -> FloatArray:
        a, b = log_bulk_ratio(self.low), log_bulk_ratio(self.high)
        return (a + b) / 2 + (b - a) / 2 * t

    @property
    def _x_nodes(self) -> FloatArray:
        k = np.arange(self.count)
        return self._x(-np.cos(np.pi * (2 * k + 1) / (2 * self.count)))

    @property
    def nodes(self) -> tuple[float, ...]:
        """The increasing nu at which the sole is condensed."""
        return tuple(poisson_ratio(x) for x in self._x_nodes)

    @property
    def checks(self) -> tuple[float, ...]:
        """The nu at which the interpolant is compared with a separate condensation."""
        middle = self._x(-np.cos(np.pi * np.array([self.count // 2]) / self.count))
        return (self.low, poisson_ratio(middle[0]), self.high)

    def weights(self, nu: float) -> FloatArray:
        """Return the (k,) Lagrange weights of f(nu) = sum_i w_i f(nodes_i); they sum to 1."""
        if not self.low <= nu <= self.high:
            raise MaterialError(
                f"nu = {nu:g} lies outside the interpolated range [{self.low:g}, {self.high:g}]"
            )
        k = np.arange(self.count)
        barycentric = (-1.0) ** k * np.sin(np.pi * (2 * k + 1) / (2 * self.count))
        away = log_bulk_ratio(nu) - self._x_nodes
        near = np.abs(away) < 1e-13
        if near.any():
            return frozen(near / near.sum())
        w = barycentric / away
        return frozen(w / w.sum())

    @property
    def differentiation(self) -> FloatArray:
        """D (k, k): values at the nodes to slopes d/dx there, x = `log_bulk_ratio`.

        D_ij = (c_j/c_i)/(x_i - x_j) with the barycentric weights c; rows sum to 0
        [BerrutTrefethen2004]_.
        """
        k, x = np.arange(self.count), self._x_nodes
        c = (-1.0) ** k * np.sin(np.pi * (2 * k + 1) / (2 * self.count))
        away = x[:, None] - x + np.eye(self.count)
        D = c / c[:, None] / away
        D[k, k] = 0.0
        D[k, k] = -D.sum(axis=1)
        return D


def weighted_sum(weights: FloatArray, matrices: Sequence[FloatArray]) -> FloatArray:
    """Return sum_i w_i M_i, symmetric to the last bit if every M_i is."""
    total = weights[0] * matrices[0]
    scratch = np.empty_like(total)
    for w, M in zip(weights[1:], matrices[1:], strict=True):
        np.multiply(M, w, out=scratch)
        total += scratch
    return sealed(total)


def relative_error(approximate: FloatArray, exact: FloatArray) -> float:
    """Return ||approximate - exact||_F / ||exact||_F."""
    return float(np.linalg.norm(approximate - exact) / np.linalg.norm(exact))
