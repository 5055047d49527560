"""Files that a user names, checked before anything is imported for them or read from them.

A pipe or a device has no end, and reading one waits for ever or fills the memory. So every reader
asks `existing_file` first, which looks at the kind and size of a file and at its first and last
bytes.
"""

from __future__ import annotations

import math
import os
import stat
from pathlib import Path

from sole.base.errors import SoleError
from sole.base.near_names import near_file

__all__ = [
    "LARGEST_MESH",
    "LARGEST_SOLID",
    "LARGEST_TEXT",
    "existing_file",
    "refuse_odd_name",
    "require_file",
    "require_folder",
]

LARGEST_TEXT = 20_000_000  # bytes of TOML, XML and tables
LARGEST_MESH = 300_000_000  # bytes of meshes, pictures and arrays
LARGEST_SOLID = 100_000_000  # bytes of STEP, which OpenCASCADE reads twice
EDGE = 64  # bytes looked at, at both ends of a file
POINTER = b"version https://git-lfs.github.com/spec/"

_KINDS = (
    (stat.S_ISDIR, "a folder", ""),
    (stat.S_ISFIFO, "a pipe", "; save its content to a file first"),
    (stat.S_ISSOCK, "a socket", ""),
    (stat.S_ISCHR, "a device", ""),
    (stat.S_ISBLK, "a device", ""),
)


def existing_file(
    path: Path,
    error: type[SoleError] = SoleError,
    *,
    most: float = math.inf,
    padding: float = math.inf,
) -> Path:
    """Return `path` if it is a regular file, with content, that may be read as a whole.

    Parameters
    ----------
    path : links are followed.
    error : the class of error to raise.
    most : bytes that the file may have; infinite for readers that look up what they need.
    padding : zero bytes that may stand at the end: none in a text, any number in an array.

    Raises
    ------
    SoleError
        The file is missing, empty, too large, a folder, a pipe, a device or a pointer of git-lfs,
        its name is not UTF-8, or it cannot be opened. The class is `error`.
    """
    path = Path(path)
    refuse_odd_name(path, error)
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError) as missing:
        raise error(f"{path}: no such file{near_file(path)}") from missing
    except OSError as closed:
        raise error(f"{path}: cannot be read ({closed.strerror})") from closed
    except ValueError as odd:  # a zero character
        raise error(f"{str(path)!r} is not a file name ({odd})") from odd
    for is_kind, kind, advice in _KINDS:
        if is_kind(found.st_mode):
            raise error(f"{path}: is {kind}, expected a file{advice}")
    if not found.st_size:
        raise error(f"{path}: is empty")
    if found.st_size > most:
        raise error(
            f"{path}: has {found.st_size / 1e6:.0f} MB, at most {most / 1e6:.0f} MB are read"
        )
    try:
        with path.open("rb") as stream:
            start = stream.read(EDGE)
            stream.seek(max(0, found.st_size - EDGE))
            end = stream.read(EDGE)
    except OSError as closed:
        raise error(f"{path}: cannot be read ({closed.strerror})") from closed
    if start.startswith(POINTER):
        raise error(f"{path}: is a git-lfs pointer, not the file itself: run `git lfs pull`")
    if len(end) - len(end.rstrip(b"\0")) > padding:
        raise error(
            f"{path}: ends with zero bytes: damaged, or a text that is not UTF-8; copy or export "
            "it again"
        )
    return path


def refuse_odd_name(path: Path, error: type[SoleError] = SoleError) -> None:
    """Raise `error` if a name is not UTF-8: tables, pages and result files could not hold it."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        name = os.fsencode(path).decode(errors="backslashreplace")
        raise error(f"{name}: the name is not UTF-8; rename the file or folder") from None


def require_file(*paths: Path | None) -> None:
    """Refuse the first of several paths that `existing_file` refuses; None is no file.

    Raises
    ------
    SoleError
        As `existing_file`.
    """
    for path in paths:
        if path is not None:
            existing_file(path)


def require_folder(folder: Path) -> None:
    """Refuse a folder that does not exist, or is a file.

    Raises
    ------
    SoleError
        Which of the two, with the name that is most like an unknown one.
    """
    if not folder.is_dir():
        what = "a file, not a folder" if folder.exists() else "no such folder"
        raise SoleError(f"{folder}: {what}{'' if folder.exists() else near_file(folder)}")
