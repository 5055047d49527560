"""A digest of a whole file, kept in an attribute of the file itself.

A NetCDF file is written with a placeholder in its attribute `content`. `seal` hashes all bytes of
the finished file, the placeholder among them, and writes the digest over the placeholder. A reader
puts the placeholder back in thought and compares. So every byte is covered: numbers, texts,
attributes and the structure between them.
"""

from __future__ import annotations

import hashlib
import mmap
from pathlib import Path
from typing import Any

from sole.base.errors import SchemaError

__all__ = ["ATTRIBUTE", "PLACEHOLDER", "check_seal", "seal"]

ATTRIBUTE = "content"
PLACEHOLDER = hashlib.sha256(b"place of the digest").hexdigest()


def seal(path: Path) -> None:
    """Replace the placeholder in a file by the digest of the file."""
    with path.open("r+b") as stream, mmap.mmap(stream.fileno(), 0) as data:
        at = data.find(PLACEHOLDER.encode())
        data[at : at + len(PLACEHOLDER)] = hashlib.sha256(data).hexdigest().encode()
        data.flush()


def check_seal(path: Path, attributes: Any) -> None:
    """Compare a file with the digest among its root's `attributes`, if it has one.

    Raises
    ------
    SchemaError
        A bit has changed since the file was written, or another program has changed the file.
    """
    if ATTRIBUTE not in attributes:
        return  # written by a version without digests
    stored = attributes[ATTRIBUTE]
    told = stored if isinstance(stored, str) else ""
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = data.find(told.encode()) if len(told) == len(PLACEHOLDER) else -1
        if at >= 0:
            h = hashlib.sha256(memoryview(data)[:at])
            h.update(PLACEHOLDER.encode())
            h.update(memoryview(data)[at + len(told) :])
            if h.hexdigest() == told:
                return
    raise SchemaError(
        f"{path}: does not match its digest: damaged, or changed by another program (an added "
        f"attribute counts); to read it nevertheless delete its attribute '{ATTRIBUTE}'"
    )
