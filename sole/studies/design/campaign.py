"""Designs computed in batches on the study engine, with one journal and one set of workers.

The table grows: a batch appends its new designs, as a study of the scheme "list", so the place of
a row never changes. A killed campaign, started again, requests the same batches and finds their
rows in the journal. No design is computed twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sole.base.compiled import prepare
from sole.base.config import digest
from sole.base.errors import ConfigError, ResourceError
from sole.mesh import SoleMesh
from sole.studies.checked_rows import MeshCheck, add_check
from sole.studies.design.design_study import Design, Values
from sole.studies.design.verdict import Verdict, judge, rank
from sole.studies.engine import ALONE, describe_provenance
from sole.studies.job import Job, work_here
from sole.studies.journal import Journal, journal_path
from sole.studies.rows import HERE, collect_columns, make_rows
from sole.studies.sole_store import SoleStore, store_path
from sole.studies.studied_soles import find_soles
from sole.studies.study_plan import Plan
from sole.studies.study_progress import ROWS, Listener, Progress
from sole.studies.summary import StudySummary
from sole.studies.table import write_table
from sole.studies.workforce import Workforce

if TYPE_CHECKING:
    from distributed import Client

MANY = 10**9
NOT_CHECKED = "a search checks no mesh: study its best design on a mesh of half the size"


@dataclass(frozen=True, slots=True)
class SearchProgress(Progress):
    """Progress of a search; `best` describes the best design so far, '' before the first."""

    best: str = ""

    @property
    def counts(self) -> str:
        """The counts and the best design so far, as text."""
        return "; ".join(filter(None, (Progress.counts.fget(self), self.best)))  # type: ignore[attr-defined]


@dataclass(kw_only=True)
class SearchResult:
    """The result of a campaign.

    Parameters
    ----------
    verdicts : by design, in the order of requests.
    summary : summary of the table. units : units of axes and columns, '' if none.
    """

    verdicts: dict[Values, Verdict] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    summary: StudySummary


class Campaign:
    """The designs computed so far; use it as a context manager.

    Parameters
    ----------
    design : the design study. mesh : the sole, None for the study's own.
    output : the table to write, .nc; a .csv goes beside it.
    folder, restart, workforce, listener : as in `sole.studies.run_study`.

    Raises
    ------
    SoleError
        As in `run_study`, or an unknown column.
    """

    def __init__(
        self,
        design: Design,
        mesh: SoleMesh | None,
        output: Path,
        *,
        folder: Path = HERE,
        restart: bool = False,
        workforce: Workforce = ALONE,
        listener: Listener = lambda progress: None,
    ) -> None:
        self.design, self.output = design, Path(output)
        if self.output.suffix != ".nc":
            raise ConfigError(
                f"designs are written to an .nc file (and a .csv next to it), got {output}"
            )
        self.workforce, self._listener, self._restart = workforce, listener, restart
        self.kinds = make_rows(design, folder)
        self.columns = collect_columns(self.kinds)
        for name in (design.design.minimise, *(c.column for c in design.design.constraints)):
            if name not in self.columns:
                raise ConfigError(
                    f"the rows have no column '{name}'; known are {', '.join(self.columns)}"
                )
        for constraint in design.design.constraints:
            constraint.refuse(self.columns[constraint.column].unit)
        self.meshes = mesh or find_soles(design, self.kinds, folder)
        self.space = Plan(design, self.meshes, self.kinds)  # checks the ends of all ranges
        self.told = SearchResult(
            summary=StudySummary(output=self.output, table=self.output.with_suffix(".csv"))
        )
        self.told.units |= {n: q.unit for n, q in self.space.quantities.items()}
        self.told.units |= {n: c.unit for n, c in self.columns.items()}
        self._designs: list[Values] = []
        self._plan: Plan | None = None
        self._client: Client | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Campaign:
        # The budget may differ next time; the requested designs are the same.
        about = digest([self.space.digest, asdict(replace(self.design.design, evaluations=MANY))])
        path = journal_path(self.output)
        self._journal = self._stack.enter_context(Journal(path, about, restart=self._restart))
        self._store = SoleStore(store_path(self.output))
        if self._restart:
            self._store.remove()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def judge(self, designs: Iterable[Values]) -> list[Verdict]:
        """Compute the designs that are not known yet, and return the verdicts of all."""
        asked = list(designs)
        known = self.told.verdicts
        new = [d for d in dict.fromkeys(asked) if d not in known and not self.design.outside(d)]
        if new:
            first = len(self._designs)
            self._designs += new
            rows = self._rows(first * self.design.repeats)
            for k, values in enumerate(new):
                mine = rows[k * self.design.repeats : (k + 1) * self.design.repeats]
                known[values] = judge(self.design.design, mine)
        return [known.get(d) or judge(self.design.design, ()) for d in asked]

    def _rows(self, first: int) -> list[dict[str, float] | None]:
        """Compute the missing rows; return those from place `first` on, None if failed."""
        plan = self._plan = Plan(
            self.design.listed(self._designs), self.meshes, self.kinds, interpolate=False
        )
        summary = StudySummary(output=self.output, table=self.told.summary.table)
        job = Job(plan, self.kinds, self._journal, self._store, summary, self._say)
        self._work(job)
        self._journal.flush()
        self._add_up(summary, plan)
        found: list[dict[str, float] | None] = []
        for row in self._journal.rows():
            if first <= row.place < plan.study.size:
                if row.key != plan.row_key(plan.case(row.place)):
                    raise ConfigError(
                        f"{self._journal.path} holds rows of other designs (of another version of "
                        "scipy?): give --restart to discard them"
                    )
                found.append(dict(row.numbers) if row.status == "ok" else None)
        return found

    def _work(self, job: Job) -> None:
        if job.left > 0:
            prepare(["condense", *self.design.rows], bar=False)
        if self._client is None and (self.workforce.here or self.workforce.undecided):
            ahead = self.design.design.evaluations * self.design.repeats - job.summary.rows
            work_here(job, lambda t, n: self.workforce.worth_starting(t, n, job.left + ahead))
        if job.left > 0:  # below 0: the journal has rows of later batches
            from sole.studies.cluster import hire_workers, work_elsewhere

            if self._client is None:
                self._client = self._stack.enter_context(hire_workers(self.workforce))
            work_elsewhere(job, self.workforce, self._client)

    def _add_up(self, new: StudySummary, plan: Plan) -> None:
        """Merge the summary of a batch; times and new rows add up."""
        old, self.told.summary = self.told.summary, new
        new.new_rows += old.new_rows
        new.resumed = new.rows - new.new_rows
        new.workers = max(new.workers, old.workers)
        new.condensing_seconds += old.condensing_seconds
        # A family counts in the batch in which it began.
        new.condensations = sum(map(len, plan.groups.values()))
        for kind, seconds in old.row_seconds.items():
            new.row_seconds[kind] += seconds

    def _say(self, progress: Progress) -> None:
        d = self.design.design
        total = d.evaluations * self.design.repeats if progress.stage == ROWS else progress.total
        best = min(self.told.verdicts.values(), key=rank, default=None)
        words = ""
        if best is not None and best.feasible:
            words = f"best {best.objective:.4g} {self.columns[d.minimise].unit}".rstrip()
        own = {f.name: getattr(progress, f.name) for f in fields(progress)}
        own["total"] = max(total, progress.done)
        self._listener(SearchProgress(**own, best=words))

    def write(self) -> SearchResult:
        """Write the table of all designs and remove the journal.

        Raises
        ------
        ConfigError
            No design was computed.
        ResourceError
            The disk is full; all rows are kept.
        """
        if self._plan is None:
            raise ConfigError("no design could be computed: tied axes always leave their ranges")
        about: dict[str, Any] = describe_provenance(self._plan, self.told.summary)
        about["design"] = asdict(self.design.design)
        try:
            write_table(self.output, self._plan, self.columns, self._journal.rows(), about)
        except ResourceError as error:
            raise ResourceError(
                f"{error}; all {self._plan.study.size} rows are kept in {self._journal.path}: free "
                "some space and run the same command again"
            ) from error
        add_check(self.output, MeshCheck(not_checked=NOT_CHECKED))
        self.told.summary.warnings = self._plan.warnings
        self.told.summary.failed = self._journal.count("failed")
        self._stack.close()
        self._journal.remove()
        self._store.remove()
        return self.told
