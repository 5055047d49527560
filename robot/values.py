"""Checks of the values in a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from sole.errors import ConfigError


def positive(what: str, values: Mapping[str, float]) -> None:
    """Refuse values that are not positive and finite; `what` is the table they are in."""
    for name, value in values.items():
        if not 0 < value < inf:
            raise ConfigError(f"{what}: {name} must be positive, got {value:g}")


def one_of(what: str, value: str, known: Sequence[str]) -> None:
    """Refuse a value that is not `known`."""
    if value not in known:
        raise ConfigError(f"{what} must be one of {', '.join(known)}, got '{value}'")
