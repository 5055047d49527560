"""What a file says of its own size, checked before anything large is read.

A compressed or sparse file of a few megabytes may declare arrays of many gigabytes. Our own files
declare little more than they hold, so a file that declares far more is refused at once.
"""

from __future__ import annotations

import zipfile
from math import prod
from pathlib import Path
from typing import Any

import numpy.lib.format as _format

from sole.base.errors import SchemaError

__all__ = ["check_hdf5_sizes", "check_zip_sizes", "require_plausible"]

FREE = 32_000_000  # bytes that any file may declare
RATIO = 10  # declared bytes per byte of the file beyond that; recorded runs reach 2
HEADER = 16_000_000  # bytes of a JSON header


def require_plausible(path: Path, declared: float, size: int | None = None) -> None:
    """Raise SchemaError if a file declares far more bytes than it holds.

    `size` : of the file [bytes], None: look.
    """
    size = Path(path).stat().st_size if size is None else size
    if declared > max(FREE, RATIO * size):
        raise SchemaError(
            f"{path}: declares {declared / 1e6:.3g} MB of numbers in a file of {size / 1e6:.3g} MB "
            f"(at most {RATIO} times as much is read): damaged, or made to fill the memory"
        )


def check_zip_sizes(path: Path, archive: zipfile.ZipFile) -> None:
    """Raise SchemaError if the members of an `.npz` are implausibly large, by header or directory.

    Every member must hold exactly the array that its own header declares.
    """
    members = archive.infolist()
    require_plausible(path, sum(m.file_size for m in members))
    if len({m.filename for m in members}) < len(members):
        raise SchemaError(f"{path}: holds two arrays of the same name")
    for member in members:
        with archive.open(member) as stream:
            start = stream.read(10)
            if start[:6] != b"\x93NUMPY":
                raise SchemaError(f"{path}: '{member.filename}' is not a NumPy array")
            first = start[6:8] == b"\1\0"
            read = _format.read_array_header_1_0 if first else _format.read_array_header_2_0
            stream.seek(8)
            shape, _, dtype = read(stream)
            head = stream.tell()
        if dtype.hasobject or head + prod(shape) * dtype.itemsize != member.file_size:
            raise SchemaError(
                f"{path}: '{member.filename}' does not hold the array of shape {shape} and type "
                f"{dtype} that its header declares"
            )
        if member.filename == "header.npy" and member.file_size > HEADER:
            raise SchemaError(f"{path}: its header has {member.file_size} bytes, at most {HEADER}")


def check_hdf5_sizes(path: Path, file: Any) -> None:
    """Raise SchemaError if the datasets of an open h5py file are implausibly large.

    Data outside the file (external storage, virtual datasets) are refused, too.
    """
    import h5py

    declared = 0

    def look(name: str, found: Any) -> None:
        nonlocal declared
        if not isinstance(found, h5py.Dataset) or found.shape is None:
            return
        if found.is_virtual or found.external:
            raise SchemaError(f"{path}: '{name}' has its numbers outside the file; copy them in")
        declared += prod(found.shape) * found.dtype.itemsize

    file.visititems(look)
    require_plausible(path, declared)
