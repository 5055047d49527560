"""Ctrl-C, SIGTERM and SIGHUP for a server and its simulator.

While the server runs, they are noted and end its loop. While the simulator's process is started,
they are held back: it would otherwise die of them in its imports, with a traceback.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

from sole.base.stopping import SIGNALS, count_signal, raise_if_stopped, undisturbed


class NotedSignals:
    """The first signal that came: its `number`, 0 before."""

    def __init__(self) -> None:
        self.number = 0
        self._then: Callable[[], object] = lambda: None

    def call(self, then: Callable[[], object]) -> None:
        """Call `then` when a signal comes, or at once if one has come."""
        self._then = then
        if self.number:
            then()

    def note(self, number: int, frame: object = None) -> None:
        """Note a signal: what handles it."""
        if not self.number:
            self.number = number
            count_signal(number)
        self._then()


@contextmanager
def noted_signals() -> Iterator[NotedSignals]:
    """Note the signals of a block; what is ignored, as SIGHUP by nohup, stays ignored."""
    raise_if_stopped()  # a signal that waits for the end of an import must not strike in the block
    noted = NotedSignals()
    before = {number: signal.getsignal(number) for number in SIGNALS}
    own = {n: old for n, old in before.items() if old not in (signal.SIG_IGN, None)}
    for number in own:
        signal.signal(number, noted.note)
    try:
        yield noted
    finally:
        for number, handler in own.items():
            signal.signal(number, handler)


@contextmanager
def signals_held_back() -> Iterator[None]:
    """Block the signals, for processes started in the block too; what came is raised after it."""
    with undisturbed():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            resource_tracker.ensure_running()  # it would start with the process, and unblock some
            signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
