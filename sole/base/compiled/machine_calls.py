"""Calls of machine code without a look at the types of the arguments.

A call of a kernel finds out the types of its arguments first, and that takes longer than a small
problem: 0.4 us for six arrays. Where a caller knows the types, it can leave that out:

    @cache
    def machine_code(): return machine_call(solve, np.zeros((1, 3)), 1.0)

    machine_code()(r, rho)

numba checks how many arguments there are and how large an item of an array is, nothing else: dtype,
dimensions and contiguous memory are the caller's to make sure of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def machine_call(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return what calls a kernel with arguments of the types of these, and of no others.

    The machine code is compiled or loaded, as by a call. Whether an array is read-only does not
    matter: a kernel for read-only arrays writes none.
    """
    compiled: Any = function
    if not hasattr(compiled, "compile"):  # NUMBA_DISABLE_JIT
        return function
    entry: Callable[..., Any] = compiled.compile(
        tuple(compiled.typeof_pyval(one) for one in arguments)
    )
    return entry
