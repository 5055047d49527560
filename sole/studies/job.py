"""A sweep amid its work: what is done, what is shared, and where a finished row goes.

Rows may be worked out in this process (`work_here`) or elsewhere (`sole.studies.cluster`); the
condensations, the journal and the count of what was done stay here.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sole.errors import ResourceError, SoleError
from sole.studies.journal import FinishedRow, Journal
from sole.studies.places import PlaceArray, place_array
from sole.studies.plan import FamilyKey, Plan, SharedKey
from sole.studies.progress import CONDENSING, ROWS, WAITING, Listener, Progress
from sole.studies.rows import Case, Rows, SharedSole
from sole.studies.sharing import Family, FamilyRecord
from sole.studies.store import SoleStore
from sole.studies.workforce import WorkersError, one_blas_thread

Use = Callable[[Family, SharedKey], None]  # makes or fetches what rows of a group need
SLOW_ROW = 0.02  # [s] a row that took longer goes to the disk alone


@dataclass(kw_only=True)
class SweepSummary:
    """What a sweep did.

    Parameters
    ----------
    rows, failed, resumed : in the table; of these failed; of these found in the journal.
    walked, fell : rows of robots (a column `fell`) by how they ended, the failed ones left out.
    workers : most that worked at once, 0 for this process alone.
    condensations : done or found in the journal, points left out included.
    interpolated : families that were interpolated along nu.
    compliance_error, stiffness_error : largest errors at the points left out (0: none).
    condensing_seconds : time for condensations.
    row_seconds : time by kind of row, without condensations and journal, of all workers.
    seconds : time for everything, the table included.
    new_rows : rows worked out now.
    output, table : the NetCDF file and the CSV file.
    warnings : to be said once.
    """

    output: Path
    table: Path
    rows: int = 0
    failed: int = 0
    walked: int = 0
    fell: int = 0
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
    warnings: tuple[str, ...] = ()


class Job:
    """One run of a sweep.

    Parameters
    ----------
    plan, kinds : what to work out.
    journal, store : where rows and condensed soles are kept.
    summary : filled in on the way.
    say : told of every condensation and every row.
    """

    def __init__(
        self,
        plan: Plan,
        kinds: Mapping[str, Rows],
        journal: Journal,
        store: SoleStore,
        summary: SweepSummary,
        say: Listener,
    ) -> None:
        self.plan, self.kinds, self.journal, self.summary = plan, kinds, journal, summary
        self.matrices = any(kind.needs_sole for kind in kinds.values())
        self.store = store if self.matrices else None
        self.say = say
        self.done = journal.done()
        self._records: dict[FamilyKey, FamilyRecord] = {}
        self._condensed = 0
        self._expected = sum(self._family(k).expected_condensations for k in plan.groups)
        summary.rows, summary.resumed = plan.study.size, len(self.done)
        summary.row_seconds = dict.fromkeys(kinds, 0.0)
        summary.failed = journal.count("failed")
        if self.done and any("fell" in kind.columns for kind in kinds.values()):
            for row in journal.rows():
                self._count_walk(row)
        self.say_rows()

    def _family(self, key: FamilyKey) -> Family:
        return Family(
            self.plan,
            key,
            self.journal,
            store=self.store,
            matrices=self.matrices,
            condensed=self._note_condensation,
        )

    def _note_condensation(self) -> None:
        self._condensed += 1
        self.say(Progress(CONDENSING, self._condensed, self._expected))

    def _count_walk(self, row: FinishedRow) -> None:
        fell = row.numbers.get("fell")
        if row.status == "ok" and fell is not None:
            self.summary.fell += bool(fell)
            self.summary.walked += not fell

    def say_rows(self, waiting_for: str = "") -> None:
        """Tell the listener of the rows, and of whose workers are waited for."""
        s = self.summary
        counts = (len(self.done), s.rows, s.walked, s.fell, s.failed)
        self.say(Progress(WAITING if waiting_for else ROWS, *counts, waiting_for))

    @property
    def left(self) -> int:
        """Number of rows still to be worked out."""
        return self.summary.rows - len(self.done)

    def add(self, row: FinishedRow, *, slow: bool = True) -> None:
        """Write a finished row; at once if it was slow."""
        self.journal.append(row)
        self.done.add(row.place)
        if slow:
            self.journal.flush()
        self.summary.new_rows += 1
        self.summary.failed += row.status == "failed"
        self._count_walk(row)
        self.say_rows()

    def cases(self, places: Iterable[int]) -> Iterator[tuple[str, Case]]:
        """Yield (key, case) of places in the table."""
        return ((self.plan.row_key(c), c) for c in map(self.plan.case, places))

    def require_own(self, row: FinishedRow) -> None:
        """Refuse a row of another case than this plan has at its place.

        Raises
        ------
        WorkersError
            Whoever worked it out had other files or packages.
        """
        ((key, _),) = self.cases([row.place])
        if row.key != key:
            raise WorkersError(
                f"row {row.place} was worked out for another case, with other files or packages "
                "than this process has (a ground or a robot edited during the run, workers with "
                f"another version of scipy?); {len(self.done)} rows are kept in "
                f"{self.journal.path}: run the same command again, or with --restart"
            )

    def groups(self, use: Use) -> Iterator[tuple[Family, SharedKey, PlaceArray[int]]]:
        """Yield (family, shared sole's key, places left) of all groups with rows left.

        `use` is called for each of them before, with its time counted as that of condensations;
        what it raises makes failed rows. The matrices of a family go with it.
        """
        for family in map(self._family, self.plan.groups):
            groups = self.plan.groups[family.key].items()
            todo = {
                key: left
                for key, places in groups
                if (left := place_array(p for p in places if p not in self.done))
            }
            with self._condensing():
                record = family.record if todo else family.finished_record()
            self._records[family.key] = record
            for key, places in todo.items():
                try:
                    with self._condensing():
                        use(family, key)
                except ResourceError:
                    raise
                except Exception as error:
                    for row in uncondensed(self.cases(places), error):
                        self.add(row, slow=False)
                else:
                    yield family, key, places
        self._sum_up()

    @contextlib.contextmanager
    def _condensing(self) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.summary.condensing_seconds += time.perf_counter() - start

    def _sum_up(self) -> None:
        s, records = self.summary, self._records.values()
        s.condensations = sum(r.condensations for r in records)
        s.interpolated = sum(r.count > 0 for r in records)
        s.compliance_error = max(r.compliance_error for r in records)
        s.stiffness_error = max(r.stiffness_error for r in records)


def work_here(job: Job, enough: Callable[[float, int], bool] = lambda seconds, rows: False) -> None:
    """Work out the rows in this process until none is left or `enough(seconds, rows)`."""
    seconds, rows = 0.0, 0
    shared: SharedSole

    def use(family: Family, key: SharedKey) -> None:
        nonlocal shared
        shared = family.shared(key)
        if job.matrices:
            _ = shared.sole  # so that its time is not the first row's

    for _, _, places in job.groups(use):
        start = time.perf_counter()
        for row in work_out(shared, job.cases(places), job.kinds, job.summary.row_seconds):
            took = time.perf_counter() - start
            job.add(row, slow=took > SLOW_ROW)
            seconds, rows, start = seconds + took, rows + 1, time.perf_counter()
            if enough(seconds, rows):
                return


def work_out(
    shared: SharedSole,
    cases: Iterable[tuple[str, Case]],
    kinds: Mapping[str, Rows],
    seconds: dict[str, float] | None = None,
) -> Iterator[FinishedRow]:
    """Yield the rows of (key, case) pairs of one shared sole; a failing case is a failed row.

    A row depends on its case alone, also to the last bit: BLAS gets one thread, as it has on
    a worker. `seconds` collects the time spent by kind.
    """
    with one_blas_thread():
        for key, case in cases:
            numbers: dict[str, float] = {}
            reasons = []
            for name, kind in kinds.items():
                start = time.perf_counter()
                try:
                    numbers.update(kind.row(shared, case))
                except Exception as error:
                    reasons.append(f"{name}: {one_line(error)}")
                if seconds is not None:
                    seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - start
            status = "failed" if reasons else "ok"
            yield FinishedRow(case.index, key, numbers, status, "; ".join(reasons))


def uncondensed(cases: Iterable[tuple[str, Case]], error: Exception) -> Iterator[FinishedRow]:
    """Yield failed rows: their shared sole could not be made."""
    for key, case in cases:
        yield FinishedRow(case.index, key, {}, "failed", f"condensation: {one_line(error)}")


def one_line(error: Exception) -> str:
    """Return the text of an error, with its type unless it is one of ours."""
    text = " ".join(str(error).split())
    return text if isinstance(error, SoleError) else f"{type(error).__name__}: {text}"
