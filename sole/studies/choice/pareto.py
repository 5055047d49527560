"""Pareto front and knee of two or more metrics.

Row a dominates row b if it is worse in no metric and better in at least one. The front has the
rows that no other row dominates; equal rows do not dominate each other, so all are on it.

The knee [Das1999]_: normalise every metric over the front to x in [0, 1], 0 the best. The best
rows of two metrics are then (0, 1) and (1, 0), and the knee lies farthest below the chord
between them. With k metrics the chord becomes the plane through the k unit points,

    distance = (1 - x_1 - ... - x_k) / sqrt(k),

which for k = 2 is the distance from the chord itself. (Das takes the plane through the single
best rows, which for k > 2 need not be the unit points.) Metrics that are constant on the front
do not count in k. A front without a row below the chord, or with two rows only, has no knee.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.errors import SoleError

SLIGHT = 1e-9  # distance from the chord that counts as round-off


def pareto_front(values: FloatArray, allowed: BoolArray | None = None) -> BoolArray:
    """Return which of n rows are on the Pareto front of k metrics, all minimised.

    Parameters
    ----------
    values : (n, k); change the sign of metrics to maximise. A row with NaN or infinity is left
        out.
    allowed : (n,) rows that count, all by default.

    Returns
    -------
    (n,) whether a row is on the front.
    """
    values = np.asarray(values, dtype=float)
    usable = np.isfinite(values).all(axis=1)
    if allowed is not None:
        usable &= allowed
    places = np.flatnonzero(usable)
    # Sorted by the first metric, then the next: only an earlier row can dominate a row.
    different, group = np.unique(values[places], axis=0, return_inverse=True)
    best = _front_of_two(different) if values.shape[1] == 2 else _front_of_sorted(different)
    front = np.zeros(len(values), dtype=bool)
    front[places[best[group.reshape(-1)]]] = True
    return front


def _front_of_two(rows: FloatArray) -> BoolArray:
    """Return the front of distinct, sorted rows: the second metric is a new minimum."""
    least = np.minimum.accumulate(np.concatenate([[np.inf], rows[:, 1]]))[:-1]
    return np.asarray(rows[:, 1] < least)


def _front_of_sorted(rows: FloatArray) -> BoolArray:
    best = np.zeros(len(rows), dtype=bool)
    front = np.empty_like(rows)
    count = 0
    for i, row in enumerate(rows):
        if not (front[:count] <= row).all(axis=1).any():
            best[i] = True
            front[count] = row
            count += 1
    return best


@dataclass(frozen=True, eq=False)
class Knee:
    """The knee: the row of the front farthest below the chord.

    Parameters
    ----------
    row : its index among all rows.
    distance : from the chord, in normalised metrics; at most 1/sqrt(2) for two metrics.
    front : (m,) indices of the front's rows.
    normalised : (m, k) their metrics over the front, 0 best and 1 worst.
    """

    row: int
    distance: float
    front: IntArray
    normalised: FloatArray

    @property
    def exists(self) -> bool:
        """Whether there is a knee; without one, `row` is nearest to the ideal point.

        The ideal point is (0, ..., 0) in normalised metrics.
        """
        return self.distance > SLIGHT

    @property
    def equal(self) -> bool:
        """Whether all rows of the front are equal in every metric."""
        return not self.normalised.any()


def knee(values: FloatArray, front: BoolArray) -> Knee:
    """Return the knee of a front of (n, k) minimised values.

    Of ties, the row that is better in the first metric counts, then the first row.

    Raises
    ------
    SoleError
        The front is empty.
    """
    places = np.flatnonzero(front)
    if not len(places):
        raise SoleError("the Pareto front is empty: no feasible row has all of the metrics")
    chosen = np.asarray(values, dtype=float)[places]
    low, span = chosen.min(axis=0), np.ptp(chosen, axis=0)
    differs = span > SLIGHT * np.abs(chosen).max(axis=0)
    x = np.where(differs, (chosen - low) / np.where(differs, span, 1.0), 0.0)
    k = int(differs.sum())
    below = (1 - x.sum(axis=1)) / np.sqrt(max(k, 1))
    bends = k > 1 and below.max() > SLIGHT
    rank = -below if bends else np.linalg.norm(x, axis=1)
    best = min(range(len(places)), key=lambda i: (round(float(rank[i]), 9), *x[i]))
    return Knee(int(places[best]), float(below[best]) if bends else 0.0, places, x)
