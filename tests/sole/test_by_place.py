"""Bundles of arrays that kernels pass on by their place are what Python passes on."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from llvmlite import binding as ll
from numba.core.registry import cpu_target

from sole.base.arrays import FloatArray
from sole.base.compiled import cache as disk
from sole.base.compiled import kernel, packed, places
from sole.base.compiled.less_work import work_less


class Pair(NamedTuple):
    """Nine numbers and more: an array of each kind, a truth between numbers of other sizes."""

    x: FloatArray
    y: FloatArray
    flag: bool
    n: int
    small: np.float32


class Both(NamedTuple):
    """A bundle in a bundle."""

    pair: Pair
    z: FloatArray


@kernel
def weigh(both: Both) -> float:
    """A number that each member changes."""
    pair, total = both.pair, 0.0
    for i in range(len(pair.x)):
        total += pair.x[i] + 3 * pair.y[i, i]
    if pair.flag:
        total += 5 * both.z[0]
    return total + 7 * pair.n + 11 * pair.small + 13 * len(both.z)


@kernel
def gathered(x: FloatArray, y: FloatArray, k: int) -> Both:
    """A bundle made in the callee."""
    return Both(Pair(x[: k + 1], y, k % 2 == 0, k, np.float32(0.5 * k)), x[k:])


@kernel
def carried_on(x: FloatArray, y: FloatArray, n: int) -> float:
    """Bundles that live longer than the call that made them is made again."""
    old, total = gathered(x, y, 0), 0.0
    for k in range(n):
        new = gathered(x, y, k)
        total = 2 * total + 10 * weigh(old) + weigh(new)
        if k != 2:
            old = new
    return total + weigh(old)


@kernel
def put_together(x: FloatArray, y: FloatArray, n: int) -> float:
    """Bundles that are made here, before a loop and in it, of numbers that change."""
    total, pair = 0.0, Pair(x, y, False, n, np.float32(1.5))
    first = Both(pair, x)
    for k in range(n):
        last = Both(Pair(pair.x, y, k > 1, k, pair.small), x[k:])
        total = 2 * total + weigh(first) + weigh(last) + weigh(Both(last.pair, first.z))
    chosen = first if n > 2 else Both(pair, x[1:])
    return total + weigh(chosen)


@kernel
def named_again(both: tuple) -> float:
    """What Python packed, under its names."""
    again = Both(Pair(*both[0]), both[1])
    return weigh(again) + weigh(Both(*again))


class Three(NamedTuple):
    """Arrays of one type, which can change places."""

    a: FloatArray
    b: FloatArray
    c: FloatArray


@kernel
def told_apart(three: Three) -> float:
    return 2 * three.a[0] + 3 * three.b[0] + 5 * three.c[0]


@kernel
def turned(x: FloatArray) -> float:
    """A bundle of the members of another one, in another order, and in the same."""
    first = Three(x, x[1:], x[2:])
    again = Three(first.a, first.b, first.c)
    other = Three(first.b, first.c, first.a)
    return told_apart(first) + 7 * told_apart(again) + 11 * told_apart(other)


@kernel
def turned_arguments(three: Three) -> float:
    again = Three(three.a, three.b, three.c)
    return told_apart(again) + 11 * told_apart(Three(three.c, three.b, three.a))


ARRAYS = np.arange(6.0), np.arange(36.0).reshape(6, 6) ** 1.5


@given(st.integers(0, 5))
def test_bundles_are_those_of_python(n):
    """Sums of few terms in one order: equal to the last bit."""
    for call in (carried_on, put_together):
        assert call(*ARRAYS, n) == call.py_func(*ARRAYS, n), call


@pytest.mark.parametrize("flag", [False, True])
def test_bundles_from_python(flag):
    both = Both(Pair(*ARRAYS, flag, 4, np.float32(0.25)), ARRAYS[0][2:])
    expected = weigh.py_func(both)
    assert weigh(both) == expected
    assert named_again(packed((packed(both.pair), both.z))) == 2 * expected


def test_members_keep_their_order():
    x = 2.0 ** np.arange(5)
    assert turned(x) == turned.py_func(x)
    three = Three(x, x[1:], x[3:])
    assert turned_arguments(three) == turned_arguments.py_func(three)


def test_bundles_are_counted():
    """An array of a bundle lives as long as somebody holds it, and no longer."""
    x, y = np.arange(6.0), np.ones((6, 6))
    before = sys.getrefcount(x), sys.getrefcount(y)
    for k in range(5):
        both = gathered(x, y, k)
        np.testing.assert_array_equal(both.z, x[k:])
        carried_on(x, y, 5), put_together(x, y, 5), weigh(both)
    del both
    assert (sys.getrefcount(x), sys.getrefcount(y)) == before


def test_a_bundle_is_one_parameter(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    disk._writable.cache_clear()
    both, afresh = gathered(*ARRAYS, 2), kernel(weigh.py_func)
    assert afresh(both) == weigh.py_func(both)
    disk._writable.cache_clear()
    (part,) = afresh._parts.values()
    function = part.library._final_module.get_function(part.fndesc.mangled_name)
    assert len(list(function.arguments)) == 3  # result, error, bundle


def test_functions_of_numba_are_called_as_ever():
    """Numba's own functions take members; kernels call them, and are called by them."""
    inner = numba.njit(weigh.py_func)
    assert inner(gathered(*ARRAYS, 3)) == weigh.py_func(gathered(*ARRAYS, 3))
    outer = numba.njit(lambda both: weigh(both) + inner(both))
    both = gathered(*ARRAYS, 2)
    assert outer(both) == 2 * weigh.py_func(both)

    @kernel
    def calls(both):
        return inner(both) + 2 * weigh(both)

    assert calls(both) == 3 * weigh.py_func(both)


def test_arguments_of_numbas_functions_are_passed_on():
    """A bundle that came as an argument, or in one, is stored where the function begins."""
    work_less()
    x = 2.0 ** np.arange(5)
    three = Three(x, x[1:], x[3:])

    @numba.njit
    def on_its_way(three, n):
        total = 0.0
        for k in range(n):
            total += told_apart(three) + 7 * told_apart(Three(three.a[k:], three.b, three.c))
        return total

    @numba.njit
    def held(pair):
        return told_apart(pair[1])

    told = told_apart.py_func
    assert held((1, three)) == told(three)
    parts = [told(three) + 7 * told(Three(x[k:], three.b, three.c)) for k in range(3)]
    assert on_its_way(three, 3) == sum(parts)


def test_places_of_members_are_those_of_llvm():
    context = cpu_target.target_context
    data = ll.create_target_data(context.codegen()._data_layout)
    both = gathered(*ARRAYS, 2)
    kinds = [numba.typeof(one) for one in (both, both.pair, (1, True, 2.0, np.float32(1), False))]
    none = numba.types.UniTuple(numba.float64, 0)  # as the shape of an array without dimensions
    kinds.append(numba.types.Tuple([numba.boolean, none, numba.int8, none]))
    for kind in kinds:
        laid = context.get_value_type(kind)
        wanted = [laid.get_element_offset(data, k) for k in range(len(laid.elements))]
        assert places.offsets(laid) == wanted
        assert places._layout(laid)[0] == laid.get_abi_size(data)
