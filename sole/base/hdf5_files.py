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
from sole.base.files import existing_file
from sole.base.memory import memory_of_file
from sole.base.trial_reading import survives

if TYPE_CHECKING:
    import h5py

__all__ = ["SIGNATURE", "open_hdf5"]

SIGNATURE = b"\x89HDF\r\n\x1a\n"
ENDS = {0: 40, 1: 44, 2: 28, 3: 28}  # by version; for addresses of 8 bytes, as all programs write
APPENDED = 1_000_000  # bytes
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

    path = existing_file(path, SchemaError)
    refuse_appended(path)
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


def refuse_appended(path: Path) -> None:
    """Raise SchemaError if a file goes on far beyond the end that its superblock states.

    The end is a number of 8 bytes at `ENDS`, by the version of the superblock.
    """
    with path.open("rb") as stream:
        start = stream.read(48)
    place = ENDS.get(start[8]) if start.startswith(SIGNATURE) and len(start) == 48 else None
    if place is None:
        return
    end, size = int.from_bytes(start[place : place + 8], "little"), path.stat().st_size
    if size > 2 * end + APPENDED:
        raise SchemaError(
            f"{path}: has {size / 1e6:.3g} MB, its content ends after {end / 1e6:.3g} MB: damaged; "
            "copy it again"
        )


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
