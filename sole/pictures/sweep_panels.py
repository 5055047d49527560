"""One panel of a table's picture: contours, lines or points, with units and failed cases."""

from __future__ import annotations

from itertools import cycle, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sole.base.arrays import FloatArray
from sole.base.readable import as_title
from sole.pictures.sweep_words import (
    DECADE,
    full_label,
    readable,
    readable_unit,
    sentence,
    short,
)
from sole.pictures.ticks_in_units import powers_of_ten, round_ticks
from sole.studies import is_text, unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure
    from xarray import DataArray, Dataset

DASHES = ("-", "--", "-.", ":")  # lines are told apart without their colours, too
BAR = (0.9, 0.1, 0.05, 0.8)  # a colour bar, until `arrange` places it
SAME = 1e-6  # relative spread of values that count as equal


def draw_contours(figure: Figure, axes: Axes, dataset: Dataset, values: DataArray) -> Axes | None:
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


def draw_lines(figure: Figure, axes: Axes, dataset: Dataset, values: DataArray) -> None:
    """Draw a line over the numeric axis for each combination of texts; points if all are texts."""
    texts = [str(d) for d in values.dims if is_text(dataset, str(d))]
    (*across,) = (str(d) for d in values.dims if str(d) not in texts)
    d = across[0] if across else texts.pop(0)
    x = dataset[d].values
    v = np.asarray(values.transpose(*texts, d).values).reshape(-1, len(x))
    factor, label = readable(dataset, str(values.name), v[np.isfinite(v)])
    v = v * factor
    marker = "o" if not across or len(x) <= 40 else None
    combinations = product(*(dataset[t].values for t in texts))
    for words, line, dashes in zip(combinations, v, cycle(DASHES), strict=False):
        style = dashes if across else "none"
        told = ", ".join(map(str, words)) or None
        axes.plot(x, line, linestyle=style, marker=marker, markersize=3.5, label=told)
    _scales(axes, dataset, d, "")
    _finish(axes, label, v)
    failed = np.isnan(v).any(axis=0)
    _mark_failed_below(axes, x[failed])
    if texts or failed.any():
        _legend(axes, dataset, texts)


def draw_samples(
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
        _legend(axes, dataset, texts)
    if c is None:
        return None
    beside = figure.add_axes(BAR)
    figure.colorbar(points, cax=beside, label=full_label(dataset, numbers[1]))
    return beside


def _legend(axes: Axes, dataset: Dataset, texts: list[str]) -> None:
    title = ", ".join(as_title(sentence(dataset, name)) for name in texts) or None
    axes.legend(fontsize="x-small", title=title, title_fontsize="x-small")


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
            label(as_title(sentence(dataset, name)))
            continue
        low, high = (float(end) for end in (dataset[name].values.min(), dataset[name].values.max()))
        if low > 0 and high >= DECADE * low:
            log("log")
        unit = unit_of(dataset, name) or "-"
        factor, shown = readable_unit(unit, np.array([low, high]))
        round_ticks(axes.xaxis if name == across else axes.yaxis, low, high, factor)
        label(f"{as_title(sentence(dataset, name))} [{shown}]")
