"""The summary of a study: counts, verified errors and times, as numbers and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sole.base.report import Quantity, Report
from sole.studies.columns import RowOutcome


@dataclass(kw_only=True)
class StudySummary:
    """The summary of a sweep.

    Parameters
    ----------
    rows, failed, resumed : rows of the table; those that failed; those found in the journal.
    outcome : the outcomes of rows, None if they have none. good, bad : rows that ended in a
        success and in a failure; failed rows, which have no result, are neither.
    workers : most workers at once, 0 for this process alone.
    condensations : done or found in the journal, with verification points.
    interpolated : families that were interpolated along nu.
    compliance_error, stiffness_error : largest errors at the verification points (0: none).
    condensing_seconds : time for condensations.
    row_seconds : time of all workers by kind of row, without condensations and journal.
    seconds : total time, including the table.
    new_rows : rows computed in this run.
    output, table : the NetCDF file and the CSV file.
    ranges : of the columns that summaries show.
    check : what half the mesh size changes of the recommended row; '' if nobody asked.
        check_seconds : its time, within `seconds`.
    warnings : warnings to print once.
    """

    output: Path
    table: Path
    rows: int = 0
    failed: int = 0
    outcome: RowOutcome | None = None
    good: int = 0
    bad: int = 0
    resumed: int = 0
    new_rows: int = 0
    workers: int = 0
    condensations: int = 0
    interpolated: int = 0
    compliance_error: float = 0.0
    stiffness_error: float = 0.0
    condensing_seconds: float = 0.0
    row_seconds: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    ranges: Mapping[str, Quantity] = field(default_factory=dict)
    check: str = ""
    check_seconds: float = 0.0
    warnings: tuple[str, ...] = ()


def describe_summary(summary: StudySummary) -> Report:
    """Return the table at the end of a sweep: counts, verified error, rates, ranges of metrics."""
    s = summary
    rows = {
        "rows": Quantity(s.rows),
        "resumed": Quantity(s.resumed, "", "found in the journal of an earlier run"),
        "failed": Quantity(s.failed, "", "see the column `reason`" if s.failed else ""),
    }
    rows |= count_outcomes(s)
    rows |= {
        "workers": Quantity(s.workers, "", "" if s.workers else "all in this process"),
        "condensations": Quantity(s.condensations, "", "with verification points"),
    }
    if s.interpolated:
        remark = "relative, at verification points"
        rows["compliance error"] = Quantity(s.compliance_error, "", f"of C, {remark}")
        rows["stiffness error"] = Quantity(s.stiffness_error, "", f"of the 6x6, {remark}")
    rows["time of condensations"] = Quantity(s.condensing_seconds, "s")
    for kind, seconds in s.row_seconds.items():
        if s.new_rows and seconds > 0:
            rows[f"rate of {kind}"] = Quantity(
                s.new_rows / seconds, "rows/s", "of one worker, in memory"
            )
    if s.new_rows:
        rest = s.seconds - s.condensing_seconds - s.check_seconds
        rows["rate"] = Quantity(s.new_rows / rest, "rows/s", "with journal and table")
    rows |= s.ranges
    if s.check:
        rows["mesh check"] = Quantity(s.check, "", f"{s.check_seconds:.2g} s")
    rows |= name_files(s)
    return Report("study", rows, s.warnings, for_scripts(s, rows))


def name_files(summary: StudySummary) -> dict[str, Quantity]:
    """Return the output and the table; people read both in one line."""
    s = summary
    remark = f"and {s.table.name}; next: sole report {s.output}"
    return {"output": Quantity(str(s.output), "", remark), "table": Quantity(str(s.table))}


def for_scripts(summary: StudySummary, rows: Iterable[str]) -> frozenset[str]:
    """Return the quantities of `rows` that people do not need: costs, and counts that are zero."""
    s = summary
    kept = {"resumed": s.resumed, "workers": s.workers}
    costs = {"condensations", "time of condensations", "rate", "table"}
    costs |= {name for name in rows if name.startswith("rate of ")}
    return frozenset(costs | {name for name, count in kept.items() if not count})


def count_outcomes(summary: StudySummary) -> dict[str, Quantity]:
    """Return the numbers of rows that ended in a success and in a failure; {} without outcome."""
    s = summary
    if s.outcome is None or not (s.good or s.bad):
        return {}
    return {s.outcome.success: Quantity(s.good), s.outcome.adjective: Quantity(s.bad)}
