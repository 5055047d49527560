"""Kernels are lowered once and linked into what Python calls; the results are those of Python."""

from __future__ import annotations

import gc

import numba
import numpy as np
import pytest
from numba.core.compiler import Flags

from sole.base.compiled import cache as disk
from sole.base.compiled import kernel, less_work, linked, parts, units
from sole.base.compiled.linked import LinkedKernel


@kernel
def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


@kernel
def scaled(a, n):
    if n < 0:
        raise ValueError("n is negative")
    return n * a


@kernel
def outer(a, n):
    filled = np.zeros(len(a))
    filled[:] = scaled(a, n)
    if n > 5:
        raise ValueError("n is large")
    return filled + factorial(n)


@pytest.fixture(params=[units.LARGE, 1], ids=["linked", "apart"])
def lowered(request, tmp_path, monkeypatch):
    """Machine code of this test alone; the names of kernels that were lowered.

    Once these small kernels are linked, and once each is a unit apart.
    """
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(units, "LARGE", request.param)
    disk._writable.cache_clear()
    names, lower = [], LinkedKernel._lowered

    def noted(self, *args):
        names.append(self.py_func.__name__)
        return lower(self, *args)

    monkeypatch.setattr(LinkedKernel, "_lowered", noted)
    yield names
    disk._writable.cache_clear()


def afresh(monkeypatch):
    """Put new kernels in the place of those of this file, as another process has them."""
    numba.njit(lambda: 0)()  # numba is at work
    names = ("factorial", "scaled", "outer")
    for name in names:
        monkeypatch.setitem(globals(), name, kernel(globals()[name].py_func))
    return globals()["outer"]


def check(call):
    a = np.arange(3.0)
    np.testing.assert_array_equal(call(a, 4), 4 * a + 24)
    with pytest.raises(ValueError, match="n is negative"):
        call(a, -1)
    with pytest.raises(ValueError, match="n is large"):
        call(a, 6)


def test_each_kernel_is_lowered_once_and_called_from_everywhere(lowered, monkeypatch):
    call = afresh(monkeypatch)
    call(np.arange(3.0), 4)
    assert sorted(lowered) == ["factorial", "outer", "scaled"]
    assert factorial(5) == 120  # machine code of its own, from the part
    assert list(scaled(np.arange(3.0), 2)) == [0.0, 2.0, 4.0]
    assert sorted(lowered) == ["factorial", "outer", "scaled"]
    check(call)


def test_the_second_address_of_a_kernel_in_a_module_is_one_of_a_kernel():
    """LLVM names it `...1`; a part that calls by it would not be kept otherwise."""
    called = kernel(scaled.py_func)
    numba.njit(lambda: 0)()  # numba is at work
    address = f"{parts.ADDRESS}{id(called):x}"
    assert parts.is_kernel(address) and parts.is_kernel(address + ".1")
    assert not parts.is_kernel(parts.ADDRESS + "1.1")


@pytest.mark.parametrize("kept", ["*.nbc", "*.part", "*"])
def test_what_is_on_disk_serves(kept, lowered, monkeypatch, tmp_path):
    check(afresh(monkeypatch))
    for file in set(tmp_path.rglob("*.*")) - set(tmp_path.rglob(kept)):
        file.unlink()
    lowered.clear()
    check(afresh(monkeypatch))
    assert lowered == []


def test_spoiled_parts_are_lowered_again(lowered, monkeypatch, tmp_path):
    check(afresh(monkeypatch))
    for file in tmp_path.rglob("*.nbc"):
        file.unlink()
    parts = list(tmp_path.rglob("*.part"))
    for file in parts:
        disk.write_checked(file, b"no part") if "outer" in file.name else file.write_bytes(b"")
    lowered.clear()
    with pytest.warns(numba.NumbaWarning, match="not usable"):
        check(afresh(monkeypatch))
    assert set(lowered) == {"factorial", "outer", "scaled"} and len(parts) == 3


def test_functions_of_numba_call_kernels(lowered, monkeypatch):
    afresh(monkeypatch)
    inner = outer

    @numba.njit
    def foreign(a, n):
        return inner(a, n)

    check(foreign)
    check(inner)


def test_a_kernel_is_no_value(lowered):
    @kernel
    def called(x):
        return x

    @kernel
    def named():
        return called

    with pytest.raises(TypeError, match="named: a kernel cannot be a value"):
        named()


@kernel
def is_even(n):
    if n > 0:
        return is_odd(n - 1)
    return True


@kernel
def is_odd(n):
    if n > 0:
        return is_even(n - 1)
    return False


@pytest.mark.parametrize("first", [is_even, is_odd])
def test_kernels_that_call_each_other_are_refused(first, lowered):
    """A kernel may call itself, as `factorial` does."""
    with pytest.raises(TypeError, match="kernels cannot call in a circle"):
        first(4)


def test_another_numba_compiles_by_itself(lowered, monkeypatch):
    monkeypatch.setattr(linked, "KNOWN", "0.1.")
    call = afresh(monkeypatch)
    assert not isinstance(call, LinkedKernel)
    check(call)
    check(afresh(monkeypatch))  # from disk


def always(n):
    return True


def refuse(n):
    if n < 0:
        raise ValueError("n is", n, ("none", {"n": n}))
    return "none" if n == 0 else "some"


def test_wrappers_compile_what_they_call_by_themselves(lowered):
    """For a constant truth, for strings, and for errors with values in them."""
    for _ in range(2):  # the second is from disk
        true, say = kernel(always), kernel(refuse)
        assert true(1) is True
        assert (say(0), say(1)) == ("none", "some")
        with pytest.raises(ValueError, match="n is") as caught:
            say(-3)
        assert caught.value.args == ("n is", -3, ("none", {"n": -3}))
    assert lowered == ["always", "refuse"]


def test_options_hold_in_linked_kernels(lowered, monkeypatch):
    def divide(a, b):
        return a / b

    raising, infinite = kernel(divide), kernel(error_model="numpy")(divide)

    @kernel(nogil=True)
    def both(a, b):
        return infinite(a, b) if b == 0 else raising(a, b)

    assert both(1.0, 0.0) == np.inf and both(1.0, 4.0) == 0.25
    with pytest.raises(ZeroDivisionError):
        raising(1.0, 0.0)


def test_options_compare_as_numba_compares_them():
    """Set to what it is anyway, or not set; another value, another kind; and their hashes."""
    one, same, other = Flags(), Flags(), Flags()
    same.nrt = Flags.options["nrt"].default
    other.nrt = not Flags.options["nrt"].default
    assert one == same and hash(one) == hash(same) and one != other
    assert one != 1 and (one == one.copy()) and other == other.copy()
    assert Flags.__eq__ is not vars(less_work)["_compared"]  # they are compared by us
    for first in (one, same, other):
        for second in (one, same, other, 1):
            assert (first == second) == (less_work._compared(first, second) is True)


def test_garbage_is_searched_for_rarely_while_a_kernel_is_compiled(lowered, monkeypatch):
    usual, before, seen, call = gc.get_threshold(), (701, 11, 9), [], afresh(monkeypatch)
    program = LinkedKernel._program

    def noted(self, part):
        seen.append(gc.get_threshold())
        return program(self, part)

    monkeypatch.setattr(LinkedKernel, "_program", noted)
    try:
        gc.set_threshold(*before)
        call(np.arange(3.0), 4)
        assert seen == [less_work.COLLECTED]
        assert gc.get_threshold() == before
    finally:
        gc.set_threshold(*usual)
