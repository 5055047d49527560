"""Many small arrays in one: a compiled function takes, or fills, a whole sheet as one argument.

numba looks at every array of a call, and makes an object of every array that it returns; at a
hundred microseconds per time step that is a quarter of the time. Names for the parts of a sheet are
made when somebody asks: views in Python, slices in a compiled function.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from sole.base.arrays import FloatArray

__all__ = ["Sheet"]


class Sheet:
    """Names, shapes and places of the parts of a flat array.

    Parameters
    ----------
    shapes : of the parts, in their order.

    Attributes
    ----------
    size : numbers in all.
    """

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self.places: dict[str, tuple[slice, tuple[int, ...]]] = {}
        self.size = 0
        for name, shape in shapes.items():
            self.places[name] = slice(self.size, self.size + prod(shape)), shape
            self.size += prod(shape)

    def part(self, numbers: FloatArray, name: str) -> FloatArray:
        """Return one part of an array (size,), as a view of it."""
        place, shape = self.places[name]
        return numbers[place].reshape(shape)
