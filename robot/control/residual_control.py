"""A controller plus offsets of the leg joints, which move linearly to what was asked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from robot.control.controller import Controller, Sensed
from robot.simulator import Command
from sole.base.arrays import FloatArray, IntArray


@dataclass(eq=False)
class ResidualControl:
    """Adds offsets to the joint positions that another controller commands.

    Parameters
    ----------
    inner : the controller. joints : (k,) those with offsets, of `count` joints in all.
    period : time between two calls [s].
    """

    inner: Controller
    joints: IntArray
    count: int
    period: float = field(init=False)
    offset: FloatArray = field(init=False)
    _rate: FloatArray = field(init=False)
    _begun: FloatArray = field(init=False)
    _left: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.period = self.inner.period
        self.offset, self._rate = np.zeros(len(self.joints)), np.zeros(len(self.joints))
        self._begun = self.offset

    def ask(self, offset: FloatArray, calls: int) -> None:
        """Move the offsets to `offset` (k,) [rad] within the next `calls` calls."""
        self._rate, self._left = (offset - self.offset) / calls, calls
        self._begun = self.offset

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return the inner command with offsets."""
        command = self.inner.update(sensed, t)
        if self._left:
            self.offset, self._left = self.offset + self._rate, self._left - 1
        moving = self._left > 0
        positions, velocities = command.positions.copy(), command.velocities.copy()
        positions[self.joints] += self.offset
        if moving:
            velocities[self.joints] += self._rate / self.period
        return replace(command, positions=positions, velocities=velocities)

    def offset_after(self, calls: int) -> FloatArray:
        """Return the offsets (k,) after so many calls since `ask`, also while a block is ahead."""
        return np.asarray(self._path(self._begun, calls)[-1])

    def ahead(self, most: int) -> FloatArray:
        """Return what is added to positions and velocities (N, 2, n) in the next N calls.

        At most so many, and none beyond those that were asked for.
        """
        N = min(self._left, most)
        added = np.zeros((N, 2, self.count))
        added[:, 0, self.joints] = self._path(self.offset, N)[1:]
        added[: self._left - 1, 1, self.joints] = self._rate / self.period
        return added

    def take(self, calls: int) -> None:
        """Go on by so many calls of `ahead`."""
        self.offset = self._path(self.offset, calls)[-1]
        self._left -= calls

    def _path(self, start: FloatArray, calls: int) -> FloatArray:
        """Return the offsets (calls + 1, k) from a start on, summed as in `update`."""
        return np.asarray(np.cumsum([start, *[self._rate] * calls], axis=0))
