"""NetCDF written block by block: a table of any length needs the memory of one block.

Rows of a grid are counted along its last dimension first; a block of them is a few boxes of it.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Box = tuple[slice, ...]
BLOCK_ROWS = 4096


def boxes(shape: tuple[int, ...], start: int, stop: int) -> Iterator[Box]:
    """Yield the boxes, slices by dimension, that rows [start, stop) of a grid fill, in order."""
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
    """Yield (place of the first row, box) of boxes of at most `BLOCK_ROWS` rows, in order."""
    place, size = 0, math.prod(shape)
    for start in range(0, size, BLOCK_ROWS):
        for box in boxes(shape, start, min(start + BLOCK_ROWS, size)):
            yield place, box
            place += math.prod(s.stop - s.start for s in box)


class Stream(io.FileIO):
    """A file that HDF5 writes through and that never tells it of an error.

    HDF5 ends the whole process, or fails again at its end, when the disk is full. So the first
    error is kept in `error`, nothing is written any more, and HDF5 finishes in peace.
    """

    error: OSError | None = None

    def write(self, data: Any) -> int:
        """Write all of `data` unless an earlier write failed."""
        left = memoryview(data).cast("B")
        size = len(left)
        try:
            while left and self.error is None:
                left = left[self._put(left) :]
        except OSError as error:
            self.error = error
        return size

    def _put(self, data: memoryview) -> int:
        return super().write(data)

    def truncate(self, size: int | None = None) -> int:
        """Set the length unless an earlier write failed."""
        try:
            if self.error is None:
                return super().truncate(size)
        except OSError as error:
            self.error = error
        return size or 0


class NetCDF:
    """A NetCDF 4 file to be written; made by `creating`."""

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
            The disk is full, or anything else that the system says.
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
def creating(path: Path) -> Iterator[NetCDF]:
    """Yield a NetCDF file that is whole at the end of the block.

    Raises
    ------
    OSError
        The disk is full, or anything else that the system says; the file is not whole then.
    """
    import h5netcdf

    with Stream(path, "w+") as stream:
        try:
            with h5netcdf.File(stream, "w") as file:
                yield NetCDF(file, stream)
        finally:
            if stream.error is not None:
                raise stream.error
