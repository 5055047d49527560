"""Which rows go to which worker next: chunks of one shared sole, sized by measured times.

A chunk is one row, or as many short ones as fill `CHUNK_SECONDS`, so that what is on its way
costs little more than a call and a finished row reaches the disk soon. A worker stays with its
sole while rows of it are left, then begins the next untouched one, then helps where most are left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sole.studies.places import place_array
from sole.studies.plan import SharedKey

CHUNK_SECONDS = 0.1
MOST_ROWS = 1000
MEMORY = 0.5  # weight of the newest chunk in the mean time of a row


class RowTimes:
    """Mean time of a row [s], newer ones weighing more; inf before the first."""

    def __init__(self) -> None:
        self.mean = float("inf")

    def add(self, seconds: float, rows: int) -> None:
        """Take note of a finished chunk."""
        new = seconds / rows
        self.mean = new if self.mean == float("inf") else self.mean + MEMORY * (new - self.mean)

    @property
    def rows(self) -> int:
        """Rows of the next chunk: 1 to `MOST_ROWS`."""
        return max(1, min(MOST_ROWS, int(CHUNK_SECONDS / max(self.mean, 1e-9))))


class Heap:
    """Rows that wait, by the sole they share.

    Parameters
    ----------
    groups : places in the table by shared sole; none may be empty.
    """

    def __init__(self, groups: Mapping[SharedKey, Sequence[int]]) -> None:
        self._waiting = {key: place_array(reversed(p)) for key, p in groups.items()}
        self._untouched = list(reversed(self._waiting))
        self._of: dict[str, SharedKey] = {}  # the sole that a worker is at

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
        """Take note that a worker is gone, and helps nowhere."""
        self._of.pop(worker, None)

    def _most_left(self) -> SharedKey:
        helpers = Counter(self._of.values())
        return max(self._waiting, key=lambda k: len(self._waiting[k]) / (1 + helpers[k]))
