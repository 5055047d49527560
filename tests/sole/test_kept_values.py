"""Variables, calls and passes that numba lowers in a shorter way do what Python does."""

from __future__ import annotations

import gc
import sys
from functools import reduce

import numpy as np
import pytest
from numba.core import errors

from sole.base.compiled import cache as disk
from sole.base.compiled import kernel


@kernel
def half(x):
    if x < 0:
        raise ValueError("negative")
    return 0.5 * x


@kernel
def caught(x, n):
    """Calls that raise, in a loop that goes on."""
    total = 0.0
    for i in range(n):
        try:
            total += half(x - i)
            total += half(1.0)
        except Exception:
            total -= 100.0
    return total


@pytest.mark.parametrize("n", range(5))
def test_what_a_call_raises_is_caught(n):
    assert caught(1.0, n) == caught.py_func(1.0, n)


@kernel
def root(x):
    return None if x < 0.0 else x**0.5


@kernel
def roots(a):
    """Results that may be None, of a loop whose places on the stack are used again."""
    total = 0.0
    for x in a:
        found = root(x)
        if found is None:
            total -= 10.0
        else:
            total += found
    return total


def test_none_is_none_after_a_number():
    given = np.array([4.0, -1.0, 9.0, -4.0, -9.0])
    assert roots(given) == roots.py_func(given) == 5.0 - 30.0


@kernel
def branches(a, n):
    """Variables that are set once, again, in a branch, and in the turn before of a loop."""
    pair, once = (a[1:], a[:2]), a[0]
    total, last, first, before = 0.0, -1.0, a, 0.0
    for i in range(n):
        if i > 1:
            total += last + before + once
        before = pair[i % 2].sum() + i
        last = 2.0 * before
        for j in range(i):
            step = before + j
            if step > 3.0:
                first = pair[0]
                step = -step
            total += step * pair[1][j % 2]
    return total, last, first.copy(), once, len(pair[0])


@pytest.mark.parametrize("n", range(6))
def test_variables_hold_what_was_set_last(n):
    a = np.array([1.0, 2.5, -0.5])
    gc.collect()
    before = sys.getrefcount(a)
    for found, wanted in zip(branches(a, n), branches.py_func(a, n), strict=True):
        np.testing.assert_array_equal(found, wanted)  # halves of small integers are exact
    gc.collect()
    assert sys.getrefcount(a) == before


def test_variables_that_are_set_once_have_no_place():
    @kernel
    def sums(a, b):
        pair, total = (a, b), 0.0
        for i in range(len(b)):
            total += pair[0][i] * pair[1][i]
        return total

    assert sums(np.ones(3), np.ones(3)) == 3.0
    part = sums._part(sums.nopython_signatures[0].args, None)
    text = str(part.library._final_module)
    assert "define" in text and "alloca { ptr" not in text  # numbers are, arrays are not


@kernel
def power(x, n):
    for _ in range(n):
        x *= 2
    return x


@kernel
def chosen(pair, k):
    return pair[k]


@kernel
def constants(a):
    return power(a[0], 3) + power(a[0], 9), chosen((a[1], len(a)), 0), chosen((a[1], len(a)), 1)


@pytest.fixture
def nothing_kept(tmp_path, monkeypatch):
    """Kernels that are called for the first time are lowered: no machine code is at hand."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    disk._writable.cache_clear()
    yield
    disk._writable.cache_clear()


@pytest.mark.usefixtures("nothing_kept")
def test_a_function_is_lowered_once_for_all_constants_if_that_will_do():
    a = np.array([3.0, 0.25])
    assert constants(a) == (3.0 * 520, 0.25, 2)
    constants._part(constants.nopython_signatures[0].args, None)
    (lowered,) = power._parts
    assert str(lowered[1]) == "int64"
    kept = sorted(str(kinds[1]) for kinds in chosen._parts)
    assert kept == ["Literal[int](0)", "Literal[int](1)"]


@kernel
def rewritten(a, n):
    """A closure, a list that becomes an array, a reduction, expressions of arrays."""
    scale = 2.0 * a[0]  # no constant: the closure must be inlined

    def twice(x):
        return scale * x

    squares = np.array([i * i for i in range(n)])
    b = a + 2.0 * a - a * a
    return twice(b.sum()) + squares.sum(), -b, reduce(lambda x, y: x + y, [1, 2, n])


def test_rare_passes_still_run():
    a = np.array([1.0, -2.0, 0.5])
    for found, wanted in zip(rewritten(a, 4), rewritten.py_func(a, 4), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_errors_say_where_they_arose():
    @kernel
    def wrong(a):
        return half(a) + a.colour

    with pytest.raises(errors.TypingError, match=r"get attribute at .*test_kept_values"):
        wrong(np.ones(2))
