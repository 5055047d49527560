"""Simulated time at the pace of the clock, or at a chosen multiple of it.

It runs ahead by a nap of some steps and then sleeps until they are due: to wake costs about a tenth
of a step, and what a step needs is in the caches no more. It makes up for short delays, as hard
steps or another program cause; if it is later than `LATE`, it goes on from where it is.
"""

from __future__ import annotations

import time
from collections import deque

NAP = 0.004  # s: usual nap; a device is read in every step and wants none
LATE = 0.15  # s behind the clock after which it goes on from where it is
WINDOW = 1.0  # s over which the speed is measured
SLOW, PATIENCE = 0.9, 3.0  # of the chosen speed, and s below it, before something is said
SLOWEST, FASTEST = 0.02, 4.0  # times real time that can be chosen


class RealTimeClock:
    """Keeps the pace and measures the speed.

    Parameters
    ----------
    nap : real time [s] by which simulated time may be ahead before it sleeps.
    speed : simulated seconds that a real second should have.
    """

    def __init__(self, nap: float = NAP, speed: float = 1.0) -> None:
        self.nap, self.speed = nap, speed
        self.start(0.0)

    def start(self, t: float) -> None:
        """Let simulated time t be now."""
        self.zero = time.perf_counter() - t / self.speed
        self.marks: deque[tuple[float, float]] = deque([(time.perf_counter(), t)])
        self.factor = self.speed
        self.slow: float | None = None  # since when it is slow

    def wait(self, t: float) -> None:
        """Sleep until simulated time t is due, if that is more than a nap away."""
        now = time.perf_counter()
        ahead = t / self.speed - (now - self.zero)
        if ahead > self.nap:
            time.sleep(ahead)
        elif ahead < -LATE:
            self.zero = now - t / self.speed

    def measure(self, t: float) -> None:
        """Update `factor`, the measured speed, at simulated time t."""
        now = time.perf_counter()
        self.marks.append((now, t))
        while now - self.marks[0][0] > WINDOW:
            self.marks.popleft()
        passed = now - self.marks[0][0]
        if passed > WINDOW / 2:
            self.factor = (t - self.marks[0][1]) / passed
        if self.factor >= SLOW * self.speed:
            self.slow = None
        elif self.slow is None:
            self.slow = now

    @property
    def too_slow(self) -> bool:
        """Whether it has been slow for a while."""
        return self.slow is not None and time.perf_counter() - self.slow > PATIENCE
