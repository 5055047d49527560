"""Parts on disk: a part with all that it calls, as LLVM's bitcode."""

from __future__ import annotations

from typing import Any, NamedTuple

import llvmlite.binding as ll  # type: ignore[import-untyped]

from sole.base.compiled.parts import Part, called_by, is_kernel, rtsys


class Stored(NamedTuple):
    """A part on disk; `calls`: places in the list of parts that it is stored with."""

    name: str
    symbol: str
    file: str
    bitcode: bytes
    calls: list[int]


def stored(part: Part) -> list[tuple[Any, ...]] | None:
    """Return a part and all that it calls as `Stored`; None if it must not be kept."""
    libraries = [one for one in called_by(part) if one is not rtsys.library]
    for one in libraries:
        if not isinstance(one, Part) or one._reload_init:
            return None
        if not all(map(is_kernel, one._dynamic_globals)):
            return None
    place = {one: number for number, one in enumerate(libraries)}
    return [
        (
            *(one.name, one.symbol, one.file, one.bitcode()),
            [place[other] for other in one._linking_libraries if other in place],
        )
        for one in libraries
    ]


def restored(codegen: Any, content: list[tuple[Any, ...]]) -> Part:
    """Return the part that `stored` made this of; what two parts call is restored once."""
    kept = [Stored(*one) for one in content]
    libraries, new = [], []
    for one in kept:
        known = _known.get(one.bitcode)
        if known is None:
            known = _known[one.bitcode] = Part(codegen, one.name)
            known.symbol, known.file = one.symbol, one.file
            known._final_module = ll.parse_bitcode(one.bitcode)
            known._finalized = True
            new.append((known, one.calls))
        libraries.append(known)
    for part, calls in new:
        part._linking_libraries = [rtsys.library, *(libraries[place] for place in calls)]
    return libraries[0]


_known: dict[bytes, Part] = {}
