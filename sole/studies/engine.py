"""The engine of studies: expand the cases, condense shared soles, compute rows, keep a journal.

Rows are computed group by group (one shared sole, many cases) and go to the journal at once; the
table is written from it at the end. A row depends on its case alone, not on the order or place of
the work, so a sweep that was killed and resumed gives the identical table. Rows come from this
process or from Dask workers (`sole.studies.workforce`); one process writes the journal.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from sole.base.compiled import prepare
from sole.base.errors import ConfigError, ResourceError
from sole.base.files import existing_file
from sole.mesh import SoleMesh
from sole.studies.family_record import NoteStore
from sole.studies.job import Job, work_here
from sole.studies.journal import FinishedRow, Journal, journal_path
from sole.studies.mesh_errors import mesh_warnings
from sole.studies.rows import HERE, collect_columns, collect_trades, make_rows
from sole.studies.sole_store import SoleStore, store_path
from sole.studies.studied_soles import find_soles
from sole.studies.study import Study
from sole.studies.study_plan import Plan
from sole.studies.study_progress import Listener
from sole.studies.summary import StudySummary
from sole.studies.table import open_table, write_table
from sole.studies.workforce import Workforce

ALONE = Workforce()
CHECKED_ROWS = 1000  # a tenth of a second


class TableCheck(Protocol):
    """A check of a complete table."""

    def __call__(
        self,
        output: Path,
        plan: Plan,
        say: Listener,
        *,
        places: Sequence[int] = (),
        notes: NoteStore | None = None,
    ) -> str:
        """Check rows of the table, add what was found to it, and return it in words.

        `places` : of the rows; by default the check chooses. `notes` : storage of small results.
        """


def run_study(
    study: Study,
    mesh: SoleMesh | None,
    output: Path,
    *,
    folder: Path = HERE,
    restart: bool = False,
    keep_journal: bool = False,
    check: TableCheck | None = None,
    workforce: Workforce = ALONE,
    listener: Listener = lambda progress: None,
) -> StudySummary:
    """Compute every case of `study`; write `output` (.nc) and a `.csv` beside it.

    The sole is `mesh`, or by default the study's. Files named by the study's axes and options
    are searched in `folder`. The journal `OUTPUT.journal.sqlite` and the condensed soles in
    `OUTPUT.soles` are removed after both files are complete, unless `keep_journal`. An existing
    journal of the same study is resumed. `check`, such as `sole.studies.choice.check_table`, is
    called with the complete table, and its journal is kept until it returns. A script with
    workers needs `if __name__ == "__main__":` around the call, because the workers import it.

    Raises
    ------
    ConfigError
        The journal belongs to another study (see `restart`), or unknown rows, options or layers.
    MaterialError
        Values out of range for the element.
    ResourceError
        Too little memory or disk; finished rows are kept.
    WorkersError
        The workers or their scheduler are lost; finished rows are kept.
    """
    output = Path(output)
    if output.suffix != ".nc":
        raise ConfigError(f"a sweep is written to an .nc file (and a .csv), got {output}")
    start = time.perf_counter()
    kinds = make_rows(study, folder)
    plan = Plan(study, mesh or find_soles(study, kinds, folder), kinds)
    summary = StudySummary(output=output, table=output.with_suffix(".csv"), warnings=plan.warnings)
    store = SoleStore(store_path(output))
    with Journal(journal_path(output), plan.digest, restart=restart) as journal:
        if restart:
            store.remove()
        job = Job(plan, kinds, journal, store, summary, listener)
        _fill(job, workforce)
        try:
            ranges = write_table(
                output,
                plan,
                collect_columns(kinds),
                _own_rows(job),
                describe_provenance(plan, summary),
            )
        except ResourceError as error:
            raise ResourceError(
                f"{error}; all {study.size} rows are kept in {journal.path}: free some space and "
                "run the same command again"
            ) from error
        summary.ranges = ranges.told()
        summary.warnings += mesh_warnings(collect_columns(kinds), ranges.largest())
        summary.failed = journal.count("failed")
        if check is not None:
            begun = time.perf_counter()
            summary.check = check(output, plan, listener, notes=journal)
            summary.check_seconds = time.perf_counter() - begun
    if not keep_journal:
        journal.remove()
        store.remove()
    summary.seconds = time.perf_counter() - start
    return summary


def check_study(
    study: Study,
    mesh: SoleMesh | None,
    output: Path,
    places: Sequence[int],
    check: TableCheck,
    *,
    folder: Path = HERE,
    listener: Listener = lambda progress: None,
) -> str:
    """Compute rows of the complete table `output` of a study on a mesh of half the size.

    The rows are added to the table; returns what became of them. `places` : of the rows, counted
    along the last axis first, from 0. `check` : as in `run_study`.

    Raises
    ------
    ConfigError
        The file is not the table of this study, or has no such row.
    """
    kinds = make_rows(study, folder)
    plan = Plan(study, mesh or find_soles(study, kinds, folder), kinds)
    existing_file(output, ConfigError)
    with open_table(output) as table:
        same = table.attrs.get("study") == plan.digest
    if not same:
        raise ConfigError(
            f"{output} is not the table of this study as it is now: compute it first, without "
            "--check-row"
        )
    wrong = [p for p in places if not 0 <= p < study.size]
    if wrong:
        raise ConfigError(f"--check-row {wrong[0]}: the table has rows 0 to {study.size - 1}")
    return check(output, plan, listener, places=tuple(dict.fromkeys(places)))


def _fill(job: Job, workforce: Workforce) -> None:
    """Compute the rows that the journal lacks."""
    if job.left:
        prepare(["condense", *job.plan.study.rows], bar=False)
    if workforce.here:
        work_here(job)
    else:
        if workforce.undecided:
            work_here(job, lambda t, n: workforce.worth_starting(t, n, job.left))
        if job.left or not workforce.undecided:
            from sole.studies.cluster import work_elsewhere

            job.say_rows(starting=workforce.starting)
            work_elsewhere(job, workforce)
    job.journal.flush()


def _own_rows(job: Job) -> Iterator[FinishedRow]:
    """Yield all rows; check about `CHECKED_ROWS` of them against the cases of this plan."""
    stride = 1 + job.plan.study.size // CHECKED_ROWS
    for row in job.journal.rows():
        if row.place % stride == 0:
            job.require_own(row)
        yield row


def describe_provenance(plan: Plan, summary: StudySummary) -> dict[str, Any]:
    """Return the provenance for the table; it is equal for any two runs."""
    from dataclasses import asdict

    study = plan.study
    return {
        "title": f"study of {', '.join(s.mesh.name for s in plan.soles.values())}",
        "study": plan.digest,
        "mesh": {label: s.mesh.digest for label, s in plan.soles.items()},
        "element": plan.element,
        "rows": ", ".join(study.rows),
        "trades": collect_trades(plan.kinds),
        "options": {k: dict(v) for k, v in study.options.items()},
        "reference_layer": {k: s.mesh.layers[s.reference] for k, s in plan.soles.items()},
        "base_materials": {
            label: {n: asdict(m) for n, m in zip(s.mesh.layers, s.base, strict=True)}
            for label, s in plan.soles.items()
        },
        "young_axis": "E of all layers",  # in tables without it, it scaled them
        "condensations": summary.condensations,
        "interpolated_families": summary.interpolated,
        "tolerance": study.tolerance,
        "compliance_error": summary.compliance_error,
        "stiffness_error": summary.stiffness_error,
        "warnings": list(summary.warnings),
    }
