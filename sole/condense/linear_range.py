"""The range of linear elasticity: how wrong a linear sole is, by how much it is strained.

    strain = 99th percentile by volume of -e_min,    e_min the least principal strain,

of the linear sole. Presses of a pad with a linear and with a hyperelastic sole differ by the errors
of `LINEAR_ERRORS` (`python benchmarks/linear_model_error.py`, 1 December 2026): the largest one of
sink, tilt, vertical and tilting stiffness, with the centre of pressure anywhere from the middle to
five sixths of the half length. At `STRAIN_LIMIT` a linear rubber errs by 31 % in stiffness and
by 19 % in sink and tilt.

Without a solve inside the sole there is a bound from below: the bond does not move, so on the line
from the bond to a tread node the mean of du/dz is U/t, with its displacement U relative to the foot
and the thickness t, and somewhere on it |du/dz| is at least

    deformation = max |U|/t.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.errors import LinearRangeWarning

STRAIN_LIMIT = 0.1  # largest strain or deformation of studies and verdicts
NOTED_ERROR, WARNED_ERROR = 0.05, 0.2  # errors from here on are noted, warned of
FOAM = 0.3  # Poisson's ratio below which a material counts as a foam
LINEAR_ERRORS = {  # strain of the linear sole: largest errors of rubber, of foam
    0.0: (0.0, 0.0),
    0.01: (0.04, 0.04),
    0.02: (0.08, 0.09),
    0.03: (0.12, 0.14),
    0.05: (0.18, 0.24),
    0.07: (0.24, 0.34),
    0.1: (0.31, 0.49),
    0.15: (0.39, 0.62),
    0.2: (0.46, 0.63),
    0.3: (0.58, 0.65),
}


def linear_error(strain: float, poisson_ratio: float = 0.45) -> float:
    """Return the largest error of sink, tilt and stiffness of a linear sole, as a part.

    `strain` as in this module's head, from 0; beyond the last one measured, the error of that.
    A Poisson's ratio below `FOAM` stands for a foam, others for rubber.
    """
    strains, errors = list(LINEAR_ERRORS), list(LINEAR_ERRORS.values())
    return float(np.interp(strain, strains, [pair[poisson_ratio < FOAM] for pair in errors]))


def describe_error(strain: float, poisson_ratio: float = 0.45) -> str:
    """Return a remark on the error of a linear sole from `NOTED_ERROR` on; "" below.

    For instance "the linear model errs by up to 13 % in sink, tilt or stiffness".
    """
    error = linear_error(strain, poisson_ratio)
    if error < NOTED_ERROR:
        return ""
    beyond = "more than " if strain > max(LINEAR_ERRORS) else "up to "
    return f"the linear model errs by {beyond}{100 * error:.0f} % in sink, tilt or stiffness"


def deformation_of(displacements: FloatArray, thickness: float) -> float:
    """Return the largest |U|/t of displacements U (..., 3) [m] and a thickness t [m]; 0 if t is 0.

    U is relative to the rigid foot.
    """
    if not thickness > 0 or not displacements.size:
        return 0.0
    return float(np.linalg.norm(displacements, axis=-1).max()) / thickness


def describe_excess(deformation: float, where: str = "") -> str:
    """Return a remark on a deformation beyond `STRAIN_LIMIT`; "" if it is within.

    For instance "beyond linear elasticity (deformation 0.15 of the thickness; limit 0.1): the
    linear model errs by up to 39 % in sink, tilt or stiffness".
    """
    if deformation <= STRAIN_LIMIT:
        return ""
    return (
        f"beyond linear elasticity ({where}deformation {deformation:.2g} of the thickness; "
        f"limit {STRAIN_LIMIT:g}): {describe_error(deformation)}"
    )


def describe_strain(strain: float, poisson_ratios: Iterable[float], deformation: float) -> str:
    """Return a remark on a strain whose error is a fifth or more; "" below.

    poisson_ratios : of the layers; the worst counts. deformation : max |U|/t of the same state.
    """
    worst = max(poisson_ratios, key=lambda nu: linear_error(strain, nu))
    if linear_error(strain, worst) < WARNED_ERROR and deformation <= STRAIN_LIMIT:
        return ""
    return (
        f"beyond linear elasticity (strain {strain:.2g}, deformation {deformation:.2g} of the "
        f"thickness): {describe_error(max(strain, deformation), worst)}"
    )


def warn_beyond(deformation: float, stacklevel: int = 3) -> None:
    """Give a `LinearRangeWarning` if a deformation is beyond `STRAIN_LIMIT`.

    `stacklevel` : as that of `warnings.warn`; 3 is the caller of the function that calls this.
    """
    if told := describe_excess(deformation):
        warnings.warn(f"the sole deforms {told}", LinearRangeWarning, stacklevel=stacklevel)


@contextlib.contextmanager
def no_range_warnings() -> Iterator[None]:
    """Give no `LinearRangeWarning` inside the block, whose caller reports the deformation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinearRangeWarning)
        yield


class RangeWatch:
    """Warns once when soles deform beyond linear elasticity in a simulation.

    Parameters
    ----------
    thickness : of the sole at every node (M,) [m]; 0 if unknown or rigid: never a warning.
    """

    def __init__(self, thickness: FloatArray) -> None:
        self.allowed = np.where(thickness > 0, STRAIN_LIMIT * thickness, np.inf)
        self.least = float(self.allowed.min(initial=np.inf)) ** 2
        self.told = not np.isfinite(self.least)

    def look(self, displacement: FloatArray, stacklevel: int = 4) -> None:
        """Look at the displacements U (M, 3) of all nodes relative to their feet [m].

        It takes a microsecond as long as the sum of all |U|^2, which bounds the largest, is small.
        `stacklevel` : as that of `warnings.warn`; 4 is the caller of a step that calls this.
        """
        if self.told or np.vdot(displacement, displacement) <= self.least:
            return
        share = float((np.linalg.norm(displacement, axis=1) / self.allowed).max())
        if share > 1.0:
            self.told = True
            warn_beyond(share * STRAIN_LIMIT, stacklevel)
