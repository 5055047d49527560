"""Variables that are set once are values, not places on the stack.

    links = open_tree(model, n)        one place that sets it
    for k in range(n):
        move(links, k)                 wherever it is read, it has been set

numba keeps a variable on the stack if more than one block of a function names it. A variable that
is set in one place, from which there is a way to every place that reads it and none around, has one
value only, and LLVM finds it out. Half of the instructions that numba lowered wrote such variables
and read them again, array by array. A variable that owns references stays where it is, since it is
emptied when it ends.

What stays on the stack is not filled with zeros first, unless it owns references.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numba.core.analysis
import numba.core.ir

ir: Any = numba.core.ir  # numba is half annotated
analysis: Any = numba.core.analysis


def lasting_variables(lower: Any) -> set[str]:
    """Return the variables that are set once, on every way to whatever reads them.

    numba lowers blocks in the order of their numbers, so readers come after the setter there, too.
    """
    blocks = lower.blocks
    if lower.func_ir.func_id.is_generator or lower._disable_sroa_like_opt or len(blocks) < 2:
        return set()
    set_in: dict[str, Any] = {}
    again: set[str] = set(analysis.must_use_alloca(blocks))
    read_in: dict[str, set[Any]] = {}
    for place in sorted(blocks):
        for one in blocks[place].body:
            for name in _read(one):
                if set_in.get(name) != place:
                    read_in.setdefault(name, set()).add(place)
            if isinstance(one, ir.Assign):
                name = one.target.name
                if name in set_in:
                    again.add(name)
                set_in[name] = place
    before = analysis.compute_cfg_from_blocks(blocks).dominators()
    return {
        name
        for name, place in set_in.items()
        if name not in again
        and all(place in before[r] and place < r for r in read_in.get(name, ()))
    }


def _read(one: Any) -> Iterable[str]:
    """Return the variables that a statement reads."""
    if isinstance(one, ir.Del):
        return ()
    if not isinstance(one, ir.Assign):
        return [v.name for v in one.list_vars()]
    value = one.value
    if isinstance(value, ir.Var):
        return (value.name,)
    return [v.name for v in value.list_vars()] if isinstance(value, ir.Inst) else ()


def empty_place(builder: Any, kind: Any, name: str = "", *, first: bool = False) -> Any:
    """Return a place on the stack of LLVM type `kind`, made where the function begins.

    `first` : before all that the function does there, for a value that is made there.
    """
    with builder.goto_entry_block():
        if first:
            builder.position_at_start(builder.block)
        return builder.alloca(kind, name=name)
