"""What numba lowers in fewer instructions gives what Python gives, and holds no array too long."""

from __future__ import annotations

import gc
import sys
from typing import NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from llvmlite import ir
from numba.core import compiler, postproc
from numba.extending import overload

from sole.base.compiled import kernel, lifetimes, unused

SMALL = st.integers(-7, 7)


@kernel
def cut(a, i, j, k):
    """All ways to write a slice, each weighed differently."""
    x, y, z = a[i:j], a[i:], a[:j]
    return (
        x.sum() + 3 * y.sum() + 5 * z.sum() + 7 * a[i:j:k].sum() + 11 * a[1:-2].sum(),
        (len(x), len(y), len(z), len(a[i:j:k]), len(a[::2]), len(a[3:1]), len(a[-99:99])),
    )


@kernel
def walk(i, j, k):
    """All ways to write a range."""
    total, number = 0, 0
    for n in range(j):
        total += n * n
    for n in range(i, j):
        total += 3 * n * n * n
        number += 1
    for n in range(i, j, k):
        total += 5 * n
        number += 100
    return total, number, len(range(i, j)), len(range(j)), len(range(i, j, k))


@kernel
def round_the_end(a, i, j):
    """Indices that count up from zero, and others that may be less: those count from the end."""
    n, total = len(a), 0.0
    for k in range(n):
        total += a[k] + 3 * a[k - 1] + 5 * a[k - n] + 7 * a[-k]
        total += 11 * a[min(2 * k + 0, n - 1)] + 13 * a[(k + 1) * 1 - 1]
        total += 31 * a[k * max(min(i, 0), -1)]
        if k + i < n:
            total += 37 * a[k + i]
    for k in range(i, min(j, n)):
        total += 17 * a[k] + 19 * a[max(2 * k, -n) // 2]
    for k in range(min(j, n) - 1, -1, -1):
        total += 23 * a[k] + 29 * a[k - 1]
    return total


@given(SMALL, SMALL)
def test_indices_less_than_zero_count_from_the_end(i, j):
    """Whole numbers, so that sums are exact."""
    a = np.arange(7.0) ** 3
    assert round_the_end(a, i, j) == round_the_end.py_func(a, i, j)


def with_steps(function, *args):
    """The kernel's answer, and Python's; they refuse a step of zero alike."""
    try:
        expected = function.py_func(*args)
    except ValueError:
        with pytest.raises(ValueError, match="zero"):
            function(*args)
        return
    found = function(*args)
    np.testing.assert_array_equal(np.hstack(found), np.hstack(expected))


@given(SMALL, SMALL, SMALL)
def test_slices_and_ranges_are_those_of_python(i, j, k):
    """Sums of small integers are exact."""
    with_steps(cut, np.arange(5.0), i, j, k)
    with_steps(walk, i, j, k)


@kernel
def read(a, i, j):
    a[i, j] += 2.0
    a[i][j] += a[0, -1]
    a[-1, 1:] = a[i, j]
    return a[i, j], a[i, -2], a[:, j].sum(), a[i].sum(), a[i, ::-1][0]


@given(st.integers(-3, 2), st.integers(-4, 3), st.sampled_from("CF"))
def test_elements_are_those_of_python(i, j, order):
    one, other = (np.array(np.arange(12.0).reshape(3, 4), order=order) for _ in range(2))
    assert read(one, i, j) == read.py_func(other, i, j)
    np.testing.assert_array_equal(one, other)


class Pair(NamedTuple):
    a: np.ndarray
    b: np.ndarray


@kernel
def lend(pair, k):
    """Variables that hold parts of the arguments, arrays of their own, and both in turn."""
    p = Pair(*pair)
    x, whole = p.a, (p.b, p.a[1:])
    for i in range(k):
        x = p.b if i % 2 else whole[1]
    y, z = x[::2], np.zeros(3)
    for i in range(k):
        z = z + 1.0
        if i == 2:
            y = z
    q = p if k > 3 else Pair(z, p.b)
    return y, Pair(p.b, z), q, x, whole[0][0]


@given(st.integers(0, 6))
def test_arrays_live_as_long_as_somebody_holds_them(k):
    a, b = np.arange(10.0), np.arange(5.0)
    lend((a, b), k)
    gc.collect()
    before = sys.getrefcount(a), sys.getrefcount(b)
    found = lend((a, b), k)
    for one, other in zip(found[:1] + found[1] + found[2] + found[3:], _flat(a, b, k), strict=True):
        np.testing.assert_array_equal(one, other)
    del found
    gc.collect()
    assert (sys.getrefcount(a), sys.getrefcount(b)) == before == (2, 2)


def _flat(a, b, k):
    y, one, two, *rest = lend.py_func((a, b), k)
    return (y, *one, *two, *rest)


@kernel
def own(n):
    """Arrays of its own, in a tuple that another function returns or does not."""
    total = 0.0
    for i in range(n):
        try_it = made(i, n)
        total += try_it[0][i] + try_it[1]
        maybe = sometimes(i)
        if maybe is not None:
            total += 100.0
    return total


@kernel
def made(i, n):
    if i == 7:
        raise ValueError("seven")
    a = np.full(n, float(i))
    b = a[i:]
    return a, b[0]


@kernel
def sometimes(i):
    if i % 3:
        return None
    return i, 2.0


@pytest.mark.parametrize("n", range(10))
def test_results_of_calls_are_whole(n):
    assert sometimes(n) == sometimes.py_func(n)
    if n < 8:
        assert own(n) == own.py_func(n)
    else:
        with pytest.raises(ValueError, match="seven"):
            own(n)


@kernel
def unpack(arrays, more, flag):
    a, (b, c), d = arrays
    return a.sum(), b[0, -1], c.sum(), d[1, 0], more[0].sum() + more[1].sum(), flag.sum()


def test_arrays_of_all_types_are_taken_from_their_objects():
    """Each once in the door of a kernel, however many there are."""
    ints, flags = np.arange(4, dtype=np.int32), np.array([True, False, True])
    sheet, column = np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(3, 2))
    single = np.arange(3, dtype=np.float32)
    given = (ints, (sheet, single), column), (np.arange(3.0), np.ones(4)), flags
    before = [sys.getrefcount(one) for one in (ints, sheet, single, column, flags)]
    assert unpack(*given) == unpack.py_func(*given)
    assert [sys.getrefcount(one) for one in (ints, sheet, single, column, flags)] == before


def test_what_is_unused_is_dropped_and_nothing_else():
    module, double = ir.Module(), ir.DoubleType()
    pair = ir.LiteralStructType([double, double])
    function = ir.Function(module, ir.FunctionType(double, [pair, double.as_pointer()]), "f")
    called = ir.Function(module, ir.FunctionType(double, []), "g")
    builder = ir.IRBuilder(function.append_basic_block())
    whole, place = function.args
    first = builder.extract_value(whole, 0)
    builder.insert_value(whole, builder.fadd(first, first), 1)  # unused, and so is the sum
    builder.call(called, [])
    builder.store(first, place)
    builder.ret(first)
    unused.drop_unused(module)
    left = [one.opname for one in function.blocks[0].instructions]
    assert left == ["extractvalue", "call", "store", "ret"]


def looped(n):
    total = 0
    for i in range(n):
        if i % 2:
            total += i
    return total


def test_lifetimes_are_those_that_numba_finds():
    kernel(looped)(3)  # numba works less
    entries = []
    for run in (lifetimes._run_at_once, lifetimes._run):
        found = compiler.run_frontend(looped)
        run(postproc.PostProcessor(found))
        entries.append([sorted(found.get_block_entry_vars(b)) for b in found.blocks.values()])
    assert entries[0] == entries[1]
    assert any(entries[0])


def nothing(x):
    raise NotImplementedError


def test_what_is_registered_later_is_found():
    kernel(looped)(3)

    @overload(nothing)
    def doubled(x):
        return lambda x: 2 * x

    assert numba.njit(lambda x: nothing(x) + 1)(4) == 9
