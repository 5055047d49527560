"""Progress on stderr for work that takes longer than two seconds."""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator

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

    Only on a terminal: a file or a pipe gets results and errors alone. `pause` waits that many
    seconds, or for the end of the work, and returns whether the work ended.
    """
    if not (show and sys.stderr.isatty()):
        yield lambda done, total, residual: None
        return
    latest = [first]

    def report(done: int, total: int, residual: float) -> None:
        known = f", residual {residual:.1e}" if math.isfinite(residual) else ""
        latest[0] = f"{unit} {done} of {total}{known}"

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
    try:
        yield report
    finally:
        finished.set()
        thread.join()
