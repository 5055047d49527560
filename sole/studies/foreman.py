"""The foreman: gives chunks to workers, collects rows, and handles workers that die or hang.

Few chunks are in flight at a time, so memory stays flat and a chunk never waits long at a
worker. A chunk belongs to one worker. If the worker dies, the chunk it was running is blamed,
and its rows run again one by one (`sole.studies.chunks`). If a row exceeds its time limit, its
worker is stopped and the row fails at once: a row depends on its case alone and would take as
long again. Finished chunks are fetched together, at a third of the cost of one by one.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from sole.base.errors import SoleError
from sole.studies.chunks import Chunk, Heap, Losses, RowTimes
from sole.studies.job import Job, one_line
from sole.studies.journal import FinishedRow
from sole.studies.study_plan import SharedKey
from sole.studies.worker import BriefFile, FinishedChunk, work_chunk
from sole.studies.workforce import WorkersError, Workforce

if TYPE_CHECKING:
    from distributed import Client, Future

AHEAD = 2  # chunks per thread: one running, one waiting
LOOK_SECONDS = 0.1  # between checks of the journal while nothing arrives
COUNT_SECONDS = 1.0  # between checks of the workers
MISSED_SECONDS = 20  # before a worker that does not return is restarted
WAIT_SECONDS = 5.0  # without workers before the user is told, unless there were none yet
GATHER_SECONDS = 5  # for rows to arrive from their workers
RESTART_SECONDS = 60  # for a hung worker to stop and return
LOAD_SECONDS = 600  # for a worker to import its packages and read its sole


class Foreman:
    """The client's side of a sweep on workers.

    Parameters
    ----------
    job : the sweep.
    client : of a Dask cluster.
    brief : file of the `sole.studies.worker.Brief`.
    notes : by shared sole, the journal's notes that its rows need.
    workforce : the requested workers.
    """

    def __init__(
        self,
        job: Job,
        client: Client,
        brief: BriefFile,
        notes: dict[SharedKey, dict[str, Any]],
        workforce: Workforce,
    ) -> None:
        self.job, self.client, self.brief, self.notes = job, client, brief, notes
        self.workforce = workforce
        self._arrived: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._flying: dict[Future, Chunk] = {}  # oldest first
        self._losses = Losses()
        self._times = RowTimes()
        self._threads: dict[str, int] = {}
        self._greeted: set[str] = set()  # workers that received a chunk
        self._given_up: set[str] = set()  # workers that hang and cannot be stopped
        self._counted, self._whole = 0.0, time.monotonic()
        self._seen = 0.0 if workforce.scheduler else self._whole  # last time there were workers
        self._waiting = False

    def run(self, heap: Heap) -> None:
        """Compute all rows.

        Raises
        ------
        WorkersError
            The scheduler is lost, or the workers cannot run this sweep or run another one.
        """
        losses = self._losses
        while heap or losses or self._flying:
            if time.monotonic() - self._counted >= COUNT_SECONDS:
                self._look_at_workers(heap)
            if not (heap or losses.again or self._flying):
                losses.bring_back_one()
            self._hand_out(heap)
            self._take_in(self._arrivals())

    def _hand_out(self, heap: Heap) -> None:
        """Give chunks to workers; a row that runs again waits behind none.

        So the death of its worker is laid on it, and not on a chunk that had ended unheard.
        """
        again = self._losses.again
        busy = Counter(chunk.worker for chunk in self._flying.values())
        for worker, threads in self._threads.items():
            while (heap or again) and busy[worker] < (threads if again else AHEAD * threads):
                self._submit(worker, heap)
                busy[worker] += 1

    def _look_at_workers(self, heap: Heap) -> None:
        """Update the list of workers: they join, die and return under a new address."""
        now = self._counted = time.monotonic()
        try:
            threads = dict(self.client.nthreads())
        except (OSError, RuntimeError, TimeoutError, ValueError):
            self._lost()
        if self.client.status != "running":
            self._lost()
        threads = {w: n for w, n in threads.items() if w not in self._given_up}
        self._threads = threads
        for worker in self._greeted - threads.keys():
            heap.forget(worker)
        self._greeted &= threads.keys()
        cluster, number = self.client.cluster, sum(self._threads.values())
        if cluster is None or number >= len(cluster.worker_spec):
            self._whole = now
        elif now - self._whole > MISSED_SECONDS:
            self._whole = now
            cluster.scale(len(cluster.worker_spec))  # replaces those that are gone for good
        self.job.summary.workers = max(self.job.summary.workers, number)
        if self._threads:
            self.job.say_rows()  # so that a log file shows long rows, too
        self._say_whether_there_are_any(now)
        died = self._bury()
        hanging = self._hanging(now)
        for worker, hung in hanging.items():
            self._end(worker, hung)
        stopped = [*died, *(chunk for hung in hanging.values() for chunk in hung)]
        self._losses.did_not_load([chunk for chunk in stopped if not chunk.places])

    def _say_whether_there_are_any(self, now: float) -> None:
        if self._threads:
            self._seen = now
        waiting = now - self._seen > WAIT_SECONDS
        if waiting:
            self.job.say_rows(self.workforce.scheduler or "this machine")
        elif self._waiting:
            self.job.say_rows()
        self._waiting = waiting

    def _bury(self) -> list[Chunk]:
        """Take back the chunks of lost workers; return the chunks that were running."""
        gone = {f: c for f, c in self._flying.items() if c.worker not in self._threads}
        blamed: dict[str, Chunk] = {}
        for future, chunk in gone.items():
            if future.status == "finished":
                continue
            del self._flying[future]
            future.cancel()
            if chunk.worker in blamed:  # it waited behind the running one
                self._losses.again.append(chunk)
            else:
                blamed[chunk.worker] = chunk
                self._fail(self._losses.died(chunk))
        return list(blamed.values())

    def _fail(self, reasons: Mapping[int, str]) -> None:
        for row_key, case in self.job.cases(reasons):
            self.job.add(FinishedRow(case.index, row_key, {}, "failed", reasons[case.index]))

    def _hanging(self, now: float) -> dict[str, list[Chunk]]:
        """Return by worker the chunks that run for too long.

        A worker runs its oldest chunks, one per thread. Chunks without rows may take as long as
        imports from a slow disk.
        """
        at_work: Counter[str] = Counter()
        hanging: dict[str, list[Chunk]] = {}
        for future, chunk in self._flying.items():
            if future.done() or at_work[chunk.worker] >= self._threads.get(chunk.worker, 0):
                continue
            at_work[chunk.worker] += 1
            chunk.begun = min(chunk.begun, now)
            if now - chunk.begun > (self.workforce.timeout if chunk.places else LOAD_SECONDS):
                hanging.setdefault(chunk.worker, []).append(chunk)
        return hanging

    def _end(self, worker: str, hung: Sequence[Chunk]) -> None:
        """Stop a hung worker; a row that hung alone fails, other rows are tried again."""
        mine = {f: c for f, c in self._flying.items() if c.worker == worker and not f.done()}
        for future, chunk in mine.items():
            del self._flying[future]
            future.cancel()
            if chunk in hung:
                self._fail(self._losses.hung(chunk, self.workforce.timeout))
            else:
                self._losses.again.append(chunk)
        self.job.journal.flush()
        del self._threads[worker]
        self._restart(worker)

    def _restart(self, worker: str) -> None:
        for nanny in getattr(self.client.cluster, "workers", {}).values():  # of our own cluster
            if nanny.worker_address == worker:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(nanny.pid, signal.SIGKILL)
                return
        try:
            how = self.client.restart_workers([worker], RESTART_SECONDS, raise_for_error=False)
        except (OSError, RuntimeError, TimeoutError, ValueError):  # a worker without a nanny
            how = {}
        if how.get(worker) != "OK":
            self._given_up.add(worker)

    def _submit(self, worker: str, heap: Heap) -> None:
        """Give a worker its next chunk; the first has no rows, only imports and the sole."""
        new = worker not in self._greeted
        self._greeted.add(worker)
        if again := self._losses.again:
            key, places = again[-1].key, () if new else again.pop().places
        else:
            key, places = heap.take(worker, 0 if new else self._times.rows)
        future = self.client.submit(
            work_chunk,
            self.brief,
            key,
            self.notes[key],
            places,
            workers=[worker],
            pure=False,
        )
        self._flying[future] = Chunk(key, places, worker)
        future.add_done_callback(self._arrived.put)

    def _arrivals(self) -> dict[Future, Chunk]:
        """Return the chunks that came back; empty if none does for a while."""
        arrived: list[Future] = []
        with contextlib.suppress(queue.Empty):
            arrived.append(self._arrived.get(timeout=LOOK_SECONDS))
            while True:
                arrived.append(self._arrived.get_nowait())
        # A chunk that was taken back may still arrive.
        return {f: self._flying.pop(f) for f in arrived if f in self._flying}

    def _take_in(self, arrived: dict[Future, Chunk]) -> None:
        """Write the rows of arrived chunks."""
        together = self._gathered([f for f in arrived if f.status == "finished"])
        for future, chunk in arrived.items():
            done = together.get(future) or self._result(future, chunk)
            if done is None:
                continue
            self._losses.came_back(chunk)
            if not done.rows:
                continue
            self.job.require_own(done.rows[0])  # one stands for all rows of a chunk
            self._times.add(done.seconds, len(done.rows))
            for kind, seconds in done.by_kind.items():
                self.job.summary.row_seconds[kind] += seconds
            for row in done.rows:
                self.job.add(row, slow=False)
        if not arrived or self._times.rows == 1:
            self.job.journal.flush()

    def _gathered(self, futures: Sequence[Future]) -> dict[Future, FinishedChunk]:
        """Fetch all results at once; return nothing if one of them does not answer."""
        fetch = partial(self.client.gather, list(futures), asynchronous=True)
        if len(futures) > 1:
            with contextlib.suppress(Exception):  # fetched one by one, they raise their errors
                found = self.client.sync(fetch, callback_timeout=GATHER_SECONDS)
                return dict(zip(futures, found, strict=True))
        return {}

    def _result(self, future: Future, chunk: Chunk) -> FinishedChunk | None:
        """Fetch one chunk; return None if its rows must run again."""
        from distributed import KilledWorker

        try:
            done: FinishedChunk = future.result(timeout=GATHER_SECONDS)
        except CancelledError:
            self._lost()
        except KilledWorker:  # the worker returned under its old address
            self._fail(self._losses.died(chunk))
            self._losses.did_not_load([] if chunk.places else [chunk])
            return None
        except (TimeoutError, OSError):  # it died before it handed over its rows
            future.cancel()
            self._losses.again.append(chunk)
            return None
        except SoleError:
            raise
        except Exception as error:
            raise WorkersError(
                f"the workers cannot run this sweep: {one_line(error)}; install the same packages "
                "there as here"
            ) from error
        return done

    def _lost(self) -> NoReturn:
        raise WorkersError(
            f"the Dask scheduler is lost; {len(self.job.done)} of {self.job.summary.rows} rows are "
            f"kept in {self.job.journal.path}, run the same command again to continue"
        )
