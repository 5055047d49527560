"""Quantities in user input: "3 MPa" in a field of pascals is 3e6, and 3e6 is 3e6.

A field `young: Pascals` of a dataclass holds SI units. In TOML, in options and in a study's axes
its value is a number in SI units, or a text of a number and a unit. All units are powers of ten
of each other, so "35 mm" is 0.035 to the last bit. Fields that are angles take "20 deg".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Annotated, Any, get_args, get_type_hints

from sole.base.angles import angles_of
from sole.base.errors import ConfigError

__all__ = [
    "Densities",
    "Kilograms",
    "Metres",
    "NewtonMetres",
    "Newtons",
    "Pascals",
    "Seconds",
    "Speeds",
    "any_quantity",
    "in_unit",
    "is_number",
    "is_unit",
    "meant_millimetres",
    "read_quantity",
    "read_units",
    "unit_in_files",
]


@dataclass(frozen=True, slots=True)
class _Unit:
    symbol: str


Metres = Annotated[float, _Unit("m")]
Pascals = Annotated[float, _Unit("Pa")]
Seconds = Annotated[float, _Unit("s")]
Newtons = Annotated[float, _Unit("N")]
NewtonMetres = Annotated[float, _Unit("N m")]
Kilograms = Annotated[float, _Unit("kg")]
Densities = Annotated[float, _Unit("kg/m^3")]
Speeds = Annotated[float, _Unit("m/s")]

# What may be written for each SI unit, and its power of ten; without spaces.
WRITTEN: Mapping[str, Mapping[str, int]] = {
    "m": {"m": 0, "cm": -2, "mm": -3, "um": -6, "µm": -6},
    "Pa": {"Pa": 0, "kPa": 3, "MPa": 6, "GPa": 9, "N/mm^2": 6, "N/mm2": 6},
    "s": {"s": 0, "ms": -3, "us": -6, "µs": -6},
    "N": {"N": 0, "kN": 3},
    "N m": {"Nm": 0, "Nmm": -3, "kNm": 3},
    "kg": {"kg": 0, "g": -3, "t": 3},
    "kg/m^3": {"kg/m^3": 0, "kg/m3": 0, "g/cm^3": 3, "g/cm3": 3},
    "m/s": {"m/s": 0, "cm/s": -2, "mm/s": -3},
    "N/m": {"N/m": 0, "kN/m": 3, "MN/m": 6, "N/mm": 3},
    "deg": {"deg": 0, "°": 0},
}


def read_quantity(text: str, unit: str) -> float:
    """Return the number in `unit` that a text such as "3MPa", "20 ms" or "0.02" means.

    Raises
    ------
    ConfigError
        No number, or a unit of something else; the message names the expected unit.
    """
    bare = "".join(text.split())
    units = WRITTEN.get(unit, {unit.replace(" ", ""): 0})
    power = 0
    for name in sorted(units, key=len, reverse=True):
        if bare.endswith(name) and is_number(bare.removesuffix(name)):
            bare, power = bare.removesuffix(name), units[name]
            break
    if not is_number(bare):
        known = ", ".join(list(units)[:4])
        raise ConfigError(f"'{text}' is not a number in {unit}; write it in {known}")
    return float(Decimal(bare).scaleb(power)) if power else float(bare)


def meant_millimetres(metres: float, most: float) -> str:
    """Return the question whether a length was meant in mm, "" if that would be beyond `most` [m].

    For instance "12 m? did you mean 12 mm: 0.012 or 12mm".
    """
    short = float(Decimal(repr(metres)).scaleb(-3))
    if not 0 < short <= most:
        return ""
    return f"{metres:g} m? did you mean {metres:g} mm: {short:g} or {metres:g}mm"


def any_quantity(text: str) -> tuple[float, str] | None:
    """Return the number and the SI unit of a text such as "300 kPa"; None if it is none."""
    for unit in WRITTEN:
        try:
            number = read_quantity(text, unit)
        except ConfigError:
            continue
        return None if is_number(text) else (number, unit)
    return None


def in_unit(unit: str) -> Callable[[Any], float]:
    """Return the parser of a command-line option whose value is in `unit`."""

    def parse(value: Any) -> float:
        if not isinstance(value, str):  # a default
            return float(value)
        try:
            return read_quantity(value, unit)
        except ConfigError as error:
            raise ValueError(str(error)) from error

    parse.__name__ = unit
    return parse


def is_unit(word: str) -> bool:
    """Return whether a word alone is a unit, as in ``--dt 20 ms`` without quotes."""
    return any(word in units for units in WRITTEN.values())


def unit_in_files(cls: type, name: str) -> str:
    """Return the unit of a field in user input, '' if it has none."""
    return _units_of(cls).get(name, "")


def read_units(cls: type, name: str, value: Any) -> Any:
    """Convert a field's value from a file: texts become numbers in the field's unit.

    Raises
    ------
    ConfigError
        A text that is no quantity in this unit.
    """
    unit = _units_of(cls).get(name)
    return value if unit is None else _each(value, unit)


@cache
def _units_of(cls: type) -> Mapping[str, str]:
    """Return the unit of every field of a dataclass that has one."""
    hints = get_type_hints(cls, include_extras=True)
    found = {f.name: _unit_in(hints[f.name]) for f in fields(cls) if f.init}
    return {n: u for n, u in found.items() if u} | dict.fromkeys(angles_of(cls), "deg")


def _unit_in(hint: Any) -> str:
    for mark in getattr(hint, "__metadata__", ()):
        if isinstance(mark, _Unit):
            return mark.symbol
    return next(filter(None, map(_unit_in, get_args(hint))), "")


def _each(value: Any, unit: str) -> Any:
    if isinstance(value, Mapping):
        return {key: _each(item, unit) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_each(item, unit) for item in value]
    if isinstance(value, str) and is_number(value):
        raise ConfigError(f"'{value}' is a text: write {value}, or with its unit '{value} {unit}'")
    return read_quantity(value, unit) if isinstance(value, str) else value


def is_number(text: str) -> bool:
    """Return whether a text is a number without a unit."""
    try:
        Decimal(text)
    except InvalidOperation:
        return False
    return True
