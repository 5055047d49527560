"""Where numba's own cache keeps machine code of our kernels, in processes that we start.

    NUMBA_CACHE_LOCATOR_CLASSES = sole.base.compiled.located.Located,UserProvidedCacheLocator,...

numba asks a locator for a folder, for a date of the source and for a part of the files' names. It
writes an index and machine code as files of their own, and trusts what it reads: two processes that
write in one folder may leave an index that names the other's machine code. So each process has a
temporary folder of its own, and kernels come and go as one file each (`kernel_file`):

    FOLDER/end_kernels.step_soles_<stamp>.kernel     what Python calls
    FOLDER/inner/...                                 what only kernels call

The name of a kernel says what it is made of (its `stamp`), so no file is ever out of date. What was
compiled goes to the first folder that can be written: after each kernel that is compiled
beforehand, else at the end of the process.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from sole.base.compiled.folders import code_folders, writable_folder
from sole.base.compiled.kernel_file import SUFFIX, KernelFile, read_kernel_file, write_kernel_file
from sole.base.compiled.stamp import digest, forget_stamps, stamp
from sole.base.numba_settings import processor

MARK = "-k"  # between what names a kernel and what numba appends
PREFIX = "compliant-sole-"


class Located:
    """What numba asks for a function of ours; it finds the methods by their names."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file  # for numba's warnings
        self.folder = own_folder()
        _take(function, self.folder)

    @classmethod
    def from_function(cls, function: Any, file: str) -> Located | None:
        """Return a locator for a kernel of ours; None for others, and where nothing is kept."""
        with suppress(OSError):  # numba goes on with its own locators
            return cls(function, file) if hasattr(function, "kept_inside") else None
        return None

    def get_cache_path(self) -> str:  # noqa: D102
        return str(self.folder)

    def get_source_stamp(self) -> str:  # noqa: D102
        return ""  # the files' names say it all

    def get_disambiguator(self) -> str:  # noqa: D102
        return MARK[1:]  # numba puts the dash

    def ensure_cache_path(self) -> None:  # noqa: D102
        self.folder.mkdir(exist_ok=True)


def name_of(function: Any) -> str:
    """Return the part of the files' names that numba makes of a function's file and name."""
    stem = Path(function.__code__.co_filename).stem
    return f"{stem}.{function.__qualname__}".translate({ord("<"): "", ord(">"): ""})


def file_of(function: Any, folder: Path) -> Path:
    """Return where a kernel is kept in a folder of machine code."""
    return folder / ("inner" if function.kept_inside else "") / f"{name_of(function)}{SUFFIX}"


@cache
def own_folder() -> Path:
    """Return the folder of this process alone, in which numba reads and writes."""
    if shared_folder() is None:
        from sole.base.compiled.news import say

        where = f"machine code cannot be kept in {code_folders()[-1]}"
        say(f"{where}: this process compiles for itself (NUMBA_CACHE_DIR names another folder)")
    _sweep(Path(tempfile.gettempdir()))
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))


@cache
def shared_folder() -> Path | None:
    """Return the folder in which this process leaves machine code; None if there is none."""
    return writable_folder()


def is_kept(function: Any, types: tuple[Any, ...]) -> bool:
    """Whether a kernel was compiled beforehand for these types."""
    return _key(types) in _found(function).types


def keep(function: Any = None, types: tuple[Any, ...] = ()) -> None:
    """Leave what this process has compiled for others; one kernel beforehand, for these types.

    What was compiled while the program was changed, as by a debugger, is not kept. What another
    process has meanwhile compiled beforehand stays: a kernel may also be compiled because a listed
    one calls it.
    """
    if (folder := shared_folder()) is None or not _taken:
        return
    if function is None:
        forget_stamps()
    elif name_of(function) in _taken:
        _types[name_of(function)].add(_key(types))
    files = _files()
    for name, one in _taken.items():
        made, known = files.get(name, {}), _types[name]
        if made and (made, known) != _left[name] and stamp(one.__wrapped__) == one.stamp:
            _left[name] = made, set(known)
            contents = {file: (own_folder() / file).read_bytes() for file in made}
            file = file_of(one, folder)
            file.parent.mkdir(exist_ok=True)
            there = read_kernel_file(file)
            if there is None or there.types <= known:
                write_kernel_file(file, KernelFile(contents, frozenset(known)))


def _take(function: Any, folder: Path) -> None:
    """Fetch a kernel, once, for numba to read."""
    if (name := name_of(function)) in _taken:
        return
    kept = _found(function)
    for file, content in kept.files.items():
        (folder / file).write_bytes(content)
    _types[name] = set(kept.types)
    _left[name] = _files().get(name, {}), set(kept.types)
    _taken[name] = function


def _found(function: Any) -> KernelFile:
    """Return what is kept of a kernel: this user's own first, it may have more types."""
    folders = [f for f in (shared_folder(), *code_folders()) if f is not None]
    found = (read_kernel_file(file_of(function, folder)) for folder in folders)
    return next((kept for kept in found if kept is not None), KernelFile())


def _files() -> dict[str, dict[str, int]]:
    """Return names and dates of numba's files in the own folder, by kernel."""
    found: dict[str, dict[str, int]] = {}
    for file in os.scandir(own_folder()):
        if file.name.endswith((".nbi", ".nbc")):
            kernel = file.name.partition(f"{MARK}.")[0]
            found.setdefault(kernel, {})[file.name] = file.stat().st_mtime_ns
    return found


def _key(types: tuple[Any, ...]) -> str:
    return digest(types, processor())


def _sweep(folder: Path) -> None:
    """Delete what processes left that were killed."""
    if sys.platform == "win32":  # where one cannot ask without harm whether a process runs
        return
    for left in folder.glob(f"{PREFIX}*-*"):
        with suppress(OSError, ValueError, OverflowError):
            if left.stat().st_uid == os.getuid() and not _runs(_maker(left)):
                shutil.rmtree(left, ignore_errors=True)


def _maker(folder: Path) -> int:
    """Return the number of the process that made an own folder, by its name."""
    return int(folder.name.removeprefix(PREFIX).partition("-")[0])


def _runs(number: int) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


@atexit.register
def _end() -> None:
    """Keep what was compiled, and delete the own folder."""
    if not own_folder.cache_info().currsize or _maker(own_folder()) != os.getpid():
        return  # a fork has its parent's
    with suppress(OSError):
        keep()
    shutil.rmtree(own_folder(), ignore_errors=True)


_taken: dict[str, Any] = {}  # kernels that numba has asked for, by name
_types: dict[str, set[str]] = {}  # for which of them are compiled beforehand
_left: dict[str, tuple[dict[str, int], set[str]]] = {}  # what others know already
