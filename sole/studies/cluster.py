"""Rows worked out by Dask's workers: chunks go out, finished rows go to the one journal here.

All condensations are done first, in this process and with all its threads, and kept in the
store, from which workers read. Few chunks are on their way at a time, so that memory stays flat
and a chunk never waits long at a worker. A worker that dies takes no row with it that is in the
journal; its chunks go to others, and a case that workers keep dying of becomes a failed row.
"""

from __future__ import annotations

import contextlib
import logging
import pickle
import queue
import time
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from sole.archive import replacing
from sole.errors import ConfigError, SoleError
from sole.studies.chunks import Heap, RowTimes
from sole.studies.job import Job, one_line
from sole.studies.journal import FinishedRow
from sole.studies.plan import SharedKey
from sole.studies.sharing import Family
from sole.studies.worker import Brief, FinishedChunk, work_chunk
from sole.studies.workforce import Workforce

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

DEATHS = 3  # workers that die of a case before it is a failed row
STARTS = 3  # of a cluster of our own
AHEAD = 2  # chunks per thread: one at work, one that waits
LOOK_SECONDS = 0.1  # between looks at the journal while nothing arrives
MISSED_SECONDS = 20  # before a worker that does not come back is started anew
COUNT_SECONDS = 1.0  # between looks at the number of workers
CONNECT_SECONDS = 20
GATHER_SECONDS = 5  # for rows to arrive from the worker that has them
_SETTINGS = {
    "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS}s",
    # Beyond its share of the memory a worker is ended, not slowed down or halted for ever.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,
}
_ENVIRONMENT = {
    **dict.fromkeys(
        (
            "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "MKL_NUM_THREADS",
            "NUMBA_NUM_THREADS",
        ),
        "1",
    ),
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "DASK_LOGGING__DISTRIBUTED": "critical",
}


class WorkersError(SoleError):
    """The workers of a sweep, or their scheduler, cannot be reached any more."""


def work_elsewhere(job: Job, workforce: Workforce) -> None:
    """Work out the rows that `job` lacks on workers of this machine or of a cluster.

    Raises
    ------
    WorkersError
        The scheduler cannot be reached or is lost; finished rows are kept.
    ResourceError
        Workers do not see the folder of the output, or a disk is full.
    """
    notes: dict[SharedKey, dict[str, Any]] = {}

    def use(family: Family, key: SharedKey) -> None:
        notes[key] = family.prepare(key)

    groups = {key: places for _, key, places in job.groups(use)}
    if not groups:
        return
    path = job.journal.path.with_suffix(".brief").absolute()
    soles = None if job.store is None else job.store.folder.absolute()
    brief = Brief(study=job.plan.study, meshes=job.plan.meshes, kinds=job.kinds, soles=soles)
    with replacing(path) as temporary:
        temporary.write_bytes(pickle.dumps(brief))
    try:
        with _client(workforce) as client:
            _Foreman(job, client, str(path), notes).run(Heap(groups))
    finally:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def _client(workforce: Workforce) -> Iterator[Client]:
    """Yield a client of the cluster that exists, or of one that lives as long as the block."""
    import dask
    from distributed import Client

    for name in ("distributed", "distributed.client", "distributed.gc", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # not on the user's terminal
    with dask.config.set(_SETTINGS | {"distributed.nanny.pre-spawn-environ": _ENVIRONMENT}):
        if workforce.scheduler:
            try:
                client = Client(workforce.scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
            except (OSError, ValueError) as error:
                raise WorkersError(
                    f"no Dask scheduler answers at {workforce.scheduler}: {one_line(error)}"
                ) from error
            with client:
                yield client
            return
        if workforce.dashboard is not None:
            _require_dashboard()
        cluster = _start(workforce)
        try:
            with Client(cluster, set_as_default=False) as client:
                yield client
        finally:
            with contextlib.suppress(OSError, RuntimeError, TimeoutError):  # workers killed lately
                cluster.close()


def _start(workforce: Workforce) -> LocalCluster:
    """Return workers on this machine; start them again if one is killed meanwhile."""
    from distributed import LocalCluster

    for _ in range(STARTS):
        try:
            return LocalCluster(
                n_workers=workforce.number,
                threads_per_worker=1,
                processes=True,
                dashboard_address=f"127.0.0.1:{workforce.dashboard or 0}",
                scheduler_kwargs={"dashboard": workforce.dashboard is not None},
                silence_logs=logging.CRITICAL,
            )
        except (OSError, RuntimeError, TimeoutError) as error:
            reason = error
    raise WorkersError(
        f"workers do not start, {STARTS} times tried: {one_line(reason)}; without them: --workers 0"
    ) from reason


def _require_dashboard() -> None:
    from importlib.util import find_spec

    if find_spec("bokeh") is None:
        raise ConfigError("the dashboard needs bokeh: pip install bokeh, or leave --dashboard out")


class _Foreman:
    """Hands out chunks, takes rows in, and judges what kills workers.

    A chunk belongs to one worker. If that dies, the chunk it was at is to blame: its rows are
    tried again one by one, and one that `DEATHS` workers died of is a failed row.
    """

    def __init__(
        self, job: Job, client: Client, brief: str, notes: dict[SharedKey, dict[str, Any]]
    ) -> None:
        self.job, self.client, self.brief, self.notes = job, client, brief, notes
        self._arrived: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._flying: dict[Future, _Chunk] = {}  # oldest first
        self._again: list[_Chunk] = []
        self._deaths: Counter[int] = Counter()
        self._times = RowTimes()
        self._threads: dict[str, int] = {}
        self._counted, self._whole = 0.0, time.monotonic()

    def run(self, heap: Heap) -> None:
        """Work out all rows."""
        while heap or self._again or self._flying:
            self._count_workers()
            busy = Counter(chunk.worker for chunk in self._flying.values())
            for worker, threads in self._threads.items():
                while busy[worker] < AHEAD * threads and (heap or self._again):
                    self._submit(worker, heap)
                    busy[worker] += 1
            try:
                future = self._arrived.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                self.job.journal.flush()
                continue
            if future in self._flying:  # else taken back
                self._take_in(future, self._flying.pop(future))

    def _count_workers(self) -> None:
        """Learn which workers there are: they come, die and come back under a new address."""
        now = time.monotonic()
        if now - self._counted < COUNT_SECONDS:
            return
        self._counted = now
        try:
            self._threads = dict(self.client.nthreads())
        except (OSError, RuntimeError, TimeoutError, ValueError):
            self._lost()
        if self.client.status != "running":
            self._lost()
        cluster, number = self.client.cluster, sum(self._threads.values())
        if cluster is None or number >= len(cluster.worker_spec):
            self._whole = now
        elif now - self._whole > MISSED_SECONDS:
            self._whole = now
            cluster.scale(len(cluster.worker_spec))  # opens those that are gone for good
        self.job.summary.workers = max(self.job.summary.workers, number)
        gone = {f: c for f, c in self._flying.items() if c.worker not in self._threads}
        blamed: set[str] = set()
        for future, chunk in gone.items():
            if future.status == "finished":
                continue
            del self._flying[future]
            future.cancel()
            if chunk.worker in blamed:  # it waited behind the one at work
                self._again.append(chunk)
            else:
                blamed.add(chunk.worker)
                self._blame(chunk)

    def _blame(self, chunk: _Chunk) -> None:
        self._deaths.update(chunk.places)
        for place in chunk.places:
            if self._deaths[place] < DEATHS:
                self._again.append(_Chunk(chunk.key, (place,)))
            else:
                ((row_key, case),) = self.job.cases([place])
                reason = f"worker: died of this case {DEATHS} times (killed, out of memory?)"
                self.job.add(FinishedRow(case.index, row_key, {}, "failed", reason))

    def _submit(self, worker: str, heap: Heap) -> None:
        if self._again:
            key, places = self._again.pop()[:2]
        else:
            key, places = heap.take(worker, self._times.rows)
        future = self.client.submit(
            work_chunk,
            self.brief,
            self.job.plan.digest,
            key,
            self.notes[key],
            places,
            workers=[worker],
            pure=False,
        )
        self._flying[future] = _Chunk(key, places, worker)
        future.add_done_callback(self._arrived.put)

    def _take_in(self, future: Future, chunk: _Chunk) -> None:
        """Write the rows of a chunk that came back."""
        from distributed import KilledWorker

        if future.status not in ("finished", "error"):
            self._lost()
        try:
            done: FinishedChunk = future.result(timeout=GATHER_SECONDS)
        except KilledWorker:  # a worker that came back under its old address
            self._blame(chunk)
            return
        except (TimeoutError, OSError):  # it died before it could hand over what it had
            future.cancel()
            self._again.append(chunk)
            return
        except SoleError:
            raise
        except Exception as error:
            raise WorkersError(
                f"the workers cannot run this sweep: {one_line(error)}; have they the same "
                "packages as this process?"
            ) from error
        self._times.add(done.seconds, len(done.rows))
        for kind, seconds in done.by_kind.items():
            self.job.summary.row_seconds[kind] += seconds
        for row in done.rows:
            self.job.add(row, slow=False)
        if self._times.rows == 1:
            self.job.journal.flush()

    def _lost(self) -> NoReturn:
        raise WorkersError(
            f"the Dask scheduler is lost; {len(self.job.done)} of {self.job.summary.rows} rows are "
            f"kept in {self.job.journal.path}, run the same command again to continue"
        )


class _Chunk(NamedTuple):
    """Rows that share a sole, and the worker that has them."""

    key: SharedKey
    places: tuple[int, ...]
    worker: str = ""
