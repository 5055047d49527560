"""Kernels that are called by their address do what they do when they are called by their names."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import cache as disk
from sole.base.compiled import call_at, kernel, kernel_address, packed, units
from sole.base.compiled.linked import LinkedKernel
from sole.base.compiled.stamp import reached_by


class Many(NamedTuple):
    """A bundle that is passed by its place."""

    x: FloatArray
    scale: float
    y: FloatArray


@kernel
def add_scaled(many: Bundle, k: int, into: FloatArray) -> None:
    """into += scale x + k y; a negative k is refused."""
    x, scale, y = many
    if k < 0:
        raise ValueError("k is negative")
    for i in range(len(x)):
        into[i] += scale * x[i] + k * y[i, 0]


@kernel
def twice(address: int, many_tuple: Bundle, k: int, into: FloatArray) -> int:
    """Call it at its address, twice if there is one."""
    many = Many(*many_tuple)
    for _ in range(2):
        if address != 0:
            call_at(address, (many, k, into))
    return k + 1


MANY = Many(np.arange(4.0), 0.5, np.ones((4, 2)) * np.arange(1.0, 5.0)[:, None])


@pytest.fixture(autouse=True, params=[1, 10_000], ids=["apart", "linked"])
def large(request, tmp_path, monkeypatch):
    """Machine code of this test alone, in which every kernel is large, or none."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(units, "LARGE", request.param)
    for one in (add_scaled, twice):
        monkeypatch.setitem(globals(), one.py_func.__name__, kernel(one.py_func))
    disk._writable.cache_clear()
    yield request.param
    disk._writable.cache_clear()


def searched(k, many=MANY):
    address = kernel_address(add_scaled, packed(many), 1, np.zeros(4))
    into = np.zeros(4)
    assert twice(address, packed(many), k, into) == k + 1
    return into


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 9), st.floats(-9, 9))
def test_a_call_by_address_is_the_call(k, scale):
    """The same sums in the same order: equal to the last bit. Rights to write do not matter."""
    many, expected = MANY._replace(scale=scale), np.zeros(4)
    many.x.flags.writeable = False
    for _ in range(2):
        add_scaled(packed(many), k, expected)
    assert searched(k, many).tobytes() == expected.tobytes()
    many.x.flags.writeable = True
    assert searched(k, many).tobytes() == expected.tobytes()


def test_what_it_raises_is_raised():
    with pytest.raises(ValueError, match="k is negative"):
        searched(-1)


def test_who_calls_by_address_does_not_compile(monkeypatch):
    """Without an address nothing is called, and nothing but the caller is lowered."""
    lowered, lower = [], LinkedKernel._lowered

    def noted(self, *args):
        lowered.append(self.py_func.__name__)
        return lower(self, *args)

    monkeypatch.setattr(LinkedKernel, "_lowered", noted)
    fresh, into = kernel(twice.py_func), np.zeros(4)
    assert fresh(0, packed(MANY), 3, into) == 4 and not into.any()
    assert lowered == ["twice"]
    assert add_scaled.py_func not in reached_by(fresh)


def test_arrays_in_any_other_order_are_refused():
    address = kernel_address(add_scaled, packed(MANY), 1, np.zeros(4))
    with pytest.raises(Exception, match="arrays of a call by address lie in C order"):
        twice(address, packed(MANY), 3, np.zeros(8)[::2])


PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
from sole.base.compiled import units
units.LARGE = {large}
import test_by_address as here
print(here.searched(3).tolist())
try:
    here.searched(-1)
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize("disabled", ["0", "1"])
def test_other_processes_have_other_addresses(disabled, large):
    """One compiles, another takes machine code from the disk; without a compiler Python calls."""
    program = PROGRAM.format(folder=os.path.dirname(__file__), large=large)
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split("\n")[:2] == ["[6.0, 13.0, 20.0, 27.0]", "k is negative"]
