"""Checks of numbers for the penalty law: finite and real, no bools, texts or arrays."""

from __future__ import annotations

import math
from typing import TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from sole.base.arrays import FloatArray
from sole.base.errors import SoleError


def is_number(value: object) -> TypeGuard[float]:
    """Whether `value` is one finite real number; no bool, text, complex or array."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an int beyond the floats
        return False


def require_number(name: str, value: object, unit: str = "") -> float:
    """Return a finite number as a float, or raise SoleError."""
    if not is_number(value):
        raise SoleError(f"{name} must be a finite number{unit and ' of ' + unit}, got {value!r}")
    return float(value)


def require_positive_number(name: str, value: object) -> float:
    """Return a finite number above zero as a float, or raise SoleError."""
    if not (is_number(value) and value > 0):
        raise SoleError(f"{name} must be positive and finite, got {value!r}")
    return float(value)


def require_not_negative(name: str, value: object) -> float:
    """Return a finite number from zero on as a float, or raise SoleError."""
    if not (is_number(value) and value >= 0):
        raise SoleError(f"{name} must be a finite number >= 0, got {value!r}")
    return float(value)


def require_whole(name: str, value: object) -> int:
    """Return a whole number from zero on, or raise SoleError."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise SoleError(f"{name} must be a whole number, got {value!r}")
    if value < 0:
        raise SoleError(f"{name} must not be negative, got {value}")
    return int(value)


def require_finite(name: str, values: ArrayLike) -> FloatArray:
    """Return finite real numbers of any shape, or raise SoleError."""
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise SoleError(f"{name} must be real, got complex numbers")
        array = np.asarray(array, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, SoleError):
            raise
        raise SoleError(f"{name} must be numbers ({error})") from error
    if not np.isfinite(array).all():
        raise SoleError(f"{name} must be finite")
    return array
