"""What an axis can vary: the quantities of a sole, and those that kinds of rows add."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sole.errors import ConfigError

if TYPE_CHECKING:
    from sole.studies.axis import Axis, Setting
    from sole.studies.rows import Rows

MOST_NAMED = 16  # in an error
RESERVED = ("case", "status", "reason")  # what every table has


@dataclass(frozen=True, slots=True)
class Quantity:
    """What an axis can vary.

    Parameters
    ----------
    unit : '' if none. title : what to write beside a plot's axis, without the unit.
    by_layer : whether layers of a sole may differ in it.
    low, high : range of valid numbers. open_ends : whether these two themselves are out of it.
    kind : "number", "whole" (number), "text" or "flag" (true or false).
    known : the texts that are valid; () for any.
    """

    unit: str
    title: str
    by_layer: bool = False
    low: float = -math.inf
    high: float = math.inf
    open_ends: tuple[bool, bool] = (False, False)
    kind: str = "number"
    known: tuple[str, ...] = ()

    def refuse(self, value: Setting) -> str:
        """Return why `value` cannot be taken, '' if it can."""
        if self.kind == "text":
            if not isinstance(value, str):
                return f"{self.title} is a text in quotes"
            wrong = bool(self.known) and value not in self.known
            return f"{self.title} must be one of {', '.join(self.known)}" if wrong else ""
        if self.kind == "flag":
            return "" if isinstance(value, bool) else f"{self.title} is true or false"
        if isinstance(value, bool | str):
            return f"{self.title} is a number"
        if self.kind == "whole" and not float(value).is_integer():
            return f"{self.title} is a whole number"
        below = value <= self.low if self.open_ends[0] else value < self.low
        above = value >= self.high if self.open_ends[1] else value > self.high
        if not (below or above or not math.isfinite(value)):
            return ""
        ends = ("(" if self.open_ends[0] else "[", ")" if self.open_ends[1] else "]")
        return f"{self.title} must lie in {ends[0]}{self.low:g}, {self.high:g}{ends[1]}"


SOLE_QUANTITIES = {
    "young": Quantity("Pa", "Young's modulus", True, 0.0, math.inf, (True, True)),
    "poisson": Quantity("", "Poisson's ratio", True, -1.0, 0.5, (True, True)),
    "thickness": Quantity("m", "thickness", True, 0.0, math.inf, (True, True)),
    "shape": Quantity("", "shape of the sole", kind="text"),
}


def quantities_of(axes: tuple[Axis, ...], kinds: Mapping[str, Rows]) -> dict[str, Quantity]:
    """Return what the axes vary, by their names.

    Raises
    ------
    ConfigError
        A quantity that neither the sole nor the rows know; a value out of range; the name of a
        column.
    """
    found: dict[str, Quantity] = {}
    taken = {*RESERVED, *(column for kind in kinds.values() for column in kind.columns)}
    for axis in axes:
        if axis.name in taken:
            raise ConfigError(
                f"axis {axis.name}: the table has a column of that name: give the axis another name"
            )
        what = SOLE_QUANTITIES.get(axis.quantity) or _of_rows(axis, kinds)
        axis.check(what)
        title = f"{what.title} of layer {axis.layer}" if axis.layer else what.title
        found[axis.name] = replace(what, title=title)
    return found


def _of_rows(axis: Axis, kinds: Mapping[str, Rows]) -> Quantity:
    for kind in kinds.values():
        if axis.quantity in kind.quantities:
            return kind.quantities[axis.quantity]
    known = [*SOLE_QUANTITIES, *(q for kind in kinds.values() for q in kind.quantities)]
    raise ConfigError(
        f"axis {axis.name}: rows {', '.join(kinds) or '(none)'} know no quantity "
        f"'{axis.quantity}'; {_alike(axis.quantity, known)}"
    )


def _alike(name: str, known: list[str]) -> str:
    """Return the names that may have been meant, or else those there are."""
    from difflib import get_close_matches

    meant = get_close_matches(name, known, n=3, cutoff=0.7)
    if meant:
        return f"did you mean {' or '.join(dict.fromkeys(meant))}?"
    more = ", ..." if len(known) > MOST_NAMED else ""
    return f"known are {', '.join(dict.fromkeys(known[:MOST_NAMED]))}{more}"
