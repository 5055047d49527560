"""Arrays that Python passes are taken from their objects by one function for each type.

numba writes forty instructions into a kernel's door for every array that it is called with, and a
large kernel is called with more than a hundred. Here they stand once in a module:

    failed = unbox(object, place)        place: of the array's data, shape and strides

numba counts a reference to every array, which takes most of the time of such a call: memory for the
count, and a way back to Python that gives it up. A kernel that returns numbers alone cannot keep an
array, so it only borrows what its caller holds anyway: `lent`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba.core.boxing
import numba.core.cgutils
import numba.core.pythonapi
import numba.core.types
import numba.np.numpy_support
from llvmlite import ir  # type: ignore[import-untyped]

from sole.base.compiled.borrowed_variables import nothing_counted
from sole.base.compiled.by_place import is_by_place
from sole.base.compiled.lasting_values import empty_place
from sole.base.compiled.places import address, keep, offsets, untyped

boxing: Any = numba.core.boxing  # numba is half annotated
cgutils: Any = numba.core.cgutils
pythonapi: Any = numba.core.pythonapi
types: Any = numba.core.types
numpy_support: Any = numba.np.numpy_support


def unbox_by_calls() -> None:
    """Let numba take arrays and bundles of them from their objects by a function."""
    pythonapi._unboxers.functions[types.Array] = _unbox_array
    pythonapi._unboxers.functions[types.BaseTuple] = _unbox_tuple


def _unbox_array(kind: Any, given: Any, door: Any) -> Any:
    """Write the call for one array, and the function if the module has none for its type."""
    if not _is_plain(kind):
        return _unbox_array_again(kind, given, door)
    builder, data = door.builder, door.context.get_value_type(kind)
    place = untyped(empty_place(builder, data))
    failed = builder.call(_unboxer(kind, door, given.type), [given, place])
    return pythonapi.NativeValue(builder.load(place, typ=data), is_error=failed)


def _unboxer(kind: Any, door: Any, pointer: Any) -> Any:
    """Return the function that unboxes arrays of a type; write it if the module has none."""
    module = door.builder.module
    name = f"{'borrow' if _lent[-1] else 'unbox'}_{kind.ndim}_{kind.dtype}"
    if (function := module.globals.get(name)) is None:
        shape = ir.FunctionType(ir.IntType(1), [pointer, ir.PointerType()])
        function = ir.Function(module, shape, name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        _write(function, kind, door)
    return function


def _unbox_tuple(kind: Any, given: Any, door: Any) -> Any:
    """Fill the place of a bundle that is passed by its place, member by member."""
    context, builder = door.context, door.builder
    if not is_by_place(context.data_model_manager, kind):
        return _unbox_tuple_again(kind, given, door)
    whole = context.get_value_type(kind)
    place = untyped(empty_place(builder, whole))
    failed = _fill(kind, given, door, place, 0)
    return pythonapi.NativeValue(keep(builder.load(place, typ=whole), place), is_error=failed)


def _fill(kind: Any, given: Any, door: Any, place: Any, offset: int) -> Any:
    """Write what takes a tuple to its place; return whether it failed.

    Types were looked at before, so a tuple has as many items as its type.
    """
    builder, api, failed = door.builder, door.pyapi, cgutils.false_bit
    starts = offsets(door.context.get_value_type(kind))
    for index, (one, start) in enumerate(zip(kind, starts, strict=True)):
        item = api.tuple_getitem(given, index)
        if isinstance(one, types.BaseTuple):
            wrong = _fill(one, item, door, place, offset + start)
        elif _is_plain(one):
            to = address(builder, place, offset + start)
            wrong = builder.call(_unboxer(one, door, given.type), [item, to])
        else:
            native = door.unbox(one, item)
            assert native.cleanup is None, one
            builder.store(native.value, address(builder, place, offset + start))
            wrong = native.is_error
        failed = builder.or_(failed, wrong)
    return failed


def _is_plain(kind: Any) -> bool:
    return type(kind) is types.Array and isinstance(kind.dtype, types.Number | types.Boolean)


def _write(function: Any, kind: Any, door: Any) -> None:
    """Write what numba writes for an array as the body of a function."""
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    given, place = function.args
    inner = pythonapi._UnboxContext(door.context, builder, door.context.get_python_api(builder))
    found = (_borrow_array if _lent[-1] else _unbox_array_again)(kind, given, inner)
    builder.store(found.value, place)
    builder.ret(found.is_error)


def _borrow_array(kind: Any, given: Any, door: Any) -> Any:
    """Write what numba writes for an array, without a count of references."""
    builder, api = door.builder, door.pyapi
    array = door.context.make_array(kind)(door.context, builder)
    place = builder.bitcast(array._getpointer(), api.voidptr)
    shape = ir.FunctionType(ir.IntType(32), [api.pyobj, api.voidptr])
    adapt = api._get_function(shape, name="numba_adapt_ndarray")
    code = builder.call(adapt, (given, place))
    size = array.itemsize.type(numpy_support.as_dtype(kind.dtype).itemsize)
    failed = builder.or_(
        cgutils.is_not_null(builder, code), builder.icmp_unsigned("!=", array.itemsize, size)
    )
    with builder.if_then(failed, likely=False):
        api.err_set_string("PyExc_TypeError", "a kernel got an argument of another type")
    return pythonapi.NativeValue(builder.load(array._getpointer()), is_error=failed)


@contextmanager
def lent(returned: Any) -> Iterator[None]:
    """Let arrays be borrowed by a kernel that returns a value of this type, if it holds none."""
    _lent.append(_is_number(returned))
    try:
        with nothing_counted(_lent[-1]):
            yield
    finally:
        _lent.pop()


def _is_number(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return all(_is_number(one) for one in kind)
    return isinstance(kind, types.Number | types.Boolean | types.NoneType)


_lent = [False]

_unbox_tuple_again = pythonapi._unboxers.functions[types.BaseTuple]
_unbox_array_again = pythonapi._unboxers.functions[types.Array]
