"""Checks of arguments: a bad value is refused with its name, in one line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError, SoleError
from sole.base.near_names import did_you_mean

__all__ = [
    "LARGEST_SEED",
    "check_count",
    "check_magnitude",
    "check_one_of",
    "check_positive",
    "check_seed",
    "check_tolerance",
    "numbers",
    "positive",
]

FINEST = 1e-14  # a tolerance below it asks for more than round-off leaves: work without end
GREATEST = 1e30  # of any quantity in SI units; its fourth power is a number, too
LARGEST_SEED = 2**63 - 1


def numbers(name: str, values: ArrayLike) -> FloatArray:
    """Return `values` as an array of floats; the caller checks shape and finiteness.

    Raises
    ------
    SoleError
        Strings, ragged lists and anything else that is not numeric.
    """
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise SoleError(f"{name} must be numbers, got {_shown(values)} ({error})") from error


def positive(name: str, value: float, unit: str = "", error: type[SoleError] = SoleError) -> float:
    """Return `value` as a float if it is finite and > 0; raise `error` otherwise."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise error(f"{name} must be a positive number, got {_shown(value)} {unit}".rstrip())
    return number


def _shown(value: object) -> str:
    if isinstance(value, int | float | np.number):
        return f"{value:g}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else f"{text[:37]}..."


def check_positive(what: str, values: Mapping[str, float]) -> None:
    """Raise ConfigError unless all values are positive and finite; `what` names their table."""
    for name, value in values.items():
        if not 0 < value < inf:
            raise ConfigError(f"{what}: {name} must be positive, got {value:g}")


def check_one_of(what: str, value: str, known: Sequence[str]) -> None:
    """Raise ConfigError unless `value` is one of `known`."""
    if value not in known:
        raise ConfigError(
            f"{what} must be one of {', '.join(known)}, got '{value}'{did_you_mean(value, known)}"
        )


def check_tolerance(what: str, value: float) -> None:
    """Raise ConfigError unless `value` is a tolerance that double precision can meet."""
    if not FINEST <= value < 1:
        raise ConfigError(f"{what} must be from {FINEST:g} to below 1, got {value:g}")


def check_count(what: str, value: int, most: int, least: int = 1) -> None:
    """Raise ConfigError unless the number of things `value` is from `least` to `most`."""
    if not least <= value <= most:
        raise ConfigError(f"{what} must be {least} to {most}, got {_whole(value)}")


def check_seed(what: str, value: int, least: int = 0) -> None:
    """Raise ConfigError unless `value` is a seed that every generator takes."""
    if value < least:
        bound = "negative" if least == 0 else f"below {_whole(least)}"
        raise ConfigError(f"{what} must not be {bound}, got {_whole(value)}")
    if value > LARGEST_SEED:
        raise ConfigError(f"{what} must be below 2^63, got {_whole(value)}")


def _whole(value: int) -> str:
    """Return a whole number, short if it is long."""
    return str(value) if abs(value) < 10**15 else f"{value:.3e}" if abs(value) < 1e300 else "more"


def check_magnitude(what: str, value: float) -> None:
    """Raise ConfigError if a number of a user is so large or small that its powers overflow.

    Whether it is finite, and fits its meaning, is checked where the meaning is known.
    """
    if math.isfinite(value) and value and not 1 / GREATEST <= abs(value) <= GREATEST:
        small = abs(value) < 1
        raise ConfigError(
            f"{what}: {value:g} is beyond any quantity: expected "
            + (f"0 or at least {1 / GREATEST:g}" if small else f"at most {GREATEST:g}")
        )
