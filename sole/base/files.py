"""Files that must exist, looked for before anything heavy is imported."""

from __future__ import annotations

from pathlib import Path

from sole.base.errors import SoleError
from sole.base.near_names import near_file

__all__ = ["require_file"]


def require_file(*paths: Path | None, what: str = "file") -> None:
    """Refuse a file (or `what`) that does not exist; None is no file.

    Raises
    ------
    SoleError
        The message names the first that is missing.
    """
    for path in paths:
        if path is not None and not path.exists():
            raise SoleError(f"{path}: no such {what}{near_file(path)}")
