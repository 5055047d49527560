"""Designs worked out batch by batch on the sweep engine: one journal, one set of workers.

The table grows: a batch adds its new designs behind those there are, as a study of the scheme
"list", so that the place of a row never changes. A campaign that was killed asks for the same
batches again and finds their rows in the journal. A design that was asked for before is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sole.config import digest
from sole.design.problem import Design, Values
from sole.design.verdict import Verdict, judge, rank
from sole.errors import ConfigError, ResourceError
from sole.mesh import SoleMesh
from sole.studies.job import Job, SweepSummary, work_here
from sole.studies.journal import Journal, journal_path
from sole.studies.plan import Plan
from sole.studies.progress import ROWS, Listener, Progress
from sole.studies.rows import HERE
from sole.studies.soles import soles_of
from sole.studies.store import SoleStore, store_path
from sole.studies.workforce import Workforce
from sole.sweep import ALONE, columns_of, make_rows, provenance

if TYPE_CHECKING:
    from distributed import Client

MANY = 10**9


@dataclass(frozen=True, slots=True)
class SearchProgress(Progress):
    """How far a search is; `best` says the best design so far in words, '' before the first."""

    best: str = ""

    @property
    def counts(self) -> str:
        """The counts in words, and the best so far."""
        return "; ".join(filter(None, (Progress.counts.fget(self), self.best)))  # type: ignore[attr-defined]


@dataclass(kw_only=True)
class Told:
    """What became of a campaign.

    Parameters
    ----------
    verdicts : of every design, in the order in which they were asked for.
    summary : of the table. units : of axes and columns, '' if none.
    """

    verdicts: dict[Values, Verdict] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    summary: SweepSummary


class Campaign:
    """The designs worked out so far; use it as a context manager.

    Parameters
    ----------
    design : what is searched. mesh : the sole, None for what the study names.
    output : the table to write, .nc; a .csv goes beside it.
    folder, restart, workforce, listener : as of `sole.sweep.run_sweep`.

    Raises
    ------
    SoleError
        As of `run_sweep`; a column that the rows do not have.
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
                f"designs are written to an .nc file (and a .csv beside it), got {output}"
            )
        self.workforce, self._listener, self._restart = workforce, listener, restart
        self.kinds = make_rows(design, folder)
        self.columns = columns_of(self.kinds)
        for name in (design.design.minimise, *(c.column for c in design.design.constraints)):
            if name not in self.columns:
                raise ConfigError(f"the rows have no column '{name}': {', '.join(self.columns)}")
        self.meshes = mesh or soles_of(design, self.kinds, folder)
        self.space = Plan(design, self.meshes, self.kinds)  # checks the ends of all ranges
        self.told = Told(
            summary=SweepSummary(output=self.output, table=self.output.with_suffix(".csv"))
        )
        self.told.units |= {n: q.unit for n, q in self.space.quantities.items()}
        self.told.units |= {n: c.unit for n, c in self.columns.items()}
        self._designs: list[Values] = []
        self._plan: Plan | None = None
        self._client: Client | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Campaign:
        # The same designs are asked for whatever the budget: it may be another one next time.
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
        """Work out the designs that are not known yet, and return what is to be said of all."""
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
        """Work out what the journal lacks; return the rows from place `first` on, None: failed."""
        plan = self._plan = Plan(
            self.design.listed(self._designs), self.meshes, self.kinds, interpolate=False
        )
        summary = SweepSummary(output=self.output, table=self.told.summary.table)
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
                        "scipy?): give --restart to throw them away"
                    )
                found.append(dict(row.numbers) if row.status == "ok" else None)
        return found

    def _work(self, job: Job) -> None:
        if self._client is None and (self.workforce.here or self.workforce.undecided):
            ahead = self.design.design.evaluations * self.design.repeats - job.summary.rows
            work_here(job, lambda t, n: self.workforce.worth_starting(t, n, job.left + ahead))
        if job.left > 0:  # below 0: the journal has rows of later batches
            from sole.studies.cluster import hired, work_elsewhere

            if self._client is None:
                self._client = self._stack.enter_context(hired(self.workforce))
            work_elsewhere(job, self.workforce, self._client)

    def _add_up(self, new: SweepSummary, plan: Plan) -> None:
        """Take over what a batch says; times and new rows add up."""
        old, self.told.summary = self.told.summary, new
        new.new_rows += old.new_rows
        new.resumed = new.rows - new.new_rows
        new.workers = max(new.workers, old.workers)
        new.condensing_seconds += old.condensing_seconds
        # A family's own count is that of the batch in which it began.
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
        said = replace(progress, total=max(total, progress.done))
        self._listener(SearchProgress(**asdict(said), best=words))

    def write(self) -> Told:
        """Write the table of all designs and remove the journal.

        Raises
        ------
        ConfigError
            No design was worked out.
        ResourceError
            The disk is full; all rows are kept.
        """
        from sole.studies.table import write_sweep

        if self._plan is None:
            raise ConfigError("no design could be worked out: tied axes leave their ranges always")
        about: dict[str, Any] = provenance(self._plan, self.told.summary)
        about["design"] = asdict(self.design.design)
        try:
            write_sweep(self.output, self._plan, self.columns, self._journal.rows(), about)
        except ResourceError as error:
            raise ResourceError(
                f"{error}; all {self._plan.study.size} rows are kept in {self._journal.path}: free "
                "some space and run the same command again"
            ) from error
        self.told.summary.warnings = self._plan.warnings
        self.told.summary.failed = self._journal.count("failed")
        self._stack.close()
        self._journal.remove()
        self._store.remove()
        return self.told
