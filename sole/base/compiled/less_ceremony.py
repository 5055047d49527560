"""What numba prepares in case that something goes wrong is made when it does.

For every statement and every type that it looks for, numba opens a context that would add to an
error where it happened, and another that collects warnings; for every call into LLVM it tells
whoever listens to its clock; and for every function that writes instructions it reads the signature
anew. Errors say the same here. Warnings are not collected: they appear where they arise.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numba.core.base
import numba.core.errors
from llvmlite.binding import ffi  # type: ignore[import-untyped]

base: Any = numba.core.base  # numba is half annotated
errors: Any = numba.core.errors
CLOCKS = ("numba.core.base", "_initialize_llvm_lock_event")


def prepare_nothing() -> None:
    """Let numba's errors and warnings cost nothing while there are none."""
    named = errors.new_error_context
    for module in list(sys.modules.values()):
        if getattr(module, "__dict__", {}).get("new_error_context") is named:
            module.__dict__["new_error_context"] = _Where
    errors.WarningsFixer.catch_warnings = _Here
    lock = ffi.lib._lock
    lock._cblist[:] = [pair for pair in lock._cblist if not _is_clock(pair[0])]
    base._has_loc = _asks_for_place


class _Where:
    """Adds to an error that passes where it happened."""

    def __init__(self, words: str, *args: Any, **named: Any) -> None:
        self.told = words, args, named

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, errors.NumbaError):
            words, args, named = self.told
            error.add_context(words.format(*args, **named) if args or named else words)


class _Here:
    """Lets warnings pass."""

    def __init__(self, filename: Any = None, lineno: Any = None) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        pass


def _is_clock(function: Any) -> bool:
    """Whether a function only tells that a call into LLVM begins, for those who measure."""
    made_in = str(getattr(function, "__qualname__", ""))
    return function.__module__ == CLOCKS[0] and made_in.startswith(CLOCKS[1])


def _asks_for_place(function: Any) -> bool:
    """Whether a function that writes instructions has a parameter `loc`."""
    try:
        return bool(_asked(function))
    except TypeError:  # no hash
        return bool(_asked_again(function))


_asked_again: Any = base._has_loc
_asked: Any = cache(_asked_again)
