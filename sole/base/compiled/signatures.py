"""Argument types as text, so that kernels can be compiled before anybody calls them.

    float64          array float64 2 C          array int64 1 C readonly
    tuple float64, int64          named contact.step.step_arrays:BodyArrays array float64 2 C, ...

As data: a scalar is a string, an array a string of at most five words, a tuple a list of its items,
a named tuple a list whose first item is "=module:Name".
"""

from __future__ import annotations

import importlib
from typing import Any

import numba

types: Any = numba.types  # half annotated
Spelled = str | list[Any]
OMITTED = {"None": None, "True": True, "False": False}


def spell(kind: Any) -> Spelled:
    """Return an argument type as strings and lists; a TypeError if there is no text for it."""
    if isinstance(kind, types.Array):
        words = ["array", str(kind.dtype), str(kind.ndim), kind.layout]
        return " ".join(words + ["readonly"] * (not kind.mutable))
    if isinstance(kind, types.BaseTuple):
        named = getattr(kind, "instance_class", None)
        name = [] if named is None else [f"={named.__module__}:{named.__qualname__}"]
        return [*name, *(spell(item) for item in kind.types)]
    if getattr(types, str(kind), None) == kind:
        return str(kind)
    if isinstance(kind, types.Omitted) and isinstance(kind.value, bool | int | float | None):
        return f"omitted {kind.value!r}"
    raise TypeError(f"no text for the type {kind}")


def unspell(spelled: Spelled) -> Any:
    """Return the type of a text; a TypeError if its named tuple has other fields by now."""
    if isinstance(spelled, list):
        named = bool(spelled) and isinstance(spelled[0], str) and spelled[0].startswith("=")
        items = [unspell(item) for item in spelled[named:]]
        if not named:
            return types.Tuple(items)
        module, _, name = spelled[0][1:].partition(":")
        found = getattr(importlib.import_module(module), name)
        if len(found._fields) != len(items):
            raise TypeError(f"{spelled[0][1:]} has other fields")
        if len(set(items)) == 1:
            return types.NamedUniTuple(items[0], len(items), found)
        return types.NamedTuple(items, found)
    first, *words = spelled.split()
    if first == "array":
        dtype, dimensions, layout, *others = words
        return types.Array(getattr(types, dtype), int(dimensions), layout, readonly=bool(others))
    if first == "omitted":
        return types.Omitted(OMITTED[words[0]] if words[0] in OMITTED else float(words[0]))
    return getattr(types, first)
