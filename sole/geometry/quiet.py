"""Libraries that talk: what they print is kept from the user or turned into an error."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def quiet_meshio(path: Path, file_format: str | None = None) -> Any:
    """Read a file by meshio, which prints its complaints and may leave the process.

    Raises
    ------
    ValueError
        It cannot be read; the message is what meshio said, on one line.
    """
    import meshio

    said = io.StringIO()
    try:
        with (
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            return meshio.read(path, file_format=file_format)
    except (Exception, SystemExit) as error:
        reason = " ".join((said.getvalue() or str(error)).split()) or type(error).__name__
        raise ValueError(reason) from error


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """Send what C++ code writes to standard output nowhere: OpenCASCADE has no switch for it."""
    sys.stdout.flush()
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
