"""Repeats of one design, such as seeds: means with their intervals.

For n repeats x_k of a row with the mean m,

    s^2 = sum (x_k - m)^2 / (n - 1),    m +- t s / sqrt(n),

is the 95 % interval of the mean, with t the 0.975 quantile of Student's t with n - 1 degrees of
freedom, if the repeats are independent and normal [Montgomery2017]_. Over values that are not
random repeats (an axis of frictions) it only measures their scatter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import ConfigError
from sole.studies.choice.cases import Cases, Repeats
from sole.studies.choice.series import Series, Spread

LEVEL = 0.95


def average_over(cases: Cases, names: Sequence[str]) -> Cases:
    """Average over the axes `names`: one row for all their values, with means and spreads.

    Repeats without a metric do not count in its mean. A row fails, with the first reason, if one
    of its repeats failed. Rows of a sampled design that are equal by chance stay separate: the
    first ones of each value of `names` form a group, then the second ones.

    Raises
    ------
    ConfigError
        An axis is unknown, or no other axis is left.
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
        places=None,  # those of the rows behind the means
    )


def _columns(cases: Cases, names: Sequence[str]) -> FloatArray:
    return np.column_stack([cases.axes[n].values for n in names])


def _groups(keys: FloatArray, own: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the first row of every group in table order, and (N,) the group of each row."""
    _, same = np.unique(np.hstack([keys, own]), axis=0, return_inverse=True)
    same = same.reshape(-1)
    order = np.argsort(same, kind="stable")
    _, start = np.unique(same[order], return_index=True)
    copy = np.empty(len(same))
    copy[order] = np.arange(len(same)) - start[same[order]]  # count among the equal rows
    _, first, group = np.unique(
        np.column_stack([keys, copy]), axis=0, return_index=True, return_inverse=True
    )
    place = np.argsort(np.argsort(first))
    return np.sort(first), place[group.reshape(-1)]


def average_groups(values: FloatArray, group: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the mean of every group over its rows with a value, and the number of these.

    Parameters
    ----------
    values, group : (N,) values, NaN if missing, and group of every row.
    """
    size = int(group.max()) + 1
    has = np.isfinite(values)
    count = np.bincount(group[has], minlength=size)
    total = np.bincount(group[has], weights=values[has], minlength=size)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan), count


def _mean(metric: Series, group: IntArray) -> Series:
    from scipy.special import stdtrit  # scipy.stats takes half a second to import

    x = metric.values
    mean, n = average_groups(x, group)
    scatter, _ = average_groups((x - mean[group]) ** 2, group)
    half = np.full(len(n), np.nan)
    several = n > 1
    free = n[several] - 1
    half[several] = stdtrit(free, (1 + LEVEL) / 2) * np.sqrt(scatter[several] / free)
    least, greatest = np.full(len(n), np.nan), np.full(len(n), np.nan)
    np.fmin.at(least, group, x)
    np.fmax.at(greatest, group, x)
    return replace(metric, values=mean, spread=Spread(half, least, greatest, n))
