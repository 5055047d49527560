"""The range of linear elasticity: how far the nodes of a tread may move.

The bond does not move, so the mean of du/dz on the line from the bond to a tread node is U/t, with
its displacement U relative to the foot and the sole's thickness t. Somewhere on that line |du/dz|
is at least

    deformation = max |U|/t,

a bound from below that needs neither a mesh nor a solve. LIMIT is where a column of incompressible
rubber (neo-Hooke, force A E (1/s^2 - s)/3 at the length s = 1 - deformation) is a quarter stiffer
than the linear one: 5 % at 0.05, 12 % at 0.1, 27 % at 0.2, 51 % at 0.33.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.errors import LinearRangeWarning

LINEAR_LIMIT = 0.2  # largest deformation within the range of linear elasticity
STRAIN_LIMIT = 0.1  # largest von Mises strain (99th percentile by volume) likewise


def deformation_of(displacements: FloatArray, thickness: float) -> float:
    """Return the largest |U|/t of displacements U (..., 3) [m] and a thickness t [m]; 0 if t is 0.

    U is relative to the rigid foot.
    """
    if not thickness > 0 or not displacements.size:
        return 0.0
    return float(np.linalg.norm(displacements, axis=-1).max()) / thickness


def describe_excess(deformation: float, where: str = "") -> str:
    """Return a remark on a deformation beyond `LINEAR_LIMIT`; "" if it is within.

    For instance "beyond linear elasticity (deformation 1.3 of the thickness; limit 0.2)".
    """
    if deformation <= LINEAR_LIMIT:
        return ""
    return (
        f"beyond linear elasticity ({where}deformation {deformation:.2g} of the thickness; "
        f"limit {LINEAR_LIMIT:g})"
    )


def warn_beyond(deformation: float, stacklevel: int = 3) -> None:
    """Give a `LinearRangeWarning` if a deformation is beyond `LINEAR_LIMIT`.

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
        self.allowed = np.where(thickness > 0, LINEAR_LIMIT * thickness, np.inf)
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
            warn_beyond(share * LINEAR_LIMIT, stacklevel)
