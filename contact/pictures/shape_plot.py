"""The picture of a shape design: the fields of heights, the search, the grounds one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sole.pictures import FigureScene

if TYPE_CHECKING:
    from contact.shape_design import ShapeResult

GRID = 60  # points of a side of the drawn field


def draw_shape_design(found: ShapeResult) -> FigureScene:
    """Draw the heights of every field, the best peak over evaluations, and peaks by ground."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    fields, count = found.problem.fields, len(found.problem.fields.grids)
    figure = Figure(figsize=(4.6 * (count + 2), 3.9), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, count + 2, squeeze=False)[0]
    low, high = fields.mesh.points[:, :2].min(axis=0), fields.mesh.points[:, :2].max(axis=0)
    x, y = (np.linspace(low[k], high[k], GRID) for k in range(2))
    X, Y = np.meshgrid(x, y, indexing="ij")
    heights = fields.at(found.best.heights, np.column_stack([X.ravel(), Y.ravel()]))
    for ax, (name, rise) in zip(axes, heights.items(), strict=False):
        shown = ax.pcolormesh(
            1e3 * X, 1e3 * Y, 1e3 * rise.reshape(GRID, GRID), shading="auto", rasterized=True
        )
        figure.colorbar(shown, ax=ax, label="rise [mm]", orientation="horizontal", aspect=30)
        ax.set(xlabel="x forward [mm]", ylabel="y left [mm]", title=name, aspect="equal")
    _draw_search(axes[count], found)
    _draw_grounds(axes[count + 1], found)
    return FigureScene(figure, "shape design")


def _draw_search(ax, found: ShapeResult) -> None:  # type: ignore[no-untyped-def]
    numbers, best, peak = [], [], np.inf
    for trial in found.trials:
        if trial.excess <= found.FEASIBLE:
            peak = min(peak, trial.peak)
        numbers.append(trial.number)
        best.append(peak)
    ax.plot(numbers, best, drawstyle="steps-post", label=found.problem.design.search.method)
    ax.axhline(found.flat.peak, color="0.4", ls="--", lw=1, label="best flat pad")
    ax.set(
        xlabel="shapes condensed", ylabel="mean peak [m/s$^2$]", title="best within the limits",
        ylim=(0, None),
    )  # fmt: skip
    ax.legend(fontsize=8, loc="center right")


def _draw_grounds(ax, found: ShapeResult) -> None:  # type: ignore[no-untyped-def]
    texts = found.problem.design.grounds
    place = np.arange(len(texts))
    for k, (worth, name) in enumerate(((found.flat_worth, "flat"), (found.best_worth, "shaped"))):
        peaks = worth.peaks.reshape(len(texts), -1)
        middle = peaks.mean(axis=1)
        reach = np.abs(np.array([peaks.min(axis=1), peaks.max(axis=1)]) - middle)
        ax.errorbar(
            middle, place + 0.16 * (2 * k - 1), xerr=reach, fmt="os"[k], ms=4, capsize=2, label=name
        )
    ax.set_yticks(place, texts, fontsize=7)
    ax.invert_yaxis()
    ax.set(xlabel="peak: mean, least, greatest [m/s$^2$]", title="by ground", xlim=(0, None))
    ax.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.24), ncols=2)
