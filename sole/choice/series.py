"""One column of a study: an axis or a metric, with the spread of its repeats."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sole.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Spread:
    """How the repeats of every row scatter: (n,) columns.

    Parameters
    ----------
    half : half width of the 95 % interval of the mean, in the metric's unit; NaN for one repeat.
    least, greatest : over the repeats.
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
    values : (n,); of categories their places in `labels`.
    unit, title : '' if none; what it is in words.
    highlight : whether pictures show it.
    labels : the words of an axis of categories, else ().
    spread : of means over repeats, else None.
    quantity, layer : of an axis, what it varies: its name is free.
    """

    values: FloatArray
    unit: str = ""
    title: str = ""
    highlight: bool = False
    labels: tuple[str, ...] = ()
    spread: Spread | None = None
    quantity: str = ""
    layer: str = ""

    def setting(self, row: int) -> float | str:
        """Return the value of a row, as a word if it is a category."""
        value = float(self.values[row])
        return self.labels[int(value)] if self.labels else value

    def at(self, rows: Any) -> Series:
        """Return the column of some rows only."""
        return replace(self, values=self.values[rows])
