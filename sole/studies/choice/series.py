"""One column of a study: an axis or a metric, with the spread of its repeats."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sole.base.arrays import FloatArray, IntArray
from sole.studies.columns import RowOutcome


@dataclass(frozen=True, eq=False)
class Spread:
    """The spread of every row's repeats, in (n,) columns.

    Parameters
    ----------
    half : half width of the 95 % interval of the mean, in the metric's unit; NaN for one repeat.
    least, greatest : extremes of the repeats.
    count : number of repeats.
    """

    half: FloatArray
    least: FloatArray
    greatest: FloatArray
    count: IntArray


@dataclass(frozen=True, eq=False)
class Series:
    """One column of n rows.

    Parameters
    ----------
    values : (n,) numbers, or indices into `labels` for categories.
    unit, title : '' if none; the description.
    highlight : whether pictures show it.
    labels : the texts of a categorical axis, else ().
    spread : spread of means over repeats, else None.
    quantity, layer : what an axis varies; its name is free.
    goal, bound, outcome, of_failures, error_of : declarations of a metric (`columns.Column`).
    """

    values: FloatArray
    unit: str = ""
    title: str = ""
    highlight: bool = False
    labels: tuple[str, ...] = ()
    spread: Spread | None = None
    quantity: str = ""
    layer: str = ""
    goal: str | None = None
    bound: str = ""
    outcome: RowOutcome | None = None
    of_failures: bool = False
    error_of: str = ""

    def setting(self, row: int) -> float | str:
        """Return the value of a row, as a text if it is a category."""
        value = float(self.values[row])
        return self.labels[int(value)] if self.labels else value

    def at(self, rows: Any) -> Series:
        """Return the column of some rows only."""
        return replace(self, values=self.values[rows])
