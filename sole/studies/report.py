"""What a sweep says: a progress bar while it runs, a table at the end."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sole.report import Quantity, Report
from sole.studies.job import CONDENSING, ROWS, SweepSummary

if TYPE_CHECKING:
    from rich.progress import TaskID

REFRESH_SECONDS = 0.1


class ProgressBar:
    """A listener of `run_sweep` with two bars: condensations, and rows with their rate.

    The bars go to the standard error stream if that is a terminal; `rows` counts the finished
    ones even when nothing is shown.
    """

    def __init__(self, *, shown: bool) -> None:
        self.rows = 0
        self._shown = shown
        self._progress: Any = None
        self._tasks: dict[str, TaskID] = {}
        self._resumed: int | None = None
        self._next = self._begin = 0.0

    def __enter__(self) -> ProgressBar:
        return self

    def _start(self) -> None:
        """Begin to draw, if there is a terminal to draw on."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        console = Console(stderr=True)
        self._shown = console.is_terminal
        if self._shown:
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                console=console,
                transient=True,
            )
            self._progress.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take note of `done` of `total`; draw at most ten times a second."""
        if stage == ROWS:
            self.rows = done
            if self._resumed is None:
                self._resumed = done
        if self._shown and self._progress is None:
            self._start()
        now = time.monotonic()
        if stage == CONDENSING or self.rows == self._resumed:
            self._begin = now  # the rate is that of the rows alone
        if self._progress is None or (now < self._next and done < total):
            return
        self._next = now + REFRESH_SECONDS
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(
                {CONDENSING: "condensations", ROWS: "rows"}[stage], total=total, rate=""
            )
        rate = ""
        if stage == ROWS and self._resumed is not None and done > self._resumed:
            rate = f"{(done - self._resumed) / max(now - self._begin, 1e-3):.0f}/s"
        self._progress.update(self._tasks[stage], completed=done, total=max(done, total), rate=rate)


def describe_summary(summary: SweepSummary) -> Report:
    """Return the table at the end of a sweep: counts, verified error, rates, ranges of metrics."""
    from sole.studies.table import extremes, highlights, read_sweep

    s = summary
    rows = {
        "rows": Quantity(s.rows),
        "resumed": Quantity(s.resumed, "", "found in the journal of an earlier run"),
        "failed": Quantity(s.failed, "", "see the column `reason`" if s.failed else ""),
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
    dataset = read_sweep(s.output)
    rows |= extremes(dataset, highlights(dataset))
    rows["output"] = Quantity(str(s.output))
    rows["table"] = Quantity(str(s.table))
    return Report("sweep", rows, s.warnings)
