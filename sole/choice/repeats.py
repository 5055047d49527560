"""Repeats of one design, such as seeds and phases of a gait: means with their intervals.

Of n repeats x_k of a row with the mean m,

    s^2 = sum (x_k - m)^2 / (n - 1),    m +- t s / sqrt(n),

t the 0.975 quantile of Student's t with n - 1 degrees of freedom: the 95 % interval of the mean
if the repeats are independent and normal [Montgomery2017]_. Over values of an axis that are no
random repeats (an axis of frictions) it tells how much they scatter, no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sole.arrays import FloatArray, IntArray
from sole.choice.cases import Cases, Repeats
from sole.choice.series import Series, Spread
from sole.errors import ConfigError

LEVEL = 0.95


def averaged(cases: Cases, names: Sequence[str]) -> Cases:
    """Return one row for all values of the axes `names`: every metric's mean and spread.

    Of every metric those repeats count that have it. A row fails, and cannot be chosen, if one of
    those it stands for failed, and takes the first one's reason. Rows of a sampled design that
    are equal by chance stay apart: the first of each value of `names` go together, then the
    second.

    Raises
    ------
    ConfigError
        There is no such axis, or no other is left.
    """
    if not names:
        return cases
    others = [n for n in cases.axes if n not in names]
    unknown = [n for n in names if n not in cases.axes]
    if unknown or not others:
        raise ConfigError(
            f"cannot take the mean over {', '.join(unknown or names)}: the study's axes are "
            f"{', '.join(cases.axes)}, and one must be left"
        )
    first, group = _groups(_columns(cases, others), _columns(cases, names))
    reasons = [""] * len(first)
    for k, reason in zip(group, cases.reasons, strict=True):
        reasons[k] = reasons[k] or reason
    return replace(
        cases,
        axes={n: cases.axes[n].at(first) for n in others},
        metrics={n: _mean(m, group) for n, m in cases.metrics.items()},
        reasons=tuple(reasons),
        shape=tuple(s for n, s in zip(cases.axes, cases.shape, strict=False) if n not in names),
        title=f"{cases.title}, mean over {' and '.join(names)}",
        elastic=None if cases.elastic is None else cases.elastic.common(first, group),
        ensemble=tuple(n for n in cases.ensemble if n not in names),
        repeats=Repeats(cases, group, tuple(names)),
    )


def _columns(cases: Cases, names: Sequence[str]) -> FloatArray:
    return np.column_stack([cases.axes[n].values for n in names])


def _groups(keys: FloatArray, own: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the first row of every group, in the table's order, and (N,) the group of each row."""
    _, same = np.unique(np.hstack([keys, own]), axis=0, return_inverse=True)
    same = same.reshape(-1)
    order = np.argsort(same, kind="stable")
    _, start = np.unique(same[order], return_index=True)
    copy = np.empty(len(same))
    copy[order] = np.arange(len(same)) - start[same[order]]  # which of the equal rows this is
    _, first, group = np.unique(
        np.column_stack([keys, copy]), axis=0, return_index=True, return_inverse=True
    )
    place = np.argsort(np.argsort(first))
    return np.sort(first), place[group.reshape(-1)]


def means(values: FloatArray, group: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the mean of every group over its rows that have a value, and how many these are.

    Parameters
    ----------
    values, group : (N,) NaN where a row lacks it; which mean a row goes into.
    """
    size = int(group.max()) + 1
    has = np.isfinite(values)
    count = np.bincount(group[has], minlength=size)
    total = np.bincount(group[has], weights=values[has], minlength=size)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan), count


def _mean(metric: Series, group: IntArray) -> Series:
    from scipy.stats import t

    x = metric.values
    mean, n = means(x, group)
    scatter, _ = means((x - mean[group]) ** 2, group)
    half = np.full(len(n), np.nan)
    several = n > 1
    free = n[several] - 1
    half[several] = t.ppf((1 + LEVEL) / 2, free) * np.sqrt(scatter[several] / free)
    least, greatest = np.full(len(n), np.nan), np.full(len(n), np.nan)
    np.fmin.at(least, group, x)
    np.fmax.at(greatest, group, x)
    return replace(metric, values=mean, spread=Spread(half, least, greatest, n))
