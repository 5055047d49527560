"""One sole for any Young's modulus and Poisson's ratio, while a simulation runs.

With a common nu and fixed layers mu C depends on nu alone, so C for any E is a multiple, and C for
any nu the Chebyshev interpolant of `sole.studies.poisson_interpolation`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import FloatArray, sealed
from sole.base.errors import ConfigError
from sole.condense import CondensedSole, Condenser
from sole.material import Material

if TYPE_CHECKING:
    from sole.studies import NuGrid

NU_RANGE, NODES = (0.2, 0.45), 5  # range of nu and condensed soles in it: error of C below 1e-3


@dataclass(eq=False)
class SoleFamily:
    """The left pad of a scenario for any E and nu; soles are condensed at the first other nu."""

    left: CondensedSole

    @cached_property
    def _grid(self) -> NuGrid:
        from sole.studies import NuGrid  # as heavy as a study

        return NuGrid(*NU_RANGE, NODES)

    @cached_property
    def _scaled(self) -> list[FloatArray]:
        """Return mu C at the nodes of the grid."""
        import warnings

        condenser = Condenser(self.left.mesh, self.left.element)
        found = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a locking element: said by the command
            for nu in self._grid.nodes:
                own = self._material(1.0, nu)
                C = condenser.condense([own] * len(self.left.materials)).compliance
                found.append(np.asarray(C / (2 * (1 + nu))))
        return found

    def _material(self, young: float, poisson: float) -> Material:
        return replace(self.left.materials[0], young_modulus=young, poisson_ratio=poisson)

    def at(self, young: float, poisson: float) -> CondensedSole:
        """Return the left sole for E [Pa] and nu.

        Raises
        ------
        ConfigError
            nu is outside of the range that is interpolated.
        """
        first = self.left.materials[0]
        if poisson == first.poisson_ratio:
            return self.left.scaled(young / first.young_modulus)
        low, high = NU_RANGE
        if not low <= poisson <= high:
            raise ConfigError(
                f"change: poisson must be {low:g} to {high:g} while it runs, got {poisson:g}"
            )
        from sole.studies import weighted_sum

        mu = young / (2 * (1 + poisson))
        C = weighted_sum(self._grid.weights(poisson), self._scaled) / mu
        K = np.linalg.inv(C)
        return replace(
            self.left,
            materials=(self._material(young, poisson),) * len(self.left.materials),
            compliance=sealed(C),
            stiffness=sealed((K + K.T) / 2),
        )
