"""Doors to inner kernels: what only kernels call, called by a test as machine code.

    solve = door(solve_prepared)

An `inner_kernel` is plain Python for whoever calls it from Python: slow, and no test of what numba
makes of it. A door is a kernel of its own for the same function and options.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from sole.base.compiled import kernel

F = TypeVar("F", bound=Callable[..., Any])


@cache
def door(inner: F) -> F:
    """Return an inner kernel as one that Python may call."""
    return kernel(inner)
