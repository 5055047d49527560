"""Where machine code is kept: in the package, else in the user's cache, or where the user says."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path

import sole

NAME = "compliant-sole"


def code_folders() -> tuple[Path, ...]:
    """Return the folders of machine code in the order in which they are searched.

    The package (a wheel and `make install` fill it), then the user's cache, which is
    `$XDG_CACHE_HOME/compliant-sole` on Linux; but only `NUMBA_CACHE_DIR` if that is set.
    """
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return (Path(chosen) / NAME,)
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    if sys.platform == "win32":
        user = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        user = Path.home() / "Library" / "Caches"
    return Path(next(iter(sole.__path__))) / "machine_code", user / NAME


def writable_folder() -> Path | None:
    """Return the first folder of machine code that can be written to, made if need be."""
    for folder in code_folders():
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            return folder
    return None
