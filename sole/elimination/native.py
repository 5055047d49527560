"""BLAS and LAPACK inside compiled kernels: SciPy's routines called by address.

SciPy publishes its BLAS and LAPACK for Cython; their addresses are looked up once and passed to
the kernels as integers. So compiled kernels stay cacheable, need no copies of strided blocks
(every routine takes a leading dimension) and release the GIL.
"""

from __future__ import annotations

import ctypes
import importlib
from typing import Any

from sole.base.compiled import compiler_part


def address_of(module: str, name: str) -> int:
    """Return the address of `name` in `scipy.linalg.cython_blas` or `cython_lapack`.

    Raises
    ------
    RuntimeError
        This SciPy has 64-bit BLAS integers, which the kernels do not support.
    """
    from numba.extending import get_cython_function_address

    path = f"scipy.linalg.{module}"
    capsule = importlib.import_module(path).__pyx_capi__[name]
    if b" int *" not in _signature_of(capsule):
        raise RuntimeError(
            f"{path}.{name} does not take 32-bit integers: install SciPy's own wheel"
        )
    address: int = get_cython_function_address(path, name)
    return address


def _signature_of(capsule: object) -> bytes:
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return bytes(name_of(capsule))


@compiler_part
def call(typingctx, address, arguments):  # type: ignore[no-untyped-def]
    """Call a Fortran routine: integers and floats by reference, arrays by their first item.

    A character argument is the integer code of the character.
    """
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba.core import cgutils, types

    integer = ir.IntType(32)
    address_type = ir.IntType(8).as_pointer()

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointers = []
        for k, kind in enumerate(arguments.types):
            value = builder.extract_value(values[1], k)
            if isinstance(kind, types.Array):
                pointer = context.make_array(kind)(context, builder, value).data
            else:
                if isinstance(kind, types.Integer) and kind.bitwidth > 32:  # type: ignore[attr-defined]
                    value = builder.trunc(value, integer)
                pointer = cgutils.alloca_once(builder, value.type)  # type: ignore[no-untyped-call]
                builder.store(value, pointer)
            pointers.append(builder.bitcast(pointer, address_type))
        kind = ir.FunctionType(ir.VoidType(), [address_type] * len(pointers))
        builder.call(builder.inttoptr(values[0], kind.as_pointer()), pointers)
        return context.get_dummy_value()

    return types.void(address, arguments), codegen
