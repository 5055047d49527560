"""Pictures of a sweep: contour maps over two axes, lines over one, all with units.

By default the metrics marked as highlights are drawn. Each value of a text axis makes one line
over a numeric axis. Further axes are fixed at their middle value, which the title names. A
metric that is constant along one of two axes is drawn as a line over the other. Samples are
points over the first numeric axis, coloured by the next one, with a marker for each text. Failed
cases are blank with a red cross.
"""

from __future__ import annotations

import json
from itertools import cycle, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.pictures.drawing import display_unit
from sole.pictures.margins import arrange, has_power
from sole.pictures.minor_ticks import draw_minor_ticks
from sole.pictures.scene import DPI, FigureScene, ViewOptions
from sole.pictures.sweep_words import DECADE, full_label, readable, sentence, short, wrapped
from sole.pictures.ticks_in_units import powers_of_ten, round_ticks
from sole.studies import CASE, axes_of, highlights, is_text, metric_names, open_table, unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure
    from xarray import DataArray, Dataset

MOST_PANELS = 6
SMALL, LEAST = (2.66, 2.0), 4.2  # inches of panels with smaller letters; their least size [points]
MOST_TEXTS = 2  # text axes in one panel
BAR = (0.9, 0.1, 0.05, 0.8)  # a colour bar, until `arrange` places it
SAME = 1e-6  # relative spread of values that count as equal


def view_sweep(path: Path, options: ViewOptions) -> FigureScene:
    """Return the picture of a sweep's file; `options.field` names one metric.

    Raises
    ------
    SoleError
        The file has no such metric (the message lists all), or no axis with two values.
    """
    with open_table(path) as dataset:
        names = [options.field] if options.field else highlights(dataset)[:MOST_PANELS]
        title = str(dataset.attrs.get("title", "sweep"))
        return FigureScene(draw_sweep(dataset, names, size=options.size), title, options.dpi or DPI)


def draw_sweep(dataset: Dataset, names: list[str], size: tuple[int, int] | None = None) -> Figure:
    """Return a figure with one panel per metric; `size` in pixels at 150 dpi."""
    from matplotlib import rc_context

    known = metric_names(dataset)
    for name in names:
        if name not in known:
            raise SoleError(f"the sweep has no metric '{name}'; it has {', '.join(known)}")
    varied = [n for n in axes_of(dataset) if len(np.unique(dataset[n].values)) > 1]
    repeats = json.loads(dataset.attrs.get("ensemble", "[]"))
    varied = [n for n in varied if n not in repeats] or varied
    if not varied:
        raise SoleError("nothing to draw: no axis of this sweep has two values")
    columns = min(2 if len(names) <= 4 else 3, len(names))
    lines = -(-len(names) // columns)
    inches = (6.4 * columns, 4.6 * lines + 0.4) if size is None else (size[0] / DPI, size[1] / DPI)
    share = min(1.0, inches[0] / columns / SMALL[0], inches[1] / lines / SMALL[1])
    with rc_context({"font.size": max(LEAST, 10 * share)}):
        return _draw(dataset, names, varied, (lines, columns), inches)


def _draw(
    dataset: Dataset,
    names: list[str],
    varied: list[str],
    shape: tuple[int, int],
    inches: tuple[float, float],
) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=inches)
    places = figure.subplots(*shape, squeeze=False)
    grid, bars = places.ravel(), {}
    for axes, name in zip(grid, names, strict=False):
        values, fixed, without = dataset[name], "", ""
        if values.dims == (CASE,):
            bar = _scatter(figure, axes, dataset, name, varied)
        else:
            values, fixed = _reduced(dataset, name, _drawn(dataset, varied))
            if not any(is_text(dataset, str(d)) for d in values.dims):
                values, without = _along_one_axis(dataset, values)
            numbers = sum(not is_text(dataset, str(d)) for d in values.dims)
            bar = (_contour if numbers == 2 else _lines)(figure, axes, dataset, values)
        if bar is not None:
            bars[axes] = bar
        title = sentence(dataset, name) + (f" (the same for every {without})" if without else "")
        draw_minor_ticks(axes)
        # At a given height, matplotlib does not look for letters that a title may meet.
        height = None if has_power(axes.yaxis) else 1.0
        axes.set_title(wrapped(title, 52), fontsize="medium", y=height)
    for axes in grid[len(names) :]:
        axes.set_visible(False)
    note = f" at {fixed}" if fixed else ""
    head = figure.suptitle(f"{dataset.attrs.get('title', 'sweep')}{note}")
    arrange(figure, places, bars=bars, head=head)
    return figure


def _drawn(dataset: Dataset, varied: list[str]) -> list[str]:
    """Return the axes to draw: a numeric one and texts, two numeric ones, or a text."""
    texts = [n for n in varied if is_text(dataset, n)]
    numbers = [n for n in varied if n not in texts]
    return numbers[:1] + texts[:MOST_TEXTS] if texts else numbers[:2]


def _reduced(dataset: Dataset, name: str, keep: list[str]) -> tuple[DataArray, str]:
    """Return the metric over the axes `keep` and a text with the values fixed on the others."""
    values, fixed = dataset[name], []
    for d in values.dims:
        if d not in keep:
            k = values.sizes[d] // 2
            value = dataset[d].values[k]
            shown = str(value) if is_text(dataset, str(d)) else f"{value:g}"
            fixed.append(f"{d} = {shown} {unit_of(dataset, str(d))}".strip())
            values = values.isel({d: k})
    return values, ", ".join(fixed)


def _along_one_axis(dataset: Dataset, values: DataArray) -> tuple[DataArray, str]:
    """Drop the axis of two on which a metric does not depend; also return its name."""
    z = np.asarray(values.values)
    if z.ndim != 2 or np.isnan(z).any() or np.ptp(z) <= SAME * np.abs(z).max():
        return values, ""
    for k, d in enumerate(values.dims):
        if np.ptp(z, axis=k).max() <= SAME * np.abs(z).max():
            return values.isel({d: 0}), sentence(dataset, str(d))
    return values, ""


def _contour(figure: Figure, axes: Axes, dataset: Dataset, values: DataArray) -> Axes | None:
    """Draw contours over two axes, E on the horizontal one; return the axes of the colour bar."""
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    across, up = sorted(values.dims, key=lambda d: not str(d).startswith("young"))
    z = np.asarray(values.transpose(up, across).values)
    x, y = dataset[across].values, dataset[up].values
    finite = z[np.isfinite(z)]
    _scales(axes, dataset, str(across), str(up))
    _mark_failed(axes, x, y, z)
    if not len(finite):
        axes.text(0.5, 0.5, "no row has a value", ha="center", transform=axes.transAxes)
        return None
    factor, label = readable(dataset, str(values.name), finite)
    z, finite = z * factor, finite * factor
    low, high = float(finite.min()), float(finite.max())
    if high - low <= SAME * abs(high) + 1e-300:
        axes.text(
            0.5, 0.5, f"{high:.5g} everywhere\n{label}", ha="center", transform=axes.transAxes
        )
        return None
    logarithmic = low > 0 and high >= DECADE * low
    norm: Normalize
    if logarithmic:
        norm, levels = LogNorm(low, high), np.geomspace(low, high, 33)
        ticks = LogLocator(subs=(1.0, 3.0) if high < 1e4 * low else (1.0,)).tick_values(low, high)
    else:
        norm, levels = Normalize(low, high), np.linspace(low, high, 33)
        ticks = MaxNLocator(8).tick_values(low, high)
    inside = [float(t) for t in ticks if low < t < high]
    filled = axes.contourf(x, y, z, levels=levels, norm=norm, cmap="viridis")
    beside = figure.add_axes(BAR)
    bar = figure.colorbar(filled, cax=beside, label=label)
    if inside:
        drawn = axes.contour(x, y, z, levels=inside, colors="white", linewidths=0.7)
        axes.clabel(drawn, fmt=short, fontsize="x-small")
        bar.set_ticks(inside, labels=[short(t) for t in inside])
        bar.ax.yaxis.set_minor_formatter(NullFormatter())
    if np.isnan(z).any():
        axes.legend(loc="lower right", fontsize="x-small")
    return beside


def _lines(figure: Figure, axes: Axes, dataset: Dataset, values: DataArray) -> None:
    """Draw a line over the numeric axis for each combination of texts; points if all are texts."""
    texts = [str(d) for d in values.dims if is_text(dataset, str(d))]
    (*across,) = (str(d) for d in values.dims if str(d) not in texts)
    d = across[0] if across else texts.pop(0)
    x = dataset[d].values
    v = np.asarray(values.transpose(*texts, d).values).reshape(-1, len(x))
    factor, label = readable(dataset, str(values.name), v[np.isfinite(v)])
    v = v * factor
    style = "o" if not across else "o-" if len(x) <= 40 else "-"
    for words, line in zip(product(*(dataset[t].values for t in texts)), v, strict=True):
        axes.plot(x, line, style, markersize=3.5, label=", ".join(map(str, words)) or None)
    _scales(axes, dataset, d, "")
    _finish(axes, label, v)
    failed = np.isnan(v).any(axis=0)
    _mark_failed_below(axes, x[failed])
    if texts or failed.any():
        axes.legend(fontsize="x-small", title=", ".join(texts) or None, title_fontsize="x-small")


def _scatter(
    figure: Figure, axes: Axes, dataset: Dataset, name: str, varied: list[str]
) -> Axes | None:
    """Draw points over the first varied axis; the next numeric one colours, a text one marks.

    Returns the axes of the colour bar.
    """
    texts = [n for n in varied if is_text(dataset, n)]
    numbers = [n for n in varied if n not in texts]
    d = numbers[0] if numbers else texts.pop(0)
    x, v = dataset[d].values, np.asarray(dataset[name].values)
    factor, label = readable(dataset, name, v[np.isfinite(v)])
    v, c = v * factor, None
    norm: Normalize | None = None
    if numbers[1:]:
        from matplotlib.colors import LogNorm, Normalize

        c = dataset[numbers[1]].values
        low, high = float(c.min()), float(c.max())
        norm = (LogNorm if low > 0 and high >= DECADE * low else Normalize)(low, high)
    kinds = dataset[texts[0]].values.astype(str) if texts else np.full(len(v), "")
    for kind, marker in zip(np.unique(kinds), cycle("os^Dv<>P*"), strict=False):
        mine = kinds == kind
        points = axes.scatter(
            x[mine],
            v[mine],
            s=14,
            c=None if c is None else c[mine],
            marker=marker,
            norm=norm,
            label=kind or None,
        )
    _scales(axes, dataset, d, "")
    _finish(axes, label, v)
    failed = np.isnan(v)
    _mark_failed_below(axes, x[failed])
    if texts or failed.any():
        axes.legend(fontsize="x-small", title=texts[0] if texts else None, title_fontsize="x-small")
    if c is None:
        return None
    beside = figure.add_axes(BAR)
    figure.colorbar(points, cax=beside, label=full_label(dataset, numbers[1]))
    return beside


def _finish(axes: Axes, label: str, v: FloatArray) -> None:
    finite = v[np.isfinite(v)]
    if len(finite) and finite.min() > 0 and finite.max() >= DECADE * finite.min():
        axes.set_yscale("log")
        powers_of_ten(axes.yaxis)
    axes.set_ylabel(label)
    axes.grid(True, which="both", alpha=0.25)


def _mark_failed_below(axes: Axes, x: NDArray[Any]) -> None:
    if len(x):
        axes.plot(
            x,
            np.full(len(x), 0.02),
            "rx",
            transform=axes.get_xaxis_transform(),
            label="failed",
            markersize=4,
        )


def _mark_failed(axes: Axes, x: FloatArray, y: FloatArray, z: FloatArray) -> None:
    j, i = np.nonzero(np.isnan(z))
    if len(i):
        axes.plot(x[i], y[j], "rx", markersize=4, label="failed", clip_on=False, zorder=5)


def _scales(axes: Axes, dataset: Dataset, across: str, up: str) -> None:
    for name, log, label in (
        (across, axes.set_xscale, axes.set_xlabel),
        (up, axes.set_yscale, axes.set_ylabel),
    ):
        if not name:
            continue
        if is_text(dataset, name):
            label(sentence(dataset, name))
            continue
        low, high = (float(end) for end in (dataset[name].values.min(), dataset[name].values.max()))
        if low > 0 and high >= DECADE * low:
            log("log")
        unit = unit_of(dataset, name) or "-"
        factor, shown = 1.0, unit
        if unit.isalpha() and unit != "rad":
            factor, shown = display_unit(max(abs(low), abs(high)), unit)
        round_ticks(axes.xaxis if name == across else axes.yaxis, low, high, factor)
        label(f"{sentence(dataset, name)} [{shown}]")
