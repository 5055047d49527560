"""Array types and the two helpers that make an array safe to hand out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


def sealed(array: NDArray[Any]) -> NDArray[Any]:
    """Mark a fresh array, which nobody else holds, as read-only: no copy."""
    array.flags.writeable = False
    return array
