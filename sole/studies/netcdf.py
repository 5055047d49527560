"""The table of a study as NetCDF, written in blocks of rows, with the memory of one block.

Rows of a grid are counted along its last dimension first; a block of rows is a few boxes.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sole.base.archive import replacing
from sole.base.file_digest import UNSEALED, seal
from sole.studies.axis import Axis, Setting
from sole.studies.columns import Column
from sole.studies.study import Study
from sole.studies.study_plan import Plan

Box = tuple[slice, ...]
BLOCK_ROWS = 4096
CASE = "case"  # the dimension of a table that is not a grid
TEXTS = ("status", "reason")


def boxes(shape: tuple[int, ...], start: int, stop: int) -> Iterator[Box]:
    """Yield in order the boxes (slices by dimension) that cover rows [start, stop) of a grid."""
    inner = math.prod(shape[1:])
    while start < stop:
        k, offset = divmod(start, inner)
        if offset or stop - start < inner:
            end = min(stop, (k + 1) * inner)
            for box in boxes(shape[1:], offset, end - k * inner):
                yield (slice(k, k + 1), *box)
        else:
            end = stop // inner * inner
            yield (slice(k, end // inner), *(slice(0, n) for n in shape[1:]))
        start = end


def blocks(shape: tuple[int, ...]) -> Iterator[tuple[int, Box]]:
    """Yield in order (place of the first row, box) for boxes of at most `BLOCK_ROWS` rows."""
    place, size = 0, math.prod(shape)
    for start in range(0, size, BLOCK_ROWS):
        for box in boxes(shape, start, min(start + BLOCK_ROWS, size)):
            yield place, box
            place += math.prod(s.stop - s.start for s in box)


class Stream(io.FileIO):
    """A file for HDF5 to write through that hides write errors from it.

    HDF5 ends the whole process, or fails again at exit, if the disk is full. So the first error
    is kept in `error`, and HDF5 finishes normally. It reads back what it has written and trusts
    it, so whatever did not reach the disk stays in memory: a few blocks until the file is closed.
    """

    def __init__(self, file: Path, mode: str) -> None:
        super().__init__(file, mode)
        self.error: OSError | None = None
        self._kept: list[tuple[int, bytes]] = []  # (place, data) that the disk refused

    def write(self, data: Any) -> int:
        """Write all of `data`; keep it in memory if this write or an earlier one failed."""
        left, place = memoryview(data).cast("B"), self.tell()
        end = place + len(left)
        if self.error is None:
            whole = left
            try:
                while left:
                    left = left[self._put(left) :]
            except OSError as error:
                self.error, left = error, whole
        if left:
            self._kept.append((place, bytes(left)))
            super().seek(end)
        return end - place

    def _put(self, data: memoryview) -> int:
        return super().write(data)

    def readinto(self, buffer: Any) -> int:
        """Fill `buffer` with what was written at this place, on disk or in memory, else zeros."""
        into, place = memoryview(buffer).cast("B"), self.tell()
        size = len(into)
        got = super().readinto(into) or 0
        into[got:] = bytes(size - got)
        for start, data in self._kept:
            low, high = max(start, place), min(start + len(data), place + size)
            if low < high:
                into[low - place : high - place] = data[low - start : high - start]
        super().seek(place + size)
        return size

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a place; the end is that of all data, on disk or in memory."""
        place = super().seek(offset, whence)
        if whence == io.SEEK_END and self._kept:
            end = max(start + len(data) for start, data in self._kept)
            place = super().seek(max(place, end + offset))
        return place

    def truncate(self, size: int | None = None) -> int:
        """Set the length unless an earlier write failed."""
        try:
            if self.error is None:
                return super().truncate(size)
        except OSError as error:
            self.error = error
        return size or 0


class NetCDF:
    """A NetCDF 4 file open for writing; made by `create_netcdf`."""

    def __init__(self, file: Any, stream: Stream) -> None:
        self._file, self._stream = file, stream

    def attributes(self, values: Mapping[str, str | int | float]) -> None:
        """Set global attributes."""
        self._file.attrs.update(values)

    def dimension(self, name: str, size: int) -> None:
        """Make a dimension."""
        self._file.dimensions[name] = size

    def variable(
        self, name: str, dims: Sequence[str], dtype: Any, attributes: Mapping[str, Any]
    ) -> None:
        """Make a variable of numbers, or of texts (dtype `str`), full of NaN or empty texts."""
        import h5py

        kind = h5py.string_dtype() if dtype is str else np.dtype(dtype)
        fill = np.nan if dtype is not str and kind.kind == "f" else None
        made = self._file.create_variable(name, tuple(dims), kind, fillvalue=fill)
        made.attrs.update(attributes)

    def write(self, name: str, start: int, values: NDArray[Any]) -> None:
        """Write the values of rows `start`, `start` + 1, ... of a variable.

        Raises
        ------
        OSError
            The disk is full, or another system error.
        """
        variable, done = self._file[name], 0
        for box in boxes(variable.shape, start, start + len(values)):
            shape = tuple(s.stop - s.start for s in box)
            size = math.prod(shape)
            variable[box] = values[done : done + size].reshape(shape)
            done += size
        if self._stream.error is not None:
            raise self._stream.error


@contextlib.contextmanager
def create_netcdf(path: Path) -> Iterator[NetCDF]:
    """Yield a NetCDF file that is complete, with its digest, at the end of the block.

    Raises
    ------
    OSError
        The disk is full, or another system error; the file is then incomplete.
    """
    with _written(path, "w") as (file, stream):
        yield NetCDF(file, stream)


@contextlib.contextmanager
def append_netcdf(path: Path, group: str) -> Iterator[NetCDF]:
    """Yield a new group of a complete NetCDF file, which replaces an earlier one of its name.

    The file is replaced by one with the group at the end of the block, with a digest of its own.

    Raises
    ------
    ResourceError
        The disk is full; the file is unchanged.
    """
    import h5py

    with replacing(path) as temporary:
        shutil.copyfile(path, temporary)
        with h5py.File(temporary, "a") as before:
            before.pop(group, None)
        with _written(temporary, "a") as (file, stream):
            yield NetCDF(file.create_group(group), stream)


@contextlib.contextmanager
def _written(path: Path, mode: str) -> Iterator[tuple[Any, Stream]]:
    """Yield a NetCDF file, new ("w") or to add to ("a"), and its stream; then close and seal it."""
    import h5netcdf

    with Stream(path, "w+" if mode == "w" else "r+") as stream:
        try:
            with h5netcdf.File(stream, mode) as file:
                file.attrs.update(UNSEALED)
                yield file, stream
        finally:
            if stream.error is not None:
                raise stream.error
    seal(path)


def lay_out(
    nc: NetCDF, plan: Plan, columns: Mapping[str, Column], about: Mapping[str, Any]
) -> Block:
    """Make all variables, fill in the axes of a grid, and return the block for the rows.

    `about` becomes the global attributes: texts and numbers unchanged, the rest as JSON.
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
    layered = any(len(sole.mesh.layers) > 1 for sole in plan.soles.values())
    for axis in study.axis:
        along = (axis.name,) if study.shape else dims
        quantity = plan.quantities[axis.name]
        common = layered and axis.quantity in ("young", "poisson") and not axis.layer
        title = f"{quantity.title} of all layers" if common else quantity.title
        words = {"units": quantity.unit or "1", "long_name": title}
        # Names are free, so this states what the axis varies.
        words |= {"quantity": axis.quantity, "layer": axis.layer}
        nc.variable(axis.name, along, _kind(axis), words)
        if study.shape:
            values = axis.values if axis.numeric else tuple(map(text_of, axis.values))
            nc.write(axis.name, 0, np.array(values, None if axis.numeric else object))
    # The CF convention for samples with coordinates, for other programs.
    more = {} if study.shape else {"coordinates": " ".join(a.name for a in study.axis)}
    for name, column in columns.items():
        nc.variable(name, dims, np.float64, column.attributes | more)
    for name, what in zip(TEXTS, ("ok or failed", "why it failed"), strict=True):
        nc.variable(name, dims, str, {"long_name": what} | more)
    kinds = {a.name: None if study.shape else _kind(a) for a in study.axis}
    return Block(nc, kinds | dict.fromkeys(columns, np.float64) | dict.fromkeys(TEXTS, str))


class Block:
    """Buffer of rows for the file: values in the order of `kinds`; kind None is left out."""

    def __init__(self, nc: NetCDF, kinds: Mapping[str, type | None]) -> None:
        self._nc, self._start, self._count = nc, 0, 0
        self._buffers = {
            name: np.empty(0 if kind is None else BLOCK_ROWS, object if kind is str else kind)
            for name, kind in kinds.items()
        }

    def add(self, values: Iterable[Any]) -> None:
        """Add the next row."""
        for buffer, value in zip(self._buffers.values(), values, strict=True):
            if len(buffer):
                buffer[self._count] = text_of(value) if buffer.dtype == object else value
        self._count += 1
        if self._count == BLOCK_ROWS:
            self.flush()

    def flush(self) -> None:
        """Write the buffered rows."""
        for name, buffer in self._buffers.items():
            values = buffer[: self._count]
            if len(buffer) and (buffer.dtype != object or any(values)):  # '' is the fill value
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
    """Return a text unchanged, a boolean as "true" or "false", a number in its shortest form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)
