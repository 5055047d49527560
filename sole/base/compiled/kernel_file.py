"""Machine code of one kernel in one file: the files that numba's cache makes of it, and a digest.

    <sha256 of the rest>
    {"types": [...], "files": {"...nbi": 512, "...1.nbc": 40960}}
    <bytes of the files>

`types` are digests of the argument types for which it was compiled beforehand. A file is written
under another name and then renamed, so whoever reads sees the old one or the new one. A file that
is not as it was written is none. Of two processes that write the same kernel the last one wins,
unless the other one has compiled it beforehand.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

SUFFIX = ".kernel"


@dataclass(frozen=True)
class KernelFile:
    """Names and contents of numba's files, and digests of argument types."""

    files: dict[str, bytes] = field(default_factory=dict)
    types: frozenset[str] = frozenset()


def read_kernel_file(file: Path) -> KernelFile | None:
    """Return what a file holds; None if there is none, or if it is not as it was written."""
    try:
        seal, _, rest = file.read_bytes().partition(b"\n")
        if hashlib.sha256(rest).hexdigest().encode() != seal:
            return None
        head, _, content = rest.partition(b"\n")
        told, files, at = json.loads(head), {}, 0
        for name, size in told["files"].items():
            files[str(name)] = content[at : at + size]
            at += size
        return KernelFile(files, frozenset(told["types"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write_kernel_file(file: Path, kept: KernelFile) -> None:
    """Write a file, for everybody to read; it is left as it was if the disk is full."""
    sizes = {name: len(content) for name, content in kept.files.items()}
    head = json.dumps({"types": sorted(kept.types), "files": sizes}).encode()
    rest = b"\n".join([head, b"".join(kept.files.values())])
    with contextlib.suppress(OSError):
        number, temporary = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
        try:
            with open(number, "wb") as stream:
                stream.write(hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest)
            os.chmod(temporary, 0o644)
            os.replace(temporary, file)
        except OSError:
            os.unlink(temporary)
