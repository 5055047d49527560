"""BLAS in one thread: sums of the same order everywhere, and no thread that spins for a small one.

A product of a few hundred numbers is started on all cores and done before they have woken up.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache
from typing import Any

__all__ = ["one_blas_thread"]


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    import scipy.linalg.blas  # noqa: F401  (loads the library to limit)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
