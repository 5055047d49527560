"""Doors to inner kernels: what only kernels call, called by a test.

    solve = door(solve_prepared)

An `inner_kernel` is plain Python for whoever calls it from Python, and so it is here: compiling
the doors alone takes minutes, and machine code of the same functions runs in presses, steps and
walks. With `TEST_DOORS=compiled`, as in `make test-nightly`, a door is a kernel of its own for the
same function and options; `compiled_door` is one always.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from sole.base.compiled import kernel

F = TypeVar("F", bound=Callable[..., Any])


def door(inner: F) -> F:
    """Return an inner kernel for calls from Python; as machine code if that is asked for."""
    return compiled_door(inner) if os.environ.get("TEST_DOORS") == "compiled" else inner


@cache
def compiled_door(inner: F) -> F:
    """Return an inner kernel as one that Python may call."""
    return kernel(inner)
