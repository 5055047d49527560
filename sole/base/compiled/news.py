"""Say on stderr what is being compiled, whenever it takes more than two seconds.

    compiling contact.step for this processor, once (`sole compile` does all beforehand) ...
    compiled contact.step: 14 kernels in 8.1 s

Kernels are counted by room, so that many short compilations are heard of as well. A room counts as
finished when another begins, or when nothing was compiled for a second. With `SOLE_QUIET` set, as
--quiet does, and in worker processes nothing is said.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from sole.base.waiting import heard

QUIET = "SOLE_QUIET"
PATIENCE = 2.0  # s of compiling before a word is said
PAUSE = 1.0  # s without compiling that end a room
HINT = " (`sole compile` does all beforehand)"


def room_of(module: str) -> str:
    """Return the room that a module is in, such as contact.step."""
    return ".".join(module.split(".")[:2])


def number_of(kernels: int) -> str:
    """Return "1 kernel" or "14 kernels"."""
    return f"{kernels} kernel{'' if kernels == 1 else 's'}"


class News:
    """Listens to numba's compiler and tells `say` about long work."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self.lock = threading.RLock()
        self.timer: threading.Timer | None = None
        self.depth = 0
        self.room, self.kernels, self.seconds, self.told = "", 0, 0.0, False
        self.begun = 0.0
        self.hint = HINT

    def on_start(self, event: Any) -> None:
        """Note that a kernel, or one that it calls, begins to be compiled."""
        with self.lock:
            self.depth += 1
            if self.depth > 1:
                return
            room = room_of(event.data["dispatcher"].py_func.__module__)
            if room != self.room:
                self.finish()
                self.room = room
            self.begun = time.monotonic()
            if self.timer is not None:
                self.timer.cancel()  # it would call this the end
            if not self.told:
                self._after(max(PATIENCE - self.seconds, 0.0), self.begin)

    def on_end(self, event: Any) -> None:
        """Note that it is done."""
        with self.lock:
            self.depth -= 1
            self.kernels += 1
            if self.depth == 0:
                self.seconds += time.monotonic() - self.begun
                self._after(PAUSE, self.finish)

    def begin(self) -> None:
        """Say what is being compiled."""
        with self.lock:
            if self.depth and not self.told:
                self.say(f"compiling {self.room} for this processor, once{self.hint} ...")
                self.told, self.hint = True, ""

    def finish(self) -> None:
        """Say how long it took, if anything was said before, and begin anew."""
        with self.lock:
            if self.depth > 1 or (self.depth and self.room == ""):
                return
            if self.timer is not None:
                self.timer.cancel()
            if self.told:
                self.say(f"compiled {self.room}: {number_of(self.kernels)} in {self.seconds:.1f} s")
            self.room, self.kernels, self.seconds, self.told = "", 0, 0.0, False

    def _after(self, seconds: float, action: Callable[[], None]) -> None:
        if self.timer is not None:
            self.timer.cancel()
        self.timer = threading.Timer(seconds, action)
        self.timer.daemon = True
        self.timer.start()


def speaks() -> bool:
    """Whether this process may say something: not in workers, nor after --quiet."""
    return not os.environ.get(QUIET) and multiprocessing.parent_process() is None


def say(line: str) -> None:
    """Print a line on stderr, if this process may."""
    if speaks():
        print(line, file=sys.stderr, flush=True)
        heard()


def listen() -> None:
    """Tell of all compiling from now on, once."""
    import numba.core.event

    event: Any = numba.core.event  # half annotated

    class Heard(event.Listener):  # type: ignore[misc]  # Any
        """What numba wants to call."""

        def on_start(self, event: Any) -> None:
            _listening[0].on_start(event)

        def on_end(self, event: Any) -> None:
            _listening[0].on_end(event)

    if not _listening:
        _listening.append(News(say))
        event.register("numba:compile", Heard())
        atexit.register(_listening[0].finish)


_listening: list[News] = []
