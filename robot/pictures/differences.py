"""Differences between runs over a common time axis: peaks, tilt, pressure, deformation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from robot.measures import CUTOFF, low_pass
from robot.pictures.caption import PUSH, pushes_of
from robot.pictures.sheet import shade_pushes
from robot.pictures.together import Side, span_of
from robot.run import Run
from sole.base.arrays import FloatArray
from sole.pictures import DPI, arrange

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DECADES = 0.05  # of the smallest maximum of the runs: lower end of a logarithmic axis
WIDTH, HEIGHT = 9.0, 10.0  # inches of the sheet
MARKERS = ("X", "s")  # of a fall and of a push
KEY = 0.04  # of the height: the legend above all plots


class Difference(NamedTuple):
    """A label with its unit, the values (T,) of a run, and whether the axis is logarithmic."""

    label: str
    values: Callable[[Run], FloatArray]
    decades: bool = False


def differences(runs: Sequence[Run]) -> tuple[Difference, ...]:
    """Return the quantities drawn for these runs; accelerations are filtered if possible in all."""
    filtered = all(
        run.complete and CUTOFF * run.dt < 0.5 and np.isfinite(run["foot_acceleration"]).all()
        for run in runs
    )

    def acceleration(run: Run) -> FloatArray:
        a = run["foot_acceleration"]
        sizes = np.linalg.norm(low_pass(a, run.dt) if filtered else a, axis=-1)
        return np.asarray(sizes.max(axis=1, initial=0.0))

    kind = f"below {CUTOFF:g} Hz" if filtered else "raw"
    return (
        Difference(f"foot acceleration\n{kind} [m/s²]", acceleration),
        Difference("waist tilt [deg]", _tilt, decades=True),
        Difference(
            "largest pressure at a node\n(depends on the mesh) [kPa]",
            lambda run: 1e-3 * _of_feet(run, "pressure"),
        ),
        Difference(
            "sole displacement,\nlargest [mm]", lambda r: 1e3 * _of_feet(r, "sole_displacement")
        ),
    )


def _tilt(run: Run) -> FloatArray:
    return np.asarray(np.degrees(run["waist_tilt"]))


def _of_feet(run: Run, name: str) -> FloatArray:
    bodies = [b for b, tread in enumerate(run.treads) if tread.foot >= 0]
    return np.asarray(run[name][:, bodies].max(axis=1, initial=0.0))


def draw_difference(
    axes: Axes, sides: Sequence[Side], what: Difference, share: float = 1.0
) -> None:
    """Draw a line per run, a cross at each fall, and the pushes; `share` scales line widths."""
    highest: list[float] = []
    for side in sides:
        values = what.values(side.run)
        highest.append(float(np.nanmax(values, initial=0.0)))
        axes.plot(
            side.run.time, values, side.dashes, color=side.color, lw=1.1 * share, label=side.label
        )
        if side.fell_at is not None:
            row = side.row(side.fell_at)
            axes.plot(
                side.run.time[row], values[row], "X", color=side.color, ms=7 * share,
                markeredgecolor="white", mew=share, label="_fell", zorder=4,
            )  # fmt: skip
    fell = any(side.fell_at is not None for side in sides)
    if what.decades and fell and min(highest) > 0:
        axes.set_yscale("log")
        axes.set_ylim(DECADES * min(highest), 2 * max(highest))
    else:
        axes.set_ylim(0.0, 1.08 * max(highest) or 1.0)
    pushes: list[object] = []
    for side in sides:
        if pushes_of(side.run) not in pushes:  # usually the same in all runs
            pushes.append(pushes_of(side.run))
            shade_pushes(axes, side.run)
    axes.set_xlim(*span_of(sides))
    axes.set_xlabel("time [s]")
    axes.set_ylabel(what.label)
    axes.grid(True, alpha=0.25)
    for edge in ("top", "right"):
        axes.spines[edge].set_visible(False)


def legend_of(sides: Sequence[Side]) -> list[tuple[str, str, str]]:
    """Return the legend of the plots: (text, colour, marker or dashes)."""
    key = [(side.label, side.color, side.dashes) for side in sides]
    if any(side.fell_at is not None for side in sides):
        key.append(("fell", "#606060", "X"))
    if any(pushes_of(side.run) for side in sides):
        key.append(("push", PUSH, "s"))
    return key


def draw_key(
    figure: Figure, sides: Sequence[Side], place: tuple[float, float], font: float
) -> None:
    """Draw one legend for all plots; `place`: its upper middle in figure coordinates."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=color,
            marker=look if look in MARKERS else None,
            ls="" if look in MARKERS else look,
            lw=0.2 * font,
            ms=0.6 * font,
        )
        for _, color, look in legend_of(sides)
    ]
    labels = [text for text, _, _ in legend_of(sides)]
    figure.legend(
        handles, labels, loc="upper center", bbox_to_anchor=place, ncols=len(labels),
        frameon=False, fontsize=font, borderaxespad=0.0,
    )  # fmt: skip


def sheet_of_differences(sides: Sequence[Side], size: tuple[int, int] | None = None) -> Figure:
    """Return a sheet with all differences; `size` in pixels at 150 dpi."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    inches = (WIDTH, HEIGHT) if size is None else (size[0] / DPI, size[1] / DPI)
    share = min(1.0, inches[0] / WIDTH, inches[1] / HEIGHT)
    drawn = differences([side.run for side in sides])
    with rc_context({"font.size": 10 * share}):
        figure = Figure(figsize=inches)
        grid = figure.subplots(len(drawn), 1, sharex=True, squeeze=False)
        for axes, what in zip(grid[:, 0], drawn, strict=True):
            draw_difference(axes, sides, what)
            axes.label_outer()
        draw_key(figure, sides, (0.5, 0.985), 10 * share)
        arrange(figure, grid, above=KEY)
    return figure
