"""Pictures of a choice: maps over the axes, the front with its knee, shares of the variance.

Materials carry the same number in every picture; the page lists what the numbers mean.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from sole.arrays import IntArray
from sole.choice.cases import Series
from sole.choice.decision import Choice
from sole.choice.words import readable
from sole.pictures.drawing import display_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DECADE = 10.0
FEASIBLE, FRONT, OUT, STAR = "#1f77b4", "#d62728", "#b8b8b8", "#ffd400"
LEVELS = 25
LEAST_SPAN = 1e-9
TITLE_WIDTH = 60
_LEADER = {"arrowstyle": "-", "linewidth": 0.6, "color": "#404040"}
_TAG: dict[str, Any] = {
    "ha": "center",
    "va": "center",
    "fontsize": 7,
    "zorder": 10,
    "annotation_clip": False,
    "bbox": {"boxstyle": "circle,pad=0.2", "facecolor": "white", "edgecolor": "k"},
    "arrowprops": _LEADER,
}


def numbered(choice: Choice) -> list[tuple[int, tuple[str, ...], int]]:
    """Return (number, names, row): materials that share a row share a number."""
    rows: dict[int, list[str]] = {}
    for material, row in choice.places:
        rows.setdefault(row, []).append(material.name)
    return [(k, tuple(names), row) for k, (row, names) in enumerate(rows.items(), 1)]


def draw_maps(choice: Choice) -> Figure:
    """Return one panel per metric over the first two axes that vary (a line if there is one).

    Of further axes of a grid the recommended value is taken, else the middle one.
    """
    from matplotlib.figure import Figure

    cases = choice.cases
    seen = cases.varied[:2]
    names = [g.metric for g in choice.goals]
    figure = Figure(figsize=(6.2 * len(names), 5.0), layout="constrained")
    for axes, name in zip(np.ravel(figure.subplots(1, len(names))), names, strict=True):
        if not seen:
            axes.text(0.5, 0.5, "no axis varies", ha="center", transform=axes.transAxes)
            continue
        rows, fixed = _slice(choice, seen)
        (_map if len(seen) == 2 else _line)(axes, choice, name, seen, rows)
        title = f"{cases.metrics[name].title or name}{fixed}"
        axes.set_title(textwrap.fill(title, TITLE_WIDTH), fontsize=10)
    return figure


def _slice(choice: Choice, seen: list[str]) -> tuple[IntArray, str]:
    """Return (n,) rows of a grid's slice through the recommended row, and the slice in words."""
    cases = choice.cases
    keep = np.ones(cases.size, dtype=bool)
    said = []
    for name in cases.varied if cases.shape else []:
        if name in seen:
            continue
        values = cases.axes[name].values
        different = np.unique(values)
        value = choice.settings.get(name, float(different[len(different) // 2]))
        keep &= values == value
        said.append(f"{name} = {readable(value, cases.axes[name].unit)}")
    return np.flatnonzero(keep), f", {', '.join(said)}" if said else ""


def _map(axes: Axes, choice: Choice, name: str, seen: list[str], rows: IntArray) -> None:
    from matplotlib.colors import LogNorm, Normalize

    cases = choice.cases
    across, up = sorted(seen, key=lambda n: not n.startswith("young"))
    x, y = (cases.axes[n].values[rows] for n in (across, up))
    factor, label = _unit(cases.metrics[name], name)
    z = cases.metrics[name].values[rows] * factor
    kept = choice.feasible.mask[rows]
    _scale(axes, "x", cases.axes[across], across)
    _scale(axes, "y", cases.axes[up], up)
    finite = z[np.isfinite(z)]
    flat = not len(finite) or np.ptp(finite) <= LEAST_SPAN * np.abs(finite).max()
    if flat:
        said = f"{name}: {finite[0]:.4g} everywhere" if len(finite) else "no row has it"
        axes.text(0.5, 0.5, said, ha="center", transform=axes.transAxes)
    else:
        low, high = float(finite.min()), float(finite.max())
        log = low > 0 and high >= DECADE * low
        norm = LogNorm(low, high) if log else Normalize(low, high)
        if cases.shape:
            gx, gy = np.unique(x), np.unique(y)
            place = np.searchsorted(gy, y), np.searchsorted(gx, x)
            grid, refused = np.full((len(gy), len(gx)), np.nan), np.ones((len(gy), len(gx)))
            grid[place], refused[place] = z, ~kept
            levels = (np.geomspace if log else np.linspace)(low, high, LEVELS)
            drawn: object = axes.contourf(gx, gy, grid, levels=levels, norm=norm, cmap="viridis")
            if refused.any():
                axes.contourf(gx, gy, refused, levels=[0.5, 1.5], colors="none", hatches=["///"])
                axes.contour(gx, gy, refused, levels=[0.5], colors="white", linewidths=1.5)
        else:
            drawn = axes.scatter(x[kept], y[kept], c=z[kept], norm=norm, cmap="viridis", s=22)
            axes.plot(x[~kept], y[~kept], "x", color=OUT, markersize=4)
        _bar(axes, drawn, label, low, high, log)
    empty = np.isnan(z)
    if empty.any():
        axes.plot(x[empty], y[empty], "rx", markersize=4, clip_on=False, zorder=5)
    if choice.knee is not None:
        at = [cases.axes[n].values[choice.knee.row] for n in (across, up)]
        axes.plot(*at, "*", color=STAR, markersize=18, markeredgecolor="k", zorder=9, clip_on=False)
    if across.startswith("young") and up.startswith("poisson"):
        _materials(axes, choice, (float(x.min()), float(x.max())), (float(y.min()), float(y.max())))


def _bar(axes: Axes, drawn: object, label: str, low: float, high: float, log: bool) -> None:
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, NullLocator

    figure = axes.figure
    bar = figure.colorbar(drawn, ax=axes, label=label)  # type: ignore[arg-type]
    locate = LogLocator(subs=(1.0, 2.0, 5.0)) if log else MaxNLocator(7)
    inside = [float(t) for t in locate.tick_values(low, high) if low <= t <= high]
    bar.set_ticks(inside, labels=[f"{t:.3g}" for t in inside])
    bar.ax.yaxis.set_minor_locator(NullLocator())
    bar.ax.yaxis.set_minor_formatter(NullFormatter())


def _materials(axes: Axes, choice: Choice, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Bars over the range of E of every material; those of a nu beyond the map lie on its edge."""
    number = {name: k for k, names, _ in numbered(choice) for name in names}
    tags: dict[float, dict[str, float]] = {}  # by height: the number and the middle of its bar
    for material, _ in choice.places:
        nu = min(max(material.poisson, y[0]), y[1])
        low, middle, high = (
            min(max(e, x[0]), x[1])
            for e in (material.young_range[0], material.young, material.young_range[1])
        )
        for color, width in (("white", 4), ("k", 2)):
            axes.plot([low, high], [nu, nu], color=color, lw=width, clip_on=False, zorder=6)
        axes.plot(middle, nu, "k|", markersize=9, clip_on=False, zorder=7)
        tags.setdefault(nu, {}).setdefault(str(number[material.name]), middle)
    for nu, row in tags.items():
        spread = zip(row.items(), _spread(len(row)), strict=True)
        for (text, middle), place in spread:
            axes.annotate(
                text, (middle, nu), (place, -24),
                textcoords=("axes fraction", "offset points"), **_TAG,
            ).set_in_layout(False)  # fmt: skip


def _spread(count: int) -> list[float]:
    """Return evenly spread places in (0, 1)."""
    return [(k + 0.5) / count for k in range(count)]


def _line(axes: Axes, choice: Choice, name: str, seen: list[str], rows: IntArray) -> None:
    cases = choice.cases
    x = cases.axes[seen[0]].values[rows]
    factor, label = _unit(cases.metrics[name], name)
    z = cases.metrics[name].values[rows] * factor
    kept = choice.feasible.mask[rows]
    order = np.argsort(x)
    axes.plot(x[order], z[order], "-", color=OUT, zorder=1)
    axes.plot(x[kept], z[kept], "o", color=FEASIBLE, markersize=4, label="feasible")
    if not kept.all():
        axes.plot(x[~kept], z[~kept], "x", color="k", markersize=5, label="not feasible")
    if choice.knee is not None:
        best = choice.knee.row
        axes.plot(
            cases.axes[seen[0]].values[best], cases.metrics[name].values[best] * factor, "*",
            color=STAR, markersize=18, markeredgecolor="k", zorder=9, label="recommended",
        )  # fmt: skip
    for k, _, row in numbered(choice) if seen[0].startswith("young") else ():
        at = float(cases.axes[seen[0]].values[row]), float(cases.metrics[name].values[row] * factor)
        axes.annotate(str(k), at, (0, 14 + 12 * (k % 2)), textcoords="offset points", **_TAG)
    _scale(axes, "x", cases.axes[seen[0]], seen[0])
    axes.set_ylabel(label)
    axes.grid(True, alpha=0.25)
    axes.legend(fontsize=8)


def draw_front(choice: Choice) -> Figure:
    """Return every pair of metrics: all rows, the front, its knee and the materials."""
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
    points = []
    for which, goal in (("x", choice.goals[i]), ("y", choice.goals[j])):
        series = cases.metrics[goal.metric]
        factor, label = _unit(series, goal.metric)
        points.append(series.values * factor)
        getattr(axes, f"set_{which}label")(
            f"{label}, {'larger' if goal.maximise else 'smaller'} is better"
        )
        finite = series.values[np.isfinite(series.values)]
        if len(finite) and finite.min() > 0 and finite.max() >= DECADE * finite.min():
            getattr(axes, f"set_{which}scale")("log")
    x, y = points
    kept, front = choice.feasible.mask, choice.front
    axes.plot(x[~kept], y[~kept], "x", color=OUT, markersize=4, label="not feasible")
    axes.plot(x[kept], y[kept], "o", color=FEASIBLE, markersize=3, alpha=0.5, label="feasible")
    order = np.argsort(x[front], kind="stable")
    joined = "-" if len(choice.goals) == 2 else ""
    axes.plot(
        x[front][order],
        y[front][order],
        f"o{joined}",
        color=FRONT,
        markersize=5,
        label="Pareto front",
    )
    if choice.knee is not None:
        row = choice.knee.row
        word = "knee" if choice.knee.exists else "recommended"
        axes.plot(x[row], y[row], "*", color=STAR, markersize=20, markeredgecolor="k", zorder=9,
                  label=word)  # fmt: skip
    marks = sorted(numbered(choice), key=lambda m: y[m[2]])
    for (k, names, row), height in zip(marks, _spread(len(marks)), strict=True):
        text = (
            textwrap.shorten(f"{k}  {'; '.join(names)}", 60) if len(choice.goals) == 2 else str(k)
        )
        axes.annotate(
            text, (x[row], y[row]), (1.04, height), textcoords="axes fraction",
            va="center", fontsize=8, arrowprops=_LEADER,
        )  # fmt: skip
    axes.grid(True, alpha=0.25)
    axes.legend(fontsize=8)


def draw_shares(choice: Choice) -> Figure:
    """Return bars: the share of every axis in the variation of every metric."""
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


def _unit(series: Series, name: str) -> tuple[float, str]:
    finite = series.values[np.isfinite(series.values)]
    first, *rest = (series.unit or "-").split()
    largest = float(np.abs(finite).max(initial=0.0))
    factor, unit = (1.0, first) if first == "-" or "^" in first else display_unit(largest, first)
    return factor, f"{name} [{' '.join([unit, *rest])}]"


def _scale(axes: Axes, which: str, series: Series, name: str) -> None:
    low, high = float(series.values.min()), float(series.values.max())
    if low > 0 and high >= DECADE * low:
        getattr(axes, f"set_{which}scale")("log")
    getattr(axes, f"set_{which}label")(f"{series.title or name} [{series.unit or '-'}]")
