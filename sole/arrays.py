"""Array types, and helpers that take arrays in and make them safe to hand out."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sole.errors import SoleError

T = TypeVar("T")
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def frozen(values: ArrayLike, dtype: Any = np.float64) -> NDArray[Any]:
    """Return a read-only, C-contiguous array; copies unless it already is one."""
    array = np.ascontiguousarray(values, dtype=dtype)
    if array.flags.writeable:
        array = array.copy() if np.shares_memory(array, np.asarray(values)) else array
        array.flags.writeable = False
    return array


def shaped(name: str, values: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Return finite `values` in `shape`; flat ones, and one row for shape (1, ...), will do.

    Raises
    ------
    SoleError
        With the `name`, the shape got and the one expected.
    """
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise SoleError(f"{name} must be numbers of shape {shape} ({error})") from error
    fitting = (shape, (math.prod(shape),), shape[1:] if shape[0] == 1 else shape)
    if array.shape not in fitting:
        raise SoleError(f"{name} must have shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise SoleError(f"{name} must be finite")
    return array.reshape(shape)


def sealed(array: NDArray[Any]) -> NDArray[Any]:
    """Mark a fresh array, which nobody else holds, as read-only: no copy."""
    array.flags.writeable = False
    return array


def trusted(kind: type[T], **values: Any) -> T:
    """Make a frozen dataclass (not one with slots) of arrays known to fit: no checks."""
    made = object.__new__(kind)
    made.__dict__.update(values)
    return made
