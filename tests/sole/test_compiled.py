"""The decorator of compiled loops: options, types, and named tuples that lose their names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from sole.base.arrays import FloatArray
from sole.base.compiled import kernel, machine_call, packed


class Pair(NamedTuple):
    """Two arrays."""

    a: FloatArray
    b: FloatArray


@kernel
def dot(pair: Pair) -> float:
    pair = Pair(*pair)
    total = 0.0
    for i in range(len(pair.a)):
        total += pair.a[i] * pair.b[i]
    return total


@kernel
def divide(a: float, b: float) -> float:
    return a / b


@kernel(nogil=True)
def divide_anyway(a: float, b: float) -> float:
    return a / b


def test_a_kernel_takes_a_named_tuple_with_and_without_its_names():
    pair = Pair(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert dot(pair) == dot(packed(pair)) == 11.0


def test_packed_is_a_plain_tuple_of_the_same_arrays():
    pair = Pair(np.zeros(1), np.ones(1))
    plain = packed(pair)
    assert type(plain) is tuple
    assert all(x is y for x, y in zip(plain, pair, strict=True))


def test_options_reach_the_compiler():
    with pytest.raises(ZeroDivisionError):
        divide(1.0, 0.0)
    assert divide_anyway(1.0, 0.0) == np.inf


def test_machine_code_is_called_as_the_kernel_is():
    """Arrays that are read-only and those that are not: the examples decide neither."""
    call = machine_call(dot, (np.ones(1), np.ones(1)))
    given, fixed = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    fixed.setflags(write=False)
    assert call((given, fixed)) == call((fixed, given)) == 11.0


def test_machine_code_refuses_what_it_would_misread():
    call = machine_call(dot, (np.ones(1), np.ones(1)))
    for wrong in (np.ones(1, np.float32), [1.0]):
        with pytest.raises(TypeError):
            call((wrong, np.ones(1)))
    with pytest.raises(TypeError):
        call()


def test_a_function_that_is_not_compiled_is_called_as_it_is():
    assert machine_call(len, "abc") is len
