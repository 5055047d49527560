"""One line on stderr about work that takes longer than two seconds, terminal or not.

    condensing pad.msh ...
    pressing pad.npz: increment 3 of 9, 42 s so far

`main` starts the watch unless --quiet was given; commands name their work by `doing`. Lines are
written past Python's buffers by a thread of its own, so that compiled code cannot hold them up.
The variable SOLE_PATIENCE sets another number of seconds; "inf" keeps the watch from starting.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator

__all__ = [
    "NAME",
    "Watch",
    "doing",
    "heard",
    "hushed",
    "note",
    "patience",
    "under_way",
    "watch_silence",
]

PATIENCE = 2.0  # s of silence before a word is said
AGAIN = 15.0  # s until the next line on the same work; studies report every 10 s themselves
LOOK = 0.1  # s between two looks at the clock
NAME = "watch of silence"  # of the thread

Note = Callable[[str], None]  # how far the work is


def patience() -> float:
    """Return the seconds of silence that are allowed."""
    try:
        return float(os.environ.get("SOLE_PATIENCE", PATIENCE))
    except ValueError:
        return PATIENCE


class Watch:
    """Tells of work under way when nothing was said for `seconds`, and then every `AGAIN`.

    `say` gets the line; `clock` gives the time [s].
    """

    def __init__(
        self, seconds: float, say: Callable[[str], None], clock: Callable[[], float]
    ) -> None:
        self.seconds, self.say, self.clock = seconds, say, clock
        self.begun = clock()
        self.due = self.begun + seconds
        self.what, self.note, self.hushed = "", "", 0

    def begin(self, what: str) -> None:
        """Name the work that begins; "": there is none, as while a server waits."""
        now = self.clock()
        if not self.what:
            self.begun, self.due = now, now + self.seconds
        # New work is told of even if there was a word on other work just now.
        self.due = min(self.due, now + self.seconds)
        self.what, self.note = what, ""

    def heard(self) -> None:
        """Somebody else has just said what is being done."""
        self.due = self.clock() + AGAIN

    def look(self) -> None:
        """Say what is being done if it is time to."""
        now = self.clock()
        if not self.what or self.hushed or now < self.due:
            return
        first = now - self.begun < AGAIN
        known = [self.note] * bool(self.note) + [f"{now - self.begun:.0f} s so far"] * (not first)
        self.say(f"{self.what}: {', '.join(known)}" if known else f"{self.what} ...")
        self.due = now + AGAIN


_watches: list[Watch] = []


def watch_silence(what: str) -> None:
    """Start the watch in this process, once; `what` is the work until a command names its own."""
    seconds = patience()
    if _watches or not math.isfinite(seconds) or multiprocessing.parent_process() is not None:
        return
    watch = Watch(seconds, _write, time.monotonic)
    watch.begin(what)
    _watches.append(watch)

    def look() -> None:
        while _watches:
            time.sleep(LOOK)
            watch.look()

    threading.Thread(target=look, name=NAME, daemon=True).start()


def doing(what: str) -> None:
    """Name the work that begins, such as "condensing pad.msh"; "" if nothing is under way."""
    for watch in _watches:
        watch.begin(what)


def heard() -> None:
    """Tell the watch that the user has just been told what is being done."""
    for watch in _watches:
        watch.heard()


def note(text: str) -> None:
    """Say how far the work is."""
    for watch in _watches:
        watch.note = text


@contextlib.contextmanager
def under_way(what: str) -> Iterator[Note]:
    """Name the work of a block and yield a function that says how far it is; then as before."""
    before = [(watch, watch.what) for watch in _watches]
    doing(what)

    try:
        yield note
    finally:
        for watch, was in before:
            watch.begin(was)


@contextlib.contextmanager
def hushed() -> Iterator[None]:
    """Say nothing inside the block, which shows by itself what it does."""
    held = list(_watches)
    for watch in held:
        watch.hushed += 1
    try:
        yield
    finally:
        for watch in held:
            watch.hushed -= 1
            watch.heard()


def _write(line: str) -> None:
    """Write past the buffer of `sys.stderr`, whose lock another thread may hold in a fork."""
    with contextlib.suppress(OSError):
        os.write(2, f"{line}\n".encode(errors="replace"))
