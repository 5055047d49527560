"""A digest of a whole file, kept in an attribute of the file itself.

A NetCDF file is written with `UNSEALED`: a placeholder in its attribute `content`, and the name of
the hash in its attribute `sealed`. `seal` hashes all bytes of the finished file, the placeholder
among them, and writes the digest over the placeholder. A reader puts the placeholder back in
thought and compares. So every byte is covered: numbers, texts, attributes and the structure between
them. `sealed` tells that there was a digest even if the name `content` itself was damaged.
"""

from __future__ import annotations

import hashlib
import mmap
import re
from pathlib import Path
from typing import Any

from sole.base.errors import SchemaError

__all__ = ["UNSEALED", "check_seal", "is_as_written", "seal"]

ATTRIBUTE, MARK = "content", "sealed"
PLACEHOLDER = hashlib.sha256(b"place of the digest").hexdigest()
BLOCK = 1 << 16  # bytes
NEAR, MOST = 1 << 16, 8  # bytes in which the digest is looked for; candidates that are tried
_HEXADECIMAL = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
UNSEALED = {ATTRIBUTE: PLACEHOLDER, MARK: "sha256"}


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
    if ATTRIBUTE not in attributes and MARK not in attributes:
        return  # written by a version without digests
    if not _matches(path, attributes.get(ATTRIBUTE)):
        raise SchemaError(
            f"{path}: does not match its digest: damaged, or changed by another program (an added "
            f"attribute counts); to read it nevertheless delete its attributes '{ATTRIBUTE}' and "
            f"'{MARK}'"
        )


def is_as_written(path: Path) -> bool:
    """Return whether a file matches a digest in its first `NEAR` bytes, without the HDF5 library.

    False for files without a digest, and for those that cannot be read.
    """
    try:
        with path.open("rb") as stream:
            start = stream.read(NEAR)
    except OSError:
        return False
    candidates = dict.fromkeys(m.group().decode() for m in _HEXADECIMAL.finditer(start))
    return any(_matches(path, told) for told in list(candidates)[:MOST])


def _matches(path: Path, stored: Any) -> bool:
    """Return whether `stored` is the digest of the file with the placeholder in its place."""
    told = stored if isinstance(stored, str) else ""
    with path.open("rb") as stream:
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            at = data.find(told.encode()) if len(told) == len(PLACEHOLDER) else -1
        if at < 0:
            return False
        h = hashlib.sha256()
        while block := stream.read(min(BLOCK, at - stream.tell())):  # a map would count as memory
            h.update(block)
        h.update(PLACEHOLDER.encode())
        stream.seek(at + len(told))
        while block := stream.read(BLOCK):
            h.update(block)
        return h.hexdigest() == told
