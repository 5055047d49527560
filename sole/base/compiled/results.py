"""A place for the result of a call is not filled with zeros before the call fills it.

numba fills it twice, once where the function begins and once before the call. A function that
answers fills all of it, and after one that raises nobody reads it.
"""

from __future__ import annotations

from typing import Any

import numba.core.callconv
import numba.core.types
from llvmlite import ir  # type: ignore[import-untyped]

types: Any = numba.core.types  # half annotated
CallConv: Any = vars(numba.core.callconv)["CPUCallConv"]


def leave_results_empty() -> None:
    """Let numba call functions that return arrays or tuples without zeros in their results."""
    CallConv.call_function, ir.IRBuilder.store = _call, _store


def _call(
    convention: Any, builder: Any, callee: Any, kind: Any, kinds: Any, args: Any, attrs: Any = None
) -> Any:
    given = convention, builder, callee, kind, kinds, args, attrs
    if not isinstance(kind, types.BaseTuple | types.Array):  # zeros may mean None
        return _call_again(*given)
    _calling.append(builder)
    try:
        return _call_again(*given)
    finally:
        _calling.pop()


def _store(builder: Any, value: Any, place: Any, *args: Any, **options: Any) -> Any:
    """Store a value, but not zeros while a call is written."""
    if _calling and _calling[-1] is builder and type(value) is ir.Constant:
        if value.constant is None and isinstance(value.type, ir.LiteralStructType | ir.ArrayType):
            return None
    return _store_again(builder, value, place, *args, **options)


_calling: list[Any] = []
_call_again: Any = CallConv.call_function
_store_again: Any = ir.IRBuilder.store
