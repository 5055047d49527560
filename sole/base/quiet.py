"""Silence libraries that print: hide their output or turn it into an error."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sole.base.memory import memory_of_file

__all__ = ["captured", "quiet_meshio", "quiet_reading"]


def quiet_meshio(path: Path, file_format: str | None = None) -> Any:
    """Read a file by meshio, which prints its complaints and may exit the process.

    It may take as much memory as `memory_of_file` says.

    Raises
    ------
    ValueError
        The file is unreadable; the message is meshio's output on one line.
    """
    import meshio

    said = io.StringIO()
    try:
        with (
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
            memory_of_file(Path(path)),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            return meshio.read(path, file_format=file_format)
    except MemoryError as error:
        raise ValueError("it declares far more than it holds") from error
    except UnicodeDecodeError as error:
        raise ValueError("it is neither the binary nor the text form") from error
    except (Exception, SystemExit) as error:
        reason = " ".join((said.getvalue() or str(error)).split()) or type(error).__name__
        raise ValueError(reason) from error


@contextlib.contextmanager
def quiet_reading() -> Iterator[None]:
    """Silence readers of VTK inside the block: its text, PyVista's log and its warnings."""
    before = logging.root.manager.disable
    with captured(2), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable()
        try:
            yield
        finally:
            logging.disable(before)


@contextlib.contextmanager
def captured(descriptor: int) -> Iterator[list[str]]:
    """Capture the lines that C++ code writes to standard output (1) or error (2).

    The list is filled when the block ends, even by an exception.
    """
    said: list[str] = []
    (sys.stdout if descriptor == 1 else sys.stderr).flush()
    kept = os.dup(descriptor)
    with tempfile.TemporaryFile() as sink:
        try:
            os.dup2(sink.fileno(), descriptor)
            yield said
        finally:
            os.dup2(kept, descriptor)
            os.close(kept)
            sink.seek(0)
            said += sink.read().decode(errors="replace").splitlines()
