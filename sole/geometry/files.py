"""What is asked of every file before it is read."""

from __future__ import annotations

from pathlib import Path

from sole.errors import SoleError


def existing_file(path: Path, error: type[SoleError]) -> Path:
    """Return `path` if it is a file; raise `error` if there is none it is a folder, or empty."""
    path = Path(path)
    if path.is_dir():
        raise error(f"{path}: is a folder, expected a file")
    if not path.is_file():
        raise error(f"{path}: no such file")
    if not path.stat().st_size:
        raise error(f"{path}: is empty")
    return path
