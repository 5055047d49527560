"""Analysis of variance: effects on a full grid, and of one text axis among samples.

A full grid has one value per cell, without model or noise.

With y over the grid, ybar its mean and ybar_i(v) the mean of all cells whose axis i has value v,

    SS = sum (y - ybar)^2,    SS_i = sum over cells of (ybar_i - ybar)^2,
    eta^2_i = SS_i / SS,      interaction share = 1 - sum_i eta^2_i,

and the total effect of axis i, its main effect with all its interactions, is
1 - SS(means over axis i alone) / SS [Montgomery2017]_. All values of an axis have equal weight, so
a logarithmic axis means a logarithmic prior.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sole.base.arrays import BoolArray, FloatArray

SAME = 1e-12  # relative spread that counts as round-off


@dataclass(frozen=True, eq=False)
class Effects:
    """Shares of the variance on a grid of d axes.

    Parameters
    ----------
    main, total : (d,) eta squared of each axis alone, and with its interactions.
    interaction : share of all interactions together, 1 - sum of `main`.
    """

    main: FloatArray
    total: FloatArray
    interaction: float


def estimate_effects(grid: FloatArray) -> Effects | None:
    """Return the shares of the variance of a d-dimensional grid; None if it is constant."""
    y = np.asarray(grid, dtype=float)
    axes = range(y.ndim)
    y = y - y.mean()
    whole = float((y**2).sum())
    if np.sqrt(whole / y.size) <= SAME * np.abs(grid).max():
        return None
    main, total = np.empty(y.ndim), np.empty(y.ndim)
    for i in axes:
        mean = y.mean(axis=tuple(j for j in axes if j != i))
        main[i] = (mean**2).sum() * (y.size / len(mean)) / whole
        others = y.mean(axis=i)
        total[i] = 1 - (others**2).sum() * y.shape[i] / whole
    return Effects(main, total, max(0.0, 1 - float(main.sum())))


def correlation_ratio(x: FloatArray, y: FloatArray) -> float:
    """Return the share of the variance of y (n,) between the distinct values of x (n,).

    Kelley's epsilon squared [Kelley1935]_, without the bias of eta squared: with K groups

        1 - (1 - eta^2) (n - 1) / (n - K).

    It can be slightly negative if x has no effect. It is 0 for constant y and NaN if n = K.
    """
    _, group = np.unique(x, return_inverse=True)
    group = group.reshape(-1)
    count = np.bincount(group)
    n, K = len(y), len(count)
    whole = float(((y - y.mean()) ** 2).sum())
    if whole == 0:
        return 0.0
    if n == K:
        return float("nan")
    mean = np.bincount(group, weights=y) / count
    within = float(((y - mean[group]) ** 2).sum())
    return 1 - within / whole * (n - 1) / (n - K)


def complete_part(present: BoolArray) -> tuple[BoolArray, ...]:
    """Return which values of every axis to keep so that no remaining cell is empty.

    The greedy method drops the value with the largest share of empty cells, the first of equals.
    If all values of an axis go, the masks have no True.
    """
    keep = [np.ones(n, dtype=bool) for n in present.shape]
    empty = ~present
    while True:
        rest = empty[np.ix_(*keep)]
        if not rest.any():
            return tuple(keep)
        shares = [
            rest.mean(axis=tuple(j for j in range(rest.ndim) if j != i)) for i in range(rest.ndim)
        ]
        worst = max(range(rest.ndim), key=lambda i: shares[i].max())
        keep[worst][np.flatnonzero(keep[worst])[int(np.argmax(shares[worst]))]] = False
