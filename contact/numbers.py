"""Numbers from a caller: what is none is refused by name, in one line."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from sole.arrays import FloatArray
from sole.errors import SoleError


def numbers(name: str, values: ArrayLike) -> FloatArray:
    """Return `values` as an array of floats; shape and finiteness are the caller's to check.

    Raises
    ------
    SoleError
        For strings, ragged lists and other things that are no numbers.
    """
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise SoleError(f"{name} must be numbers, got {_shown(values)} ({error})") from error


def positive(name: str, value: float, unit: str = "", error: type[SoleError] = SoleError) -> float:
    """Return one finite number > 0; `error` for anything else."""
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
