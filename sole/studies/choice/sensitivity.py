"""Sensitivities: the share of a metric's variance by axis, estimated according to the sampling.

- full grid: analysis of variance (`variance.effects`), exact for the grid's cells; axis values
  with failed rows are left out, and the remark names the remaining part.
- Saltelli's design: Sobol' indices of first and total order [SaltelliEtAl2010]_; blocks with a
  failed row are left out.
- any other samples: RBD-FAST from given data [TarantolaGatelliMara2006]_ with the bias correction
  of [TissotPrieur2012]_: first order only. It sorts the rows by the axis, so text axes, or axes of
  at most `FEW` values, get the unbiased correlation ratio of a one-way ANOVA instead
  (`variance.correlation_ratio`).

The first two need no order of values, so text axes are like any others. A mean over repeats counts
as one row. Rows, and repeats of a mean, that ended in a failure are left out like failed rows,
because their numbers describe the failure; they count for metrics declared `of_failures`.

The estimators for samples are SALib's [HermanUsher2017]_ with a fixed seed: the same table gives
the same figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sole.base.arrays import BoolArray, FloatArray
from sole.base.extras import require_extra
from sole.studies.choice.cases import Cases
from sole.studies.choice.repeats import average_groups
from sole.studies.choice.variance import complete_part, correlation_ratio, estimate_effects

ANOVA = "ANOVA on the grid (eta squared)"
SOBOL = "Sobol' indices (Saltelli 2010)"
RBD_FAST = "RBD-FAST (given data)"
ONE_WAY = "one-way ANOVA (epsilon squared)"
SEED = 1
HARMONICS = 10
FEWEST_SAMPLES = 40
FEWEST_BLOCKS = 8
UNSURE = 0.3  # half width of an interval above which a share is unreliable
FEW = 10
RESAMPLES = 100
QUANTILE = 1.96  # normal quantile for 95 %


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Shares of one metric's variance by axis.

    Parameters
    ----------
    metric, estimator : names.
    axes : the d axes that vary.
    first : (d,) share of the axis alone; NaN if it cannot be estimated.
    total : (d,) share with all its interactions; NaN if the estimator has none.
    uncertainty : (d,) half width of the 95 % interval of `first`; NaN for the exact ANOVA.
    remark : the omitted rows, or why there are no numbers.
    """

    metric: str
    estimator: str
    axes: tuple[str, ...]
    first: FloatArray
    total: FloatArray
    uncertainty: FloatArray
    remark: str = ""

    @property
    def interaction(self) -> float:
        """Share of interactions, 1 - sum of `first`; for samples, with all their errors."""
        return float(1 - self.first.sum())

    @property
    def known(self) -> bool:
        """Whether there are numbers."""
        return not bool(np.isnan(self.first).any())


def sensitivities(cases: Cases, metrics: Sequence[str]) -> list[Sensitivity]:
    """Return the sensitivity of every metric to the axes with more than one value."""
    return [sensitivity(cases, name) for name in metrics]


def sensitivity(cases: Cases, metric: str) -> Sensitivity:
    """Estimate by the method for the table's sampling; NaN with a reason if there is none."""
    y, lost = _of_successes(cases, metric)
    if cases.shape:
        found = _of_grid(cases, metric, y)
    elif cases.sampling == "saltelli":
        found = _by_sobol(cases, metric, y)
    else:
        found = _by_data(cases, metric, y)
    if not lost or cases.each.outcome is None:
        return found
    outcome = cases.each.outcome[1]
    said = f"{lost} {outcome.adjective} {outcome.noun if lost == 1 else outcome.nouns} left out"
    return replace(found, remark="; ".join(filter(None, (said, found.remark))))


def _of_successes(cases: Cases, metric: str) -> tuple[FloatArray, int]:
    """Return the metric, NaN in rows that ended in a failure, and the number of these rows.

    A mean is taken over the other repeats.
    """
    y, each = cases.metric(metric), cases.each
    if each.outcome is None or metric == each.outcome[0] or y.of_failures:
        return y.values, 0
    own = np.where(each.bad, np.nan, each.metrics[metric].values)
    lost = int(each.bad.sum())
    return (own if cases.repeats is None else average_groups(own, cases.repeats.group)[0]), lost


def _nothing(metric: str, estimator: str, axes: Sequence[str], why: str) -> Sensitivity:
    none = np.full(len(axes), np.nan)
    return Sensitivity(metric, estimator, tuple(axes), none, none, none, why)


def _of_grid(cases: Cases, metric: str, y: FloatArray) -> Sensitivity:
    grid = y.reshape(cases.shape)
    keep = complete_part(np.isfinite(grid))
    names = list(cases.axes)
    varied = [i for i, mask in enumerate(keep) if mask.sum() > 1]
    remark = _part(cases, names, keep)
    if not all(mask.any() for mask in keep) or not varied:
        return _nothing(metric, ANOVA, cases.varied, "too few rows have it")
    found = estimate_effects(grid[np.ix_(*keep)])
    axes = [names[i] for i in varied]
    if found is None:
        return _nothing(metric, ANOVA, axes, "the same in every row")
    none = np.full(len(axes), np.nan)
    return Sensitivity(
        metric, ANOVA, tuple(axes), found.main[varied], found.total[varied], none, remark
    )


def _part(cases: Cases, names: Sequence[str], keep: Sequence[BoolArray]) -> str:
    """Return the remaining axis values as text, '' if all remain."""
    said = []
    for name, mask, size in zip(names, keep, cases.shape, strict=True):
        if 0 < mask.sum() < size:
            axis = cases.axes[name]
            left = np.array(list(dict.fromkeys(axis.values)))[mask]  # in the table's order
            if axis.labels:
                values = ", ".join(axis.labels[int(v)] for v in left)
            else:
                values = f"{left.min():.4g} to {left.max():.4g}"
            said.append(f"{name} {values} ({mask.sum()} of {size} values)")
    return f"on the part of the grid that has it: {', '.join(said)}" if said else ""


def _saltelli_block(X: FloatArray) -> int:
    """Return the rows per block of Saltelli's design, d + 2 or 2 d + 2; 0 for another design.

    A block is A, then A with column i of B for every i, (then B with column i of A,) then B.
    """
    n, d = len(X), X.shape[1]
    sizes: tuple[int, ...] = (2 * d + 2, d + 2)
    for size in sizes:
        if n % size:
            continue
        blocks = X.reshape(-1, size, d)
        A, B = blocks[:, 0], blocks[:, -1]
        mixed = np.repeat(A[:, None], d, axis=1)
        mixed[:, np.arange(d), np.arange(d)] = B
        if np.array_equal(blocks[:, 1 : d + 1], mixed):
            return size
    return 0


def _problem(names: Sequence[str], X: FloatArray) -> dict[str, Any]:
    bounds = np.column_stack([X.min(axis=0), X.max(axis=0)]).tolist()
    return {"num_vars": X.shape[1], "names": list(names), "bounds": bounds}


def _by_sobol(cases: Cases, metric: str, y: FloatArray) -> Sensitivity:
    require_extra("studies", "a sensitivity analysis")
    from SALib.analyze import sobol

    # Sampled axes with one value are columns of the design, too.
    sampled = [n for n in cases.axes if n not in cases.ensemble]
    X = np.column_stack([cases.axes[n].values for n in sampled])
    block = _saltelli_block(X)
    if not block:
        found = _by_data(cases, metric, y)
        said = "the rows are not a complete Saltelli design"
        return replace(found, remark="; ".join(filter(None, (said, found.remark))))
    blocks = y.reshape(-1, block)
    whole = np.asarray(np.isfinite(blocks).all(axis=1))
    if whole.sum() < FEWEST_BLOCKS:
        why = f"{whole.sum()} blocks of the design have it in all rows, {FEWEST_BLOCKS} are needed"
        return _nothing(metric, SOBOL, cases.varied, why)
    kept = blocks[whole].ravel()
    if np.ptp(kept) == 0:
        return _nothing(metric, SOBOL, cases.varied, "the same in every row")
    second = block > X.shape[1] + 2
    found = sobol.analyze(_problem(sampled, X), kept, calc_second_order=second, seed=SEED)
    lost = int((~whole).sum())
    remark = f"{lost} of {len(whole)} blocks left out: a row lacks it" if lost else ""
    varied = [k for k, name in enumerate(sampled) if name in cases.varied]
    first, total, width = (
        np.asarray(found[k], dtype=float)[varied] for k in ("S1", "ST", "S1_conf")
    )
    if (width > UNSURE).any():
        few = f"{whole.sum()} blocks are few: take more samples"
        remark = "; ".join(filter(None, (few, remark)))
    return Sensitivity(
        metric, SOBOL, tuple(sampled[k] for k in varied), first, total, width, remark
    )


def _by_data(cases: Cases, metric: str, y: FloatArray) -> Sensitivity:
    """Estimate by RBD-FAST for axes of many numbers, by one-way ANOVA for texts or few values."""
    X = np.column_stack([cases.axes[n].values for n in cases.varied])
    axes = [cases.axes[n] for n in cases.varied]
    levels = np.array([bool(a.labels) or len(np.unique(a.values)) <= FEW for a in axes])
    names = np.array(cases.varied)
    one_way = f"{ONE_WAY} for {', '.join(names[levels])}" if levels.any() else ""
    estimator = "; ".join(filter(None, ("" if levels.all() else RBD_FAST, one_way)))
    kept = np.isfinite(y)
    n = int(kept.sum())
    if n < FEWEST_SAMPLES:
        why = f"{n} rows have it, {FEWEST_SAMPLES} are needed"
        return _nothing(metric, estimator, cases.varied, why)
    if np.ptp(y[kept]) == 0:
        return _nothing(metric, estimator, cases.varied, "the same in every row")
    first, width = np.empty(len(levels)), np.empty(len(levels))
    if not levels.all():
        first[~levels], width[~levels] = _rbd(names[~levels].tolist(), X[kept][:, ~levels], y[kept])
    for i in np.flatnonzero(levels):
        first[i], width[i] = _one_way(X[kept, i], y[kept])
    remark = f"{len(y) - n} rows without it left out" if n < len(y) else ""
    none = np.full(len(first), np.nan)
    return Sensitivity(metric, estimator, tuple(cases.varied), first, none, width, remark)


def _rbd(names: Sequence[str], X: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    require_extra("studies", "a sensitivity analysis")
    from SALib.analyze import rbd_fast

    # Few samples allow few harmonics: they must stay far below the number of frequencies.
    M = min(HARMONICS, len(y) // 10)
    found = rbd_fast.analyze(_problem(names, X), X, y, M=M, seed=SEED)
    return np.asarray(found["S1"], dtype=float), np.asarray(found["S1_conf"], dtype=float)


def _one_way(x: FloatArray, y: FloatArray) -> tuple[float, float]:
    """Return the correlation ratio and the half width of its bootstrap interval."""
    random = np.random.default_rng(SEED)
    drawn = random.integers(len(y), size=(RESAMPLES, len(y)))
    again = [correlation_ratio(x[rows], y[rows]) for rows in drawn]
    return correlation_ratio(x, y), QUANTILE * float(np.std(again, ddof=1))
