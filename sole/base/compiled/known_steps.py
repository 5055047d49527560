"""Loops and slices whose step is one are lowered as such; arithmetic of constants is done.

    range(n), a[i:j]     step s = 1: n or j - i elements, if that is positive

numba lowers the general case: the step may be zero or negative, the elements are a quotient
rounded up. LLVM found out that the step is a constant, and removed the rest. It gives the same
numbers here, from a tenth of the instructions.
"""

from __future__ import annotations

from typing import Any

import numba.core.cgutils
import numba.core.imputils
import numba.core.types
import numba.cpython.rangeobj
import numba.cpython.slicing
from llvmlite import ir  # type: ignore[import-untyped]

cgutils: Any = numba.core.cgutils  # numba is half annotated
slicing: Any = numba.cpython.slicing
types: Any = numba.core.types
builtin_registry: Any = vars(numba.core.imputils)["builtin_registry"]
RANGES = numba.cpython.rangeobj.__name__
OPERATORS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def know_steps() -> None:
    """Let numba write less where a step, an index or a factor is a constant."""
    ir.IRBuilder.icmp_signed, ir.IRBuilder.select = _compare, _select
    ir.IRBuilder.mul, ir.IRBuilder.add = _multiply, _add
    slicing.fix_index, slicing.fix_slice = _fix_index, _fix_slice
    slicing.get_slice_length = _slice_length
    for iterator in _range_iterators():
        iterator.from_range_state = classmethod(_range_begun(iterator.from_range_state))
    for cell in _cells_of_next():
        cell.cell_contents = _range_next


def known(value: Any) -> int | None:
    """Return an integer constant, as a signed number; None for anything else."""
    if type(value) is not ir.Constant or not isinstance(value.type, ir.IntType):
        return None
    if not isinstance(value.constant, int):
        return None
    half = 1 << (int(value.type.width) - 1)
    return (int(value.constant) + half) % (2 * half) - half


def is_positive(value: Any) -> bool:
    """Whether an integer is known to be no less than 0."""
    given = known(value)
    return bool(getattr(value, "counted_up", False)) if given is None else given >= 0


def _counted_up(value: Any) -> Any:
    """Note that an integer is no less than 0."""
    value.counted_up = True
    return value


def _compare(builder: Any, how: str, a: Any, b: Any, name: str = "") -> Any:
    one, other = known(a), known(b)
    if how == "<" and other == 0 and is_positive(a):
        return ir.Constant(ir.IntType(1), 0)
    if one is None or other is None:
        return _compare_again(builder, how, a, b, name)
    return ir.Constant(ir.IntType(1), int(OPERATORS[how](one, other)))


def _select(builder: Any, condition: Any, a: Any, b: Any, name: str = "", flags: Any = ()) -> Any:
    chosen = known(condition)
    if chosen is None:
        return _select_again(builder, condition, a, b, name, flags)
    return a if chosen else b


def _multiply(builder: Any, a: Any, b: Any, name: str = "", flags: Any = ()) -> Any:
    if known(a) == 1 or known(b) == 0:
        return b
    if known(b) == 1 or known(a) == 0:
        return a
    made = _multiply_again(builder, a, b, name, flags)
    return _counted_up(made) if is_positive(a) and is_positive(b) else made


def _add(builder: Any, a: Any, b: Any, name: str = "", flags: Any = ()) -> Any:
    if known(a) == 0:
        return b
    if known(b) == 0:
        return a
    made = _add_again(builder, a, b, name, flags)
    return _counted_up(made) if is_positive(a) and is_positive(b) else made


def _fix_index(builder: Any, index: Any, size: Any) -> Any:
    """Return an index that counts from the front."""
    return index if is_positive(index) else _fix_index_again(builder, index, size)


def _fix_slice(builder: Any, part: Any, size: Any) -> None:
    """Cut the bounds of a slice to those of an axis with `size` elements."""
    step = known(part.step)
    if step is None or step <= 0:
        _fix_slice_again(builder, part, size)
        return
    part.start = _cut(builder, part.start, size)
    part.stop = _cut(builder, part.stop, size)


def _cut(builder: Any, bound: Any, size: Any) -> Any:
    given, zero = known(bound), ir.Constant(size.type, 0)
    if given == 0:
        return bound
    if given == (1 << (size.type.width - 1)) - 1:  # none was given
        return size
    bound = _fix_index(builder, bound, size)
    if given is None or given < 0:
        bound = builder.select(builder.icmp_signed("<", bound, zero), zero, bound)
    return builder.select(builder.icmp_signed(">=", bound, size), size, bound)


def _slice_length(builder: Any, part: Any) -> Any:
    """Return how many elements a slice has whose bounds were cut."""
    start, stop = part.start, part.stop
    if known(part.step) != 1:
        return _slice_length_again(builder, part)
    if known(start) == 0:
        return stop  # not negative
    return _positive(builder, builder.sub(stop, start))


def _positive(builder: Any, number: Any) -> Any:
    zero = ir.Constant(number.type, 0)
    return builder.select(builder.icmp_signed(">", number, zero), number, zero)


def _range_begun(again: Any) -> Any:
    """Return what makes an iterator of a range."""

    def begun(iterator: Any, context: Any, builder: Any, state: Any) -> Any:
        if known(state.step) != 1:
            return again.__func__(iterator, context, builder, state)
        made, start = iterator(context, builder), state.start
        made.stop, made.step = state.stop, state.step
        number = state.stop if known(start) == 0 else builder.sub(state.stop, start)
        made.iter = cgutils.alloca_once_value(builder, start)
        made.iter.counted_up = is_positive(start)
        made.count = cgutils.alloca_once_value(builder, _positive(builder, number))
        return made

    return begun


def _range_next(iterator: Any, context: Any, builder: Any, result: Any) -> None:
    """Write the next element of a range, and go on; after the last nobody reads what is written."""
    count, value = builder.load(iterator.count), builder.load(iterator.iter)
    value.counted_up = getattr(iterator.iter, "counted_up", False)
    one = ir.Constant(count.type, 1)
    result.set_valid(builder.icmp_signed(">", count, ir.Constant(count.type, 0)))
    result.yield_(value)
    builder.store(builder.sub(count, one), iterator.count)
    builder.store(builder.add(value, iterator.step), iterator.iter)


def _cells_of_next() -> list[Any]:
    """Return where numba keeps what writes the next element of a range."""
    found = []
    for one, name, _ in builtin_registry.functions:
        if name == "iternext" and (written := _cell(one, "func")) is not None:
            inner = _cell(written.cell_contents, "iternext")
            if inner is not None and inner.cell_contents.__module__ == RANGES:
                found.append(inner)
    return found


def _cell(function: Any, name: str) -> Any:
    """Return the cell in which a function finds a name of its surroundings; None: nowhere."""
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    return function.__closure__[names.index(name)] if name in names else None


def _range_iterators() -> list[Any]:
    """Return numba's classes of iterators of ranges, one for each type of integers."""
    found = []
    for one, name, _ in builtin_registry.functions:
        if name == "getiter" and one.__module__ == RANGES:
            found.append(_cell(one, "RangeIter").cell_contents)
    return found


_compare_again: Any = ir.IRBuilder.icmp_signed
_select_again: Any = ir.IRBuilder.select
_multiply_again: Any = ir.IRBuilder.mul
_add_again: Any = ir.IRBuilder.add
_fix_index_again, _fix_slice_again = slicing.fix_index, slicing.fix_slice
_slice_length_again = slicing.get_slice_length
