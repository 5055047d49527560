"""Rows of numbers that grow: arrays made beforehand, doubled when they are full."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from robot.run import Channel
from sole.base.arrays import FloatArray
from sole.base.errors import ResourceError, SoleError


class GrowingRows:
    """Rows of one width, and further series with a value for some of the rows; NaN elsewhere.

    Parameters
    ----------
    width : of a row. size : rows at first. extras : declared further series.

    Attributes
    ----------
    count : rows so far.
    """

    def __init__(self, width: int, size: int, extras: Mapping[str, Channel]) -> None:
        self.size, self.declared, self.count = size, extras, 0
        self._rows = self._empty((width,))
        self._extras: dict[str, FloatArray] = {}

    def next(self) -> FloatArray:
        """Return the row behind the last one, to be filled; `count` it when it is."""
        row: FloatArray = self.room(1)[0]
        return row

    def room(self, n: int) -> FloatArray:
        """Return the n rows behind the last one, likewise."""
        while self.count + n > self.size:
            self.size *= 2
            self._rows = self._longer(self._rows)
            self._extras = {name: self._longer(old) for name, old in self._extras.items()}
        return self._rows[self.count : self.count + n]

    def put(self, name: str, value: ArrayLike) -> None:
        """Keep a value of a further series for the row of `next`.

        Raises
        ------
        SoleError
            The series is not declared, or the value has a wrong shape.
        """
        if name not in self._extras:
            if name not in self.declared:
                declared = ", ".join(self.declared) or "none"
                raise SoleError(f"extra '{name}' was not declared; declared extras: {declared}")
            shape, dims = np.shape(value), self.declared[name].dims
            if len(shape) != len(dims):
                raise SoleError(f"extra '{name}' has shape {shape}, expected one for {dims}")
            self._extras[name] = self._empty(shape)
        try:
            self._extras[name][self.count] = value
        except (ValueError, TypeError) as error:
            raise SoleError(f"extra '{name}': {error}") from error

    def last(self, most: int | None = None) -> tuple[FloatArray, dict[str, FloatArray]]:
        """Return all rows, or the `most` last ones, and copies of the further series."""
        kept = slice(0 if most is None else max(0, self.count - most), self.count)
        return self._rows[kept], {name: array[kept].copy() for name, array in self._extras.items()}

    def _empty(self, shape: tuple[int, ...]) -> FloatArray:
        try:
            return np.full((self.size, *shape), np.nan)
        except MemoryError as error:
            raise ResourceError(
                f"not enough memory for {self.size} rows of the run: record every nth step"
            ) from error

    def _longer(self, old: FloatArray) -> FloatArray:
        new = self._empty(old.shape[1:])
        new[: len(old)] = old
        return new
