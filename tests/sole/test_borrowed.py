"""Counts of references are left out of kernels where, and only where, nobody needs them."""

from __future__ import annotations

import gc
import sys

import llvmlite.binding as ll
import numpy as np
import pytest
from numba.core import types
from numba.core.registry import cpu_target

from sole.base.compiled import kernel, unboxed
from sole.base.compiled.borrowed import without_counts
from sole.base.compiled.less_work import work_less

COUNTED = """
declare void @NRT_incref(ptr)
declare void @NRT_decref(ptr)
declare i32 @_ZN5other(ptr)
declare void @keeper(ptr)
define i32 @_ZN4test(ptr %retptr, ptr %arg.a.0, i64 %arg.a.1, i1 %one, i1 %two) {
  call void @NRT_incref(ptr %arg.a.0)
  br i1 %one, label %left, label %right
left:
  call void @NRT_decref(ptr %arg.a.0)
  ret i32 0
right:
  DOES
  call void @NRT_decref(ptr %arg.a.0)
  ret i32 1
}
"""
LENDS = "call i32 @_ZN5other(ptr %arg.a.0)"
KEEPS = (
    "store ptr %arg.a.0, ptr %retptr",
    "call void @keeper(ptr %arg.a.0)",
    "%x = insertvalue {ptr, i1} undef, ptr %arg.a.0, 0\n  store {ptr, i1} %x, ptr %retptr",
    "%y = select i1 %two, ptr %arg.a.0, ptr %retptr\n  call void @NRT_incref(ptr %y)",
)


def counts(does: str, name: str = "_ZN4test") -> int:
    """How many counts are left in the function, which does this."""
    module = ll.parse_assembly(COUNTED.replace("DOES", does).replace("_ZN4test", name))
    pruned = without_counts(module, cpu_target.target_context.codegen()._pass_builder())
    return str(pruned.get_function(name)).count("call void @NRT_")


def test_an_argument_that_is_only_lent_is_not_counted():
    assert counts(LENDS) == 0


MERGES = """br i1 %two, label %far, label %near
far:
  br label %near
near:
  %m = phi ptr [ %arg.a.0, %right ], [ VALUE, %far ]
  call void @NRT_decref(ptr %m)"""


def test_an_argument_or_nothing_is_not_counted():
    assert counts(MERGES.replace("VALUE", "null")) == 0
    assert counts(MERGES.replace("VALUE", "%retptr")) == 4


@pytest.mark.parametrize("does", KEEPS)
def test_an_argument_that_somebody_keeps_is(does):
    assert counts(does) >= 3


def test_other_functions_are_left_alone():
    assert counts(LENDS, "dtor") == 3


@kernel
def first_of(pair: tuple[np.ndarray, np.ndarray], which: int) -> np.ndarray:
    """One of two arrays, as they are or as a view."""
    a, b = pair
    if which == 0:
        return a
    if which == 1:
        return b[1:]
    if which == 2:
        return np.concatenate((a, b))
    raise ValueError("none")


@kernel
def sum_of(a: np.ndarray) -> float:
    """Sum a, each entry by a call."""
    total = 0.0
    for i in range(len(a)):
        total += first_of((a[i:], a), 0)[0]
    return total


def test_arrays_live_as_long_as_somebody_has_them():
    a, b = np.arange(3.0), np.arange(4.0)
    before = sys.getrefcount(a), sys.getrefcount(b)
    for _ in range(50):
        assert first_of((a, b), 0) is not None
        found = first_of((a, b), 1)
        np.testing.assert_array_equal(first_of((a, b), 2), [0, 1, 2, 0, 1, 2, 3])
        assert sum_of(b) == 6.0
        with pytest.raises(ValueError, match="none"):
            first_of((a, b), 3)
    del found
    gc.collect()
    raised = 50  # numba keeps what was borrowed when an error was raised
    assert sys.getrefcount(a) - before[0] <= raised
    assert sys.getrefcount(b) - before[1] <= raised
    view = first_of((np.arange(5.0), np.arange(7.0)), 1)
    other = np.full(7, -1.0)  # would lie where the array was, had it been freed
    np.testing.assert_array_equal(view, np.arange(1.0, 7.0))
    assert other.sum() == -7.0


@kernel
def total(a, b):
    if a[0, 0] < 0.0:
        raise ValueError("negative")
    return a[0, 0] + b[0][0], b[1][0]


@kernel
def first_row(a, b):
    return a[0], b


@kernel
def second(a, b):
    return (1.0, (a[1:], b))


def test_what_python_lends_comes_back():
    """A kernel that returns numbers counts nothing, so that an error leaves no count behind."""
    a, b = np.arange(6.0).reshape(2, 3), (np.ones(2), np.array([True, False]))
    below = a - 1.0
    before = [sys.getrefcount(one) for one in (a, below, *b)]
    for _ in range(10):
        assert total(a, b) == (1.0, True)
        with pytest.raises(ValueError, match="negative"):
            total(below, b)
    assert [sys.getrefcount(one) for one in (a, below, *b)] == before


@pytest.mark.parametrize(("function", "borrows"), [(total, True), (first_row, False)])
def test_nothing_is_counted_for_a_kernel_that_returns_numbers(function, borrows):
    array = types.Array(types.float64, 2, "C")
    pair = types.Tuple((types.Array(types.float64, 1, "C"), types.Array(types.boolean, 1, "C")))
    work_less()  # which is not asked for where all is on disk
    program = function._program(function._part((array, pair), None))
    text = str(program.library._final_module)
    assert ("numba_adapt_ndarray" in text) is borrows
    assert ("NRT_adapt_ndarray_from_python" in text) is not borrows


def test_what_a_kernel_returns_outlives_what_it_was_called_with():
    for function, found in ((first_row, lambda r: r[0]), (second, lambda r: r[1][0])):
        row = found(function(np.full((2, 1000), 7.0), 1))
        assert row.base is not None
        gc.collect()
        other = [np.zeros((2, 1000)) for _ in range(50)]
        assert (row == 7.0).all() and len(other) == 50


def test_numbers_alone_are_lent_for():
    number, array = types.float64, types.Array(types.float64, 1, "C")
    for kind, lending in (
        (number, True), (types.none, True), (types.UniTuple(types.boolean, 2), True),
        (types.Tuple((number, types.Tuple((types.int64, number)))), True), (array, False),
        (types.Tuple((number, types.UniTuple(array, 1))), False), (types.Optional(array), False),
        (types.ListType(array), False),
    ):  # fmt: skip
        with unboxed.lent(kind):
            assert unboxed._lent[-1] is lending
        assert unboxed._lent == [False]
