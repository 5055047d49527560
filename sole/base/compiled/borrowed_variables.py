"""Variables that hold arrays of a function's arguments count no references.

    def reach(arrays):                the caller holds `arrays` meanwhile
        first = Arrays(*arrays).first     so `first` is held, too,
        part = first[2:5]                 and so is `part`

numba counts a reference for every variable that names such an array, or a tuple with such arrays,
and gives it back after its last use or when another value takes its place. A variable that never
holds anything but what came from the arguments needs none of this. Where no reference is counted,
no variable is emptied after its last use either.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba.core.ir
import numba.core.lowering
import numba.core.runtime.context
import numba.core.types

from sole.base.compiled.counted_members import is_counted
from sole.base.compiled.lasting_values import empty_place, lasting_variables
from sole.base.compiled.results import has_try

ir: Any = numba.core.ir  # numba is half annotated
types: Any = numba.core.types
Lower: Any = vars(numba.core.lowering)["Lower"]
NRTContext: Any = vars(numba.core.runtime.context)["NRTContext"]
EVERY = object()  # stands for all builders
INDICES = (types.Integer, types.SliceType, types.EllipsisType, types.NoneType)


def count_no_borrowed() -> None:
    """Let numba count references only for variables that hold some of their own."""
    Lower.lower_function_body, Lower.lower_assign = _lower_body, _lower_assign
    Lower.storevar, Lower.delvar, Lower._alloca_var = _store, _delete, _make_place
    NRTContext._call_incref_decref = _count


def borrowed_variables(lower: Any) -> frozenset[str]:
    """Return the variables that never hold arrays but those of the arguments."""
    if lower.func_ir.func_id.is_generator or lower._disable_sroa_like_opt:
        return frozenset()
    values: dict[str, list[Any]] = {}
    for block in lower.blocks.values():
        for one in block.find_insts(ir.Assign):
            values.setdefault(one.target.name, []).append(one.value)
    borrowed = {name for name in values if _is_plain(lower, lower.typeof(name))}
    while True:
        left = {name for name in borrowed if all(_lends(lower, v, borrowed) for v in values[name])}
        if left == borrowed:
            return frozenset(name for name in left if _counts(lower, lower.typeof(name)))
        borrowed = left


def _counts(lower: Any, kind: Any) -> bool:
    return is_counted(lower.context.data_model_manager, kind)


def _is_plain(lower: Any, kind: Any) -> bool:
    """Whether a type is of arrays, of what is not counted, or of tuples of them."""
    if isinstance(kind, types.BaseTuple):
        return all(_is_plain(lower, one) for one in kind.types)
    return type(kind) is types.Array or not _counts(lower, kind)


def _lends(lower: Any, value: Any, borrowed: set[str]) -> bool:
    """Whether all arrays in the value of an assignment are those of borrowed variables."""

    def held(*variables: Any) -> bool:
        return all(
            v.name in borrowed or not _counts(lower, lower.typeof(v.name)) for v in variables
        )

    if isinstance(value, ir.Arg):
        return not isinstance(lower.typeof("arg." + value.name), types.Omitted)
    if isinstance(value, ir.Var):
        return held(value)
    if not isinstance(value, ir.Expr):
        return False
    if value.op == "build_tuple":
        return held(*value.items)
    if value.op == "call":
        named = isinstance(lower.typeof(value.func.name), types.NamedTupleClass)
        rest = [] if value.vararg is None else [value.vararg]
        return named and held(*value.args, *rest, *(v for _, v in value.kws))
    if value.op not in ("getattr", "static_getitem", "getitem", "exhaust_iter"):
        return False
    return held(value.value) and _is_part(lower, value)


def _is_part(lower: Any, value: Any) -> bool:
    """Whether an expression is a member of a tuple, or an array on the memory of another."""
    whole = lower.typeof(value.value.name)
    if isinstance(whole, types.BaseTuple):
        return True
    if type(whole) is not types.Array or value.op == "exhaust_iter":
        return False
    if value.op == "getattr":
        return bool(value.attr == "T")
    index = value.index if value.op == "getitem" else value.index_var
    kind = None if index is None else lower.typeof(index.name)
    parts = kind.types if isinstance(kind, types.BaseTuple) else (kind,)
    return all(isinstance(one, INDICES) for one in parts)


def _lower_body(lower: Any) -> Any:
    lower._borrowed = borrowed_variables(lower)
    lower._singly_assigned_vars |= {v for v in lasting_variables(lower) if not _owns(lower, v)}
    lower.builder.has_no_try = not has_try(lower.blocks)
    return _lower_body_again(lower)


def _lower_assign(lower: Any, kind: Any, one: Any) -> Any:
    """Lower an assignment; what is borrowed is not counted."""
    if one.target.name not in lower._borrowed:
        return _lower_assign_again(lower, kind, one)
    with _uncounted(lower.builder):
        return _lower_assign_again(lower, kind, one)


@contextmanager
def nothing_counted(on: bool) -> Iterator[None]:
    """Let no references be counted meanwhile, if `on`."""
    before = _silent[:]
    _silent.extend([EVERY] * on)
    try:
        yield
    finally:
        _silent[:] = before


@contextmanager
def _uncounted(builder: Any) -> Iterator[None]:
    _silent.append(builder)
    try:
        yield
    finally:
        _silent.pop()


def _count(nrt: Any, builder: Any, kind: Any, value: Any, name: str) -> None:
    """Add or take away references, but not in an assignment to a borrowed variable."""
    if not (_silent and _silent[-1] in (builder, EVERY)):
        _count_again(nrt, builder, kind, value, name)


def _owns(lower: Any, name: str) -> bool:
    """Whether references are counted for a variable."""
    if lower._disable_sroa_like_opt:
        return True
    return name not in lower._borrowed and _counts(lower, lower.typeof(name))


def _store(lower: Any, value: Any, name: str, argidx: Any = None) -> None:
    """Set a variable; what it held before is given back only if it was its own."""
    if argidx is not None or _owns(lower, name):
        _store_again(lower, value, name, argidx)
        return
    if name in lower._singly_assigned_vars:
        lower._blk_local_varmap[name] = value
        return
    kind, place = lower.typeof(name), lower.getvar(name)
    if value.type != place.type.pointee:
        raise AssertionError(f"storing {value.type} to {place.type} ({name}: {kind})")
    lower.builder.store(value, place)


def _make_place(lower: Any, name: str, kind: Any) -> None:
    """Make a variable's place on the stack, with zeros if it will own something."""
    if _owns(lower, name):
        _make_place_again(lower, name, kind)
    elif name not in lower.varmap and name not in lower._singly_assigned_vars:
        lower.varmap[name] = empty_place(lower.builder, lower.context.get_value_type(kind), name)


def _delete(lower: Any, name: str) -> None:
    """End a variable's life, if it has anything to give back."""
    if _owns(lower, name):
        _delete_again(lower, name)


_silent: list[Any] = []
_lower_body_again, _lower_assign_again = Lower.lower_function_body, Lower.lower_assign
_store_again, _delete_again = Lower.storevar, Lower.delvar
_make_place_again = Lower._alloca_var
_count_again = NRTContext._call_incref_decref
