"""Ctrl-C and SIGTERM: between two steps of a simulation, not inside one; anywhere in planning.

Raised inside compiled code an interrupt comes out of it as a SystemError, or not at all.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Terminated(KeyboardInterrupt):
    """A signal asked the process to end (SIGTERM)."""


def ended_by(error: BaseException) -> str:
    """Return what a run's header says of what ended it."""
    if isinstance(error, KeyboardInterrupt):
        return "terminated" if isinstance(error, Terminated) else "interrupted"
    return f"error: {error}"


@contextmanager
def stoppable() -> Iterator[Callable[[], None]]:
    """Yield a function that raises once Ctrl-C (`KeyboardInterrupt`) or SIGTERM asked to stop.

    To be called between two steps: raised by the signal itself, it might come up inside compiled
    code, which loses it or makes another error of it. A second signal does raise at once.
    """
    asked: list[int] = []

    def note(number: int, frame: object) -> None:
        asked.append(number)
        if len(asked) > 1:
            raise _stop(asked)

    def check() -> None:
        if asked:
            raise _stop(asked)

    with _handling(note):
        try:
            yield check
        except Exception as error:
            if len(asked) > 1:  # what compiled code made of the second signal
                raise _stop(asked) from error
            raise


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end a block at once, by no other error and not unheard.

    For what has nothing to keep, as planning: whatever compiled code makes of the signal, at the
    latest the end of the block raises `KeyboardInterrupt` or `Terminated`.
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
    """Handle both signals by `note`; only the main thread may."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
