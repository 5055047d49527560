"""What numba does in vain is left out: what is found is what numba finds."""

from __future__ import annotations

import operator
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core import ir, registry, target_extension, types
from numba.core.compiler import CompilerBase
from numba.core.datamodel.models import StructModel
from numba.core.runtime.context import NRTContext
from numba.core.typing.templates import signature
from numba.extending import overload

from sole.base.compiled import cache as disk
from sole.base.compiled import call_types, counted_members, kernel, less_work


class Pair(NamedTuple):
    name: np.ndarray
    scale: float


@kernel
def started():
    return 0


started()  # numba is at work
less_work.work_less()  # also where that was on disk

HERE = ir.Loc("file", 1)
A, B, C = (ir.Var(None, name, HERE) for name in "abc")
STATEMENTS = [
    ir.Assign(A, B, HERE),
    ir.Assign(ir.Expr.binop(operator.add, B, C, HERE), A, HERE),
    ir.Assign(ir.Expr.call(A, [B, C], [("x", C)], HERE), A, HERE),
    ir.Assign(ir.Expr.build_map([(A, B), (B, C)], 2, {}, {}, HERE), C, HERE),
    ir.Assign(ir.Yield(B, HERE, 1), A, HERE),
    ir.SetItem(A, B, C, HERE),
    ir.Branch(A, 1, 2, HERE),
    ir.Print([A, B], C, HERE),
    ir.Jump(3, HERE),
]


def listed_by_numba(one):
    """As numba's statements and expressions list their variables."""
    if isinstance(one, ir.Var):
        return [one]
    if isinstance(one, ir.Expr):
        return listed_by_numba(one._kws)
    if isinstance(one, ir.Inst):
        return listed_by_numba(vars(one))
    values = one.values() if isinstance(one, dict) else one if isinstance(one, list | tuple) else ()
    return [variable for value in values for variable in listed_by_numba(value)]


@pytest.mark.parametrize("statement", STATEMENTS, ids=str)
def test_variables_are_those_that_numba_lists(statement):
    assert ir.Stmt.list_vars is less_work._variables_of_statement
    assert [v.name for v in statement.list_vars()] == [v.name for v in listed_by_numba(statement)]


def test_types_of_calls_are_those_that_numba_finds():
    """Also a second time, and never of other types."""
    context = registry.cpu_target.typing_context
    context.refresh()
    plus = context.resolve_value_type(operator.add)
    array = types.Array(types.float64, 1, "C")
    for args in ((types.int64, types.float64), (array, array), (array, types.float32)) * 2:
        expected = call_types._resolved(plus, context, args, {})
        assert plus.get_call_type(context, args, {}) == expected
        assert plus.get_impl_key(expected)
    with pytest.raises(numba.TypingError):
        plus.get_call_type(context, (types.none, array), {})


class Function:
    """Stands for a type of functions."""

    def __init__(self):
        self._impl_keys = {}


def test_the_same_call_under_other_options_is_another(monkeypatch):
    """numba keeps under a call's types the implementation of the options found last."""
    found, asked = signature(types.float64, types.float64), []

    def resolved(function, context, args, kws):
        asked.append(options)
        function._impl_keys[found.args] = f"of {options}"
        return found

    monkeypatch.setattr(call_types, "_resolved", resolved)
    monkeypatch.setattr(call_types, "_options", lambda: options)
    function, context = Function(), registry.cpu_target.typing_context
    for options in ("python", "numpy", "python"):
        assert call_types._remembered(function, context, (types.float64,), {}) == found
        assert function._impl_keys[found.args] == f"of {options}"
    assert asked == ["python", "numpy"]


def test_the_same_call_for_another_target_is_another(monkeypatch):
    """Somebody's compiler may ask what a function would be on another device."""
    here, there = signature(types.float64, types.float64), signature(types.int64, types.float64)

    def resolved(function, context, args, kws):
        return here if target_extension.current_target() == "cpu" else there

    monkeypatch.setattr(call_types, "_resolved", resolved)
    function, context = Function(), registry.cpu_target.typing_context
    function._impl_keys[here.args] = None
    for _ in range(2):
        assert call_types._remembered(function, context, (types.float64,), {}) == here
        with target_extension.target_override("other"):
            assert call_types._remembered(function, context, (types.float64,), {}) == there


class Value(tuple):
    """Stands for a value of LLVM: the places that lead to it."""

    type = None


class Pieces:
    """Stands for LLVM's builder."""

    def extract_value(self, value, place, name=""):
        return Value((*value, *([place] if isinstance(place, int) else place)))


def test_counted_members_are_those_that_numba_finds(monkeypatch):
    """Arrays in tuples, beside scalars; numba's own way takes everything to pieces."""
    context = registry.cpu_target.target_context
    models = context.data_model_manager
    array = types.Array(types.float64, 2, "C")
    pair = types.NamedTuple([array, types.float64], Pair)
    kinds = [array, pair, types.Tuple([types.int64, pair, array]), types.UniTuple(array, 2)]

    def counted_by_numba(kind, value):
        found = [(kind, value)] if models[kind].has_nrt_meminfo() else []
        for place, (member, _) in enumerate(models[kind].traverse(None)):
            found += counted_by_numba(member, (*value, place))
        return found

    monkeypatch.setattr(StructModel, "get_value_type", lambda model: None)
    nrt = NRTContext(context, enabled=True)
    assert NRTContext.get_meminfos is counted_members._counted_in
    for kind, number in zip(kinds, (1, 1, 2, 2), strict=True):
        found = nrt.get_meminfos(Pieces(), kind, Value())
        assert found == counted_by_numba(kind, ())
        assert len(found) == number
    assert nrt.get_meminfos(Pieces(), types.UniTuple(types.float64, 3), Value()) == []


@kernel
def fill(a, b):
    a[:] = b
    return a.sum()


def test_a_wrong_size_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert fill(np.zeros(3), np.ones(3)) == 3.0
    assert fill(np.zeros(3), np.ones(1)) == 3.0
    with pytest.raises(ValueError, match="cannot assign slice from input of different size"):
        fill(np.zeros(3), np.ones(2))


def made_room(n):
    return np.empty(n), np.zeros((n, 2)), np.zeros(n, np.int64)


def doubled(n):
    return 2 * n


@overload(doubled)
def of_numba(n):
    return lambda n: 2 * n


def quadrupled(n):
    return 2 * doubled(n)


OTHERS = (
    {},
    {"error_model": "numpy"},
    {"nogil": True},
    {"fastmath": {"reassoc", "nsz"}, "error_model": "numpy"},
)


def lowered_by(monkeypatch, tmp_path, make):
    """Return the names of the functions that numba lowers when each of `make`'s is called."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    disk._writable.cache_clear()
    names, core = [], CompilerBase._compile_core

    def noted(one):
        names.append(one.state.func_id.func_qualname)
        return core(one)

    monkeypatch.setattr(CompilerBase, "_compile_core", noted)
    for options in OTHERS:
        names.append("next")
        room, zeros, counts = make(options)(3)
        assert room.shape == (3,) and room.dtype == float and not zeros.any() and not counts.any()
        assert zeros.shape == (3, 2) and counts.dtype == np.int64
    disk._writable.cache_clear()
    return " ".join(names).split("next")[1:]


def test_room_for_arrays_is_lowered_once_whatever_the_options(monkeypatch, tmp_path):
    names = lowered_by(monkeypatch, tmp_path, lambda options: kernel(**options)(made_room))
    assert [one.split() for one in names[1:]] == [["made_room"]] * 3


def test_who_holds_the_lock_of_python_does_not_matter_to_what_kernels_call(monkeypatch, tmp_path):
    """Doors release it, not numba's own functions, which are lowered once for both kinds."""
    names, core = [], CompilerBase._compile_core
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(
        CompilerBase, "_compile_core", lambda s: names.append(s.state.func_id.func_name) or core(s)
    )
    disk._writable.cache_clear()
    for nogil in (False, True):
        assert kernel(nogil=nogil)(quadrupled)(3) == 12
    assert names == ["quadrupled", "<lambda>", "quadrupled"]
    disk._writable.cache_clear()


def test_room_in_functions_of_others_is_made_as_numba_does(monkeypatch, tmp_path):
    """With the options of their callers; kernels that nobody called before are lowered here."""
    by_numba = lowered_by(monkeypatch, tmp_path, lambda options: numba.njit(**options)(made_room))
    assert "ol_np_zeros" in by_numba[1] and "ol_np_zeros" in by_numba[3]
