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

import numpy as np

from sole.base.arrays import FloatArray

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
