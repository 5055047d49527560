"""Tuples of arrays are passed to kernels by their place in memory, not member by member.

    numba    move(links)     a parameter for every pointer, length and stride: hundreds
    here     move(links)     the address of `links`; what is read is loaded where it is read

Kernels pass bundles of arrays on from one to the next, and most of them use a few members. Numba
took every bundle to pieces at each call and put it together again in the callee. Here a bundle that
came as an argument, or from a call, is passed on by the address that it has; one that was put
together is stored once, where it was put together. It never changes there, so LLVM is told that
nobody writes to it, and members that are read are loaded once.

This holds for kernels alone, whose names say so (`take_places`): functions of numba's own are called
as ever, since they may have been compiled before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, NamedTuple, cast

import numba.core.base
import numba.core.callconv
import numba.core.types
from llvmlite import ir  # type: ignore[import-untyped]

from sole.base.compiled.lasting_values import empty_place

types: Any = numba.core.types  # numba is half annotated
Target: Any = vars(numba.core.base)["BaseContext"]
CallConv: Any = numba.core.callconv.CPUCallConv
FEW = 8  # members up to which a tuple is passed by them
BYTE, OFFSET, ADDRESS = ir.IntType(8), ir.IntType(64), ir.PointerType()
MARK = "places"  # in the names of functions that take places
UNCHANGED = ("noalias", "captures(none)", "readonly")
Value = Any  # of llvmlite

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
    with _by_place():
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
    with _by_place(getattr(callee, "takes_places", False)):
        return list(convention._get_arg_packer(kinds).as_arguments(builder, args))


def is_by_place(models: Any, kind: Any) -> bool:
    """Whether a type is passed by its place: a tuple of many members."""
    return isinstance(kind, types.BaseTuple) and _count(models[kind].get_argument_type()) > FEW


def _count(members: Any) -> int:
    return sum(map(_count, members)) if isinstance(members, tuple | list) else 1


@contextmanager
def _by_place(on: bool = True) -> Iterator[None]:
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
    with _by_place(getattr(callee, "takes_places", False)):
        return _call_again(convention, builder, callee, kind, kinds, args, attrs)


def _decode(convention: Any, builder: Any, kinds: Any, function: Any) -> Any:
    with _by_place(getattr(function, "takes_places", False)):
        return _decode_again(convention, builder, kinds, function)


def _return(convention: Any, builder: Any, value: Value) -> None:
    """Write a function's result and its way out."""
    place = convention._get_return_argument(builder.function)
    if isinstance(value, ir.InsertValue) and place.type.pointee == value.type:
        _store(builder, value, untyped(copy(place)), 0)
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


class Lies(NamedTuple):
    """Where a value lies: so many bytes after a place, from an instruction on."""

    place: Value
    offset: int
    since: Value

    def address(self, builder: Any) -> Value:
        """Return the address."""
        return address(builder, self.place, self.offset)


def untyped(place: Value) -> Value:
    """Let an address be written without the type of what is there, which may be long."""
    place.type = ADDRESS
    return place


def keep(value: Value, place: Value) -> Value:
    """Note that a value is, wherever it is known, what lies at a place."""
    value.lies = Lies(place, 0, value)
    return value


def place_of(builder: Any, value: Value) -> Value:
    """Return where a tuple lies that does not change; store it where it was made, if nowhere."""
    if (lies := getattr(value, "lies", None)) is not None:
        return cast(Lies, lies).address(builder)
    place = untyped(empty_place(builder, value.type))
    if isinstance(value, ir.Instruction):
        with _after(builder, value):
            _store(builder, value, place, 0)
            last = builder.block.instructions[builder._anchor - 1]
        value.lies = Lies(place, 0, last)
    else:
        builder.store(value, place)
    return place


def member(builder: Any, whole: Value, index: int) -> Value:
    """Return a member of a value that lies at a place."""
    known = vars(whole).setdefault("members", {})
    if (found := known.get(index)) is None:
        place, offset, since = whole.lies
        offset += offsets(whole.type)[index]
        with _after(builder, since):
            there = address(builder, place, offset)
            found = known[index] = builder.load(there, typ=whole.type.elements[index])
        if isinstance(found.type, ir.Aggregate):
            found.lies = Lies(place, offset, since)
        found.part_of = whole, index
    return found


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


def _store(builder: Any, value: Value, place: Value, offset: int) -> None:
    """Store a value, member by member if it was put together from them."""
    if (lies := getattr(value, "lies", None)) is not None:
        _copy(builder, lies.address(builder), address(builder, place, offset), value.type)
        return
    whole, kind, known = value, value.type, dict[int, Value]()
    while isinstance(whole, ir.InsertValue) and len(whole.indices) == 1:
        known.setdefault(whole.indices[0], whole.value)
        whole = whole.aggregate
    constant = type(whole) is ir.Constant and whole.constant in (None, ir.Undefined)
    if not known or not (constant or len(known) == len(kind.elements)):
        builder.store(value, address(builder, place, offset))
        return
    for index, start in enumerate(offsets(kind)):
        if index in known:
            _store(builder, known[index], place, offset + start)
        elif whole.constant is None:
            zero = ir.Constant(kind.elements[index], None)
            builder.store(zero, address(builder, place, offset + start))


def _copy(builder: Any, place: Value, to: Value, kind: Any) -> None:
    """Copy what lies at a place."""
    function = builder.module.declare_intrinsic("llvm.memcpy", [ADDRESS, ADDRESS, OFFSET])
    size = ir.Constant(OFFSET, _layout(kind)[0])
    builder.call(function, [to, place, size, ir.Constant(ir.IntType(1), 0)])


def address(builder: Any, place: Value, offset: int) -> Value:
    """Return the address some bytes after a place."""
    if offset == 0:
        return place
    distance = ir.Constant(OFFSET, offset)
    inside = builder.gep(place, [distance], inbounds=True, source_etype=BYTE)
    inside.type = ADDRESS
    return inside


@contextmanager
def _after(builder: Any, value: Value) -> Iterator[None]:
    """Write right after the instruction that makes a value."""
    block, anchor, home = builder._block, builder._anchor, value.parent
    before = len(home.instructions)
    first = _index(home.instructions, value) + 1
    while first < before and isinstance(home.instructions[first], ir.PhiInstr):
        first += 1
    builder._block, builder._anchor = home, first
    try:
        yield
    finally:
        moved = len(home.instructions) - before if home is block and first <= anchor else 0
        builder._block, builder._anchor = block, anchor + moved


def _index(instructions: list[Any], value: Value) -> int:
    for index in range(len(instructions) - 1, -1, -1):
        if instructions[index] is value:
            return index
    raise ValueError("a value outside of its block")


def offsets(kind: Any) -> list[int]:
    """Return where the members of an aggregate begin, in bytes."""
    return _layout(kind)[2]


def _layout(kind: Any) -> tuple[int, int, list[int]]:
    """Return size, alignment and offsets of the members of a type, in bytes.

    As LLVM lays it out: every member begins at a multiple of its alignment.
    """
    if (known := vars(kind).get("laid_out")) is not None:
        return known  # type: ignore[no-any-return]
    if isinstance(kind, ir.LiteralStructType | ir.ArrayType):
        end, widest, offsets = 0, 1, list[int]()
        for part in kind.elements:
            size, width, _ = _layout(part)
            end += -end % width
            offsets.append(end)
            end, widest = end + size, max(widest, width)
        made = end + -end % widest, widest, offsets
    else:
        made = (_width(kind),) * 2 + ([],)  # type: ignore[assignment]
    kind.laid_out = made
    return made


def _width(kind: Any) -> int:
    if isinstance(kind, ir.PointerType | ir.DoubleType):
        return 8
    if isinstance(kind, ir.FloatType):
        return 4
    if isinstance(kind, ir.IntType) and kind.width in (1, 8, 16, 32, 64):
        return (kind.width + 7) // 8
    raise TypeError(f"a tuple passed to a kernel has a member of LLVM type {kind}")


_declare_again, _make_tuple_again = Target.declare_function, Target.make_tuple
_packer_again = CallConv._get_arg_packer
_call_again, _decode_again = CallConv.call_function, CallConv.decode_arguments
_return_again = CallConv.return_value

pass_by_place()
