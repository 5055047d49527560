"""The sweep engine: expand a study, condense what is shared, work out rows, keep a journal.

Rows are worked out group by group (one shared sole, many cases) and go to the journal at once;
the table is written from it at the end. A row depends on its case alone, never on the order of
the work, so a sweep that was killed and taken up again gives the identical table.
`work_out` is a pure function of one group: an executor of another kind can call it elsewhere
and send the rows back to the one process that writes the journal.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sole.cli import plugins
from sole.errors import ConfigError, ResourceError, SoleError
from sole.mesh import SoleMesh
from sole.studies.journal import FinishedRow, Journal, journal_path
from sole.studies.plan import Plan
from sole.studies.rows import Case, Column, Rows, SharedSole
from sole.studies.sharing import Family
from sole.studies.study import QUANTITIES, Study

Listener = Callable[[str, int, int], None]  # (stage, done, total); stages below
CONDENSING, ROWS = "condensing", "rows"
MATERIAL_QUANTITIES = frozenset({"young", "poisson", "thickness"})


@dataclass(kw_only=True)
class SweepSummary:
    """What a sweep did.

    Parameters
    ----------
    rows, failed, resumed : in the table; of these failed; of these found in the journal.
    condensations : done or found in the journal, points left out included.
    interpolated : families that were interpolated along nu.
    compliance_error, stiffness_error : largest errors at the points left out (0: none).
    condensing_seconds : time for condensations.
    row_seconds : time by kind of row, without condensations and journal.
    seconds : time for everything, the table included.
    new_rows : rows worked out now.
    output, table : the NetCDF file and the CSV file.
    warnings : to be said once.
    """

    output: Path
    table: Path
    rows: int = 0
    failed: int = 0
    resumed: int = 0
    new_rows: int = 0
    condensations: int = 0
    interpolated: int = 0
    compliance_error: float = 0.0
    stiffness_error: float = 0.0
    condensing_seconds: float = 0.0
    row_seconds: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()


def make_rows(study: Study) -> dict[str, Rows]:
    """Return the kinds of rows of a study, made from their options.

    Raises
    ------
    ConfigError
        An unknown kind or option, an axis that no kind understands, a column given twice.
    """
    known = plugins("sole.rows")
    kinds: dict[str, Rows] = {}
    columns: dict[str, str] = {}
    for name in study.rows:
        if name not in known:
            raise ConfigError(f"unknown rows '{name}'; known are {', '.join(sorted(known))}")
        kind: Rows = known[name].load()(dict(study.options.get(name, {})))
        for column in kind.columns:
            if column in columns:
                raise ConfigError(f"rows '{name}' and '{columns[column]}' both give '{column}'")
            columns[column] = name
        kinds[name] = kind
    understood = MATERIAL_QUANTITIES.union(*(k.settings for k in kinds.values()))
    for axis in study.axis:
        if axis.quantity not in understood:
            raise ConfigError(
                f"{QUANTITIES[axis.quantity].title} changes nothing in rows "
                f"{', '.join(kinds)}: leave that axis out or ask for other rows"
            )
    return kinds


def columns_of(kinds: Mapping[str, Rows]) -> dict[str, Column]:
    """Return the columns of all kinds in order."""
    return {name: c for kind in kinds.values() for name, c in kind.columns.items()}


def work_out(
    shared: SharedSole,
    cases: Sequence[tuple[str, Case]],
    kinds: Mapping[str, Rows],
    seconds: dict[str, float] | None = None,
) -> Iterator[FinishedRow]:
    """Yield the rows of (key, case) pairs of one shared sole; a failing case is a failed row.

    `seconds` collects the time spent by kind.
    """
    for key, case in cases:
        numbers: dict[str, float] = {}
        reasons = []
        for name, kind in kinds.items():
            start = time.perf_counter()
            try:
                numbers.update(kind.row(shared, case))
            except Exception as error:
                reasons.append(f"{name}: {_one_line(error)}")
            if seconds is not None:
                seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - start
        status = "failed" if reasons else "ok"
        yield FinishedRow(case.index, key, numbers, status, "; ".join(reasons))


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, SoleError) else f"{type(error).__name__}: {text}"


def run_sweep(
    study: Study,
    mesh: SoleMesh,
    output: Path,
    *,
    restart: bool = False,
    keep_journal: bool = False,
    listener: Listener = lambda stage, done, total: None,
) -> SweepSummary:
    """Work out every case of `study` on `mesh`; write `output` (.nc) and a `.csv` beside it.

    The journal `OUTPUT.journal.sqlite` is removed after both files are whole, unless
    `keep_journal`. A journal of the same study found there is continued.

    Raises
    ------
    ConfigError
        The journal belongs to another study (see `restart`); unknown rows, options, layers.
    MaterialError
        Values out of range for the element.
    ResourceError
        Too little memory or disk; finished rows are kept.
    """
    from sole.studies.table import write_sweep

    output = Path(output)
    if output.suffix != ".nc":
        raise ConfigError(f"a sweep is written to an .nc file (and a .csv beside it), got {output}")
    start = time.perf_counter()
    plan = Plan(study, mesh)
    kinds = make_rows(study)
    summary = SweepSummary(
        output=output, table=output.with_suffix(".csv"), rows=study.size, warnings=plan.warnings
    )
    summary.row_seconds = dict.fromkeys(kinds, 0.0)
    with Journal(journal_path(output), plan.digest, restart=restart) as journal:
        _fill(plan, kinds, journal, summary, listener)
        try:
            write_sweep(output, plan, columns_of(kinds), journal.rows(), _provenance(plan, summary))
        except ResourceError as error:
            raise ResourceError(
                f"{error}; all {study.size} rows are kept in {journal.path}: free some space and "
                "run the same command again"
            ) from error
        summary.failed = journal.count("failed")
    if not keep_journal:
        journal.remove()
    summary.seconds = time.perf_counter() - start
    return summary


def _fill(
    plan: Plan, kinds: Mapping[str, Rows], journal: Journal, summary: SweepSummary, say: Listener
) -> None:
    """Work out the rows that the journal does not have."""
    matrices = any(kind.needs_sole for kind in kinds.values())
    done = journal.done()
    summary.resumed = len(done)
    clock = _Clock()
    counts = {"condensed": 0, "rows": len(done)}

    def condensed() -> None:
        counts["condensed"] += 1
        say(CONDENSING, counts["condensed"], expected)

    families = [
        Family(plan, key, journal, matrices=matrices, condensed=condensed) for key in plan.groups
    ]
    expected = sum(f.expected_condensations for f in families)
    say(ROWS, counts["rows"], summary.rows)
    while families:
        family = families.pop(0)  # its matrices go with it
        todo = {
            key: left
            for key, places in plan.groups[family.key].items()
            if (left := [p for p in places if p not in done])
        }
        with clock:
            record = family.finished_record() if not todo else family.record
        summary.condensations += record.condensations
        summary.interpolated += record.count > 0
        summary.compliance_error = max(summary.compliance_error, record.compliance_error)
        summary.stiffness_error = max(summary.stiffness_error, record.stiffness_error)
        for key, places in todo.items():
            cases = [(plan.row_key(c.settings), c) for c in map(plan.case, places)]
            try:
                with clock:
                    shared = family.shared(key)
                    if matrices:
                        _ = shared.sole  # so that its time is not the first row's
            except ResourceError:
                raise
            except Exception as error:
                reason = f"condensation: {_one_line(error)}"
                rows = iter([FinishedRow(c.index, k, {}, "failed", reason) for k, c in cases])
            else:
                rows = work_out(shared, cases, kinds, summary.row_seconds)
            for row in rows:
                journal.append(row)
                summary.new_rows += 1
                counts["rows"] += 1
                say(ROWS, counts["rows"], summary.rows)
    summary.condensing_seconds = clock.seconds
    journal.flush()


class _Clock:
    """Adds up the time spent in its `with` blocks."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self._start


def _provenance(plan: Plan, summary: SweepSummary) -> dict[str, Any]:
    """Return what the table says about itself: nothing that differs between two runs."""
    from dataclasses import asdict

    study = plan.study
    return {
        "title": f"sweep of {plan.mesh.name}",
        "study": plan.digest,
        "mesh": plan.mesh.digest,
        "element": plan.element,
        "rows": ", ".join(study.rows),
        "options": {k: dict(v) for k, v in study.options.items()},
        "layers": list(plan.mesh.layers),
        "reference_layer": plan.mesh.layers[plan.reference],
        "base_materials": [asdict(m) for m in plan.base],
        "condensations": summary.condensations,
        "interpolated_families": summary.interpolated,
        "tolerance": study.tolerance,
        "compliance_error": summary.compliance_error,
        "stiffness_error": summary.stiffness_error,
        "warnings": list(summary.warnings),
    }
