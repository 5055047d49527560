"""Compiled: a look at the numbers of a command that costs no arrays."""

from __future__ import annotations

from numba import njit

from sole.arrays import FloatArray


@njit(cache=True)
def within(array: FloatArray, largest: float) -> bool:
    """Return whether all of `array` (n,) are numbers with an absolute value up to `largest`."""
    for x in array:
        if not abs(x) <= largest:
            return False
    return True
