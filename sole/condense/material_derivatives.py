"""Derivatives of the condensed matrices with respect to the materials, from one factorisation.

K is affine in the Lame constants, K = sum_l lambda_l K_lambda_l + mu_l K_mu_l, and condensation
keeps what its extension X = [-K_nn^-1 K_nc; 1] sees:

    dK_c = X' dK X,    dC = -C dK_c C,

exactly, because the derivative of X does not enter (K_nn X_n + K_nc = 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import FloatArray, sealed
from sole.condense.condensed_sole import CondensedSole
from sole.condense.condenser import Condenser
from sole.material import Material

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from sole.elimination import Factor


@dataclass(frozen=True, eq=False, kw_only=True)
class MaterialDerivatives:
    """A condensed sole and the derivatives of its matrices, worked out when they are asked for.

    Parameters
    ----------
    sole : at the materials.
    condenser : what condensed it.
    factor : of its K.
    by_log_modulus, by_poisson_ratio : E_l dK/dE_l and dK/dnu_l for every layer, sparse.
    """

    sole: CondensedSole
    condenser: Condenser
    factor: Factor
    by_log_modulus: tuple[csr_array, ...]
    by_poisson_ratio: tuple[csr_array, ...]

    @cached_property
    def by_modulus(self) -> FloatArray:
        """E_l dK_c/dE_l (layers, 3m, 3m) [N/m]; they sum to K_c."""
        return sealed(np.array([self._condensed(dK) for dK in self.by_log_modulus]))

    @cached_property
    def by_poisson(self) -> FloatArray:
        """dK_c/dnu_l (layers, 3m, 3m) [N/m]."""
        return sealed(np.array([self._condensed(dK) for dK in self.by_poisson_ratio]))

    @cached_property
    def _extension(self) -> FloatArray:
        from sole.elimination import check_memory

        m3, n3 = len(self.sole.stiffness), 3 * len(self.condenser.tree.order)
        check_memory(self.condenser.tree, extra_bytes=24.0 * n3 * m3)
        return self.factor.solve_interior(np.eye(m3))

    def _condensed(self, dK: csr_array) -> FloatArray:
        D = self._extension.T @ (dK @ self._extension)
        return np.asarray((D + D.T) / 2)

    def of_compliance(self, stiffness: FloatArray) -> FloatArray:
        """Return dC = -C dK_c C (..., 3m, 3m) [m/N] for `stiffness` dK_c (..., 3m, 3m)."""
        C = self.sole.compliance
        return -(C @ stiffness @ C)

    def between(self, left: FloatArray, forces: FloatArray) -> FloatArray:
        """Return a' dC f (2 layers, n) for every ln E_l, then every nu_l, without any dC.

        -(X C a)' dK (X C f) takes two fields of the whole sole for each of the n columns a of
        `left` and f of `forces`, both (3m, n).
        """
        fields = self.factor.solve_interior(self.sole.compliance @ np.hstack([left, forces]))
        U, u = np.hsplit(fields, 2)
        changes = (*self.by_log_modulus, *self.by_poisson_ratio)
        return np.array([-(U * (dK @ u)).sum(axis=0) for dK in changes])


def differentiate_condensation(
    condenser: Condenser, materials: Sequence[Material]
) -> MaterialDerivatives:
    """Return the sole of one material per layer and what its derivatives follow from.

    Raises
    ------
    MaterialError, ResourceError
        As `Condenser.condense`.
    """
    parts = condenser.parts
    sole, factor = condenser.factorise(materials)

    def change_of(layer: int, lame: tuple[float, float]) -> csr_array:
        given = [lame if k == layer else (0.0, 0.0) for k in range(len(sole.materials))]
        matrix: csr_array = parts.combination(given).to_csr()
        return matrix

    layers = list(enumerate(sole.materials))
    return MaterialDerivatives(
        sole=sole,
        condenser=condenser,
        factor=factor,
        by_log_modulus=tuple(change_of(k, m.lame) for k, m in layers),
        by_poisson_ratio=tuple(change_of(k, lame_by_poisson(m)) for k, m in layers),
    )


def lame_by_poisson(material: Material) -> tuple[float, float]:
    """(dlambda/dnu, dmu/dnu) [Pa]: E (1 + 2 nu^2)/((1 + nu)^2 (1 - 2 nu)^2), -E/(2 (1 + nu)^2)."""
    E, nu = material.young_modulus, material.poisson_ratio
    return (
        E * (1 + 2 * nu * nu) / ((1 + nu) * (1 - 2 * nu)) ** 2,
        -E / (2 * (1 + nu) ** 2),
    )
