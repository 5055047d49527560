"""What numba does in vain while it compiles, left out: the machine code is the same.

A third of its processor time went into garbage that is none, since what is being compiled lives,
into comparing the options of functions, some twenty properties each, with themselves, into looking
for variables in places of the source, into a log that nobody reads, and into kernels' own functions
for strings, which word the sizes of arrays when one does not fit into a slice of another.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numba.core.errors
import numba.core.ir
import numba.core.lowering
import numba.core.ssa
import numba.core.targetconfig
import numba.np.arrayobj
from numba.extending import overload as numba_overload

from sole.base.compiled.borrowed_variables import count_no_borrowed
from sole.base.compiled.call_types import remember_call_types
from sole.base.compiled.counted_members import look_at_counted_members
from sole.base.compiled.known_members import know_members
from sole.base.compiled.known_steps import know_steps
from sole.base.compiled.less_ceremony import prepare_nothing
from sole.base.compiled.lifetimes import find_lifetimes_when_asked
from sole.base.compiled.parts import Part
from sole.base.compiled.rare_passes import run_rarely
from sole.base.compiled.registered_once import look_once
from sole.base.compiled.results import call_shortly
from sole.base.compiled.unboxed import unbox_by_calls

TargetConfig: Any = numba.core.targetconfig.TargetConfig  # numba is half annotated
Lower: Any = vars(numba.core.lowering)["Lower"]
errors: Any = numba.core.errors
ir: Any = numba.core.ir
ssa: Any = numba.core.ssa
arrayobj: Any = numba.np.arrayobj
overload: Any = numba_overload
COLLECTED = (100_000, 50, 1000)  # objects and rounds between two searches for garbage


def work_less() -> None:
    """Leave out of numba's work what changes nothing, once."""
    if TargetConfig.__eq__ is not _equal:
        compare_options_quickly()
        list_variables_quickly()
        log_nothing()
        paint_nothing()
        remember_call_types()
        look_at_counted_members()
        know_members()
        know_steps()
        find_lifetimes_when_asked()
        look_once()
        unbox_by_calls()
        count_no_borrowed()
        call_shortly()
        prepare_nothing()
        run_rarely()
        wrap_nothing_for_c()


@contextmanager
def garbage_left() -> Iterator[None]:
    """Let Python search for garbage rarely meanwhile."""
    before = gc.get_threshold()
    gc.set_threshold(*COLLECTED)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def compare_options_quickly() -> None:
    """Let numba compare what is set in two lists of options before what both stand for."""
    TargetConfig.__eq__, TargetConfig.__hash__ = _equal, _hash


def _equal(one: Any, other: Any) -> Any:
    if one is other:
        return True
    if type(one) is not type(other):
        return _compared(one, other)
    mine, others = one._values, other._values
    if mine == others:
        return True
    options = type(one).options  # an option may be set to what it is anyway
    for name in mine.keys() | others.keys():
        if _chosen(options, mine, name) != _chosen(options, others, name):
            return False
    return True


def _chosen(options: Any, values: Any, name: str) -> Any:
    return values[name] if name in values else options[name].default


def _hash(one: Any) -> int:
    kind: Any = type(one)
    return _hash_of_names(kind)


@cache
def _hash_of_names(kind: Any) -> int:
    """Return numba's hash of a list of options: that of their names."""
    return hash(tuple(sorted(kind.options)))


_compared = TargetConfig.__eq__
_wrap_for_c_again: Any = Lower.create_cfunc_wrapper


def wrap_nothing_for_c() -> None:
    """Let numba's own functions have no doors for C while they are made parts of kernels."""
    Lower.create_cfunc_wrapper = _wrap_for_c


def _wrap_for_c(lower: Any) -> None:
    if not isinstance(lower.library, Part):
        _wrap_for_c_again(lower)


def list_variables_quickly() -> None:
    """Let numba's statements and expressions list their variables without a list for each part."""
    ir.Stmt.list_vars, ir.Expr.list_vars = _variables_of_statement, _variables_of_expression


def _variables_of_statement(statement: Any) -> list[Any]:
    return _add_variables(statement.__dict__.values(), [])


def _variables_of_expression(expression: Any) -> list[Any]:
    return _add_variables(expression._kws.values(), [])


def _add_variables(values: Iterable[Any], found: list[Any]) -> list[Any]:
    """Add the variables in `values` and in what they contain to `found`, in their order."""
    for value in values:
        kind = type(value)
        if kind is ir.Var:
            found.append(value)
        elif kind in EMPTY:
            continue
        elif isinstance(value, ir.Inst):
            found += value.list_vars()
        elif isinstance(value, list | tuple):
            _add_variables(value, found)
        elif isinstance(value, dict):
            _add_variables(value.values(), found)
    return found


EMPTY = frozenset({ir.Loc, str, int, bool, type(None)})


def log_nothing() -> None:
    """Let numba's rewriting into single assignments keep no log."""
    ssa._logger = _Silence()


class _Silence:
    def debug(self, *words: Any) -> None:
        """Say nothing."""


def paint_nothing() -> None:
    """Let errors be without colours: most are caught by numba, which tries something else."""
    if (painter := getattr(errors, "HighlightColorScheme", None)) is not None:  # has colorama
        painter._markup = lambda self, text, *how: text


@contextmanager
def errors_without_sizes() -> Iterator[None]:
    """Let kernels that are lowered meanwhile refuse a wrong size in words that are constant."""
    before, arrayobj.raise_with_shape_context = arrayobj.raise_with_shape_context, refuse_size
    try:
        yield
    finally:
        arrayobj.raise_with_shape_context = before


def refuse_size(given: Any, wanted: Any) -> None:
    """Refuse an array that does not fit into a slice."""
    raise ValueError("cannot assign slice from input of different size")


@overload(refuse_size)  # type: ignore[untyped-decorator]
def _refuse_size(given: Any, wanted: Any) -> Any:
    def refused(given: Any, wanted: Any) -> None:
        raise ValueError("cannot assign slice from input of different size")

    return refused
