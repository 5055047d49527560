"""What is left to compile, and who may begin what: no two processes lower the same functions.

    step_fused      calls 60 functions                  first process
    begin_step      calls 30 of them                    waits: it is nearly done when step_fused is
    record_block    calls 3 of them and 25 others       second process

A compilation may begin if at most half of the code that it needs, and that nobody has lowered yet,
is just being lowered by others.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from sole.base.compiled.listed import Listed

SHARED = 0.5  # largest share of a compilation that others may be at


class Queue:
    """Compilations in the order in which they should begin, taken by several threads."""

    def __init__(self, wanted: Iterable[Listed]) -> None:
        self.waiting = list(wanted)
        self._needs = {id(one): one.calls() for one in self.waiting}
        self._lowered: set[Any] = set()
        self._begun: list[Listed] = []
        self._changed = threading.Condition()

    def take(self) -> Listed | None:
        """Return the first that may begin, once there is one; None: nothing is left."""
        with self._changed:
            while self.waiting:
                for one in self.waiting:
                    if self._may_begin(one):
                        self.waiting.remove(one)
                        self._begun.append(one)
                        return one
                self._changed.wait()
        return None

    def finish(self, one: Listed) -> None:
        """Note that one is compiled, or will never be."""
        with self._changed:
            self._begun.remove(one)
            self._lowered.update(self._needs[id(one)])
            self._changed.notify_all()

    def _may_begin(self, one: Listed) -> bool:
        if not self._begun:
            return True
        begun: set[Any] = set().union(*(self._needs[id(other)] for other in self._begun))
        left = {f: n for f, n in self._needs[id(one)].items() if f not in self._lowered}
        others = sum(size for function, size in left.items() if function in begun)
        return others <= SHARED * sum(left.values())
