"""Differences of paired walks: median of the changes and its interval by bootstrap.

Of the pairs in which both walks stand at the end, the change of a number from a to b is

    100 (b/a - 1) %,

and the interval holds the middle 95 % of the medians of samples drawn from them with replacement.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot.papers.experiments.lola_walks import EdgeWalk
from sole.base.arrays import FloatArray

__all__ = ["changes", "compared", "median_interval"]

SAMPLES, SEED = 2000, 1
NUMBERS = ("tilt", "roll", "pitch", "mean_tilt", "torque_x", "torque_y")


def changes(before: Sequence[EdgeWalk], after: Sequence[EdgeWalk], name: str) -> FloatArray:
    """Return the changes (n,) of a number in % of all pairs of which neither fell."""
    both = [(a, b) for a, b in zip(before, after, strict=True) if not a.fell and not b.fell]
    return np.array([100 * (getattr(b, name) / getattr(a, name) - 1) for a, b in both])


def median_interval(values: FloatArray) -> tuple[float, float, float]:
    """Return the median and the ends of its 95 % interval; NaN without values."""
    from scipy.stats import bootstrap

    if not len(values):
        return (float("nan"),) * 3
    middle = float(np.median(values))
    if len(values) < 3 or np.ptp(values) == 0:
        return middle, float(values.min()), float(values.max())
    found = bootstrap(
        (values,), np.median, n_resamples=SAMPLES, method="percentile", rng=SEED
    ).confidence_interval
    return middle, float(found.low), float(found.high)


def compared(before: Sequence[EdgeWalk], after: Sequence[EdgeWalk]) -> dict[str, float]:
    """Return walks, survivors and the changes with their intervals, as findings."""
    first, then = (float(sum(not w.fell for w in walks)) for walks in (before, after))
    numbers: dict[str, float] = {
        "walks": float(len(before)),
        "survived_before": first,
        "survived_after": then,
        "more_survive": then - first,
        "survived_share": 100 * then / len(after),
    }
    for name in NUMBERS:
        found = changes(before, after, name)
        middle, low, high = median_interval(found)
        numbers |= {f"{name}_change": middle, f"{name}_low": low, f"{name}_high": high}
        numbers["pairs"] = float(len(found))
    worst = [w.tilt for w in after if not w.fell]
    return numbers | {"largest_tilt": max(worst, default=float("nan"))}
