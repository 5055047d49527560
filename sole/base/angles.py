"""Angles: radians in Python, degrees in user input under keys that name the unit.

A field `yaw: Angle` of a dataclass is in radians. In TOML, in options and in a study's axes its key
is ``yaw_deg`` and its value is in degrees; in the headers of result files it is ``yaw_rad``, to the
last bit, except in scenarios, which keep the keys of their TOML. The same holds for ranges and
tables (`tuple[Angle, Angle]`, `Mapping[str, Angle]`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from typing import Annotated, Any, get_args, get_type_hints

from sole.base.errors import ConfigError

__all__ = [
    "DEGREES",
    "Angle",
    "angles_of",
    "degrees_of",
    "key_of",
    "name_of",
    "read_value",
    "restored",
    "stored",
    "written_value",
]


DEGREES, RADIANS = "_deg", "_rad"  # suffixes of keys
_MARK = "an angle in radians"

Angle = Annotated[float, _MARK]


def degrees_of(angle: float) -> float:
    """Return the shortest decimal number of degrees that `math.radians` maps to `angle` [rad].

    So 20 degrees stay 20. Where no number maps exactly to `angle`, return the nearest one.
    """
    near = math.degrees(angle)
    tried = (float(f"{near:.{digits}g}") for digits in range(1, 18))
    beside = (math.nextafter(near, end) for end in (-math.inf, math.inf))
    return next((d for d in (*tried, *beside) if math.radians(d) == angle), near)


@cache
def angles_of(cls: type) -> frozenset[str]:
    """Return the names of the fields of a dataclass that are angles or contain only angles."""
    hints = get_type_hints(cls, include_extras=True)
    return frozenset(f.name for f in fields(cls) if f.init and _marked(hints[f.name]))


def _marked(hint: Any) -> bool:
    return _MARK in getattr(hint, "__metadata__", ()) or any(map(_marked, get_args(hint)))


def key_of(cls: type, name: str) -> str:
    """Return the key of a field in user input: ``yaw_deg`` for an angle `yaw`."""
    return name + DEGREES if name in angles_of(cls) else name


def name_of(cls: type, key: str) -> str:
    """Return the field that a key of user input names; an unknown key comes back unchanged.

    Raises
    ------
    ConfigError
        An angle without its unit: ``yaw: write yaw_deg (degrees)``.
    """
    if key in angles_of(cls):
        raise ConfigError(f"{key}: write {key}{DEGREES} (degrees)")
    name = key.removesuffix(DEGREES)
    return name if name in angles_of(cls) else key


def read_value(cls: type, name: str, value: Any) -> Any:
    """Convert a field's value from user input: angles in degrees become radians."""
    return _each(math.radians, value) if name in angles_of(cls) else value


def written_value(cls: type, name: str, value: Any) -> Any:
    """Convert a field's value to user notation: angles become degrees."""
    return _each(degrees_of, value) if name in angles_of(cls) else value


def stored(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a dataclass for the header of a result file: ``yaw_rad`` [rad]."""
    return {k + RADIANS if k in angles_of(cls) else k: v for k, v in values.items()}


def restored(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by field name from the header of a result file.

    Raises
    ------
    ConfigError
        An angle without its unit, from an older version.
    """
    found = {}
    for key, value in values.items():
        if key in angles_of(cls):
            raise ConfigError(
                f"{key}: angle without unit, of an older version: write the file again"
            )
        name = key.removesuffix(RADIANS)
        found[name if name in angles_of(cls) else key] = value
    return found


def _each(turned: Callable[[float], float], value: Any) -> Any:
    """Apply a function to a number, or to each in a list or table; keep anything else."""
    if isinstance(value, Mapping):
        return {key: _each(turned, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_each(turned, item) for item in value]
    return turned(value) if isinstance(value, int | float) and type(value) is not bool else value
