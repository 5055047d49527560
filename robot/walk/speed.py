"""How fast a walk is simulated: the real-time factor.

    factor = simulated time / time that its steps took

of steps alone: planning, condensing and measuring do not count. It is no part of a run, whose bits
depend on nothing but its scenario.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, process_time

from sole.base.report import Quantity

WALL, PROCESSOR = "real-time factor", "real-time factor processor"


class Stopwatch:
    """Listens to a walk in the place of `tell`, which it calls, and times its steps."""

    def __init__(self, tell: Callable[[float], None] = lambda t: None) -> None:
        self._tell = tell
        self._begun = self._now = (perf_counter(), process_time())
        self._simulated = 0.0

    def __call__(self, time: float) -> None:
        """Note that the walk has reached this `time` [s]."""
        self._simulated = time
        self._now = (perf_counter(), process_time())
        self._tell(time)

    def factors(self) -> dict[str, Quantity]:
        """Return the real-time factors by wall clock and by processor time; empty: no step yet."""
        wall, processor = (now - begun for now, begun in zip(self._now, self._begun, strict=True))
        if not self._simulated or wall <= 0 or processor <= 0:
            return {}
        return {
            WALL: Quantity(self._simulated / wall, "", "simulated s per s of wall clock"),
            PROCESSOR: Quantity(
                self._simulated / processor, "", "simulated s per s of processor time"
            ),
        }
