"""Messages of pages: numbers that are there, finite and in range."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from sole.base.errors import ConfigError

FARTHEST = 100.0  # m from the origin


def read_number(message: Mapping[str, Any], name: str, low: float, high: float) -> float:
    """Return a number of a message.

    Raises
    ------
    ConfigError
        It is missing, not finite or out of range.
    """
    value = message.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ConfigError(f"{name} must be a finite number, got {value!r}")
    if not low <= value <= high:
        raise ConfigError(f"{name} must be {low:g} to {high:g}, got {value:g}")
    return float(value)


def read_vector(message: Mapping[str, Any], name: str) -> tuple[float, float, float]:
    """Return a vector of a message; errors as for `read_number`."""
    value = message.get(name)
    if not isinstance(value, list) or len(value) != 3:
        raise ConfigError(f"{name} must be three numbers, got {value!r}")
    x, y, z = (read_number({name: item}, name, -FARTHEST, FARTHEST) for item in value)
    return x, y, z
