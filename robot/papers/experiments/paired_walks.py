"""Differences of paired walks: median of the changes and its interval by bootstrap.

Of the distinct pairs in which both walks stand at the end, the change of a number from a to b is

    100 (b/a - 1) %.

Pairs that are the same in every bit count once. The interval holds the middle 95 % of the medians
of samples drawn from the changes with replacement.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot.papers.experiments.lola_walks import EdgeWalk
from robot.papers.experiments.run_bits import first_of_each
from sole.base.arrays import FloatArray

__all__ = ["changes", "compared", "distinct_pairs", "distinct_walks", "median_interval"]

SAMPLES, SEED = 2000, 1
LEAST = 6  # values: the medians of fewer do not fill an interval
NUMBERS = ("tilt", "roll", "pitch", "mean_tilt", "halved", "com_torque_x", "com_torque_y", "alone")
Pair = tuple[EdgeWalk, EdgeWalk]


def distinct_walks(walks: Sequence[EdgeWalk]) -> list[EdgeWalk]:
    """Return the walks of which no other before is the same in every bit."""
    return first_of_each(walks, lambda walk: walk.bits)


def distinct_pairs(before: Sequence[EdgeWalk], after: Sequence[EdgeWalk]) -> list[Pair]:
    """Return the pairs of which no other before is the same in every bit."""
    pairs = zip(before, after, strict=True)
    return first_of_each(pairs, lambda pair: (pair[0].bits, pair[1].bits))


def changes(pairs: Sequence[Pair], name: str) -> FloatArray:
    """Return the changes of a number in % of all pairs of which neither fell and both have it."""
    both = [(getattr(a, name), getattr(b, name)) for a, b in pairs if not a.fell and not b.fell]
    found = np.array([100 * (b / a - 1) for a, b in both if a], dtype=float)
    return np.asarray(found[~np.isnan(found)])


def median_interval(values: FloatArray) -> tuple[float, float, float]:
    """Return the median and the ends of its 95 % interval; NaN for fewer than `LEAST` values."""
    from scipy.stats import bootstrap

    if not len(values):
        return (float("nan"),) * 3
    middle = float(np.median(values))
    if len(values) < LEAST:
        return middle, float("nan"), float("nan")
    if np.ptp(values) == 0:
        return middle, middle, middle
    found = bootstrap(
        (values,), np.median, n_resamples=SAMPLES, method="percentile", rng=SEED
    ).confidence_interval
    return middle, float(found.low), float(found.high)


def compared(before: Sequence[EdgeWalk], after: Sequence[EdgeWalk]) -> dict[str, float]:
    """Return walks, survivors and the changes with their intervals, as findings.

    `walked` pairs, of which `walks` are distinct, and both stand in `pairs`. Of each of `NUMBERS`
    N: N_change, the median; N_low, N_high, its interval; N_count.
    """
    pairs = distinct_pairs(before, after)
    stand = [pair for pair in pairs if not pair[0].fell and not pair[1].fell]
    numbers: dict[str, float] = {
        "walked": float(len(before)),
        "walks": float(len(pairs)),
        "pairs": float(len(stand)),
        "survived_before": float(sum(not a.fell for a, _ in pairs)),
        "survived_after": float(sum(not b.fell for _, b in pairs)),
    }
    for name in NUMBERS:
        found = changes(pairs, name)
        middle, low, high = median_interval(found)
        numbers |= {
            f"{name}_change": middle,
            f"{name}_low": low,
            f"{name}_high": high,
            f"{name}_count": float(len(found)),
        }
    worst = [b.tilt for _, b in pairs if not b.fell]
    return numbers | {"largest_tilt": max(worst, default=float("nan"))}
