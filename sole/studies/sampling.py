"""The sampling of a study: a full grid, a list, or samples of the ranges.

Samples lie in the unit cube, one coordinate per axis. They come from `scipy.stats.qmc` (Latin
hypercube [McKayBeckmanConover1979]_, scrambled Sobol' sequence [Sobol1967]_) or SALib (Saltelli's
design [SaltelliEtAl2010]_ on a scrambled Sobol' sequence); a seed makes them reproducible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.checks import check_seed
from sole.base.config import STRICT
from sole.base.errors import ConfigError
from sole.base.extras import require_extra

SCHEMES = ("grid", "list", "lhs", "sobol", "saltelli")
SAMPLES = SCHEMES[2:]


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """The choice of cases.

    Parameters
    ----------
    scheme : "grid" (all combinations of values), "list" (the k-th values of all axes make the
        k-th case), "lhs", "sobol" or "saltelli" (samples of the ranges).
    number : number of samples; a power of two for "sobol" and "saltelli"; "saltelli" makes
        number (d + 2) cases of d axes.
    seed : seed of the samples.

    Raises
    ------
    ConfigError
        An unknown scheme, or a number that it does not allow.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    scheme: str = "grid"
    number: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise ConfigError(f"unknown scheme '{self.scheme}'; known are {', '.join(SCHEMES)}")
        n = self.number
        if not self.sampled:
            if n is not None:
                raise ConfigError(f"a {self.scheme} has no number of samples: leave number out")
        elif n is None or n < 2:
            raise ConfigError(f"{self.scheme} samples need a number >= 2, got {n}")
        elif self.scheme != "lhs" and n & (n - 1):
            low = 1 << (n.bit_length() - 1)
            raise ConfigError(
                f"{self.scheme} needs a power of two, got {n}: take {low} or {2 * low}"
            )
        check_seed("the seed of samples", self.seed)

    @property
    def sampled(self) -> bool:
        """Whether cases are samples of ranges."""
        return self.scheme in SAMPLES

    def count(self, dimensions: int) -> int:
        """Return the number of samples for a number of axes."""
        return (self.number or 0) * (dimensions + 2 if self.scheme == "saltelli" else 1)

    def points(self, dimensions: int) -> FloatArray:
        """Return samples (n, dimensions) in [0, 1)."""
        from scipy.stats import qmc

        n = self.number or 0
        if self.scheme == "lhs":
            u = qmc.LatinHypercube(dimensions, rng=self.seed).random(n)
        elif self.scheme == "sobol":
            u = qmc.Sobol(dimensions, rng=self.seed).random(n)
        else:
            u = _saltelli(dimensions, n, self.seed)
        return np.ascontiguousarray(u, dtype=np.float64)


def _saltelli(dimensions: int, number: int, seed: int) -> Any:
    """Return blocks A, A with column i of B for every i, and B: n (d + 2) points."""
    require_extra("studies", "a Saltelli design")
    from SALib.sample import sobol

    names = [f"x{k}" for k in range(dimensions)]
    cube = {"num_vars": dimensions, "names": names, "bounds": [[0.0, 1.0]] * dimensions}
    return sobol.sample(cube, number, calc_second_order=False, seed=seed)
