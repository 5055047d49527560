"""HDF5 files are opened only if the HDF5 library survives them.

The library reads a file's structure as it comes: one flipped bit in the type of an attribute is
enough for a segmentation fault. So a file that does not match a digest of its own is first read by
a child process.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sole.base.errors import SchemaError
from sole.base.file_digest import is_as_written
from sole.base.memory import memory_of_file
from sole.base.trial_reading import survives

if TYPE_CHECKING:
    import h5py

__all__ = ["open_hdf5"]

SECONDS = 5  # of processor time for the child: HDF5 may turn in circles
_survived: set[tuple[str, int, int, int]] = set()  # path, inode, time of change, size


def open_hdf5(path: Path) -> h5py.File:
    """Open an HDF5 file for reading.

    Raises
    ------
    SchemaError
        The HDF5 library crashes on the file, or does not come to an end.
    OSError
        Not an HDF5 file, or not readable.
    """
    import h5py

    path = Path(path)
    if not is_as_written(path):
        there = path.stat()
        key = (str(path.resolve()), there.st_ino, there.st_mtime_ns, there.st_size)
        if key not in _survived:
            if not survives(read_all, path, SECONDS):
                raise SchemaError(
                    f"{path}: damaged (the HDF5 library crashes on it, or takes {SECONDS} s)"
                )
            _survived.add(key)
    return h5py.File(path, "r")


def read_all(path: Path) -> None:
    """Read all attributes and texts of a file."""
    import h5py

    def look(_name: str, found: h5py.HLObject) -> None:
        for name in found.attrs:
            found.attrs.get(name)
        if isinstance(found, h5py.Dataset) and found.dtype.kind == "O":
            found[()]

    with memory_of_file(path), h5py.File(path, "r") as file:
        look("/", file)
        file.visititems(look)
