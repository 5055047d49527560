"""Arrays that Python passes are taken from their objects by one function for each type.

numba writes forty instructions into a kernel's door for every array that it is called with, and a
large kernel is called with more than a hundred. Here they stand once in a module:

    failed = unbox(object, place)        place: of the array's data, shape and strides
"""

from __future__ import annotations

from typing import Any

import numba.core.boxing
import numba.core.cgutils
import numba.core.pythonapi
import numba.core.types
from llvmlite import ir  # type: ignore[import-untyped]

boxing: Any = numba.core.boxing  # numba is half annotated
cgutils: Any = numba.core.cgutils
pythonapi: Any = numba.core.pythonapi
types: Any = numba.core.types


def unbox_by_calls() -> None:
    """Let numba take arrays from their objects by a function."""
    pythonapi._unboxers.functions[types.Array] = _unbox_array


def _unbox_array(kind: Any, given: Any, door: Any) -> Any:
    """Write the call for one array, and the function if the module has none for its type."""
    if type(kind) is not types.Array or not isinstance(kind.dtype, types.Number | types.Boolean):
        return _unbox_array_again(kind, given, door)
    builder, module = door.builder, door.builder.module
    data = door.context.get_value_type(kind)
    name = f"unbox_{kind.ndim}_{kind.dtype}"
    function = module.globals.get(name)
    if function is None:
        shape = ir.FunctionType(ir.IntType(1), [given.type, data.as_pointer()])
        function = ir.Function(module, shape, name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        _write(function, kind, door)
    place = cgutils.alloca_once(builder, data)
    failed = builder.call(function, [given, place])
    return pythonapi.NativeValue(builder.load(place), is_error=failed)


def _write(function: Any, kind: Any, door: Any) -> None:
    """Write what numba writes for an array as the body of a function."""
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    given, place = function.args
    inner = pythonapi._UnboxContext(door.context, builder, door.context.get_python_api(builder))
    found = _unbox_array_again(kind, given, inner)
    builder.store(found.value, place)
    builder.ret(found.is_error)


_unbox_array_again = pythonapi._unboxers.functions[types.Array]
