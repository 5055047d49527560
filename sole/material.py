"""Linear isotropic elasticity: (E, nu, rho) and the Lame constants."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from sole.base.errors import MaterialError

__all__ = ["Material"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """One homogeneous, linear, isotropic material.

    Parameters
    ----------
    young_modulus : E [Pa], from 1e-3 to 1e13.
    poisson_ratio : nu [-], inside (-1, 0.5).
    density : rho [kg/m^3], from 1e-3 to 1e6.

    Raises
    ------
    MaterialError
        Outside these ranges, or not finite.
    """

    young_modulus: float
    poisson_ratio: float
    density: float = 1100.0

    def __post_init__(self) -> None:
        E, nu, rho = self.young_modulus, self.poisson_ratio, self.density
        if not 1e-3 <= E <= 1e13:
            raise MaterialError(
                f"Young's modulus must be positive and finite, from 1e-3 to 1e13 Pa, got {E:g} Pa"
            )
        if not (math.isfinite(nu) and -1 < nu < 0.5):
            raise MaterialError(
                f"Poisson's ratio must lie inside (-1, 0.5), got {nu!r}; "
                "use 0.49 to 0.4999 for a nearly incompressible rubber"
            )
        if not 1e-3 <= rho <= 1e6:
            raise MaterialError(
                f"density must be positive and finite, from 1e-3 to 1e6 kg/m^3, got {rho:g}"
            )

    @property
    def lame(self) -> tuple[float, float]:
        """(lambda, mu) [Pa]: lambda = E nu/((1+nu)(1-2nu)), mu = E/(2(1+nu))."""
        E, nu = self.young_modulus, self.poisson_ratio
        return E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))

    def scaled(self, factor: float) -> Material:
        """Return the same material with E multiplied by `factor`."""
        return replace(self, young_modulus=self.young_modulus * factor)
