"""Support phases of a walk, looked up at any times at once.

Phases follow each other without gaps: double support, single support, double support, ... Each is
half open, [start, end); times outside all phases belong to the first or the last one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robot.gait.footholds import GaitError
from robot.gait.footsteps import Footsteps
from sole.base.arrays import BoolArray, FloatArray, IntArray, frozen


@dataclass(frozen=True, eq=False)
class Schedule:
    """Phases of a walk: phase 2k+1 is the single support of step k (from 0), even ones are double.

    Parameters
    ----------
    footsteps : the steps of the walk.
    edges : (2S+2,) starts of the phases and the end of the last [s].
    carrying : (2S+1, 2) whether the left and the right foot carry load.
    """

    footsteps: Footsteps
    edges: FloatArray
    carrying: BoolArray

    @classmethod
    def of(cls, footsteps: Footsteps) -> Schedule:
        """Return the phases of the `footsteps`."""
        edges, carrying = [0.0], [(True, True)]
        for step in footsteps.steps:
            edges += [step.start, step.end]
            carrying += [(step.foot != 0, step.foot != 1), (True, True)]
        edges.append(footsteps.end)
        return cls(footsteps, frozen(edges), frozen(carrying, bool))

    @property
    def end(self) -> float:
        """End of the last phase [s]."""
        return float(self.edges[-1])

    def phases(self, times: ArrayLike) -> IntArray:
        """Return the index of the phase at each of the `times` [s]."""
        times = np.asarray(times, dtype=float)
        if not np.isfinite(times).all():
            raise GaitError("times must be finite")
        inner = np.searchsorted(self.edges[1:-1], times, side="right")
        return np.asarray(inner, dtype=np.int64)

    def supports(self, times: ArrayLike) -> BoolArray:
        """Return (..., 2): whether the left and the right foot carry load."""
        return np.asarray(self.carrying[self.phases(times)])

    def progress(self, times: ArrayLike) -> FloatArray:
        """Return the elapsed fraction of the phase at each time, in [0, 1]."""
        k, times = self.phases(times), np.asarray(times, dtype=float)
        start, end = self.edges[k], self.edges[k + 1]
        return np.asarray(np.clip((times - start) / (end - start), 0.0, 1.0))

    def steps(self, times: ArrayLike) -> IntArray:
        """Return the step (from 0) whose foot swings at each time; -1 if both feet stand."""
        k = self.phases(times)
        return np.where(k % 2 == 1, k // 2, -1)

    def next_steps(self, times: ArrayLike) -> IntArray:
        """Return the current or next step (from 0) at each time; after the last, their number."""
        return np.asarray(self.phases(times) // 2)
