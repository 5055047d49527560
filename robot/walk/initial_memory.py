"""The initial memory of what has one, so that a walk runs twice with the same bits.

Controllers, sensors, estimators, plans that follow and drives change as they run. Each is copied
before its first run, and gets this copy back before every other.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from copy import deepcopy
from typing import Any

from sole.base.errors import SoleError


class InitialMemory:
    """What parts remembered at first; the parts themselves stay the same objects."""

    def __init__(self) -> None:
        self._kept: list[tuple[Any, dict[str, Any] | None]] = []  # None: cannot be copied

    def restore(self, parts: Iterable[Any], fixed: Iterable[Any]) -> None:
        """Give all known parts their first memory back, and keep that of new ones among `parts`.

        Objects in `fixed`, and the parts, are not copied where a memory refers to them. Parts that
        are None are left out.

        Raises
        ------
        SoleError
            A part that has run cannot be copied.
        """
        now = tuple(parts)
        shared = {id(x): x for x in (*fixed, *now, *(known for known, _ in self._kept))}
        for part, memory in self._kept:
            if memory is None:
                raise SoleError(
                    f"{type(part).__name__} cannot be copied, so this walk cannot run twice: call "
                    "assemble_walk again"
                )
            kept = deepcopy(memory, dict(shared))
            vars(part).clear()  # also drops attributes made by its first run
            vars(part).update(kept)
        for part in now:
            if part is None or any(part is known for known, _ in self._kept):
                continue
            memory = None
            with suppress(Exception):  # a user's controller may hold files or threads
                memory = deepcopy(vars(part), dict(shared))
            self._kept.append((part, memory))

    def forget(self) -> None:
        """Take what the parts remember now as their first memory."""
        self._kept.clear()
