"""Say on stderr that kernels are being compiled, whenever it takes more than two seconds.

    compiling kernels for this processor, once (`sole compile` does all beforehand) ...
    compiled 14 kernels in 8.1 s

It counts as finished when nothing was compiled for a second. `SOLE_PATIENCE` is the time after
which a word is said. With `SOLE_QUIET` set, as --quiet does, and in worker processes nothing is.
"""

from __future__ import annotations

import atexit
import math
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from sole.base.numba_settings import is_set_up
from sole.base.waiting import heard, note, patience

QUIET = "SOLE_QUIET"
STILL = "compiling kernels"  # what takes so long, in lines about work that waits for it
PAUSE = 1.0  # s without compiling that end it
BEGUN = "compiling kernels for this processor, once (`sole compile` does all beforehand) ..."
IN_A_SCRIPT = (
    "compiling kernels for this script, once (call sole.base.numba_settings.set_up_numba() first "
    "to use what `sole compile` has made) ..."
)


def number_of(kernels: int) -> str:
    """Return "1 kernel" or "14 kernels"."""
    return f"{kernels} kernel{'' if kernels == 1 else 's'}"


class News:
    """Hears of numba's compiler, kernel by kernel, and tells `say` about long work."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say, self.lock, self.timer = say, threading.RLock(), threading.Timer(0.0, self.begin)
        self.depth = self.kernels = 0
        self.begun, self.seconds, self.told = 0.0, 0.0, False

    def on_start(self, event: Any) -> None:
        """Note that a kernel, or one that it calls, begins to be compiled."""
        with self.lock:
            self.depth += 1
            if self.depth == 1:
                self.begun = time.monotonic()
                self._after(max(patience() - self.seconds, 0.0), self.begin)

    def on_end(self, event: Any) -> None:
        """Note that it is done."""
        with self.lock:
            self.depth -= 1
            if self.depth == 0:
                self.kernels += 1
                self.seconds += time.monotonic() - self.begun
                self._after(PAUSE, self.finish)

    def begin(self) -> None:
        """Say that kernels are being compiled."""
        with self.lock:
            if self.depth and not self.told:
                self.say(BEGUN if is_set_up() else IN_A_SCRIPT)
                self.told = True
                note(STILL)

    def finish(self) -> None:
        """Say how long it took, if anything was said before, and begin anew."""
        with self.lock:
            self.timer.cancel()
            if self.told:
                self.say(f"compiled {number_of(self.kernels)} in {self.seconds:.1f} s")
                note("")
            self.kernels, self.seconds, self.told = 0, 0.0, False

    def _after(self, seconds: float, action: Callable[[], None]) -> None:
        self.timer.cancel()
        if seconds == math.inf:
            return
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


def listen() -> News:
    """Tell of all compiling from now on."""
    import numba.core.event

    event: Any = numba.core.event  # half annotated
    news = News(say)

    class Heard(event.Listener):  # type: ignore[misc]  # Any
        on_start = staticmethod(news.on_start)
        on_end = staticmethod(news.on_end)

    event.register("numba:compile", Heard())
    atexit.register(news.finish)
    return news
