"""Pictures of figure 5 of the deformable-soles paper: maps over E and nu, curves over E."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from robot.papers.experiments.figure5_tables import (
    COLUMNS,
    LINEAR,
    METRIC_LABELS,
    NU,
    SPREAD,
)

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_curves_of_soles", "draw_maps_of_soles"]

COLOURS = {"plain PD": "#c1440e", "stabiliser": "#1f5fa8", "noisy sensors": "#2f8f4e"}
TICKS = [s * 10.0**d for d in range(-4, 5) for s in (1, 2, 5)]
CONTOURS = [s * 10.0**d for d in range(-4, 5) for s in (1, 2, 3, 5)]


def draw_maps_of_soles(every: Sequence[xr.Dataset]) -> Figure:
    """Return maps over E and nu: a column per ground and controller, a row per metric."""
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    figure = Figure(figsize=(3.1 * len(every) + 1.2, 6.4), layout="constrained")
    grid = figure.subplots(2, len(every), squeeze=False, sharex=True, sharey=True)
    for row, (name, label) in zip(grid, METRIC_LABELS.items(), strict=True):
        means = [walks[name].mean("repeat").values for walks in every]
        known = np.concatenate([m[m > 0] for m in means])
        norm = LogNorm(known.min(initial=1e3), known.max(initial=1e-3))
        for axes, walks, mean in zip(row, every, means, strict=True):
            image = _draw_map(axes, walks, mean, norm)
        bar = figure.colorbar(image, ax=list(row), label=label, pad=0.01, ticks=TICKS, format="%g")
        bar.minorticks_off()
        row[0].set_ylabel("Poisson ratio ν [-]")
    for (top, bottom), walks in zip(grid.T, every, strict=True):
        top.set_title("{ground}, {controller}".format(**walks.attrs))
        bottom.set_xlabel("Young's modulus E [MPa]")
    legend = [
        Line2D([], [], color="k", lw=0.8, label="contours of the mean over repeats"),
        Patch(fc="white", ec="0.6", hatch="////", label="number of falls of all repeats"),
        Line2D([], [], ls="", marker="x", color="k", label="strain above 10 % in a repeat"),
    ]
    figure.legend(
        handles=legend, loc="outside lower center", ncols=len(every) - 1 or 1, frameon=False
    )
    return figure


def _draw_map(axes: Axes, walks: xr.Dataset, mean: Any, norm: Any) -> Any:
    """Draw one map: a cell per sole, contours, falls and large strains."""
    from matplotlib.patches import Rectangle

    x, nu = np.log10(walks.young.values / 1e6), walks.poisson.values
    y, width = np.arange(len(nu)), np.diff(x).mean()
    image = axes.pcolormesh(x, y, mean.T, norm=norm, alpha=0.75, shading="nearest")
    if np.isfinite(mean).sum() > 3:
        lines = axes.contour(x, y, mean.T, CONTOURS, colors="k", linewidths=0.8)
        axes.clabel(lines, fontsize=8, fmt="%g")
    strained = (walks.strain_p99 > LINEAR).any("repeat").values
    for i, j in np.ndindex(mean.shape):
        if n := int(walks.fallen[i, j]):
            corner = (x[i] - width / 2, j - 0.5)
            axes.add_patch(Rectangle(corner, width, 1, fc="w", ec="0.6", hatch="////", lw=0))
            text = axes.text(x[i], j, f"{n}/{walks.sizes['repeat']}", ha="center", fontsize=8)
            text.set(va="center", bbox={"fc": "white", "ec": "none", "pad": 1.0})
        elif strained[i, j]:
            axes.plot(x[i], j - 0.25, "kx", ms=5)
    decades = np.arange(np.ceil(x[0]), x[-1] + 0.1)
    axes.set_xticks(decades, [f"{10**t:g}" for t in decades])
    axes.set_yticks(y, [f"{v:g}" for v in nu])
    return image


def draw_curves_of_soles(every: Sequence[xr.Dataset]) -> Figure:
    """Return peak and inclination over E at nu = 0.4, a column per ground; strips show falls."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.ticker import FixedLocator

    grounds, names = (list(dict.fromkeys(w.attrs[a] for w in every)) for a in COLUMNS[1:3])
    figure = Figure(figsize=(4.6 * len(grounds) + 1, 7.0), layout="constrained")
    ratios = {"height_ratios": (0.1 * len(names), 1, 1)}
    shared: Any = {"sharex": True, "sharey": "row", "squeeze": False, "gridspec_kw": ratios}
    grid = figure.subplots(3, len(grounds), **shared)
    for walks in every:
        column = grid[:, grounds.index(walks.attrs["ground"])]
        _draw_curves(column[0], column[1:], walks, names.index(walks.attrs["controller"]))
    every_E = np.concatenate([walks.young.values for walks in every]) / 1e6
    for (strip, *_, last), ground in zip(grid.T, grounds, strict=True):
        strip.set(title=ground, ylim=(0.6 - len(names), 0.6))
        strip.set_yticks([-k for k in range(len(names))], [f"{n}: fell" for n in names])
        last.set(xscale="log", xlabel="Young's modulus E [MPa]")
        last.set_xlim(0.8 * every_E.min(), 1.25 * every_E.max())  # also where all fell
        last.xaxis.set_major_formatter("{x:g}")
    for axes, label in zip(grid[1:, 0], METRIC_LABELS.values(), strict=True):
        axes.set(yscale="log", ylabel=label)
        axes.yaxis.set(major_locator=FixedLocator(TICKS), major_formatter="{x:g}")
        axes.minorticks_off()
    lines = [Line2D([], [], color=COLOURS[n], marker="o", ms=3, label=n) for n in names]
    lines += [Line2D([], [], ls="", marker="x", color="k", label="strain above 10 %")]
    figure.legend(handles=lines, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _draw_curves(strip: Axes, panels: Sequence[Axes], walks: xr.Dataset, k: int) -> None:
    """Draw the curves of controller number `k`."""
    here = walks.isel(poisson=int(np.argmin(abs(walks.poisson.values - NU))))
    colour = COLOURS[walks.attrs["controller"]]
    E = here.young.values / 1e6 * 10 ** (0.03 * k)  # so that intervals stay apart
    for axes, name in zip(panels, METRIC_LABELS, strict=True):
        mean, low, high = (getattr(here[name], how)("repeat") for how in SPREAD)
        axes.errorbar(
            E, mean, [mean - low, high - mean], fmt="o-", ms=3, lw=1.2, capsize=3, color=colour
        )
        strained = (here.strain_p99 > LINEAR).any("repeat").values
        axes.plot(E[strained], mean[strained], "x", ms=8, color=colour)
        axes.grid(alpha=0.3)
    for e, n in zip(E, here.fallen.values, strict=True):
        if n:
            told = f"{n}/{here.sizes['repeat']}"
            strip.text(e, -k, told, ha="center", va="center", color=colour, size=9)
