"""Messages of pages: short, flat, and with numbers that are there, finite and in range."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from sole.base.errors import ConfigError

FARTHEST = 100.0  # m from the origin
LONGEST, LONGEST_TEXT = 4096, 200  # characters of a message, and of a text in it
MOST_ITEMS = 8  # of a list in a message


def read_message(text: str | bytes) -> dict[str, Any]:
    """Return a message: a JSON object of texts, numbers and short lists of numbers.

    Raises
    ------
    ConfigError
        It is none, or too long.
    """
    if len(text) > LONGEST:
        raise ConfigError(f"a message has at most {LONGEST} characters, got {len(text)}")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"a message that is not a JSON object: {error}") from error
    if not isinstance(message, dict):
        raise ConfigError("a message that is not a JSON object")
    for name, value in message.items():
        if not _is_plain(value):
            raise ConfigError(
                f"{_shown(name)} must be a number, a text of at most {LONGEST_TEXT} characters, or "
                f"a list of at most {MOST_ITEMS}"
            )
    return message


def read_number(message: Mapping[str, Any], name: str, low: float, high: float) -> float:
    """Return a number of a message.

    Raises
    ------
    ConfigError
        It is missing, not finite or out of range.
    """
    value = message.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(f"{name} must be a finite number, got {_shown(value)}")
    if isinstance(value, float) and not isfinite(value):
        raise ConfigError(f"{name} must be a finite number, got {value}")
    if not low <= value <= high:
        raise ConfigError(f"{name} must be {low:g} to {high:g}, got {_shown(value)}")
    return float(value)


def read_vector(message: Mapping[str, Any], name: str) -> tuple[float, float, float]:
    """Return a vector of a message; errors as for `read_number`."""
    value = message.get(name)
    if not isinstance(value, list) or len(value) != 3:
        raise ConfigError(f"{name} must be three numbers, got {_shown(value)}")
    x, y, z = (read_number({name: item}, name, -FARTHEST, FARTHEST) for item in value)
    return x, y, z


def _is_plain(value: object) -> bool:
    items = value if isinstance(value, list) else [value]
    return len(items) <= MOST_ITEMS and all(
        len(item) <= LONGEST_TEXT if isinstance(item, str) else isinstance(item, int | float | None)
        for item in items
    )


def _shown(value: object) -> str:
    """Return a value as text, shortened."""
    text = f"{value!r}"
    return text if len(text) <= 40 else f"{text[:30]}... ({len(text)} characters)"
