"""Pictures of a sweep: contour maps over two axes, lines over one, all with units.

By default the metrics marked as highlights are drawn; one that has the same value everywhere is a
sentence below the title. Each value of a text axis makes one line
over a numeric axis. Further axes are fixed at their middle value, which the title names. A
metric that is constant along one of two axes is drawn as a line over the other. Samples are
points over the first numeric axis, coloured by the next one, with a marker for each text. Failed
cases are blank with a red cross.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sole.base.errors import SoleError
from sole.base.readable import as_title
from sole.pictures.margins import arrange, has_power
from sole.pictures.minor_ticks import draw_minor_ticks
from sole.pictures.scene import DPI, FigureScene, ViewOptions
from sole.pictures.sweep_panels import SAME, draw_contours, draw_lines, draw_samples
from sole.pictures.sweep_words import (
    about,
    constant_sentence,
    sentence,
    title_of,
    wrapped,
)
from sole.studies import CASE, axes_of, highlights, is_text, metric_names, open_table, unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from xarray import DataArray, Dataset

MOST_PANELS = 6
SMALL, LEAST = (2.66, 2.0), 4.2  # inches of panels with smaller letters; their least size [points]
MOST_TEXTS = 2  # text axes in one panel


def view_sweep(path: Path, options: ViewOptions) -> FigureScene:
    """Return the picture of a sweep's file; `options.field` names one metric.

    Raises
    ------
    SoleError
        The file has no such metric (the message lists all), or no axis with two values.
    """
    with open_table(path) as dataset:
        names = [options.field] if options.field else highlights(dataset)[:MOST_PANELS]
        figure = draw_sweep(dataset, names, size=options.size)
        return FigureScene(figure, title_of(dataset), options.dpi or DPI)


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
    drawn = [name for name in names if not _constant(dataset, name)] or names[:1]
    told = [
        constant_sentence(dataset, name, float(np.nanmean(dataset[name].values)))
        for name in names
        if name not in drawn
    ]
    columns = {3: 3, 4: 2}.get(len(drawn), min(3, len(drawn)))
    lines = -(-len(drawn) // columns)
    usual = (6.4 * columns, 4.6 * lines + 0.4) if len(drawn) != 3 else (15.0, 4.8)
    inches = usual if size is None else (size[0] / DPI, size[1] / DPI)
    share = min(1.0, inches[0] / columns / SMALL[0], inches[1] / lines / SMALL[1])
    with rc_context({"font.size": max(LEAST, 10 * share)}):
        return _draw(dataset, drawn, varied, (lines, columns), inches, told)


def _constant(dataset: Dataset, name: str) -> bool:
    """Return whether a metric has one value in all cases that have any."""
    values = np.asarray(dataset[name].values, dtype=float)
    finite = values[np.isfinite(values)]
    return len(finite) > 0 and bool(np.ptp(finite) <= SAME * np.abs(finite).max())


def _draw(
    dataset: Dataset,
    names: list[str],
    varied: list[str],
    shape: tuple[int, int],
    inches: tuple[float, float],
    told: list[str],
) -> Figure:
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    figure = Figure(figsize=inches)
    places = figure.subplots(*shape, squeeze=False)
    grid, bars = places.ravel(), {}
    across = inches[0] / shape[1]
    for axes, name in zip(grid, names, strict=False):
        values, fixed, without = dataset[name], "", ""
        if values.dims == (CASE,):
            bar = draw_samples(figure, axes, dataset, name, varied)
        else:
            values, fixed = _reduced(dataset, name, _drawn(dataset, varied))
            if not any(is_text(dataset, str(d)) for d in values.dims):
                values, without = _along_one_axis(dataset, values)
            numbers = sum(not is_text(dataset, str(d)) for d in values.dims)
            bar = (draw_contours if numbers == 2 else draw_lines)(figure, axes, dataset, values)
        if bar is not None:
            bars[axes] = bar
        title = as_title(sentence(dataset, name))
        title += f" (the same for every {without})" if without else ""
        draw_minor_ticks(axes)
        # At a given height, matplotlib does not look for letters that a title may meet.
        height = None if has_power(axes.yaxis) else 1.0
        room = int(108 * across / rcParams["font.size"])
        axes.set_title(wrapped(title, room), fontsize="medium", y=height)
    spare = list(grid[len(names) :])
    for axes in spare:
        axes.set_visible(False)
    title = title_of(dataset, fixed)
    room = int(100 * inches[0] / rcParams["font.size"])
    head = "\n".join(wrapped(line, room) for line in (title, *(() if spare else told)))
    arrange(figure, places, bars=bars, head=figure.suptitle(head))
    _one_legend(list(grid[: len(names)]))
    if spare:  # no place stays empty
        box = spare[0].get_position()
        room = int(115 * across * 0.9 / rcParams["font.size"])
        words = "\n".join(wrapped(line, room) for line in (*about(dataset, varied), *told))
        figure.text(box.x0, box.y1, words, va="top", fontsize="medium", linespacing=1.6)
    return figure


def _one_legend(grid: Sequence[Axes]) -> None:
    """Leave one of several equal legends, that of the first axes."""
    known: set[tuple[str, ...]] = set()
    for axes in grid:
        legend = axes.get_legend()
        if legend is None:
            continue
        words = tuple(text.get_text() for text in legend.get_texts())
        if words in known:
            legend.remove()
        known.add(words)


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
            fixed.append(f"{sentence(dataset, str(d))} {shown} {unit_of(dataset, str(d))}".strip())
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
