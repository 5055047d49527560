"""HDF5 files are opened only if the HDF5 library survives them.

The library reads a file's structure as it comes: one flipped bit in the type of an attribute is
enough for a segmentation fault. So a file that does not match a digest of its own is first read by
a child process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from sole.base.errors import SchemaError
from sole.base.file_digest import is_as_written
from sole.base.memory import memory_of_file
from sole.base.waiting import NAME as WATCH

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
            if not _survives(path):
                raise SchemaError(
                    f"{path}: damaged (the HDF5 library crashes on it, or takes {SECONDS} s)"
                )
            _survived.add(key)
    return h5py.File(path, "r")


def _survives(path: Path) -> bool:
    """Return whether a child process that reads the file ends by itself.

    A fork takes some milliseconds, but is safe only where no other thread of Python runs.
    """
    if sys.platform != "linux" or _others_run():
        words = [sys.executable, "-c", f"from {__name__} import read_all; read_all()", str(path)]
        quiet = subprocess.DEVNULL
        return subprocess.run(words, stdout=quiet, stderr=quiet, check=False).returncode >= 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads of BLAS, which stay idle
        child = os.fork()
    if not child:
        try:
            read_all(path)
        finally:
            os._exit(0)
    return os.WIFEXITED(os.waitpid(child, 0)[1])


def _others_run() -> bool:
    """Whether threads run that may hold a lock; the watch of silence takes none."""
    here = threading.current_thread()
    return any(t is not here and t.name != WATCH for t in threading.enumerate())


def read_all(path: Path | None = None) -> None:
    """Read all attributes and texts of a file, in a process that may crash. None: `sys.argv[1]`."""
    import faulthandler

    import h5py

    path = Path(sys.argv[1]) if path is None else path
    faulthandler.disable()
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for descriptor in (1, 2):
            os.dup2(nowhere, descriptor)

    def look(_name: str, found: h5py.HLObject) -> None:
        for name in found.attrs:
            found.attrs.get(name)
        if isinstance(found, h5py.Dataset) and found.dtype.kind == "O":
            found[()]

    with memory_of_file(path), h5py.File(path, "r") as file:
        look("/", file)
        file.visititems(look)
