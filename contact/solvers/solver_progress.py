"""Progress on stderr for work that takes longer than two seconds."""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator

from sole.base.waiting import hushed, under_way

DELAY = 2.0  # [s]

SolveProgress = Callable[[int, int, float], None]
Pause = Callable[[threading.Event, float], bool]


@contextlib.contextmanager
def show_waiting(
    what: str,
    *,
    show: bool,
    unit: str = "increment",
    first: str = "compiling or first iteration",
    clock: Callable[[], float] = time.monotonic,
    pause: Pause = threading.Event.wait,
) -> Iterator[SolveProgress]:
    """Yield a callback (done, total, residual); its latest values, or `first`, go to stderr.

    A terminal gets one line that is renewed; a file or a pipe gets what `sole.base.waiting` says
    of the work. `pause` waits that many seconds, or for the end of the work, and returns whether
    the work ended.
    """

    def describe(done: int, total: int, residual: float) -> str:
        known = f", residual {residual:.1e}" if math.isfinite(residual) else ""
        return f"{unit} {done} of {total}{known}"

    if not (show and sys.stderr.isatty()):
        with under_way(what) as note:
            yield lambda done, total, residual: note(describe(done, total, residual))
        return
    latest = [first]

    def report(done: int, total: int, residual: float) -> None:
        latest[0] = describe(done, total, residual)

    finished = threading.Event()
    begun = clock()

    def tell() -> None:
        seconds = DELAY
        while not pause(finished, seconds):
            line = f"\r{what}: {clock() - begun:.0f} s, {latest[0]}   "
            print(line, end="", file=sys.stderr, flush=True)
            seconds = 0.5
        if seconds != DELAY:
            print(file=sys.stderr)

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    with hushed():
        try:
            yield report
        finally:
            finished.set()
            thread.join()
