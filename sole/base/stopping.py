"""Ctrl-C and SIGTERM: a simulation stops between two steps, planning stops anywhere.

An interrupt inside compiled code surfaces as a SystemError, or not at all.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = [
    "Terminated",
    "acknowledge",
    "describe_end",
    "interruptible",
    "silence_interrupts",
    "stoppable",
]


class Terminated(KeyboardInterrupt):
    """SIGTERM asked the process to end."""


def describe_end(error: BaseException) -> str:
    """Return the text for a run's header that says why it ended."""
    if isinstance(error, KeyboardInterrupt):
        return "terminated" if isinstance(error, Terminated) else "interrupted"
    return f"error: {error}"


def acknowledge(text: str) -> None:
    """Say at once that a signal has come, past any buffer: a handler must not wait for a lock."""
    with contextlib.suppress(OSError):
        os.write(2, f"{chr(10) * os.isatty(2)}{text}\n".encode())


def silence_interrupts() -> None:
    """Answer Ctrl-C at once in this process, and never with a traceback.

    The first raises `KeyboardInterrupt` as usual, after a word on stderr. The second does, too,
    but no traceback of it is printed, wherever it strikes: in clean-up, in a thread or when the
    interpreter ends. The third ends the process on the spot.
    """
    count = 0

    def note(number: int, frame: object) -> None:
        nonlocal count
        count += 1
        if count == 1:
            acknowledge("stopping")
        if count > 2:
            os._exit(130)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    sys.excepthook = _without_interrupts(sys.excepthook)
    told = sys.unraisablehook
    sys.unraisablehook = lambda seen: None if seen.exc_type is KeyboardInterrupt else told(seen)


def _without_interrupts(hook: Callable[..., object]) -> Callable[..., object]:
    def shown(kind: type[BaseException], *rest: object) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            hook(kind, *rest)

    return shown


@contextmanager
def stoppable() -> Iterator[Callable[[], None]]:
    """Yield a function that raises after Ctrl-C (`KeyboardInterrupt`) or SIGTERM (`Terminated`).

    Call it between two steps: compiled code would lose an error raised by the signal itself, or
    turn it into another. A second signal raises at once.
    """
    asked: list[int] = []

    def note(number: int, frame: object) -> None:
        asked.append(number)
        if len(asked) > 1:
            raise _stop(asked)
        acknowledge("stopping after this step; what there is will be measured and kept")

    def check() -> None:
        if asked:
            raise _stop(asked)

    with _handling(note):
        try:
            yield check
        except Exception as error:
            if len(asked) > 1:  # the error into which compiled code turned the second signal
                raise _stop(asked) from error
            raise


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end a block at once, and only by their own errors.

    Use it for work without partial results, such as planning. If compiled code swallows the
    signal, the end of the block raises `KeyboardInterrupt` or `Terminated`.
    """
    asked: list[int] = []

    def note(number: int, frame: object) -> None:
        asked.append(number)
        raise _stop(asked)

    with _handling(note):
        try:
            yield
        except Exception as error:
            if asked:
                raise _stop(asked) from error
            raise
        if asked:
            raise _stop(asked)


def _stop(asked: list[int]) -> KeyboardInterrupt:
    return Terminated() if asked[0] == signal.SIGTERM else KeyboardInterrupt()


@contextmanager
def _handling(note: Callable[[int, object], None]) -> Iterator[None]:
    """Handle both signals by `note`; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
