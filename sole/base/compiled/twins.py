"""A kernel that differs from one lowered before in read-only arrays alone is not lowered again.

    move_links(array, readonly array)      lowered
    move_links(readonly array, array)      types are inferred, so that nobody writes to what is
                                           read-only; then it is the same function

Whether an array may be written to changes types, not instructions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

import numba.core.compiler
import numba.core.typed_passes
import numba.core.types

from sole.base.compiled.by_place import take_places

types: Any = numba.core.types  # half annotated
Lowering: Any = vars(numba.core.typed_passes)["NativeLowering"]
Lowered: Any = vars(numba.core.compiler)["_LowerResult"]


def lower_kernels() -> None:
    """Let numba lower kernels as such, and take what is lowered already where there is a twin."""
    if Lowering.run_pass is not _lower:
        Lowering.run_pass = _lower


def without_rights(kind: Any) -> Any:
    """Return what instructions depend on: a type without who may write."""
    if isinstance(kind, types.Array) and type(kind) is types.Array:
        return "array", kind.dtype, kind.ndim, kind.layout, kind.aligned
    if isinstance(kind, types.BaseTuple):
        return type(kind), getattr(kind, "instance_class", None), *map(without_rights, kind.types)
    return kind


def twin(known: Any, args: tuple[Any, ...]) -> Any:
    """Return what was lowered for arguments that differ in rights alone; None: nothing."""
    wanted = [without_rights(one) for one in args]
    for others, result in known.items():
        if len(others) == len(args) and [without_rights(one) for one in others] == wanted:
            return result
    return None


@contextmanager
def as_kernel(plain: Any, result: Any) -> Iterator[None]:
    """Let numba lower a function as a kernel; take `result` if it turns out to be a twin."""
    _offers.append((plain, result))
    try:
        yield
    finally:
        _offers.pop()


def _lower(lowering: Any, state: Any) -> Any:
    plain, result = _offers[-1] if _offers else (None, None)
    if state.func_id.func is not plain:
        return _lower_again(lowering, state)
    take_places(state.targetctx)
    if result is None or not _fits(result.fndesc, state):
        return _lower_again(lowering, state)
    described = copy(result.fndesc)
    described.argtypes, described.restype = state.args, state.return_type
    state.library = result.library
    state["cr"] = Lowered(described, None, cfunc=None, env=result.environment)
    return True


def _fits(described: Any, state: Any) -> bool:
    return bool(without_rights(described.restype) == without_rights(state.return_type))


_offers: list[tuple[Any, Any]] = []
_lower_again = Lowering.run_pass
