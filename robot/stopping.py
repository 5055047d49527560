"""Ctrl-C and SIGTERM between two steps of a simulation, not inside one."""

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
            raise KeyboardInterrupt

    def check() -> None:
        if asked:
            raise Terminated if asked[0] == signal.SIGTERM else KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield check
        return
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield check
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
