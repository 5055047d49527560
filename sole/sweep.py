"""The sweep engine: expand a study, condense what is shared, work out rows, keep a journal.

Rows are worked out group by group (one shared sole, many cases) and go to the journal at once;
the table is written from it at the end. A row depends on its case alone, never on the order of
the work or on who does it, so a sweep that was killed and taken up again gives the identical
table. Rows come from this process or from Dask's workers (`sole.studies.workforce`); one
process writes the journal.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sole.cli import plugins
from sole.errors import ConfigError, ResourceError
from sole.mesh import SoleMesh
from sole.studies.job import Job, SweepSummary, work_here
from sole.studies.journal import FinishedRow, Journal, journal_path
from sole.studies.plan import Plan
from sole.studies.progress import Listener
from sole.studies.rows import HERE, Column, Rows
from sole.studies.soles import soles_of
from sole.studies.store import SoleStore, store_path
from sole.studies.study import Study
from sole.studies.workforce import Workforce

__all__ = ["SweepSummary", "make_rows", "run_sweep"]
ALONE = Workforce()
CHECKED_ROWS = 1000  # a tenth of a second


def make_rows(study: Study, folder: Path = HERE) -> dict[str, Rows]:
    """Return the kinds of rows of a study, made from their options.

    `folder` : where the files that the options name are looked for.

    Raises
    ------
    ConfigError
        An unknown kind or option, a column given twice.
    """
    known = plugins("sole.rows")
    kinds: dict[str, Rows] = {}
    columns: dict[str, str] = {}
    for name in study.rows:
        if name not in known:
            raise ConfigError(f"unknown rows '{name}'; known are {', '.join(sorted(known))}")
        kind: Rows = known[name].load()(dict(study.options.get(name, {})), folder.absolute())
        for column in kind.columns:
            if column in columns:
                raise ConfigError(f"rows '{name}' and '{columns[column]}' both give '{column}'")
            columns[column] = name
        kinds[name] = kind
    return kinds


def columns_of(kinds: Mapping[str, Rows]) -> dict[str, Column]:
    """Return the columns of all kinds in order."""
    return {name: c for kind in kinds.values() for name, c in kind.columns.items()}


def run_sweep(
    study: Study,
    mesh: SoleMesh | None,
    output: Path,
    *,
    folder: Path = HERE,
    restart: bool = False,
    keep_journal: bool = False,
    workforce: Workforce = ALONE,
    listener: Listener = lambda progress: None,
) -> SweepSummary:
    """Work out every case of `study`; write `output` (.nc) and a `.csv` beside it.

    The sole is `mesh`; without it what the study names. Files named by the study's axes and
    options are looked for in `folder`. The journal `OUTPUT.journal.sqlite` and the condensed
    soles in `OUTPUT.soles` are removed after both files are whole, unless `keep_journal`. A
    journal of the same study found there is continued. A script that asks for workers needs
    `if __name__ == "__main__":` around the call, because they import it.

    Raises
    ------
    ConfigError
        The journal belongs to another study (see `restart`); unknown rows, options, layers.
    MaterialError
        Values out of range for the element.
    ResourceError
        Too little memory or disk; finished rows are kept.
    WorkersError
        The workers or their scheduler are lost; finished rows are kept.
    """
    from sole.studies.table import write_sweep

    output = Path(output)
    if output.suffix != ".nc":
        raise ConfigError(f"a sweep is written to an .nc file (and a .csv beside it), got {output}")
    start = time.perf_counter()
    kinds = make_rows(study, folder)
    plan = Plan(study, mesh or soles_of(study, kinds, folder), kinds)
    summary = SweepSummary(output=output, table=output.with_suffix(".csv"), warnings=plan.warnings)
    store = SoleStore(store_path(output))
    with Journal(journal_path(output), plan.digest, restart=restart) as journal:
        if restart:
            store.remove()
        job = Job(plan, kinds, journal, store, summary, listener)
        _fill(job, workforce)
        try:
            write_sweep(output, plan, columns_of(kinds), _own_rows(job), provenance(plan, summary))
        except ResourceError as error:
            raise ResourceError(
                f"{error}; all {study.size} rows are kept in {journal.path}: free some space and "
                "run the same command again"
            ) from error
        summary.failed = journal.count("failed")
    if not keep_journal:
        journal.remove()
        store.remove()
    summary.seconds = time.perf_counter() - start
    return summary


def _fill(job: Job, workforce: Workforce) -> None:
    """Work out the rows that the journal does not have."""
    if workforce.here:
        work_here(job)
    else:
        if workforce.undecided:
            work_here(job, lambda t, n: workforce.worth_starting(t, n, job.left))
        if job.left or not workforce.undecided:
            from sole.studies.cluster import work_elsewhere

            work_elsewhere(job, workforce)
    job.journal.flush()


def _own_rows(job: Job) -> Iterator[FinishedRow]:
    """Yield all rows; those at about `CHECKED_ROWS` places must be of this plan's cases."""
    stride = 1 + job.plan.study.size // CHECKED_ROWS
    for row in job.journal.rows():
        if row.place % stride == 0:
            job.require_own(row)
        yield row


def provenance(plan: Plan, summary: SweepSummary) -> dict[str, Any]:
    """Return what the table says about itself: nothing that differs between two runs."""
    from dataclasses import asdict

    study = plan.study
    return {
        "title": f"study of {', '.join(s.mesh.name for s in plan.soles.values())}",
        "study": plan.digest,
        "mesh": {label: s.mesh.digest for label, s in plan.soles.items()},
        "element": plan.element,
        "rows": ", ".join(study.rows),
        "options": {k: dict(v) for k, v in study.options.items()},
        "reference_layer": {k: s.mesh.layers[s.reference] for k, s in plan.soles.items()},
        "base_materials": {
            label: {n: asdict(m) for n, m in zip(s.mesh.layers, s.base, strict=True)}
            for label, s in plan.soles.items()
        },
        "condensations": summary.condensations,
        "interpolated_families": summary.interpolated,
        "tolerance": study.tolerance,
        "compliance_error": summary.compliance_error,
        "stiffness_error": summary.stiffness_error,
        "warnings": list(summary.warnings),
    }
