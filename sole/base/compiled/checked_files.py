"""Files that are read only as they were written: a checksum, then the content."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path

from sole.base.compiled.folders import code_folders, writable_folder

SUM = 32  # bytes of the checksum before the content

writable = cache(writable_folder)  # not looked for again in this process


def found_checked(name: str) -> tuple[Path, bytes] | None:
    """Return the first file of this name in the folders of machine code, and its content."""
    for folder in code_folders():
        if (content := read_checked(folder / name)) is not None:
            return folder / name, content
    return None


def read_checked(file: Path) -> bytes | None:
    """Return the content of a file that `write_checked` wrote; None if there is none, or is not."""
    try:
        found = file.read_bytes()
    except OSError:
        return None
    content = found[SUM:]
    return content if hashlib.sha256(content).digest() == found[:SUM] else None


def write_checked(file: Path, content: bytes) -> None:
    """Write a checksum and a content: first under another name, so that nobody reads half."""
    number, temporary = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
    try:
        with open(number, "wb") as stream:
            stream.write(hashlib.sha256(content).digest() + content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
