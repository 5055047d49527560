"""What a sweep says: how far it is while it runs, a table at the end."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from sole.report import Quantity, Report
from sole.studies.job import SweepSummary
from sole.studies.progress import CONDENSING, ROWS, WAITING, Pace, Progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

REFRESH_SECONDS = 0.1
LINE_SECONDS = 30.0  # between two lines where there is no terminal
_TITLES = {CONDENSING: "condensations", ROWS: "rows"}


class ProgressBar:
    """A listener of `run_sweep`: condensations, and rows with counts, rate and time left.

    On a terminal they are two bars; where the standard error stream is none (a log file, a
    batch job), a line every half minute. `rows` counts the finished ones even when nothing
    is shown.
    """

    def __init__(self, *, shown: bool) -> None:
        self.rows = 0
        self._shown = shown
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
        """Take note of how far the sweep is and show it."""
        now = time.monotonic()
        if progress.stage == ROWS:
            self.rows = progress.done
        if self._pace is None:
            self._resumed = self.rows
        if self._pace is None or (progress.stage != ROWS and self.rows == self._resumed):
            self._pace = Pace(self.rows, now)  # the rate is that of rows, from the first one on
        self._pace.note(self.rows, now)
        if self._shown and self._display is None:
            self._display = _display(now)
        if self._display is not None:
            self._display.show(progress, self._pace, now)


def _display(now: float) -> _Bars | _Lines:
    from rich.console import Console

    console = Console(stderr=True)
    return _Bars(console) if console.is_terminal else _Lines(now)


def _describe(progress: Progress) -> str:
    if progress.stage == WAITING:
        return f"waiting for workers of {progress.workers}"
    return _TITLES[progress.stage]


class _Lines:
    """A line now and then on the standard error stream."""

    def __init__(self, now: float) -> None:
        self._next = now + LINE_SECONDS
        self._stage = ""

    def show(self, progress: Progress, pace: Pace, now: float) -> None:
        begun_to_wait = progress.stage == WAITING != self._stage
        self._stage = progress.stage
        if now < self._next and not begun_to_wait:
            return
        self._next = now + LINE_SECONDS
        parts = [f"{_describe(progress)}: {progress.done} of {progress.total}", progress.counts]
        if progress.stage == ROWS:
            parts.append(pace.describe(progress.total, now))
        print("; ".join(p for p in parts if p), file=sys.stderr, flush=True)

    def stop(self) -> None:
        """Nothing to take away."""


class _Bars:
    """Two bars on a terminal, drawn anew ten times a second by a thread of their own."""

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
        self._rich.start()
        self._tasks: dict[str, TaskID] = {}
        self._next = 0.0

    def show(self, progress: Progress, pace: Pace, now: float) -> None:
        if now < self._next and progress.done < progress.total and progress.stage != WAITING:
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


@dataclass(frozen=True)
class _Now:
    """Rate and time left at the moment when the text is drawn: a row may take minutes."""

    pace: Pace
    total: int

    def __str__(self) -> str:
        return self.pace.describe(self.total, time.monotonic())


def describe_summary(summary: SweepSummary) -> Report:
    """Return the table at the end of a sweep: counts, verified error, rates, ranges of metrics."""
    from sole.studies.table import extremes, highlights, open_sweep

    s = summary
    rows = {
        "rows": Quantity(s.rows),
        "resumed": Quantity(s.resumed, "", "found in the journal of an earlier run"),
        "failed": Quantity(s.failed, "", "see the column `reason`" if s.failed else ""),
    }
    if s.walked or s.fell:
        rows |= {"walked": Quantity(s.walked), "fallen": Quantity(s.fell)}
    rows |= {
        "workers": Quantity(s.workers, "", "" if s.workers else "all in this process"),
        "condensations": Quantity(s.condensations, "", "points left out included"),
    }
    if s.interpolated:
        remark = "relative, verified at the points left out"
        rows["compliance error"] = Quantity(s.compliance_error, "", f"of C, {remark}")
        rows["stiffness error"] = Quantity(s.stiffness_error, "", f"of the 6x6, {remark}")
    rows["time of condensations"] = Quantity(s.condensing_seconds, "s")
    for kind, seconds in s.row_seconds.items():
        if s.new_rows and seconds > 0:
            rows[f"rate of {kind}"] = Quantity(
                s.new_rows / seconds, "rows/s", "of one worker, in memory"
            )
    if s.new_rows:
        rest = s.seconds - s.condensing_seconds
        rows["rate"] = Quantity(s.new_rows / rest, "rows/s", "with journal and table")
    with open_sweep(s.output) as dataset:
        rows |= extremes(dataset, highlights(dataset))
    rows["output"] = Quantity(str(s.output))
    rows["table"] = Quantity(str(s.table))
    return Report("study", rows, s.warnings)
