"""Derivatives of the condensed matrices with respect to the materials, from one factorisation.

K is affine in the Lame constants, K = sum_l lambda_l K_lambda_l + mu_l K_mu_l, and condensation
keeps what its extension X = [-K_nn^-1 K_nc; 1] sees:

    dK_c = X' dK X,    dC = -C dK_c C,

exactly, because the derivative of X does not enter (K_nn X_n + K_nc = 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sole.base.arrays import FloatArray, sealed
from sole.condense.condensed_sole import CondensedSole, Condenser
from sole.material import Material


@dataclass(frozen=True, eq=False)
class MaterialDerivatives:
    """A condensed sole and the derivatives of its stiffness.

    Parameters
    ----------
    sole : at the materials.
    by_modulus : E_l dK_c/dE_l (layers, 3m, 3m) [N/m]; they sum to K_c.
    by_poisson : dK_c/dnu_l (layers, 3m, 3m) [N/m].
    """

    sole: CondensedSole
    by_modulus: FloatArray
    by_poisson: FloatArray

    def of_compliance(self, stiffness: FloatArray) -> FloatArray:
        """Return dC = -C dK_c C (..., 3m, 3m) [m/N] for `stiffness` dK_c (..., 3m, 3m)."""
        C = self.sole.compliance
        return -(C @ stiffness @ C)


def differentiate_condensation(
    condenser: Condenser, materials: Sequence[Material]
) -> MaterialDerivatives:
    """Return the sole of one material per layer and dK_c with respect to every E and nu.

    Raises
    ------
    MaterialError, ResourceError
        As `Condenser.condense`.
    """
    from sole.elimination import check_memory, factorise

    sole = condenser.condense(materials)
    parts, m3 = condenser.parts, len(sole.stiffness)
    n3 = 3 * len(condenser.tree.order)
    check_memory(condenser.tree, extra_bytes=condenser.tree.factor_bytes + 24.0 * n3 * m3)
    factor = factorise(parts.stiffness(sole.materials), condenser.tree)
    X = factor.solve_interior(np.eye(m3))
    by_modulus, by_poisson = np.empty((2, len(sole.materials), m3, m3))
    for l, material in enumerate(sole.materials):
        for into, (lam, mu) in (
            (by_modulus, material.lame),
            (by_poisson, lame_by_poisson(material)),
        ):
            change = parts.combination(
                [(lam, mu) if k == l else (0.0, 0.0) for k in range(len(sole.materials))]
            ).to_csr()
            D = X.T @ (change @ X)
            into[l] = (D + D.T) / 2
    return MaterialDerivatives(sole, sealed(by_modulus), sealed(by_poisson))


def lame_by_poisson(material: Material) -> tuple[float, float]:
    """(dlambda/dnu, dmu/dnu) [Pa]: E (1 + 2 nu^2)/((1 + nu)^2 (1 - 2 nu)^2), -E/(2 (1 + nu)^2)."""
    E, nu = material.young_modulus, material.poisson_ratio
    return (
        E * (1 + 2 * nu * nu) / ((1 + nu) * (1 - 2 * nu)) ** 2,
        -E / (2 * (1 + nu) ** 2),
    )
