"""Ticks of an axis that are round in a readable unit, where the data are in SI units."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axis import Axis


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
