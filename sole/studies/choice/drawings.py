"""Parts shared by the pictures of a choice: colours, units of axes, numbers of materials."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from sole.base.readable import as_title, name_in_words, raised
from sole.pictures import round_ticks
from sole.studies.choice.recommended_row import Choice
from sole.studies.choice.series import Series
from sole.studies.choice.values import scaled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DECADE = 10.0  # ratio of the ends from which an axis is logarithmic
FEASIBLE, FRONT, OUT, STAR = "#1f77b4", "#d62728", "#b8b8b8", "#ffd400"
LEADER = {"arrowstyle": "-", "linewidth": 0.6, "color": "#404040"}


def numbered(choice: Choice) -> list[tuple[int, tuple[str, ...], int]]:
    """Return (number, names, row); materials that share a row share a number.

    The numbers are the same in every picture.
    """
    rows: dict[int, list[str]] = {}
    for material, row in choice.places:
        rows.setdefault(row, []).append(material.name)
    return [(k, tuple(names), row) for k, (row, names) in enumerate(rows.items(), 1)]


def numbers_line(choice: Choice, width: int) -> str:
    """Return the key to the numbers in lines of at most `width` letters."""
    said = "   ".join(f"{k} {', '.join(names)}" for k, names, _ in numbered(choice))
    return textwrap.fill(said, width)


def logarithmic(axes: Axes, which: str) -> None:
    """Make an axis of a metric logarithmic, with plain numbers at 1, 2 and 5 of every decade."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    getattr(axes, f"set_{which}scale")("log")
    axis = getattr(axes, f"{which}axis")
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def metric_unit(series: Series, name: str) -> tuple[float, str]:
    """Return the factor to a metric's readable unit, and its label."""
    finite = series.values[np.isfinite(series.values)]
    factor, unit = scaled(float(np.abs(finite).max(initial=0.0)), series.unit)
    words = as_title(name_in_words(name, series.title or name))
    return factor, f"{words} [{raised(unit)}]" if unit else words


def scale_axis(axes: Axes, which: str, series: Series, name: str) -> None:
    """Label an axis of a study in readable units: decades are logarithmic, texts are names."""
    label = as_title(series.title) if series.title else name
    if series.labels:
        different = np.unique(series.values)
        words = [textwrap.shorten(series.labels[int(v)], 24) for v in different]
        getattr(axes, f"set_{which}ticks")(different, words)
        getattr(axes, f"set_{which}lim")(different[0] - 0.5, different[-1] + 0.5)
        getattr(axes, f"set_{which}label")(label)
        return
    low, high = float(series.values.min()), float(series.values.max())
    if low > 0 and high >= DECADE * low and series.quantity != "poisson":
        getattr(axes, f"set_{which}scale")("log")
    across = which == "x"
    axes.update_datalim([(low, low), (high, high)], updatex=across, updatey=not across)
    factor, unit = scaled(max(abs(low), abs(high)), series.unit)
    round_ticks(getattr(axes, f"{which}axis"), low, high, factor)
    getattr(axes, f"set_{which}label")(f"{label} [{unit}]" if unit else label)
