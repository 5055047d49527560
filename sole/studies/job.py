"""A running sweep: finished rows, shared soles, and the way of a row to the journal.

Rows run in this process (`work_here`) or on workers (`sole.studies.cluster`); condensations,
journal and counts stay here.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from sole.base.blas_threads import one_blas_thread
from sole.base.errors import ResourceError, SoleError
from sole.base.stopping import raise_if_stopped
from sole.condense import no_range_warnings
from sole.studies.columns import find_outcome
from sole.studies.family_record import FamilyRecord
from sole.studies.journal import FinishedRow, Journal
from sole.studies.places import PlaceArray, place_array
from sole.studies.rows import Case, Rows, SharedSole, collect_columns
from sole.studies.shared_soles import Family
from sole.studies.sole_store import SoleStore
from sole.studies.study_plan import FamilyKey, Plan, SharedKey
from sole.studies.study_progress import (
    CONDENSING,
    ROWS,
    STARTING,
    WAITING,
    Listener,
    Progress,
)
from sole.studies.summary import StudySummary
from sole.studies.workforce import WorkersError

Use = Callable[[Family, SharedKey], None]  # makes or fetches the needs of a group's rows
FIRST_SECONDS = 10.0  # of the first row may be loading, on a busy machine
SLOW_ROW = 0.02  # [s] a longer row is written to disk alone


class Job:
    """One run of a sweep.

    Parameters
    ----------
    plan, kinds : the cases and the kinds of rows.
    journal, store : storage of rows and of condensed soles.
    summary : updated during the run.
    say : listener, called after every condensation and every row.
    """

    def __init__(
        self,
        plan: Plan,
        kinds: Mapping[str, Rows],
        journal: Journal,
        store: SoleStore,
        summary: StudySummary,
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
        found = find_outcome(collect_columns(kinds))
        self._outcome, summary.outcome = found or ("", None)
        if self.done and self._outcome:
            for row in journal.rows():
                self._count_outcome(row)
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

    def _count_outcome(self, row: FinishedRow) -> None:
        ended = row.numbers.get(self._outcome)
        if row.status == "ok" and ended is not None:
            self.summary.bad += ended > 0
            self.summary.good += ended <= 0

    def say_rows(self, waiting_for: str = "", starting: str = "") -> None:
        """Report the rows to the listener, the cluster whose workers are missing, what starts."""
        s = self.summary
        self.say(
            Progress(
                STARTING if starting else WAITING if waiting_for else ROWS,
                len(self.done),
                s.rows,
                good=s.good,
                bad=s.bad,
                failed=s.failed,
                outcome=s.outcome,
                workers=starting or waiting_for,
            )
        )

    @property
    def left(self) -> int:
        """Number of rows still to compute."""
        return self.summary.rows - len(self.done)

    def add(self, row: FinishedRow, *, slow: bool = True) -> None:
        """Write a finished row; at once if it was slow."""
        self.journal.append(row)
        self.done.add(row.place)
        if slow:
            self.journal.flush()
        self.summary.new_rows += 1
        self.summary.failed += row.status == "failed"
        self._count_outcome(row)
        self.say_rows()

    def cases(self, places: Iterable[int]) -> Iterator[tuple[str, Case]]:
        """Yield (key, case) of places in the table."""
        return ((self.plan.row_key(c), c) for c in map(self.plan.case, places))

    def require_own(self, row: FinishedRow) -> None:
        """Check that a row belongs to the case of this plan at its place.

        Raises
        ------
        WorkersError
            The worker had other files or packages.
        """
        ((key, _),) = self.cases([row.place])
        if row.key != key:
            raise WorkersError(
                f"row {row.place} was computed for another case, with other files or packages "
                "than in this process (a file edited during the run, workers with "
                f"another version of scipy?); {len(self.done)} rows are kept in "
                f"{self.journal.path}: run the same command again, or with --restart"
            )

    def groups(self, use: Use) -> Iterator[tuple[Family, SharedKey, PlaceArray[int]]]:
        """Yield (family, key of the shared sole, places left) of all groups with rows left.

        `use` is called before each group; its time counts as condensation, and its errors make
        failed rows. The matrices of a family are freed after its last group.
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
                    raise_if_stopped()
                    for row in fail_rows(self.cases(places), error):
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


@no_range_warnings()  # deformations are columns
def work_here(job: Job, enough: Callable[[float, int], bool] = lambda seconds, rows: False) -> None:
    """Compute rows in this process until none is left or `enough(seconds, rows)` holds.

    The first row loads and prepares for all: it counts without `FIRST_SECONDS` while it is alone,
    and no longer when there are others.
    """
    seconds, rows, first = 0.0, 0, 0.0
    shared: SharedSole

    def use(family: Family, key: SharedKey) -> None:
        nonlocal shared
        shared = family.shared(key)
        if job.matrices:
            _ = shared.sole  # so that its time does not count for the first row

    for _, _, places in job.groups(use):
        start = time.perf_counter()
        for row in work_out(shared, job.cases(places), job.kinds, job.summary.row_seconds):
            took = time.perf_counter() - start
            job.add(row, slow=took > SLOW_ROW)
            seconds, rows, start = seconds + took, rows + 1, time.perf_counter()
            first = took if rows == 1 else first
            known = (seconds - first, rows - 1) if rows > 1 else (first - FIRST_SECONDS, 1)
            if enough(*known):
                return


def work_out(
    shared: SharedSole,
    cases: Iterable[tuple[str, Case]],
    kinds: Mapping[str, Rows],
    seconds: dict[str, float] | None = None,
) -> Iterator[FinishedRow]:
    """Yield the rows of (key, case) pairs of one shared sole; a failing case gives a failed row.

    A row depends on its case alone, to the last bit: BLAS gets one thread, as on a worker.
    `seconds` collects the time by kind.
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
                    raise_if_stopped()  # a row that a signal broke off has not failed
                    reasons.append(f"{name}: {one_line(error)}")
                if seconds is not None:
                    seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - start
            status = "failed" if reasons else "ok"
            yield FinishedRow(case.index, key, numbers, status, "; ".join(reasons))


def fail_rows(cases: Iterable[tuple[str, Case]], error: Exception) -> Iterator[FinishedRow]:
    """Yield failed rows for cases whose shared sole could not be made."""
    for key, case in cases:
        yield FinishedRow(case.index, key, {}, "failed", f"condensation: {one_line(error)}")


def one_line(error: Exception) -> str:
    """Return the text of an error, with its type unless it is a SoleError."""
    text = " ".join(str(error).split())
    return text if isinstance(error, SoleError) else f"{type(error).__name__}: {text}"
