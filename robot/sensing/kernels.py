"""Compiled parts of the sensors: arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numba import njit

from sole.arrays import FloatArray, IntArray


@njit(cache=True)
def summed(sides: IntArray, wrenches: FloatArray) -> FloatArray:
    """Return (2, 6): the sums of `wrenches` (B, 6) of the bodies of each foot, `sides` (B,)."""
    total = np.zeros((2, 6))
    for b in range(len(sides)):
        for i in range(6):
            total[sides[b], i] += wrenches[b, i]
    return total
