"""An axis of a study: its quantity and its values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sole.base.config import STRICT
from sole.base.errors import ConfigError
from sole.base.units import any_quantity, read_quantity

Setting = float | str | bool
FORMS = (
    "expected LO:HI:N, LO:HI:N:log, a list A,B,C or one value, with LAYER= in front for one layer"
)
MOST_VALUES = 50_000_000


@dataclass(frozen=True, slots=True)
class AxisQuantity:
    """A quantity that an axis can vary.

    Parameters
    ----------
    unit : '' if none. title : label in plots, without the unit.
    by_layer : whether it may differ between the layers of a sole.
    low, high : range of valid numbers. open_ends : whether each of these two is excluded.
    kind : "number", "whole" (number), "text" or "flag" (true or false).
    known : the valid texts; () for any.
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
        """Return why `value` is invalid, '' if it is valid."""
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
    "young": AxisQuantity("Pa", "Young's modulus", True, 1e-3, 1e13),
    "stiffness_factor": AxisQuantity("", "factor on E of every layer", False, 1e-6, 1e6),
    "poisson": AxisQuantity("", "Poisson's ratio", True, -1.0, 0.5, (True, True)),
    "thickness": AxisQuantity("m", "thickness", True, 0.0, math.inf, (True, True)),
    "shape": AxisQuantity("", "shape of the sole", kind="text"),
}


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One axis of a study: a quantity, of one layer or all, and its values.

    Give either `values`, or a `range` and its `spacing`, "lin" or "log"; a grid also needs the
    `number` of values in a range.

    Parameters
    ----------
    quantity : of the sole ("young", "stiffness_factor", "poisson", "thickness", "shape") or of the
        rows.
    layer : the layer to vary; "" for all.
    name : name of the table's dimension; "" for the quantity's last part and the layer.
    ensemble : the values are repeats of one design, such as seeds: every sample runs at all of
        them, and reports give mean and interval.
    unit : SI unit of values that were given as texts, "3 MPa"; "" if they were numbers.

    Raises
    ------
    ConfigError
        A value out of range, a range without an end, or values of different kinds.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    quantity: str
    layer: str = ""
    name: str = ""
    values: tuple[bool | float | str, ...] = ()
    range: tuple[float, float] | None = None
    number: int | None = None
    spacing: str = ""
    ensemble: bool = False
    unit: str = ""

    @classmethod
    def read_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        """Return the table of a file with numbers for texts such as "3 MPa"."""
        found = dict(table)
        for key in ("values", "range"):
            given = found.get(key)
            if not isinstance(given, list):
                continue
            read = [any_quantity(v) if isinstance(v, str) else None for v in given]
            units = {r[1] for r in read if r is not None}
            if len(units) > 1:
                raise ConfigError(f"{key}: units of different things, {', '.join(sorted(units))}")
            found[key] = [v if r is None else r[0] for v, r in zip(given, read, strict=True)]
            if units:
                found["unit"] = units.pop()
        return found

    def __post_init__(self) -> None:
        put, what = object.__setattr__, SOLE_QUANTITIES.get(self.quantity)
        put(self, "name", self.name or re.sub(r"\W", "_", self.key.rpartition(".")[2]))
        if not self.name.isidentifier():
            raise ConfigError(f"axis {self.name}: a name has letters, digits and _ only")
        if self.layer and not (what and what.by_layer):
            raise ConfigError(f"{self.quantity} belongs to the sole, not to layer '{self.layer}'")
        if self.spacing not in ("", "lin", "log"):
            raise ConfigError(f"spacing is 'lin' or 'log', got '{self.spacing}'")
        if bool(self.values) == (self.range is not None):
            raise ConfigError(f"axis {self.name}: give either values, or range and number")
        if self.range is not None:
            self._check_range(*self.range)
        elif self.number is not None or self.spacing:
            raise ConfigError(f"axis {self.name}: number and spacing go with range, not values")
        if self.number is not None:
            if not 2 <= self.number <= MOST_VALUES:
                raise ConfigError(
                    f"axis {self.name}: a range needs a number >= 2, got {self.number}"
                )
            low, high = self.range or (0.0, 0.0)
            spread = np.geomspace if self.logarithmic else np.linspace
            put(self, "values", tuple(spread(low, high, self.number).tolist()))
        kinds = {type(v) if isinstance(v, bool | str) else float for v in self.values}
        if len(kinds) > 1:
            raise ConfigError(f"axis {self.name}: values must be all numbers, or texts, or flags")
        put(
            self, "values", tuple(v if isinstance(v, bool | str) else float(v) for v in self.values)
        )
        if what is not None:
            self.check(what)

    def _check_range(self, low: float, high: float) -> None:
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ConfigError(f"axis {self.name}: a range needs LO < HI, got {low:g} to {high:g}")
        if self.logarithmic and low <= 0:
            raise ConfigError(f"axis {self.name}: logarithmic spacing needs LO > 0, got {low:g}")

    def check(self, what: AxisQuantity) -> None:
        """Raise ConfigError for the first value or end of the range that `what` refuses."""
        if self.unit and self.unit != what.unit:
            raise ConfigError(
                f"axis {self.name}: {what.title} is in {what.unit or 'no unit'}, not {self.unit}"
            )
        if what.kind == "whole" and not self.values:
            raise ConfigError(
                f"axis {self.name}: {what.title} is a whole number: give values instead of a range"
            )
        for value in self.values or self.range or ():
            wrong = what.refuse(value)
            if wrong:
                shown = value if isinstance(value, bool | str) else f"{value:g}"
                raise ConfigError(f"axis {self.name}: {wrong}, got {shown}")

    @property
    def key(self) -> str:
        """Name of the quantity in a case's settings: `young`, or `young_LAYER`."""
        return f"{self.quantity}_{self.layer}" if self.layer else self.quantity

    @property
    def logarithmic(self) -> bool:
        """Whether a range is spaced logarithmically; by default E is if it spans a decade."""
        if self.spacing or self.range is None:
            return self.spacing == "log"
        low, high = self.range
        return self.quantity in ("young", "stiffness_factor") and 0 < 10 * low <= high

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return not any(isinstance(v, bool | str) for v in self.values)

    @property
    def ends(self) -> tuple[Setting, Setting]:
        """Least and largest value; first and last of texts."""
        if self.range is not None:
            return self.range
        numbers = sorted(self.values) if self.numeric else self.values
        return numbers[0], numbers[-1]

    def at(self, u: float) -> Setting:
        """Return the value at position u in [0, 1) of the range or of the list of values."""
        if self.range is None:
            return self.values[min(int(u * len(self.values)), len(self.values) - 1)]
        low, high = self.range
        value = low * (high / low) ** u if self.logarithmic else low + (high - low) * u
        return min(max(value, low), high)


def parse_axis(quantity: str, text: str) -> Axis:
    """Read ``[LAYER=]LO:HI:N[:lin|log]``, ``[LAYER=]A,B,C`` or ``[LAYER=]A``.

    Raises
    ------
    ConfigError
        Not of this form, or out of range; the message repeats the text.
    """
    layer, equals, rest = text.rpartition("=")
    option = f"--{quantity} {text}"
    parts = rest.split(":")
    unit = SOLE_QUANTITIES[quantity].unit if quantity in SOLE_QUANTITIES else ""
    try:
        if len(parts) == 1:
            values = tuple(sorted({read_quantity(v, unit) for v in rest.split(",")}))
            return Axis(quantity=quantity, layer=layer.strip(), values=values)
        if len(parts) not in (3, 4) or (equals and not layer.strip()):
            raise ValueError
        low, high = read_quantity(parts[0], unit), read_quantity(parts[1], unit)
        number = int(parts[2])
    except ConfigError as error:
        form = f"; {FORMS}" if "is not a number" in str(error) else ""
        raise ConfigError(f"{option}: {error}{form}") from error
    except ValueError as error:
        raise ConfigError(f"{option}: {FORMS}") from error
    try:
        return Axis(
            quantity=quantity,
            layer=layer.strip(),
            range=(low, high),
            number=number,
            spacing=parts[3] if len(parts) == 4 else "",
        )
    except ConfigError as error:
        raise ConfigError(f"{option}: {error}") from error


def parse_axes(options: Mapping[str, Sequence[str]]) -> tuple[Axis, ...]:
    """Return the axes of `{quantity: texts}` in their order."""
    return tuple(parse_axis(q, text) for q, texts in options.items() for text in texts)
