"""Ticks of an axis: round in a readable unit where the data are in SI units, or powers of ten."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axis import Axis

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def round_ticks(axis: Axis, low: float, high: float, factor: float) -> None:
    """Put ticks where values times `factor` are round, and write these products beside them.

    An axis of MPa over data in Pa has the factor 1e-6. `low` and `high` are the ends of the data.
    The scale of the axis, linear or logarithmic, is set before.
    """
    from matplotlib.ticker import (
        FixedLocator,
        FuncFormatter,
        LogLocator,
        MaxNLocator,
        NullFormatter,
    )

    if axis.get_scale() == "log":
        few = high < 100 * low
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
        axis.set_minor_formatter(NullFormatter())
    else:
        locate = MaxNLocator(7, steps=(1, 2, 2.5, 5, 10))
        ticks = [float(t) / factor for t in locate.tick_values(low * factor, high * factor)]
        room = 1e-9 * (high - low)
        axis.set_major_locator(FixedLocator([t for t in ticks if low - room <= t <= high + room]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * factor:.4g}"))


def powers_of_ten(axis: Axis) -> None:
    """Write 10⁻³ beside the ticks of a logarithmic axis in letters of the font.

    matplotlib sets such labels as formulas, which takes fifty times longer.
    """
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: _power(value)))


def _power(value: float) -> str:
    """Return 10ⁿ, or the number itself if it is no power of ten."""
    n = round(math.log10(value)) if value > 0 else 0
    if abs(value - 10.0**n) > 1e-9 * abs(value):
        return f"{value:g}"
    return f"10{str(n).translate(RAISED)}"
