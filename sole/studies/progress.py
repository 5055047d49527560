"""How far a sweep is: what its listeners are told, and at what pace rows come in."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

CONDENSING, WAITING, ROWS = "condensing", "waiting", "rows"
SPAN_SECONDS = 60.0  # the pace is that of this time or of half the run, whichever is longer
MARKS = 100  # kept of a run


@dataclass(frozen=True, slots=True)
class Progress:
    """What a listener is told of every condensation and every row.

    Parameters
    ----------
    stage : `CONDENSING`, `ROWS`, or `WAITING` while there are no workers.
    done, total : condensations, or rows: those found in the journal included.
    walked, fell : rows of robots that stayed on their feet and of those that did not.
    failed : rows without a result.
    workers : whose workers are waited for.
    """

    stage: str
    done: int
    total: int
    walked: int = 0
    fell: int = 0
    failed: int = 0
    workers: str = ""

    @property
    def counts(self) -> str:
        """The counts in words, '' if there is nothing to say."""
        walks = f"walked {self.walked}, fell {self.fell}, failed {self.failed}"
        if self.walked or self.fell:
            return walks
        return f"failed {self.failed}" if self.failed else ""


Listener = Callable[[Progress], None]


class Pace:
    """Rate of rows and the time left, from the newer half of the run.

    Parameters
    ----------
    done : rows there are at the begin, of an earlier run.
    now : clock at the begin [s].
    """

    def __init__(self, done: int, now: float) -> None:
        self._begin = now
        self._marks = deque([(now, done)])
        self._newest = (now, done)

    def note(self, done: int, now: float) -> None:
        """Take note of the rows there are."""
        if done == self._newest[1]:
            return
        elapsed = now - self._begin
        self._newest = (now, done)
        if now - self._marks[-1][0] >= max(elapsed, SPAN_SECONDS) / MARKS:
            self._marks.append(self._newest)
        while len(self._marks) > 1 and now - self._marks[1][0] >= max(SPAN_SECONDS, elapsed / 2):
            self._marks.popleft()

    @property
    def rate(self) -> float:
        """Rows per second, 0 before the first."""
        (t0, d0), (t1, d1) = self._marks[0], self._newest
        return (d1 - d0) / max(t1 - t0, 1e-3)

    def left(self, total: int, now: float) -> float | None:
        """Return the seconds left for `total` rows; None if not known or a row is overdue."""
        if not self.rate:
            return None
        left = (total - self._newest[1]) / self.rate - (now - self._newest[0])
        return left if left >= 0 else None

    def describe(self, total: int, now: float) -> str:
        """Return rate and time left in words, '' before the first row."""
        if not self.rate:
            return ""
        left = self.left(total, now)
        return rate_text(self.rate) + ("" if left is None else f", {time_text(left)} left")


def rate_text(rate: float) -> str:
    """Return a rate [1/s] with two digits or more, in a unit that suits it."""
    if rate >= 0.1:
        return f"{rate:.2g}/s" if rate < 10 else f"{rate:.0f}/s"
    return f"{60 * rate:.2g}/min" if 60 * rate >= 0.1 else f"{3600 * rate:.2g}/h"


def time_text(seconds: float) -> str:
    """Return a time in its two largest units."""
    minutes, s = divmod(round(seconds), 60)
    hours, m = divmod(minutes, 60)
    if hours:
        return f"{hours} h {m:02d} min"
    return f"{m} min {s:02d} s" if m else f"{s} s"
