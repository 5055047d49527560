"""How the table of a sweep lies in its NetCDF file: dimensions, coordinates, blocks of rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from sole.studies.axis import Axis, Setting
from sole.studies.netcdf import BLOCK_ROWS, NetCDF, blocks
from sole.studies.plan import Plan
from sole.studies.rows import Column
from sole.studies.study import Study

CASE = "case"  # the dimension of every sampling but a grid
TEXTS = ("status", "reason")


def lay_out(
    nc: NetCDF, plan: Plan, columns: Mapping[str, Column], about: Mapping[str, Any]
) -> Block:
    """Make all variables, fill in the axes of a grid, and return where the rows go.

    `about` becomes the global attributes: texts and numbers as they are, the rest as JSON.
    """
    study = plan.study
    dims = tuple(a.name for a in study.axis) if study.shape else (CASE,)
    told = {**about, "sampling": study.sampling.scheme, "ensemble": study.ensemble}
    nc.attributes(
        {n: v if isinstance(v, str | int | float) else json.dumps(v) for n, v in told.items()}
    )
    for name, size in zip(dims, study.shape or (study.size,), strict=True):
        nc.dimension(name, size)
    if not study.shape:
        nc.variable(CASE, dims, np.int64, {"long_name": "number of the case"})
        for start, (box,) in blocks((study.size,)):
            nc.write(CASE, start, np.arange(box.start, box.stop))
    for axis in study.axis:
        along = (axis.name,) if study.shape else dims
        quantity = plan.quantities[axis.name]
        words = {"units": quantity.unit or "1", "long_name": quantity.title}
        # Names are free: what an axis varies is said here.
        words |= {"quantity": axis.quantity, "layer": axis.layer}
        nc.variable(axis.name, along, _kind(axis), words)
        if study.shape:
            values = axis.values if axis.numeric else tuple(map(text_of, axis.values))
            nc.write(axis.name, 0, np.array(values, None if axis.numeric else object))
    # By CF's convention other programs see from this that samples have coordinates.
    more = {} if study.shape else {"coordinates": " ".join(a.name for a in study.axis)}
    for name, column in columns.items():
        words = {"units": column.unit or "1", "long_name": column.description}
        nc.variable(name, dims, np.float64, words | {"highlight": int(column.highlight)} | more)
    for name, what in zip(TEXTS, ("ok or failed", "why it failed"), strict=True):
        nc.variable(name, dims, str, {"long_name": what} | more)
    kinds = {a.name: None if study.shape else _kind(a) for a in study.axis}
    return Block(nc, kinds | dict.fromkeys(columns, np.float64) | dict.fromkeys(TEXTS, str))


class Block:
    """Rows on their way to the file: values in the order of `kinds`; kind None is left out."""

    def __init__(self, nc: NetCDF, kinds: Mapping[str, type | None]) -> None:
        self._nc, self._start, self._count = nc, 0, 0
        self._buffers = {
            name: np.empty(0 if kind is None else BLOCK_ROWS, object if kind is str else kind)
            for name, kind in kinds.items()
        }

    def add(self, values: Iterable[Any]) -> None:
        """Take the next row."""
        for buffer, value in zip(self._buffers.values(), values, strict=True):
            if len(buffer):
                buffer[self._count] = text_of(value) if buffer.dtype == object else value
        self._count += 1
        if self._count == BLOCK_ROWS:
            self.flush()

    def flush(self) -> None:
        """Write the rows taken so far."""
        for name, buffer in self._buffers.items():
            values = buffer[: self._count]
            if len(buffer) and (buffer.dtype != object or any(values)):  # '' is there already
                self._nc.write(name, self._start, values)
        self._start, self._count = self._start + self._count, 0


def points(study: Study) -> Iterator[tuple[Setting, ...]]:
    """Yield the values of all axes at every place of the table."""
    if study.shape:
        return product(*(a.values for a in study.axis))
    return (tuple(study.named(k).values()) for k in range(study.size))


def _kind(axis: Axis) -> type:
    return np.float64 if axis.numeric else str


def text_of(value: Setting) -> str:
    """Return a text as it is, a boolean as "true" or "false", a number in its shortest text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)
