"""Members of structures that numba has just put together are not read back from memory.

    array.data   as numba lowers it: a place on the stack, filled with zeros twice, the array stored
                 there, the address of a member, the member loaded
                 here: the member

Half of the instructions that numba lowers wrote such structures - arrays, slices, ranges, tuples -
to the stack for a few lines and read them again, and LLVM removed them first of all. They were
made, printed, parsed and removed in vain. What remains is what LLVM made of them anyway.

A structure is kept as values while numba writes the block in which it made it. Its first use in
another block, or of its address, stores it where it would have been all the time: at the end of
what its own block has till then.
"""

from __future__ import annotations

import sys
from typing import Any

import numba.core.cgutils
import numba.core.datamodel
import numba.core.types
import numba.np.arrayobj
from llvmlite import ir  # type: ignore[import-untyped]

from sole.base.compiled.places import member

cgutils: Any = numba.core.cgutils  # numba is half annotated
arrayobj: Any = numba.np.arrayobj
types: Any = numba.core.types
StructModel: Any = vars(numba.core.datamodel)["StructModel"]
StructProxy: Any = cgutils._StructProxy
ValueStructProxy: Any = cgutils.ValueStructProxy


def know_members() -> None:
    """Let numba's structures be values while they can, and members be found where they are."""
    ir.IRBuilder.extract_value = _extract
    StructProxy.__init__ = _begin
    StructProxy._value = property(_stored_at, _set_place)
    StructProxy._outer_ref = property(_whole_stored_at, _set_whole_place)
    StructProxy.__getitem__, StructProxy.__setitem__ = _get, _set
    StructProxy._getvalue, StructProxy._setvalue = _get_whole, _set_whole
    for module in _users(_make_array_again):
        module.make_array = _make_array


def _extract(builder: Any, whole: Any, index: Any, name: str = "") -> Any:
    """Return a member of an aggregate: the very value that was inserted, if that is known."""
    path = list(index) if isinstance(index, list | tuple) else [index]
    while isinstance(whole, ir.InsertValue):
        inserted = whole.indices
        length = min(len(inserted), len(path))
        if list(inserted[:length]) != path[:length]:
            whole = whole.aggregate
        elif len(inserted) <= len(path):
            whole, path = whole.value, path[length:]
            if not path:
                return whole
        else:
            break
    while path and getattr(whole, "lies", None) is not None:
        whole, path = member(builder, whole, path[0]), path[1:]
    if not path:
        return whole
    if type(whole) is ir.Constant and (whole.constant is None or whole.constant is ir.Undefined):
        kind = whole.type
        for place in path:
            kind = kind.elements[place]
        return ir.Constant(kind, whole.constant)
    return _extracted(builder, whole, path, name)


def _extracted(builder: Any, whole: Any, path: list[int], name: str) -> Any:
    """Return an instruction that extracts a member, the one of this block if it has one."""
    block = builder.block
    if not _goes_on(builder, block):
        return _extract_again(builder, whole, path, name)
    known = block.__dict__.setdefault("extracted", {})
    key = id(whole), *path
    if (found := known.get(key)) is None:
        found = known[key] = _extract_again(builder, whole, path, name)  # keeps `whole` alive
    return found


def _goes_on(builder: Any, block: Any) -> bool:
    """Whether what is inserted next comes after all that the block has, but for its way out."""
    return bool(builder._anchor == len(block.instructions) - (block.terminator is not None))


def _begin(proxy: Any, context: Any, builder: Any, value: Any = None, ref: Any = None) -> None:
    """Make a structure: `value`, or zeros; at `ref`, or nowhere yet."""
    if ref is not None or not _may_be_value(proxy):
        proxy._members = None
        _begin_in_memory(proxy, context, builder, value, ref)
        return
    proxy._context, proxy._builder = context, builder
    proxy._datamodel = context.data_model_manager[proxy._fe_type]
    if not isinstance(proxy._datamodel, StructModel):
        raise TypeError(f"Not a structure model: {proxy._datamodel}")
    proxy._be_type = proxy._get_be_type(proxy._datamodel)
    if value is not None and value.type != proxy._be_type:
        raise AssertionError(f"bad value type: expected {proxy._be_type}, got {value.type}")
    proxy._home = builder.block
    proxy._whole = ir.Constant(proxy._be_type, None) if value is None else value
    proxy._members = {}


def _may_be_value(proxy: Any) -> bool:
    """Whether a structure lies nowhere else and is made of the types of values."""
    return isinstance(proxy, ValueStructProxy) and (
        type(proxy)._make_refs is StructProxy._make_refs
    )


def _is_value(proxy: Any) -> bool:
    """Whether a structure is values still; if not, it is in memory from now on."""
    if proxy._members is None:
        return False
    if proxy._builder.block is proxy._home:
        return True
    _stored_at(proxy)
    return False


def _stored_at(proxy: Any) -> Any:
    """Return where a structure is in memory; store it if it was values."""
    if proxy._members is not None:
        builder = proxy._builder
        place = cgutils.alloca_once(builder, proxy._be_type)
        if builder.block is proxy._home:
            builder.store(_together(proxy), place)
        else:
            with builder.goto_block(proxy._home):
                builder.store(_together(proxy), place)
        proxy._members, proxy._place = None, place
    return proxy._place


def _set_place(proxy: Any, place: Any) -> None:
    proxy._place = place


def _whole_stored_at(proxy: Any) -> Any:
    """Return where the structure is of which this one is a part; mostly it is the same one."""
    place = _stored_at(proxy)
    return vars(proxy).get("_whole_place", place)


def _set_whole_place(proxy: Any, place: Any) -> None:
    proxy._whole_place = place


def _together(proxy: Any) -> Any:
    """Return a structure that is values as one value."""
    for index, value in proxy._members.items():
        proxy._whole = proxy._builder.insert_value(proxy._whole, value, index)
    proxy._members.clear()
    return proxy._whole


def _get(proxy: Any, index: int) -> Any:
    """Return a member."""
    if not _is_value(proxy):
        return _get_in_memory(proxy, index)
    if index in proxy._members:
        return proxy._members[index]
    return proxy._builder.extract_value(proxy._whole, index)


def _set(proxy: Any, index: int, value: Any) -> None:
    """Set a member."""
    if proxy._members is not None and value.type != proxy._be_type.elements[index]:
        _stored_at(proxy)  # numba casts it, or refuses it
    if _is_value(proxy):
        proxy._members[index] = value
    else:
        _set_in_memory(proxy, index, value)


def _get_whole(proxy: Any) -> Any:
    """Return the structure as one value."""
    return _together(proxy) if _is_value(proxy) else _get_whole_in_memory(proxy)


def _set_whole(proxy: Any, value: Any) -> None:
    """Set all members."""
    if not _is_value(proxy):
        _set_whole_in_memory(proxy, value)
        return
    assert value.type == proxy._be_type, (value.type, proxy._be_type)
    proxy._whole = value
    proxy._members.clear()


def _make_array(kind: Any) -> Any:
    """Return numba's structure of a type of arrays."""
    if (
        type(kind) is types.Array
    ):  # that is where its members are: there is nothing else to look for
        return cgutils.create_struct_proxy(kind)
    return _make_array_again(kind)


def _users(function: Any) -> list[Any]:
    """Return the modules that have a function under its name."""
    name, found = function.__name__, list(sys.modules.values())
    return [one for one in found if getattr(one, "__dict__", {}).get(name) is function]


_make_array_again = arrayobj.make_array
_extract_again: Any = ir.IRBuilder.extract_value
_begin_in_memory = StructProxy.__init__
_get_in_memory, _set_in_memory = StructProxy.__getitem__, StructProxy.__setitem__
_get_whole_in_memory, _set_whole_in_memory = StructProxy._getvalue, StructProxy._setvalue
