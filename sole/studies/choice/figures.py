"""Pictures of a choice besides the maps: the front with its knee, shares of the variance."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import BoolArray
from sole.studies.choice.drawings import (
    DECADE,
    FEASIBLE,
    FRONT,
    LEADER,
    OUT,
    STAR,
    logarithmic,
    metric_unit,
    numbered,
)
from sole.studies.choice.recommended_row import Choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME_WIDTH = 60
MARKERS = "osD^vPX"


def draw_front(choice: Choice) -> Figure:
    """Draw every pair of metrics: all rows, the front, its knee and the materials."""
    from matplotlib.figure import Figure

    goals = choice.goals
    pairs = [(i, j) for i in range(len(goals)) for j in range(i + 1, len(goals))]
    figure = Figure(
        figsize=(9.6 if len(pairs) == 1 else 6.6 * len(pairs), 5.2), layout="constrained"
    )
    for axes, pair in zip(np.ravel(figure.subplots(1, len(pairs))), pairs, strict=True):
        _pair(axes, choice, *pair)
    return figure


def _pair(axes: Axes, choice: Choice, i: int, j: int) -> None:
    cases = choice.cases
    points, half = [], []
    for which, goal in (("x", choice.goals[i]), ("y", choice.goals[j])):
        series = cases.metrics[goal.metric]
        factor, label = metric_unit(series, goal.metric)
        points.append(series.values * factor)
        half.append(None if series.spread is None else series.spread.half * factor)
        getattr(axes, f"set_{which}label")(
            f"{label}, {'larger' if goal.maximise else 'smaller'} is better"
        )
        finite = series.values[np.isfinite(series.values)]
        if len(finite) and finite.min() > 0 and finite.max() >= DECADE * finite.min():
            logarithmic(axes, which)
    x, y = points
    kept, front = choice.feasible.mask, choice.front
    axes.plot(x[~kept], y[~kept], "x", color=OUT, markersize=4, label="not feasible")
    for marker, word, mask in _kinds(choice):
        said = f", {word}" if word else ""
        some = kept & mask
        axes.plot(x[some], y[some], marker, color=FEASIBLE, markersize=3, alpha=0.5,
                  label=f"feasible{said}")  # fmt: skip
        some = front & mask
        axes.plot(x[some], y[some], marker, color=FRONT, markersize=5,
                  label=f"Pareto front{said}" if some.any() else None)  # fmt: skip
    order = np.argsort(x[front], kind="stable")
    if len(choice.goals) == 2:
        axes.plot(x[front][order], y[front][order], "-", color=FRONT, lw=1)
    if half[0] is not None and half[1] is not None:
        axes.errorbar(x[front], y[front], half[1][front], half[0][front], fmt="none",
                      color=FRONT, alpha=0.5, capsize=2, label="95 % interval")  # fmt: skip
    if choice.knee is not None and choice.row is not None:
        row, at_knee = choice.row, choice.row == choice.knee.row
        if choice.knee.exists and not at_knee:
            axes.plot(x[choice.knee.row], y[choice.knee.row], "D", color="none", markersize=11,
                      markeredgecolor="k", zorder=8, label="knee")  # fmt: skip
        word = "recommended" + (" (knee)" if choice.knee.exists and at_knee else "")
        axes.plot(x[row], y[row], "*", color=STAR, markersize=16, markeredgecolor="k", zorder=9,
                  label=word)  # fmt: skip
    _names(axes, choice, x, y)
    axes.grid(True, alpha=0.25)
    axes.legend(fontsize=8, framealpha=1)


def _kinds(choice: Choice) -> list[tuple[str, str, BoolArray]]:
    """Return (marker, text, rows) by the first text axis that varies, else all rows."""
    cases = choice.cases
    for name in cases.varied:
        axis = cases.axes[name]
        different = np.unique(axis.values)
        if axis.labels and len(different) <= len(MARKERS):
            return [
                (m, axis.labels[int(v)], axis.values == v)
                for m, v in zip(MARKERS, different, strict=False)
            ]
    return [("o", "", np.ones(cases.size, dtype=bool))]


def _names(axes: Axes, choice: Choice, x: np.ndarray, y: np.ndarray) -> None:
    marks = sorted(numbered(choice), key=lambda m: y[m[2]])
    for place, (k, names, row) in enumerate(marks):
        text = str(k)
        if len(choice.goals) == 2:
            text = textwrap.shorten(f"{k}  {'; '.join(names)}", NAME_WIDTH)
        axes.annotate(
            text, (x[row], y[row]), (1.04, (place + 0.5) / len(marks)),
            textcoords="axes fraction", va="center", fontsize=8,
            arrowprops=LEADER | {"relpos": (0, 0.5)},
        )  # fmt: skip


def draw_shares(choice: Choice) -> Figure:
    """Draw bars: the share of every axis in the variance of every metric."""
    from matplotlib.figure import Figure

    found = choice.sensitivities
    names = [n for n in choice.cases.varied if any(n in s.axes for s in found)]
    figure = Figure(
        figsize=(7.5, 1.2 + 0.28 * max(1, len(names)) * len(found)), layout="constrained"
    )
    axes = figure.subplots()
    height = 0.8 / max(1, len(found))
    for k, s in enumerate(found):
        at = [names.index(n) + k * height for n in s.axes]
        error = None if np.isnan(s.uncertainty).any() else s.uncertainty
        color = f"C{k}"
        if not np.isnan(s.total).any():
            axes.barh(at, s.total, 0.9 * height, color="none", edgecolor=color, linestyle=":")
        axes.barh(at, np.nan_to_num(s.first), 0.9 * height, xerr=error, color=color, label=s.metric)
    axes.set_yticks([i + 0.4 - height / 2 for i in range(len(names))], names)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.05)
    axes.set_xlabel("share of the variance (filled: alone; dotted: with interactions)")
    axes.legend(fontsize=8)
    return figure
