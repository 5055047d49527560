"""The least and greatest value of columns, and where they are, found while rows pass by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf

from sole.base.readable import in_words
from sole.base.report import Quantity

SHORT = 46  # letters of a title that stands before the places of the extremes


@dataclass(slots=True)
class Extremes:
    """The extremes of the values added so far, each with its first place; -1: none but NaN."""

    low: float = inf
    first: int = -1
    high: float = -inf
    last: int = -1

    def add(self, value: float, place: int) -> None:
        """Add the value of a row; NaN is none."""
        if value < self.low or (self.first < 0 and value == inf):
            self.low, self.first = value, place
        if value > self.high or (self.last < 0 and value == -inf):
            self.high, self.last = value, place

    def told(self, unit: str, title: str, places: Iterable[str]) -> Quantity:
        """Return both ends; `places` : in words, of the least and of the greatest."""
        if self.first < 0:
            return Quantity(None, "", "no row has it")
        remark = "everywhere" if self.low == self.high else f"at {' to '.join(places)}"
        if len(title) <= SHORT:
            remark = f"{title}; {remark}"
        return Quantity([self.low, self.high], unit, remark, ends=True)


class Ranges:
    """The extremes of some columns of a table, whose rows are added in their order.

    Parameters
    ----------
    columns : unit and title of each, by name.
    """

    def __init__(self, columns: Mapping[str, tuple[str, str]]) -> None:
        self._columns = dict(columns)
        self._found = {name: Extremes() for name in columns}
        self._points: dict[int, str] = {}  # in words, of the places of extremes

    def add(self, place: int, numbers: Mapping[str, float], point: Iterator[str]) -> None:
        """Add a row; `point` : its values of all axes in words, asked for if it is extreme."""
        here = False
        for name, found in self._found.items():
            if name in numbers:
                found.add(numbers[name], place)
                here |= place in (found.first, found.last)
        if here:
            self._points[place] = ", ".join(point)
            if len(self._points) > 4 * len(self._found):
                kept = {p for e in self._found.values() for p in (e.first, e.last)}
                self._points = {p: told for p, told in self._points.items() if p in kept}

    def largest(self) -> dict[str, float]:
        """Return the greatest value of every column that has any."""
        return {name: found.high for name, found in self._found.items() if found.last >= 0}

    def told(self) -> dict[str, Quantity]:
        """Return the range of every column."""
        return {
            name: found.told(
                *self._columns[name], (self._points.get(p, "") for p in (found.first, found.last))
            )
            for name, found in self._found.items()
        }


def point_words(axes: Mapping[str, str | None], values: Iterable[object]) -> Iterator[str]:
    """Yield "young=1 MPa" for every axis but those of one value; numbers with four digits.

    axes : the unit of each, None if it has one value.
    """
    for (name, unit), value in zip(axes.items(), values, strict=True):
        if unit is not None:
            said = in_words([value], unit) if isinstance(value, float) else f"{value}"
            yield f"{name}={said}"
