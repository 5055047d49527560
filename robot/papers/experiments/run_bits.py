"""Runs that are the same in every bit count once: a digest of what was recorded, and the first."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from robot.run import Run

__all__ = ["bits_of", "first_of_each"]

T = TypeVar("T")


def bits_of(run: Run) -> str:
    """Return a digest of all series of a run but its times: 16 hexadecimal digits.

    Two walks that move alike in every bit are one, whatever their scenarios say.
    """
    digest = hashlib.sha256()
    for name in sorted(run.series):
        if name != "time":
            digest.update(name.encode())
            digest.update(run[name].tobytes())
    return digest.hexdigest()[:16]


def first_of_each(items: Iterable[T], bits: Callable[[T], Hashable]) -> list[T]:
    """Return the items of which no other before has the same bits."""
    first: dict[Hashable, T] = {}
    for item in items:
        first.setdefault(bits(item), item)
    return list(first.values())
