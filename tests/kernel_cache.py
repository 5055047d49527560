"""Compiled kernels that are out of date are thrown away before the tests begin.

numba keeps machine code beside a file and renews it when that file changes. It does not notice an
edit of another file whose kernel, named tuple or constant was compiled in: the old code would go
on, with old numbers. So all cached code goes as soon as one of these files has changed.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("sole", "contact", "robot")
COMPILED_IN = ("@kernel", "NamedTuple", "constants")  # words of files that kernels are made of
STAMP = "__pycache__/kernels.sha256"


def sources_digest(root: Path) -> str:
    """Return the digest of all files that compiled code may come from."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            text = file.read_bytes()
            if any(word.encode() in text for word in COMPILED_IN):
                digest.update(str(file.relative_to(root)).encode() + text)
    return digest.hexdigest()


def discard_stale(root: Path) -> int:
    """Remove cached machine code of other sources; return how many files went."""
    stamp, digest = root / PACKAGES[0] / STAMP, sources_digest(root)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == digest:
        return 0
    stale = [f for p in PACKAGES for f in (root / p).rglob("__pycache__/*.nb[ic]")]
    for file in stale:
        file.unlink()
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(digest, encoding="utf-8")
    return len(stale)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Do it once, before any process of the tests compiles."""
    if not hasattr(session.config, "workerinput"):
        discard_stale(ROOT)
