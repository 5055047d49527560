"""Readings that come late."""

from __future__ import annotations

from math import ceil, floor

import numpy as np

from sole.arrays import FloatArray


class Delay:
    """Gives back what it was given some time ago, interpolated between two calls.

    Parameters
    ----------
    seconds : how late. period : between two calls [s]. What came first stands for all before.
    """

    def __init__(self, seconds: float, period: float) -> None:
        calls = round(seconds / period, 9)
        self.share, self.length = calls - floor(calls), 1 + ceil(calls)
        self.past = np.zeros(0)

    def __call__(self, value: FloatArray) -> FloatArray:
        """Take the present value and return the late one."""
        if not len(self.past):
            self.past = np.stack([value] * self.length)
        self.past = np.concatenate([self.past[1:], value[None]])
        if self.share == 0.0:
            return np.asarray(self.past[0])
        return np.asarray(self.share * self.past[0] + (1.0 - self.share) * self.past[1])
