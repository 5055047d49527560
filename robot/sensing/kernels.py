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


@njit(cache=True)
def pad_loads(pads: IntArray, count: int, forces: FloatArray) -> FloatArray:
    """Return (count,) sizes of the sums of nodal forces (M, S, 3) over the nodes of each pad."""
    total = np.zeros((count, 3))
    for i in range(len(pads)):
        for s in range(forces.shape[1]):
            for a in range(3):
                total[pads[i], a] += forces[i, s, a]
    size = np.empty(count)
    for k in range(count):
        size[k] = np.sqrt((total[k] ** 2).sum())
    return size
