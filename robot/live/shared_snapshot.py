"""Numbers that one process writes and others read, never a mixture of two writings.

A seqlock: the writer makes the counter odd, writes, and makes it even; a reader that saw another
counter before than after, or an odd one, reads again. Python orders no memory accesses, so on
processors that swap them this would not do: the writing has a checksum as well.

    shared = SharedSnapshot.create(100)
    shared.write(numbers)                            in one process,
    SharedSnapshot.attach(shared.name, 100).read()   in others
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from multiprocessing.shared_memory import SharedMemory
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray

HEAD = 16  # bytes: counter and checksum
TRIALS = 1000  # readings in a row that another writing spoiled, before a reader gives up


class SharedSnapshot:
    """`size` numbers in shared memory; one writer, any number of readers."""

    def __init__(self, memory: SharedMemory, size: int, *, own: bool) -> None:
        self.memory, self.size, self.own = memory, size, own
        self._head: Any = np.ndarray(2, np.uint64, memory.buf)
        self._body: FloatArray = np.ndarray(size, np.float64, memory.buf, HEAD)

    @classmethod
    def create(cls, size: int, name: str | None = None) -> SharedSnapshot:
        """Return new memory, all zero; whoever created it removes it by `close`."""
        made = cls(SharedMemory(name, create=True, size=HEAD + 8 * size), size, own=True)
        made._body[:] = 0.0
        made._head[:] = 0, _sum(made._body)
        return made

    @classmethod
    def attach(cls, name: str, size: int) -> SharedSnapshot:
        """Return the memory of another process, by its name."""
        memory = SharedMemory(name=name)
        return cls(memory, size, own=False)

    @staticmethod
    def remove(name: str) -> None:
        """Remove the memory of a process that was killed, if it is there."""
        with suppress(OSError):
            memory = SharedMemory(name=name)
            memory.close()
            memory.unlink()

    @property
    def name(self) -> str:
        """Name by which other processes attach it."""
        return self.memory.name

    @property
    def count(self) -> int:
        """Number of writings that are complete."""
        return int(self._head[0]) // 2

    def write(self, numbers: FloatArray) -> None:
        """Replace all numbers (size,)."""
        self._head[0] += np.uint64(1)
        self._body[:] = numbers
        self._head[1] = _sum(self._body)
        self._head[0] += np.uint64(1)

    def read(self) -> tuple[int, FloatArray] | None:
        """Return the number of the last complete writing and its numbers (size,).

        None: the writer stopped in the middle, or writes without a pause.
        """
        for _ in range(TRIALS):
            before, told = int(self._head[0]), int(self._head[1])
            numbers = self._body.copy()
            if before % 2 == 0 and int(self._head[0]) == before and told == _sum(numbers):
                return before // 2, numbers
        return None

    def peek(self, i: int) -> float:
        """Return one number of the present writing, complete or not."""
        return float(self._body[i])

    def close(self) -> None:
        """Let go of the memory; the process that created it removes it."""
        del self._head, self._body
        self.memory.close()
        if self.own:
            self.memory.unlink()


def _sum(numbers: FloatArray) -> int:
    return zlib.crc32(np.ascontiguousarray(numbers).data)
