"""Maps of a choice: every metric over two numeric axes, as lines over one, or as dots over texts.

A grid gives filled contours, samples give dots. Infeasible cells are hatched; real materials lie
at their E and nu.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.readable import as_title
from sole.studies.choice.drawings import (
    DECADE,
    FEASIBLE,
    LEADER,
    OUT,
    STAR,
    metric_unit,
    numbered,
    numbers_line,
    scale_axis,
)
from sole.studies.choice.recommended_row import Choice
from sole.studies.choice.series import Series
from sole.studies.choice.values import readable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEVELS = 25
LEAST_SPAN = 1e-9
TITLE_WIDTH = 60
MOST_PANELS = 4
GAP = 0.06  # least distance of numbers on a map, relative to its width
_TAG: dict[str, Any] = {
    "ha": "center",
    "va": "center",
    "fontsize": 7,
    "zorder": 10,
    "annotation_clip": False,
    "bbox": {"boxstyle": "circle,pad=0.2", "facecolor": "white", "edgecolor": "k"},
    "arrowprops": LEADER,
}


@dataclass(frozen=True, eq=False)
class MapPanel:
    """The rows of one map or line, and a title with their common values ('' if none)."""

    rows: IntArray
    title: str


def draw_maps(choice: Choice) -> Figure:
    """Draw every metric over the first two numeric axes that vary, E and nu first.

    Every value of further text axes has its own map, up to `MOST_PANELS`. Other axes of a grid
    are fixed at the recommended value, else the middle one. A single numeric axis gives lines,
    none gives dots over the texts.
    """
    from matplotlib.figure import Figure

    cases = choice.cases
    seen = drawn_axes(choice)
    names = [g.metric for g in choice.goals]
    panels = _panels(choice, seen)
    maps = panels if len(seen) == 2 else panels[:1]
    figure = Figure(figsize=(6.2 * len(names), 4.7 * len(maps) + 0.4), layout="constrained")
    grid = figure.subplots(len(maps), len(names), squeeze=False)
    for column, name in enumerate(names):
        series = cases.metrics[name]
        for line, panel in enumerate(maps):
            axes = grid[line, column]
            if not seen:
                axes.text(0.5, 0.5, "no axis varies", ha="center", transform=axes.transAxes)
                continue
            if len(seen) == 2:
                among = _among(choice, panels)
                _map(axes, choice, name, seen, panel.rows, among)
            else:
                _lines(axes, choice, name, seen[0], panels)
            said = f", {panel.title}" if panel.title and len(seen) == 2 else ""
            title = textwrap.fill(f"{as_title(series.title or name)}{said}", TITLE_WIDTH)
            axes.set_title(title, fontsize=10, pad=12)  # a star may lie on the edge
    if len(seen) == 2 and draws_materials(choice, seen):
        figure.supxlabel(numbers_line(choice, int(24 * len(names) * 4)), fontsize=8)
    return figure


def drawn_axes(choice: Choice) -> list[str]:
    """Return the axes to draw over: two numeric ones, E and nu first, else one of any kind."""
    cases = choice.cases
    numbers = [n for n in cases.varied if not cases.axes[n].labels]
    first = () if cases.elastic is None else cases.elastic.axes
    rank = {"young": 0, "poisson": 1}

    def place(name: str) -> tuple[int, int]:
        return rank.get(cases.axes[name].quantity, 2), int(name not in first)

    return sorted(numbers, key=place)[:2] or cases.varied[:1]


def draws_materials(choice: Choice, seen: Sequence[str]) -> bool:
    """Return whether these axes are E, or E and nu, of the rows' materials."""
    elastic, axes = choice.cases.elastic, choice.cases.axes
    what = ["young", "poisson"][: len(seen)]
    own = elastic is not None and set(seen) <= set(elastic.axes)
    return own and [axes[n].quantity for n in seen] == what


def _panels(choice: Choice, seen: list[str]) -> list[MapPanel]:
    """Return the parts of the study to draw separately, by the values of further text axes."""
    cases = choice.cases
    keep = np.ones(cases.size, dtype=bool)
    apart: list[tuple[str, FloatArray]] = []
    said = []
    for name in cases.varied:
        axis, different = cases.axes[name], np.unique(cases.axes[name].values)
        many = len(different) * int(np.prod([len(v) for _, v in apart]))
        if name in seen or (not cases.shape and not axis.labels):
            continue
        if axis.labels and many <= MOST_PANELS:
            apart.append((name, different))
            continue
        row = choice.row
        value = float(axis.values[row] if row is not None else different[len(different) // 2])
        keep &= axis.values == value
        said.append(f"{name} = {_word(axis, value)}")
    found = []
    for values in product(*(v for _, v in apart)):
        mask, words = keep.copy(), []
        for (name, _), value in zip(apart, values, strict=True):
            mask &= cases.axes[name].values == value
            words.append(f"{name} = {_word(cases.axes[name], value)}")
        found.append(MapPanel(np.flatnonzero(mask), ", ".join(words + said)))
    return found


def _among(choice: Choice, panels: Sequence[MapPanel]) -> IntArray:
    """Return the rows that set the common scale of a metric: all but failures."""
    rows = np.concatenate([p.rows for p in panels])
    good = rows[~choice.cases.bad[rows]]
    return good if len(good) else rows


def _word(axis: Series, value: float) -> str:
    return axis.labels[int(value)] if axis.labels else readable(value, axis.unit)


def _map(
    axes: Axes, choice: Choice, name: str, seen: list[str], rows: IntArray, among: IntArray
) -> None:
    cases = choice.cases
    across, up = seen
    x, y = (cases.axes[n].values[rows] for n in seen)
    factor, label = metric_unit(cases.metrics[name], name)
    z = cases.metrics[name].values[rows] * factor
    scale_axis(axes, "x", cases.axes[across], across)
    scale_axis(axes, "y", cases.axes[up], up)
    _field(axes, choice, (x, y, z), rows, cases.metrics[name].values[among] * factor, label)
    empty = np.isnan(z)
    if empty.any():
        axes.plot(x[empty], y[empty], "rx", markersize=4, clip_on=False, zorder=5)
    if choice.row is not None and choice.row in rows:
        at = [cases.axes[n].values[choice.row] for n in seen]
        axes.plot(*at, "*", color=STAR, markersize=18, markeredgecolor="k", zorder=9, clip_on=False)
    if draws_materials(choice, seen):
        ends = [(float(a.min()), float(a.max())) for a in (cases.axes[n].values for n in seen)]
        _materials(axes, choice, ends[0], ends[1])


def _field(
    axes: Axes,
    choice: Choice,
    xyz: tuple[FloatArray, FloatArray, FloatArray],
    rows: IntArray,
    among: FloatArray,
    label: str,
) -> None:
    """Draw colours of z over x and y on the scale of all values `among`; hatch refused cells."""
    from matplotlib.colors import LogNorm, Normalize

    x, y, z = xyz
    kept = choice.feasible.mask[rows]
    finite = among[np.isfinite(among)]
    if not len(finite) or np.ptp(finite) <= LEAST_SPAN * np.abs(finite).max():
        said = f"{finite[0]:.4g} everywhere" if len(finite) else "no row has it"
        axes.text(0.5, 0.5, said, ha="center", transform=axes.transAxes)
        return
    low, high = float(finite.min()), float(finite.max())
    log = low > 0 and high >= DECADE * low
    norm = LogNorm(low, high) if log else Normalize(low, high)
    if choice.cases.shape:
        gx, gy = np.unique(x), np.unique(y)
        place = np.searchsorted(gy, y), np.searchsorted(gx, x)
        grid, refused = np.full((len(gy), len(gx)), np.nan), np.ones((len(gy), len(gx)))
        grid[place], refused[place] = z, ~kept
        levels = (np.geomspace if log else np.linspace)(low, high, LEVELS)
        drawn: object = axes.contourf(
            gx, gy, grid, levels=levels, norm=norm, cmap="viridis", extend="both"
        )
        axes.plot(x, y, ".", color="k", markersize=2, clip_on=False)
        if refused.any():
            axes.contourf(gx, gy, refused, levels=[0.5, 1.5], colors="none", hatches=["///"])
            axes.contour(gx, gy, refused, levels=[0.5], colors="white", linewidths=1.5)
    else:
        drawn = axes.scatter(x[kept], y[kept], c=z[kept], norm=norm, cmap="viridis", s=22)
        axes.plot(x[~kept], y[~kept], "x", color=OUT, markersize=4)
    _bar(axes, drawn, label, low, high, log)


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
    """Draw a bar over the E range of every material; a nu beyond the map lies on its edge."""
    number = {name: k for k, names, _ in numbered(choice) for name in names}
    tags: dict[float, dict[str, float]] = {}  # by height: numbers with the middles of their bars
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
    axes.get_xlim()  # fixes the limits for the positions below
    for nu, row in tags.items():
        ends = axes.transData.transform([(middle, nu) for middle in row.values()])
        wanted = axes.transAxes.inverted().transform(ends)[:, 0]
        order = np.argsort(wanted)
        above = y[0] <= nu < (y[0] + y[1]) / 2
        for k, place in zip(order, _apart(wanted[order].tolist()), strict=True):
            text, middle = list(row.items())[k]
            axes.annotate(
                text, (middle, nu), (place, 24 if above else -24),
                textcoords=("axes fraction", "offset points"), **_TAG,
            ).set_in_layout(False)  # fmt: skip


def _apart(wanted: list[float]) -> list[float]:
    """Return positions in (0, 1) near the wanted ones (ascending), `GAP` apart."""
    placed: list[float] = []
    least = GAP / 2
    for place in wanted:
        placed.append(max(place, least))
        least = placed[-1] + GAP
    most = 1 - GAP / 2
    for k in reversed(range(len(placed))):
        placed[k] = min(placed[k], most)
        most = placed[k] - GAP
    return placed


def _lines(axes: Axes, choice: Choice, name: str, over: str, panels: list[MapPanel]) -> None:
    """Draw one line per panel over a numeric axis; only dots over a text axis."""
    cases = choice.cases
    axis, metric = cases.axes[over], cases.metrics[name]
    factor, label = metric_unit(metric, name)
    for k, panel in enumerate(panels):
        rows = panel.rows[np.argsort(axis.values[panel.rows], kind="stable")]
        x, z, kept = axis.values[rows], metric.values[rows] * factor, choice.feasible.mask[rows]
        color = f"C{k}" if len(panels) > 1 else FEASIBLE
        if not axis.labels:
            axes.plot(x, z, "-", color=color, alpha=0.4, zorder=1)
        if metric.spread is not None:
            half = metric.spread.half[rows] * factor
            axes.errorbar(x, z, half, fmt="none", color=color, alpha=0.6, capsize=2, zorder=1)
        axes.plot(x[kept], z[kept], "o", color=color, markersize=4, label=panel.title or "feasible")
        if not kept.all():
            told = "not feasible" if k == len(panels) - 1 else None
            axes.plot(x[~kept], z[~kept], "x", color="k", markersize=5, label=told)
    if choice.row is not None:
        best = choice.row
        axes.plot(
            axis.values[best], metric.values[best] * factor, "*",
            color=STAR, markersize=18, markeredgecolor="k", zorder=9, label="recommended",
        )  # fmt: skip
    for k, _, row in numbered(choice) if draws_materials(choice, [over]) else ():
        at = float(axis.values[row]), float(metric.values[row] * factor)
        axes.annotate(str(k), at, (0, 14 + 12 * (k % 2)), textcoords="offset points", **_TAG)
    scale_axis(axes, "x", axis, over)
    axes.set_ylabel(label)
    axes.grid(True, alpha=0.25)
    axes.legend(fontsize=8)
