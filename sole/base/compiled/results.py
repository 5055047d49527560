"""A call is a call, a comparison and a way out.

    numba                                   here
    zeros for the result, twice             a place for the result
    a place for what it raised              the place that the caller was given
    answer == 0 or answer == -2, not        answer != 0
    is this a `try` block? the way out      the way out

A function that answers fills all of its result, and after one that raises nobody reads it. It says
-2 only where None is one of the things that it may return. Functions with `try`, and numba's own
calls from Python, are left as they are.
"""

from __future__ import annotations

from typing import Any

import numba.core.callconv
import numba.core.cgutils
import numba.core.ir
import numba.core.types
import numba.core.unsafe.eh
from llvmlite import ir  # type: ignore[import-untyped]

from sole.base.compiled.by_place import arguments
from sole.base.compiled.lasting_values import empty_place
from sole.base.compiled.places import keep, untyped

types: Any = numba.core.types  # half annotated
callconv: Any = numba.core.callconv
cgutils: Any = numba.core.cgutils
trying: Any = numba.core.unsafe.eh
ir_of: Any = numba.core.ir
TRIES = (trying.mark_try_block, trying.exception_check)
CallConv: Any = callconv.CPUCallConv
Status: Any = callconv.Status


def call_shortly() -> None:
    """Let numba write calls of compiled functions in few instructions."""
    CallConv.call_function, CallConv.return_status_propagate = _call, _pass_on


def has_try(blocks: Any) -> bool:
    """Whether a function catches exceptions."""
    values = (one.value for block in blocks.values() for one in block.find_insts(ir_of.Assign))
    named = (value.value for value in values if isinstance(value, ir_of.Global | ir_of.FreeVar))
    return any(value is one for value in named for one in TRIES)


class _Shared(Status):  # type: ignore[misc]
    """How a call ended that was given the caller's place for what it raises."""


def _call(
    convention: Any, builder: Any, callee: Any, kind: Any, kinds: Any, args: Any, attrs: Any = None
) -> Any:
    """Write the call of a compiled function; return its `Status` and its result."""
    if attrs is not None or not getattr(builder, "has_no_try", False):
        return _call_again(convention, builder, callee, kind, kinds, args, attrs)
    raised = convention._get_excinfo_argument(builder.function)
    kept = convention.get_return_type(kind).pointee
    if isinstance(kind, types.Optional):  # of None nothing is written
        place = cgutils.alloca_once(builder, kept, zfill=True)
    else:
        place = empty_place(builder, kept)
    given = arguments(convention, builder, callee, kinds, args)
    code = builder.call(callee, [place, raised, *given])
    answer = builder.load(place)
    if isinstance(kept, ir.Aggregate):
        keep(answer, untyped(place))
    found = convention.context.get_returned_value(builder, kind, answer)
    return _status(builder, code, raised, kind), found


def _status(builder: Any, code: Any, raised: Any, kind: Any) -> Any:
    """Return what the answer of a function means; what nobody asks for is taken out later."""

    def says(how: str, other: Any) -> Any:
        return builder.icmp_signed(how, code, other)

    none, failed = says("==", callconv.RETCODE_NONE), says("!=", callconv.RETCODE_OK)
    if isinstance(kind, types.Optional):
        failed = builder.and_(failed, builder.not_(none))
    return _Shared(
        code=code,
        is_ok=builder.not_(failed),
        is_none=none,
        is_error=failed,
        is_stop_iteration=says("==", callconv.RETCODE_STOPIT),
        is_python_exc=says("==", callconv.RETCODE_EXC),
        is_user_exc=says(">=", callconv.RETCODE_USEREXC),
        excinfoptr=builder.load(raised),
    )


def _pass_on(convention: Any, builder: Any, status: Any) -> None:
    """Leave a function as what it called did."""
    if type(status) is _Shared:
        builder.ret(status.code)
    else:
        _pass_on_again(convention, builder, status)


_call_again: Any = CallConv.call_function
_pass_on_again: Any = CallConv.return_status_propagate
