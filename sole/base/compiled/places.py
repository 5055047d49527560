"""Values that lie at a place: members are loaded from there, and the address is passed on.

    links = open_tree(sheet, n)     the callee fills a place
    links.p[k]                      of which one pointer and two numbers are loaded, once
    move(links)                     and whose address is passed on

A place is filled once, where its value is made, and nobody writes to it again while the value can
be read: an argument's belongs to the caller, and a result's is filled again only when the call is
made again, which makes a new value.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

from llvmlite import ir  # type: ignore[import-untyped]

from sole.base.compiled.lasting_values import empty_place

BYTE, OFFSET, ADDRESS = ir.IntType(8), ir.IntType(64), ir.PointerType()
Value = Any  # of llvmlite


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
    made = isinstance(value, ir.Instruction)
    begins = made and value.parent is builder.function.entry_basic_block  # with the function
    place = untyped(empty_place(builder, value.type, first=begins))
    if made:
        with _after(builder, value):
            store(builder, value, place, 0)
            last = builder.block.instructions[builder._anchor - 1]
        value.lies = Lies(place, 0, last)
    else:
        builder.store(value, place)
    return place


def member(builder: Any, whole: Value, index: int) -> Value:
    """Return a member of a value that lies at a place."""
    known = whole.__dict__.setdefault("members", {})
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


def store(builder: Any, value: Value, place: Value, offset: int) -> None:
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
            store(builder, known[index], place, offset + start)
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
    if isinstance(kind, ir.ArrayType):  # it may have no elements, but has their alignment
        size, width, _ = _layout(kind.element)
        made = kind.count * size, width, [k * size for k in range(kind.count)]
    elif isinstance(kind, ir.LiteralStructType):
        end, widest, offsets = 0, 1, list[int]()
        for part in kind.elements:
            size, width, _ = _layout(part)
            end += -end % width
            offsets.append(end)
            end, widest = end + size, max(widest, width)
        made = end + -end % widest, widest, offsets
    else:
        made = (_width(kind),) * 2 + ([],)
    kind.laid_out = made
    return made


def _width(kind: Any) -> int:
    if isinstance(kind, ir.PointerType | ir.DoubleType):
        return 8
    if isinstance(kind, ir.FloatType):
        return 4
    if isinstance(kind, ir.IntType) and kind.width in (1, 8, 16, 32, 64):
        return (int(kind.width) + 7) // 8
    raise TypeError(f"a tuple passed to a kernel has a member of LLVM type {kind}")
