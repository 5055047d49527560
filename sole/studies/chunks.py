"""Scheduling of rows: chunks for workers, and retries after a worker died or hung.

A chunk is one row, or as many short ones as fill `CHUNK_SECONDS`: the overhead is small and a
finished row reaches the disk soon. A worker keeps its sole while rows of it are left, then takes
the next unstarted sole, then helps with the one that has most rows left.

Workers killed from outside must not make rows fail. So a row at which `DEATHS` workers died is
set aside, in memory only, until all other rows are done. Then these rows run again one by one
with nothing else running; a row fails only after `LAST_DEATHS` more deaths. Workers that die
while loading, before any row, blame no row: `LOADS` of them in succession end the sweep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sole.studies.journal import WORKER_DIED
from sole.studies.places import place_array
from sole.studies.study_plan import SharedKey
from sole.studies.workforce import WorkersError

CHUNK_SECONDS = 0.1
MOST_ROWS = 1000
MEMORY = 0.5  # weight of the newest chunk in the mean time of a row
DEATHS = 3  # deaths of workers at a case before it is set aside
LAST_DEATHS = 2  # further deaths, running alone, before the row fails
LOADS = 5  # successive checks that find workers dead while loading


class RowTimes:
    """Mean time of a row [s], weighted towards newer rows; inf before the first."""

    def __init__(self) -> None:
        self.mean = float("inf")

    def add(self, seconds: float, rows: int) -> None:
        """Record a finished chunk."""
        new = seconds / rows
        self.mean = new if self.mean == float("inf") else self.mean + MEMORY * (new - self.mean)

    @property
    def rows(self) -> int:
        """Rows of the next chunk: 1 to `MOST_ROWS`."""
        return max(1, min(MOST_ROWS, int(CHUNK_SECONDS / max(self.mean, 1e-9))))


class Heap:
    """Waiting rows, grouped by shared sole.

    Parameters
    ----------
    groups : places in the table by shared sole; no group may be empty.
    """

    def __init__(self, groups: Mapping[SharedKey, Sequence[int]]) -> None:
        self._waiting = {key: place_array(reversed(p)) for key, p in groups.items()}
        self._untouched = list(reversed(self._waiting))
        self._of: dict[str, SharedKey] = {}  # the current sole of a worker

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def take(self, worker: str, number: int) -> tuple[SharedKey, tuple[int, ...]]:
        """Return a chunk of at most `number` rows for `worker`; the heap must not be empty."""
        key = self._of.get(worker)
        if key not in self._waiting:
            key = self._untouched.pop() if self._untouched else self._most_left()
            self._of[worker] = key
        waiting = self._waiting[key]
        chunk = tuple(waiting.pop() for _ in range(min(number, len(waiting))))
        if not waiting:
            del self._waiting[key]
        return key, chunk

    def forget(self, worker: str) -> None:
        """Record that a worker is gone."""
        self._of.pop(worker, None)

    def _most_left(self) -> SharedKey:
        helpers = Counter(self._of.values())
        return max(self._waiting, key=lambda k: len(self._waiting[k]) / (1 + helpers[k]))


@dataclass(eq=False)
class Chunk:
    """Rows that share a sole, their worker, and when it started them."""

    key: SharedKey
    places: tuple[int, ...]
    worker: str = ""
    begun: float = float("inf")

    def one_by_one(self) -> list[Chunk]:
        """Return a chunk for every row."""
        return [Chunk(self.key, (place,)) for place in self.places]


class Losses:
    """Chunks lost with their workers."""

    def __init__(self) -> None:
        self.again: list[Chunk] = []  # to hand out before all others
        self.aside: list[Chunk] = []  # one row each
        self._deaths: Counter[int] = Counter()
        self._loads: Counter[SharedKey | None] = Counter()  # None: any sole

    def __bool__(self) -> bool:
        return bool(self.again or self.aside)

    def came_back(self, chunk: Chunk) -> None:
        """Record that a worker has loaded the sole of a chunk."""
        self._loads[chunk.key] = self._loads[None] = 0

    def died(self, chunk: Chunk) -> dict[int, str]:
        """Record that a worker died at a chunk; return the reasons of failed rows by place."""
        failed = {}
        self._deaths.update(chunk.places)
        for one in chunk.one_by_one():
            (place,) = one.places
            deaths = self._deaths[place]
            if deaths < DEATHS:
                self.again.append(one)
            elif deaths < DEATHS + LAST_DEATHS:
                self.aside.append(one)
            else:
                failed[place] = (
                    f"{WORKER_DIED} at this case {deaths} times, at last with nothing else "
                    "running (killed, out of memory?)"
                )
        return failed

    def hung(self, chunk: Chunk, timeout: float) -> dict[int, str]:
        """Record that a chunk took too long; return the reasons of failed rows by place."""
        if len(chunk.places) > 1:
            self.again += chunk.one_by_one()
            return {}
        return dict.fromkeys(chunk.places, f"worker: took over {timeout:g} s")

    def did_not_load(self, chunks: list[Chunk]) -> None:
        """Record the workers that died or hung while loading since the last check.

        Raises
        ------
        WorkersError
            It happened `LOADS` times and no worker loaded in between.
        """
        keys = {chunk.key for chunk in chunks}
        self._loads.update([*keys, None] if keys else [])
        for key in (*keys, None):
            if self._loads[key] >= LOADS:
                what = f"a sole (Poisson's ratio {key.nus})" if key else "the study or its soles"
                raise WorkersError(
                    f"workers died or hung while loading {what}, {LOADS} times in succession "
                    "(too little memory, a kind of rows that does not import?); finished rows "
                    "are kept"
                )

    def bring_back_one(self) -> None:
        """Release one of the rows set aside for another try."""
        if self.aside:
            self.again.append(self.aside.pop(0))
