"""The compliance of one mesh over its materials and thickness, with derivatives.

One layer: C(E, nu) = V(x)/mu, mu = E/(2(1 + nu)), x = log(kappa/mu). V is the Chebyshev
interpolant of mu C (`sole.studies.NuGrid`), condensed at a few nu once; its derivative is that of
the polynomial. Several layers: every C is condensed, and its derivatives are exact
(`sole.condense.differentiate_condensation`); no dC is formed, only what it does to a load. The
derivative for the thickness is a central difference over 2 % of it, in either case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError
from sole.condense import Condenser, MaterialDerivatives, differentiate_condensation
from sole.elasticity import DEFAULT_ELEMENT, POISSON_LIMIT, check_element
from sole.material import Material
from sole.mesh import SoleMesh

NODES = 14  # of nu; the interpolant is then good to 1e-7
LOWEST, HIGHEST = 0.02, 0.4995  # of the nu that are looked at
STRETCH = 0.01  # of the thickness, either way
FLAT = 1e-6  # of the thickness: how even a tread must be
Slopes = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, eq=False, kw_only=True)
class FamilyMember:
    """The compliance at one point, and its derivatives.

    Parameters
    ----------
    compliance : C (3m, 3m) [m/N].
    slopes : columns a and f (3m, n) to a' dC f (2 layers + 1, n), by ln E_l, nu_l and
        ln(thickness).
    """

    compliance: FloatArray
    slopes: Slopes


class MaterialFamily(Protocol):
    """C of a mesh as a function of its materials."""

    mesh: SoleMesh
    element: str
    highest: float

    @property
    def condensations(self) -> int:
        """How many soles were condensed so far."""

    def at(self, moduli: FloatArray, ratios: FloatArray, stretch: float = 0.0) -> FamilyMember:
        """Return the member of E (layers,) [Pa], nu (layers,), thickness times exp(stretch)."""


def family_of(
    mesh: SoleMesh, element: str = DEFAULT_ELEMENT, tell: Callable[[float], None] | None = None
) -> MaterialFamily:
    """Return the family of a mesh with a flat tread; `tell` gets the fraction condensed.

    Raises
    ------
    ConfigError
        The tread is not flat: a flat tool would touch it little by little.
    """
    check_element(element)
    uneven = float(np.ptp(mesh.points[mesh.tread_vertices, 2]))
    if uneven > FLAT * mesh.thickness:
        raise ConfigError(
            f"the tread of '{mesh.name}' is uneven by {1e3 * uneven:.3g} mm: identification needs "
            "a flat tread. Cut or print a flat pad of the same material"
        )
    if len(mesh.layers) == 1:
        return InterpolatedFamily(mesh, element, tell)
    return CondensedFamily(mesh, element)


class InterpolatedFamily:
    """One layer: condensed at `NODES` nu and two thicknesses besides, interpolated between."""

    def __init__(
        self, mesh: SoleMesh, element: str, tell: Callable[[float], None] | None = None
    ) -> None:
        from sole.studies import NuGrid

        self.mesh, self.element = mesh, element
        self.highest = min(HIGHEST, POISSON_LIMIT[element])
        self.grid = NuGrid(LOWEST, self.highest, NODES)
        values = []
        sizes = (1.0, 1.0 - STRETCH, 1.0 + STRETCH)
        for k, size in enumerate(sizes):
            condenser = Condenser(mesh.with_thickness(size * mesh.thickness), element)
            for n, nu in enumerate(self.grid.nodes):
                unit = Material(young_modulus=2e6 * (1 + nu), poisson_ratio=nu)  # mu = 1 MPa
                values.append(1e6 * _quietly(condenser, (unit,)))
                if tell is not None:
                    tell((k * NODES + n + 1) / (len(sizes) * NODES))
        V = np.array(values).reshape(len(sizes), NODES, *values[0].shape)
        self.values = V[0]
        self.by_stretch = (V[2] - V[1]) / (np.log1p(STRETCH) - np.log1p(-STRETCH))
        self.slopes = np.tensordot(self.grid.differentiation, self.values, 1)
        self.stretch_slopes = np.tensordot(self.grid.differentiation, self.by_stretch, 1)

    @property
    def condensations(self) -> int:
        """See `MaterialFamily`."""
        return 3 * NODES

    def at(self, moduli: FloatArray, ratios: FloatArray, stretch: float = 0.0) -> FamilyMember:
        """See `MaterialFamily`."""
        E, nu = float(moduli[0]), float(ratios[0])
        w = self.grid.weights(nu)
        mu = E / (2 * (1 + nu))
        slope = 1 / (1 + nu) + 2 / (1 - 2 * nu)  # dx/dnu
        T = np.tensordot(w, self.by_stretch, 1) / mu
        C = np.tensordot(w, self.values, 1) / mu + stretch * T
        by_x = np.tensordot(w, self.slopes + stretch * self.stretch_slopes, 1) / mu
        by_nu = slope * by_x + C / (1 + nu)

        def slopes(left: FloatArray, forces: FloatArray) -> FloatArray:
            return np.array([(left * (dC @ forces)).sum(axis=0) for dC in (-C, by_nu, T)])

        return FamilyMember(compliance=C, slopes=slopes)


class CondensedFamily:
    """Several layers: condensed wherever it is asked for; the last few answers are kept.

    With a `stretch` the derivatives for E and nu are those of the mesh's own thickness.
    """

    def __init__(self, mesh: SoleMesh, element: str) -> None:
        self.mesh, self.element = mesh, element
        self.highest = min(HIGHEST, POISSON_LIMIT[element])
        self.condensations = 0
        self.condenser = Condenser(mesh, element)
        self._stretched = [
            Condenser(mesh.with_thickness(size * mesh.thickness), element)
            for size in (1 - STRETCH, 1 + STRETCH)
        ]
        self._kept = lru_cache(maxsize=4)(self._condense)

    def at(self, moduli: FloatArray, ratios: FloatArray, stretch: float = 0.0) -> FamilyMember:
        """See `MaterialFamily`."""
        C, T, d = self._kept(tuple(map(float, moduli)), tuple(map(float, ratios)))

        def slopes(left: FloatArray, forces: FloatArray) -> FloatArray:
            return np.vstack([d.between(left, forces), (left * (T @ forces)).sum(axis=0)])

        return FamilyMember(compliance=C + stretch * T if stretch else C, slopes=slopes)

    def _condense(
        self, moduli: tuple[float, ...], ratios: tuple[float, ...]
    ) -> tuple[FloatArray, FloatArray, MaterialDerivatives]:
        """Return C, dC/dln(thickness), and the other derivatives."""
        import warnings

        materials = [
            Material(young_modulus=E, poisson_ratio=nu)
            for E, nu in zip(moduli, ratios, strict=True)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the last one is told, not every try
            d = differentiate_condensation(self.condenser, materials)
        thin, thick = (_quietly(c, materials) for c in self._stretched)
        self.condensations += 3
        T = (thick - thin) / (np.log1p(STRETCH) - np.log1p(-STRETCH))
        return d.sole.compliance, T, d


def _quietly(condenser: Condenser, materials: Sequence[Material]) -> FloatArray:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return condenser.condense(materials).compliance
