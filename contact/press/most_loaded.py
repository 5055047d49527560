"""The peak of a pressure that does not depend on the mesh: a mean over a small area.

    p_peak = max over sets S of the tread with area A of  1/A int_S p dA,    A = 1 cm^2

The largest value at a node grows as the mesh is refined, on edges and bumps without a limit, and a
percentile of the touching area forgets a bump under less than its share. The mean over the most
loaded square centimetre does neither: it needs elements smaller than A, and patches smaller than A
count with the bare tread around them, p = 0.
"""

from __future__ import annotations

import numpy as np

from sole.base.arrays import FloatArray

PEAK_AREA = 1e-4  # A [m^2]


def peak_pressure(pressure: FloatArray, areas: FloatArray, area: float = PEAK_AREA) -> float:
    """Return the mean pressure [Pa] on the most loaded `area` of a tread.

    Where one node stands for more than `area`, this is the largest pressure at a node.

    Parameters
    ----------
    pressure, areas : (m,) normal pressure [Pa] and tread area [m^2] of every node.
    area : A [m^2]; a smaller tread counts as a whole.
    """
    order = np.argsort(-pressure, kind="stable")
    reached = np.minimum(np.cumsum(areas[order]), area)
    share = np.diff(reached, prepend=0.0)
    return float(share @ pressure[order] / reached[-1])
