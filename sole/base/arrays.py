"""Array types, and helpers that validate arrays and make them read-only."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sole.base.errors import SoleError

__all__ = [
    "BoolArray",
    "Bundle",
    "FloatArray",
    "Index",
    "IntArray",
    "asymmetry",
    "frozen",
    "read_only",
    "sealed",
    "shaped",
    "spans",
    "trusted",
]


T = TypeVar("T")
FloatArray = NDArray[np.float64]
"""A numpy array of 64-bit floats, as a type."""
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
TILE = 128  # rows and columns of a tile that fits the cache of a core
Index = int | np.uint64  # kernels count faster without a sign: -1 is the last one otherwise
# A `NamedTuple` as a plain tuple, for a call of compiled code that starts by restoring the names,
# `bundle = Names(*bundle)`: numba dispatches on eight arrays in 0.6 instead of 3.2 us.
# Such a call also returns one, `return Names(...)[:]`. To return the names, numba runs Python,
# where a pending Ctrl-C raises; numba does not look whether that failed: a segmentation fault.
Bundle = tuple[Any, ...]


def frozen(values: ArrayLike, dtype: Any = np.float64) -> NDArray[Any]:
    """Return a read-only, C-contiguous array; copy unless it already is one."""
    array = np.ascontiguousarray(values, dtype=dtype)
    if array.flags.writeable:
        array = array.copy() if np.shares_memory(array, np.asarray(values)) else array
        array.flags.writeable = False
    return array


def spans(on: BoolArray) -> list[tuple[int, int]]:
    """Return first row and end of each span in which `on` (T,) holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(np.int8)))
    return [(int(first), int(end)) for first, end in edges.reshape(-1, 2)]


def asymmetry(matrix: FloatArray) -> float:
    """Return max |A - A'| of a square matrix A; NaN if there is one in it.

    Tile by tile: reading a large matrix across its rows takes ten times as long.
    """
    largest = np.float64(0.0)
    for i in range(0, len(matrix), TILE):
        for j in range(i, len(matrix), TILE):
            here, there = slice(i, i + TILE), slice(j, j + TILE)
            tile = np.abs(matrix[here, there] - matrix[there, here].T)
            largest = np.maximum(largest, tile.max())
    return float(largest)


def shaped(name: str, values: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Return finite `values` in `shape`; flat values, and one row for (1, ...), are reshaped.

    Raises
    ------
    SoleError
        The message has `name`, the shape got and the shape expected.
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
    """Make a new array that nobody else holds read-only, without a copy."""
    array.setflags(write=False)
    return array


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of an array that others may write."""
    return sealed(array.view())


def trusted(kind: type[T], **values: Any) -> T:
    """Make a frozen dataclass (without slots) from arrays known to be valid: no checks."""
    made = object.__new__(kind)
    made.__dict__.update(values)
    return made
