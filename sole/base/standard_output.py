"""Standard output that is closed, full, or not read to its end: one line, and exit code 1.

Commands save their files before they print. So what is lost with standard output can be printed
again, by `sole info` of the file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import Any

__all__ = ["open_standard_streams", "output_failure", "printable"]


def open_standard_streams() -> None:
    """Open what is closed of the three standard streams, so that no other file takes its number.

    Writing to a standard output that was closed stays an error; a standard error takes all. Text
    that the output's encoding lacks is escaped.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest free number, which is this one
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)
    stream: Any = sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


def output_failure(text: str = "") -> str | None:
    """Write `text` and all that was printed so far; return why it cannot be, or None.

    A failure is returned once: standard output then leads to nowhere, so that the interpreter does
    not complain at its end. The reason is "" if the reader of a pipe has gone, as `head` does.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return "" if error.errno == errno.EPIPE else str(error.strerror)
    return None


def printable(text: str) -> str:
    """Return `text` with '?' for control characters: names may come from foreign files."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
