"""Kernels called by their address: who calls them does not compile them.

    find_surfaces      two seconds of compiling, for grounds that are not one plane
    look_below(look)   calls it at the address `look.search`, which is 0 on a plane

So who stays on a plane never compiles the search. The address comes as a number, with the other
arguments: machine code on disk serves any process.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sole.base.compiled.decorator import compiler_part


def kernel_address(function: Any, *arguments: Any) -> Any:
    """Return where machine code of a kernel is, for arguments of the types of these.

    It is compiled or loaded, as by a call. With ``NUMBA_DISABLE_JIT`` it is the function itself.
    """
    if not hasattr(function, "compile"):
        return function
    kinds = tuple(function.typeof_pyval(one) for one in arguments)
    if hasattr(function, "address"):
        found = function.address(kinds)
    else:  # an unknown numba
        function.compile(kinds)
        kept = function.overloads[kinds]
        found = kept.library.get_pointer_to_function(kept.fndesc.llvm_func_name)
    if not found:
        raise RuntimeError(f"{function.py_func.__qualname__}: machine code without an address")
    return int(found)


def _call(address: Any, arguments: tuple[Any, ...]) -> None:
    address(*arguments)


@partial(compiler_part, python=_call)
def call_at(typingctx: Any, address: Any, arguments: Any) -> Any:
    """Call a kernel that returns nothing at an address, with a tuple of arguments.

    Their types must be those of `kernel_address`, except for who may write: nobody checks them.
    What the kernel raises is raised.
    """
    import numba.core.errors
    import numba.core.types

    types: Any = numba.core.types  # half annotated
    if any(isinstance(one, types.Array) and one.layout != "C" for one in arguments.types):
        raise numba.core.errors.TypingError("arrays of a call by address lie in C order")

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        from sole.base.compiled.by_place import taking_places
        from sole.base.compiled.linked import linking_works

        kinds, convention, places = arguments.types, context.call_conv, linking_works()
        with taking_places(places):
            shape = convention.get_function_type(types.none, kinds)
        callee = builder.inttoptr(values[0], shape.as_pointer())
        callee.takes_places = places
        given = [builder.extract_value(values[1], k) for k in range(len(kinds))]
        status, _ = convention.call_function(builder, callee, types.none, kinds, given)
        with builder.if_then(status.is_error, likely=False):
            convention.return_status_propagate(builder, status)
        return context.get_dummy_value()

    return types.none(address, arguments), codegen
