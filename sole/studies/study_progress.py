"""Progress of a study: reports to listeners, rate of rows, and a progress bar."""

from __future__ import annotations

import contextlib
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from sole.base.waiting import heard, hushed, note
from sole.studies.columns import RowOutcome

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

CONDENSING, STARTING, WAITING, ROWS = "condensing", "starting", "waiting", "rows"
CHECKING = "checking"  # the recommended row, or those asked for, on a finer mesh
SPAN_SECONDS = 60.0  # the rate covers this time or half the run, whichever is longer
MARKS = 100  # number of marks kept
TOGETHER = 0.1  # first rows of several workers: this share of their time apart
REFRESH_SECONDS = 0.1
LINE_SECONDS = 10.0  # between two lines without a terminal
FIRST_SECONDS = 2.0  # before the first of them: shorter studies need none
_TITLES = {
    CONDENSING: "condensations",
    ROWS: "rows",
    CHECKING: "checking on a mesh of half the size",
}


@dataclass(frozen=True, slots=True)
class Progress:
    """A report to listeners after every condensation and every row.

    Parameters
    ----------
    stage : `CONDENSING`, `ROWS`, `STARTING` when workers start, `WAITING` while there are none,
        `CHECKING` when all rows are done.
    done, total : condensations or rows, with those found in the journal.
    good, bad : rows that ended in a success and in a failure. outcome : names of the two,
        None if the rows have no outcome.
    failed : rows without a result.
    workers : what starts, in words, or the cluster whose workers are missing.
    """

    stage: str
    done: int
    total: int
    good: int = 0
    bad: int = 0
    failed: int = 0
    workers: str = ""
    outcome: RowOutcome | None = None

    @property
    def counts(self) -> str:
        """The counts as text, '' if there is nothing to report."""
        if self.outcome is not None and (self.good or self.bad):
            return f"{self.outcome.count(self.good, self.bad)}, failed {self.failed}"
        return f"failed {self.failed}" if self.failed else ""


Listener = Callable[[Progress], None]


class Pace:
    """Rate of rows and time left, from the newer half of the run.

    Whoever computes the first row loads and prepares what the others share. So the rate counts from
    the first row on, and is known when as much time has passed again.

    Parameters
    ----------
    done : rows at the start, from an earlier run.
    now : clock at the start [s].
    """

    def __init__(self, done: int, now: float) -> None:
        self._begin, self._resumed = now, done
        self._marks: deque[tuple[float, int]] = deque()
        self._newest = (now, done)
        self._together = self._known = now  # until when rows are first ones; when there is a rate

    def note(self, done: int, now: float) -> None:
        """Record the number of rows."""
        if done == self._newest[1]:
            return
        elapsed = now - self._begin
        self._newest = (now, done)
        if not self._marks or now <= self._together:
            if not self._marks:
                self._together = now + TOGETHER * elapsed
                self._known = now + elapsed
            self._marks = deque([self._newest])
            return
        if now - self._marks[-1][0] >= max(elapsed, SPAN_SECONDS) / MARKS:
            self._marks.append(self._newest)
        while len(self._marks) > 1 and now - self._marks[1][0] >= max(SPAN_SECONDS, elapsed / 2):
            self._marks.popleft()

    @property
    def rate(self) -> float:
        """Rows per second, 0 before it is known."""
        if not self._marks or self._newest[0] < self._known:
            return 0.0
        (t0, d0), (t1, d1) = self._marks[0], self._newest
        return (d1 - d0) / max(t1 - t0, 1e-3)

    def left(self, total: int, now: float) -> float | None:
        """Return the seconds left for `total` rows; None if unknown or a row is overdue."""
        if not self.rate:
            return None
        left = (total - self._newest[1]) / self.rate - (now - self._newest[0])
        return left if left >= 0 else None

    def describe(self, total: int, now: float) -> str:
        """Return rate and time left as text, '' before they are known."""
        rate, (then, done) = self.rate, self._newest
        if not rate and done >= total > self._resumed:  # all in one go
            rate = (done - self._resumed) / max(then - self._begin, 1e-3)
        if not rate:
            return ""
        left = self.left(total, now)
        return rate_text(rate) + ("" if left is None else f", {time_text(left)} left")


def rate_text(rate: float) -> str:
    """Return a rate [1/s] with at least two digits, in a suitable unit."""
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


class ProgressBar:
    """A listener of `run_study` that shows condensations, rows, counts, rate and time left.

    A terminal shows two bars; a log file or batch job gets a line on the standard error stream
    every ten seconds, and one as soon as the time left is known. `rows` counts the finished rows
    even if nothing is shown, `checking` tells that the table is done and its check is not.
    `begin` : the first line of a log.
    """

    def __init__(self, *, shown: bool, begin: str = "") -> None:
        self.rows, self.checking = 0, False
        self._shown, self._begin = shown, begin
        self._display: _Bars | _Lines | None = None
        self._pace: Pace | None = None
        self._resumed = 0

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._display is not None:
            self._display.stop()

    def __call__(self, progress: Progress) -> None:
        """Record the progress and show it."""
        now = time.monotonic()
        if progress.stage == ROWS:
            self.rows = progress.done
        self.checking = progress.stage == CHECKING
        if self._pace is None:
            self._resumed = self.rows
        fresh = progress.stage != ROWS and self.rows == self._resumed
        if self._pace is None or fresh or progress.stage == STARTING:
            self._pace = Pace(self.rows, now)  # the rate counts rows only, of those who work now
        self._pace.note(self.rows, now)
        note(f"{_describe(progress)}, {progress.done} of {progress.total}")
        if self._shown and self._display is None:
            self._display = _display(now, self._begin)
        if self._display is not None:
            self._display.show(progress, self._pace, now)


def _display(now: float, begin: str) -> _Bars | _Lines:
    from rich.console import Console

    console = Console(stderr=True)
    return _Bars(console) if console.is_terminal else _Lines(now, begin)


def _describe(progress: Progress) -> str:
    if progress.stage == STARTING:
        return progress.workers
    if progress.stage == WAITING:
        return f"waiting for workers of {progress.workers}"
    return _TITLES[progress.stage]


class _Lines:
    """Occasional lines on the standard error stream."""

    def __init__(self, now: float, begin: str) -> None:
        if begin:
            print(begin, file=sys.stderr, flush=True)
            heard()
        self._begun, self._next = now, now + LINE_SECONDS
        self._stage = ""
        self._estimated = False

    def show(self, progress: Progress, pace: Pace, now: float) -> None:
        begun_to_wait = progress.stage in (WAITING, CHECKING) and progress.stage != self._stage
        self._stage = progress.stage
        estimate = pace.describe(progress.total, now) if progress.stage == ROWS else ""
        known = bool(estimate) and not self._estimated and progress.done < progress.total
        first = known and now >= self._begun + FIRST_SECONDS
        if now < self._next and not begun_to_wait and not first:
            return
        self._next = now + LINE_SECONDS
        self._estimated = self._estimated or bool(estimate)
        parts = [f"{_describe(progress)}: {progress.done} of {progress.total}", progress.counts]
        parts.append(estimate)
        print("; ".join(p for p in parts if p), file=sys.stderr, flush=True)
        heard()

    def stop(self) -> None:
        """Nothing to remove."""


class _Bars:
    """Two bars on a terminal, redrawn ten times a second by a separate thread."""

    def __init__(self, console: Console) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._rich = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[counts]}"),
            TextColumn("{task.fields[pace]}"),
            console=console,
            transient=True,
        )
        self._hush = contextlib.ExitStack()
        self._hush.enter_context(hushed())
        self._rich.start()
        self._tasks: dict[str, TaskID] = {}
        self._next = 0.0

    def show(self, progress: Progress, pace: Pace, now: float) -> None:
        frequent = progress.stage in (CONDENSING, ROWS)
        if frequent and now < self._next and progress.done < progress.total:
            return
        self._next = now + REFRESH_SECONDS
        bar = CONDENSING if progress.stage == CONDENSING else ROWS
        if bar not in self._tasks:
            self._tasks[bar] = self._rich.add_task("", total=progress.total, counts="", pace="")
        self._rich.update(
            self._tasks[bar],
            description=_describe(progress),
            completed=progress.done,
            total=max(progress.done, progress.total),
            counts=progress.counts,
            pace=_Now(pace, progress.total) if progress.stage == ROWS else "",
        )

    def stop(self) -> None:
        self._rich.stop()
        self._hush.close()


@dataclass(frozen=True)
class _Now:
    """Rate and time left when the text is drawn, because a row may take minutes."""

    pace: Pace
    total: int

    def __str__(self) -> str:
        return self.pace.describe(self.total, time.monotonic())
