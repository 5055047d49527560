"""Tuples of arrays are passed to kernels by their place in memory, not member by member.

    numba    move(links)     a parameter for every pointer, length and stride: hundreds
    here     move(links)     the address of `links`; what is read is loaded where it is read

Kernels pass bundles of arrays on from one to the next, and most of them use a few members. Numba
took every bundle to pieces at each call and put it together again in the callee. Here a bundle that
came as an argument, or from a call, is passed on by the address that it has; one that was put
together is stored once, where it was put together. It never changes there, so LLVM is told that
nobody writes to it, and members that are read are loaded once.

This holds for kernels alone, whose names say so (`take_places`): functions of numba's own are
called as ever, since they may have been compiled before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any

import numba.core.base
import numba.core.callconv
import numba.core.types
from llvmlite import ir  # type: ignore[import-untyped]

from sole.base.compiled.places import ADDRESS, Value, keep, place_of, store, untyped

types: Any = numba.core.types  # numba is half annotated
Target: Any = vars(numba.core.base)["BaseContext"]
CallConv: Any = numba.core.callconv.CPUCallConv
FEW = 8  # members up to which a tuple is passed by them
MARK = "places"  # in the names of functions that take places
UNCHANGED = ("noalias", "captures(none)", "readonly")

_placed = [False]
_packers: dict[Any, Any] = {}


def take_places(context: Any) -> None:
    """Let the function that is lowered with a context be passed tuples by their places.

    It tells by its name, which callers in other processes know, too.
    """
    mangle = context.mangler

    def marked(*args: Any, abi_tags: tuple[str, ...] = (), **named: Any) -> Any:
        return mangle(*args, abi_tags=(*abi_tags, MARK), **named)

    context.mangler = marked


def pass_by_place() -> None:
    """Let numba pass tuples of many members to kernels by their places, once."""
    if Target.declare_function is not _declare:
        Target.declare_function, Target.make_tuple = _declare, _make_tuple
        CallConv._get_arg_packer = _packer
        CallConv.call_function, CallConv.decode_arguments = _call, _decode
        CallConv.return_value = _return


def declared(context: Any, module: Any, described: Any, name: str) -> Any:
    """Return the declaration of a kernel in a module, under a name."""
    known = module.globals.get(name)
    if known is not None and getattr(known, "takes_places", False):
        return known
    convention = context.call_conv
    with taking_places():
        shape = convention.get_function_type(described.restype, described.argtypes)
        function = ir.Function(module, shape, name)
        context.apply_target_attributes(function, described.argtypes, described.restype)
        convention.decorate_function(
            function, described.args, described.argtypes, noalias=described.noalias
        )
    function.takes_places = True
    return function


def arguments(convention: Any, builder: Any, callee: Any, kinds: Any, args: Any) -> list[Value]:
    """Return what a function is called with after its places for result and error."""
    with taking_places(getattr(callee, "takes_places", False)):
        return list(convention._get_arg_packer(kinds).as_arguments(builder, args))


def is_by_place(models: Any, kind: Any) -> bool:
    """Whether a type is passed by its place: a tuple of many members."""
    return isinstance(kind, types.BaseTuple) and _count(models[kind].get_argument_type()) > FEW


def _count(members: Any) -> int:
    return sum(map(_count, members)) if isinstance(members, tuple | list) else 1


@contextmanager
def taking_places(on: bool = True) -> Iterator[None]:
    """Let numba describe and call functions meanwhile as those that take places, if `on`."""
    _placed.append(on)
    try:
        yield
    finally:
        _placed.pop()


def _declare(context: Any, module: Any, described: Any) -> Any:
    if f"B{len(MARK)}{MARK}" in described.mangled_name:
        return declared(context, module, described, described.mangled_name)
    return _declare_again(context, module, described)


def _call(
    convention: Any, builder: Any, callee: Any, kind: Any, kinds: Any, args: Any, attrs: Any = None
) -> Any:
    with taking_places(getattr(callee, "takes_places", False)):
        return _call_again(convention, builder, callee, kind, kinds, args, attrs)


def _decode(convention: Any, builder: Any, kinds: Any, function: Any) -> Any:
    with taking_places(getattr(function, "takes_places", False)):
        return _decode_again(convention, builder, kinds, function)


def _return(convention: Any, builder: Any, value: Value) -> None:
    """Write a function's result and its way out."""
    place = convention._get_return_argument(builder.function)
    if isinstance(value, ir.InsertValue) and place.type.pointee == value.type:
        store(builder, value, untyped(copy(place)), 0)
        convention._return_errcode_raw(builder, numba.core.callconv.RETCODE_OK)
    else:
        _return_again(convention, builder, value)


def _packer(convention: Any, kinds: Any) -> Any:
    if not _placed[-1]:
        return _packer_again(convention, kinds)
    return _Packer(convention.context, kinds)


class _Packer:
    """What numba asks for the parameters of a function, for one that takes places."""

    def __init__(self, context: Any, kinds: Sequence[Any]) -> None:
        self.parts = [_part(context, kind) for kind in kinds]

    @property
    def argument_types(self) -> tuple[Any, ...]:
        """The types of all parameters."""
        return tuple(one for part in self.parts for one in part.argument_types)

    def as_arguments(self, builder: Any, values: Any) -> list[Value]:
        """Return what is passed for these values."""
        pairs = zip(self.parts, values, strict=True)
        return [one for part, value in pairs for one in part.as_arguments(builder, [value])]

    def from_arguments(self, builder: Any, args: Any) -> list[Value]:
        """Return the values of what was passed."""
        return [
            part.from_arguments(builder, given)[0]
            for part, given in zip(self.parts, self._shared(args), strict=True)
        ]

    def assign_names(self, args: Any, names: Any) -> None:
        """Name the parameters."""
        for part, given, name in zip(self.parts, self._shared(args), names, strict=True):
            part.assign_names(given, [name])

    def _shared(self, args: Any) -> list[Any]:
        """Return which parameters belong to which part."""
        left, shared = list(args), []
        for part in self.parts:
            count = len(part.argument_types)
            shared.append(left[:count])
            left = left[count:]
        return shared


def _part(context: Any, kind: Any) -> Any:
    """Return what packs one value of a type."""
    if (known := _packers.get(kind)) is None:
        models = context.data_model_manager
        placed = is_by_place(models, kind)
        known = _Place(models[kind].get_value_type()) if placed else context.get_arg_packer((kind,))
        _packers[kind] = known
    return known


class _Place:
    """Packs a tuple: the parameter is its address."""

    argument_types = (ADDRESS,)

    def __init__(self, kind: Any) -> None:
        self.kind = kind  # of LLVM

    def as_arguments(self, builder: Any, values: Any) -> list[Value]:
        """Return the address of a value."""
        return [place_of(builder, values[0])]

    def from_arguments(self, builder: Any, args: Any) -> list[Value]:
        """Return the value at an address."""
        return [keep(builder.load(args[0], typ=self.kind), args[0])]

    def assign_names(self, args: Any, names: Any) -> None:
        """Name the parameter, and say that nobody writes to it."""
        args[0].name = names[0]
        for one in UNCHANGED:
            set.add(args[0].attributes, one)  # llvmlite does not know all of them


def _make_tuple(context: Any, builder: Any, kind: Any, values: Sequence[Value]) -> Value:
    """Return a tuple; the one that all values are the members of, if there is one."""
    whole = getattr(values[0], "part_of", (None,))[0] if values else None
    if whole is not None and whole.type == context.get_value_type(kind):
        own = [getattr(one, "part_of", (None, -1)) for one in values]
        if len(whole.type.elements) == len(own) and all(
            one is whole and k == index for k, (one, index) in enumerate(own)
        ):
            return whole
    return _make_tuple_again(context, builder, kind, values)


_declare_again, _make_tuple_again = Target.declare_function, Target.make_tuple
_packer_again = CallConv._get_arg_packer
_call_again, _decode_again = CallConv.call_function, CallConv.decode_arguments
_return_again = CallConv.return_value

pass_by_place()
