"""A sign of life for work that takes longer than two seconds; nothing for shorter work."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator

DELAY = 2.0  # [s]

Progress = Callable[[int, int, float], None]


@contextlib.contextmanager
def waiting(what: str, *, show: bool) -> Iterator[Progress]:
    """Yield a callback (increment, increments, residual); its latest values go to stderr.

    Only where somebody looks: a file or a pipe gets the results and errors alone.
    """
    if not (show and sys.stderr.isatty()):
        yield lambda done, total, residual: None
        return
    latest = ["compiling or first iteration"]

    def report(done: int, total: int, residual: float) -> None:
        latest[0] = f"increment {done} of {total}, residual {residual:.1e}"

    finished = threading.Event()
    begun = time.monotonic()

    def tell() -> None:
        pause = DELAY
        while not finished.wait(pause):
            line = f"\r{what}: {time.monotonic() - begun:.0f} s, {latest[0]}   "
            print(line, end="", file=sys.stderr, flush=True)
            pause = 0.5
        if pause != DELAY:
            print(file=sys.stderr)

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield report
    finally:
        finished.set()
        thread.join()
