"""What becomes of chunks whose worker died or hung: another try, a place at the end, an end.

Whoever kills workers from outside must not make failed rows. So a row that `DEATHS` workers died
of is set aside, in memory alone, until all other rows are done. Then those set aside are tried
again one after the other with nothing else at work, and a row has failed only when `LAST_DEATHS`
more workers died of it. Workers that die while they load, before any row, are nobody's fault:
`LOADS` of them in a row, with none that loaded in between, end the sweep.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sole.studies.journal import WORKER_DIED
from sole.studies.plan import SharedKey
from sole.studies.workforce import WorkersError

DEATHS = 3  # workers that die of a case before it is set aside
LAST_DEATHS = 2  # more, when it is alone, before it is a failed row
LOADS = 5  # looks in a row at workers that died while they loaded


@dataclass(eq=False)
class Chunk:
    """Rows that share a sole, the worker that has them, and since when it is at them."""

    key: SharedKey
    places: tuple[int, ...]
    worker: str = ""
    begun: float = float("inf")

    def one_by_one(self) -> list[Chunk]:
        """Return a chunk for every row."""
        return [Chunk(self.key, (place,)) for place in self.places]


class Losses:
    """Chunks that came to grief."""

    def __init__(self) -> None:
        self.again: list[Chunk] = []  # to be handed out before all others
        self.aside: list[Chunk] = []  # of one row each
        self._deaths: Counter[int] = Counter()
        self._loads: Counter[SharedKey | None] = Counter()  # None: of whatever sole

    def __bool__(self) -> bool:
        return bool(self.again or self.aside)

    def came_back(self, chunk: Chunk) -> None:
        """Take note that a worker has loaded the sole of a chunk."""
        self._loads[chunk.key] = self._loads[None] = 0

    def died(self, chunk: Chunk) -> dict[int, str]:
        """Take note that a worker died of a chunk; return failed rows, reasons by place."""
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
                    f"{WORKER_DIED} of this case {deaths} times, at last with nothing else at "
                    "work (killed, out of memory?)"
                )
        return failed

    def hung(self, chunk: Chunk, timeout: float) -> dict[int, str]:
        """Take note that a chunk took too long; return failed rows, reasons by place."""
        if len(chunk.places) > 1:
            self.again += chunk.one_by_one()
            return {}
        return dict.fromkeys(chunk.places, f"worker: took over {timeout:g} s")

    def did_not_load(self, chunks: list[Chunk]) -> None:
        """Take note of workers that, since the last look, died or hung while they loaded.

        Raises
        ------
        WorkersError
            It happens again and again, and nobody can load in between.
        """
        keys = {chunk.key for chunk in chunks}
        self._loads.update([*keys, None] if keys else [])
        for key in (*keys, None):
            if self._loads[key] >= LOADS:
                what = f"a sole (Poisson's ratio {key.nus})" if key else "the study or its soles"
                raise WorkersError(
                    f"workers die or hang while they load {what}, {LOADS} times one after the "
                    "other (too little memory, a kind of rows that does not import?); finished "
                    "rows are kept"
                )

    def bring_back_one(self) -> None:
        """Let one of the rows set aside be tried again."""
        if self.aside:
            self.again.append(self.aside.pop(0))
