"""What numba does in vain while it compiles, left out: the machine code is the same.

A fifth of its processor time went into garbage that is none, since what is being compiled lives,
and into comparing the options of functions, some twenty properties each, with themselves.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numba.core.targetconfig

TargetConfig: Any = numba.core.targetconfig.TargetConfig  # numba is half annotated
COLLECTED = (100_000, 50, 1000)  # objects and rounds between two searches for garbage


@contextmanager
def garbage_left() -> Iterator[None]:
    """Let Python search for garbage rarely meanwhile."""
    before = gc.get_threshold()
    gc.set_threshold(*COLLECTED)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def compare_options_quickly() -> None:
    """Let numba compare what is set in two lists of options before what both stand for."""
    if TargetConfig.__eq__ is not _equal:
        TargetConfig.__eq__, TargetConfig.__hash__ = _equal, _hash


def _equal(one: Any, other: Any) -> Any:
    if one is other or (type(one) is type(other) and one._values == other._values):
        return True
    return _compared(one, other)  # an option may be set to what it is anyway


def _hash(one: Any) -> int:
    kind: Any = type(one)
    return _hash_of_names(kind)


@cache
def _hash_of_names(kind: Any) -> int:
    """Return numba's hash of a list of options: that of their names."""
    return hash(tuple(sorted(kind.options)))


_compared = TargetConfig.__eq__
