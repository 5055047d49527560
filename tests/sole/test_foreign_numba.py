"""What others do with numba in the same process compiles as it does without us."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, register_model

from sole.base.compiled import cache as disk
from sole.base.compiled import kernel


@kernel
def tail(a, n):
    return a[n:]


@pytest.fixture(autouse=True)
def at_work(tmp_path, monkeypatch):
    """A kernel was compiled in this process, with machine code of this test alone."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    disk._writable.cache_clear()
    assert kernel(tail.py_func)(np.arange(3.0), 2)[0] == 2.0
    yield
    disk._writable.cache_clear()


class NamedArrayType(types.Buffer):
    """An array with a number, of which numba knows that it has an array in it."""

    def __init__(self):
        super().__init__(types.float64, 1, "C", name="NamedArray")

    @property
    def as_array(self):
        """Its array."""
        return types.Array(types.float64, 1, "C")


named_array = NamedArrayType()


@register_model(NamedArrayType)
class NamedArrayModel(models.StructModel):
    """The number first, so that the array is not where the whole is."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("number", types.int64), ("held", kind.as_array)])


@intrinsic
def name_array(context, number, array):
    """Put both together."""

    def write(context, builder, signature, args):
        made = cgutils.create_struct_proxy(named_array)(context, builder)
        made.number, made.held = args
        context.nrt.incref(builder, named_array.as_array, args[1])
        return made._getvalue()

    return named_array(number, named_array.as_array), write


@lower_builtin("__array__", NamedArrayType)
def array_of(context, builder, signature, args):
    """Return the place of the array from that of the whole."""
    whole = cgutils.create_struct_proxy(named_array)(context, builder, ref=args[0])
    return whole._get_ptr_by_name("held")


def test_an_array_inside_of_another_s_type_is_found():
    @numba.njit
    def look(a):
        return len(name_array(7, a))

    assert look(np.arange(4.0)) == 4


@numba.njit(cache=True)
def kept_by_numba(a):
    return 2.0 * a[1:]


def test_kernels_call_what_numba_keeps_on_disk():
    """Lowered for a kernel it is no machine code that numba could keep; then it is not kept."""

    @kernel
    def first(a):
        return kept_by_numba(a)[0]

    @kernel
    def last(a):
        return kept_by_numba(a)[-1]

    a = np.arange(4.0)
    assert first(a) == 2.0 and list(kept_by_numba(a)) == [2.0, 4.0, 6.0]
    afresh = numba.njit(cache=True)(kept_by_numba.py_func)
    assert list(afresh(a)) == [2.0, 4.0, 6.0] and not afresh.stats.cache_hits
    again = numba.njit(cache=True)(kept_by_numba.py_func)
    assert list(again(a)) == [2.0, 4.0, 6.0] and again.stats.cache_hits
    assert last(a) == 6.0


def test_a_kernel_that_is_a_generator_is_refused():
    def tails(a):
        for i in range(len(a)):
            yield a[i:]

    with pytest.raises(TypeError, match="tails: a kernel cannot be a generator"):
        kernel(tails)
    inner = numba.njit(tails)

    @kernel
    def total(a):
        found = 0.0
        for part in inner(a):
            found += part.sum()
        return found

    assert total(np.arange(3.0)) == 3.0 + 3.0 + 2.0
    assert [len(part) for part in inner(np.arange(3.0))] == [3, 2, 1]
