"""The decorator of compiled loops: options, types, and named tuples that lose their names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from sole.base.arrays import FloatArray
from sole.base.compiled import kernel, packed


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


@kernel(error_model="numpy", nogil=True)
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
