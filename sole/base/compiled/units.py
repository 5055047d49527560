"""Large parts become machine code once, apart from what calls them: units, files `.unit`.

    advance_whole_sole      large: a unit, with all small parts that it calls
      solve_maps            large: a unit of its own, called by its symbol
        turn_to_rows        small: linked and optimised with its callers

LLVM would not inline a large function anyway, and optimised in each program that calls it, it would
cost the same time again. A program's file contains the units below it, so that nothing else is
looked for when it is loaded; `.unit` files serve other programs that are compiled later.
"""

from __future__ import annotations

import contextlib
import pickle
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import llvmlite.binding as ll  # type: ignore[import-untyped]
from numba.core.serialize import dumps as numba_dumps

from sole.base.compiled.checked_files import found_checked, writable, write_checked
from sole.base.compiled.parts import (
    ADDRESS,
    LARGE,
    JITCodeLibrary,
    LinkedProgram,
    Part,
    apart_from,
    environments,
    link,
    linked_with,
)

dumps: Any = numba_dumps  # half annotated
UNIT = ".unit"


class Unit(NamedTuple):
    """Machine code of a part, and what it needs: environments of its functions, other units."""

    symbol: str
    code: bytes
    environments: list[Any]
    needs: list[str]


def set_apart(part: Part, described: Any, file: str | None) -> None:
    """Give a large part a symbol that is the same in all processes; `file`: its name with digest.

    `described` is numba's description of the function, where callers find its name.
    """
    module, old = part._final_module, described.mangled_name
    if file is None or part._reload_init or part.size < LARGE:
        return
    digest = file.rpartition("-")[2]
    own, lasting = f"v{described.uid}", f"v{digest}"
    new = re.sub(f"B{len(own)}{own}", f"B{len(lasting)}{lasting}", old, count=1)
    module.get_function(old).name = described.mangled_name = new
    part.symbol, part.file = new, file


class _Apart(JITCodeLibrary):  # type: ignore[misc]
    """Where a unit is linked and optimised."""

    def compiled(self, part: Part) -> Unit:
        """Return a part with all that is linked with it as machine code."""
        module = self._final_module
        link(module, linked_with(part))
        self._optimize_final_module()
        module = self._final_module
        for function in module.functions:
            if not function.is_declaration and function.name != part.symbol:
                function.linkage = "internal"  # other units have functions of these names, too
        module.verify()
        if any(value.name.startswith(ADDRESS) for value in module.global_variables):
            raise TypeError(f"{part.name}: a kernel cannot be a value")
        needs = [one.symbol for one in apart_from(part)]
        code = self._codegen._tm.emit_object(module)
        return Unit(part.symbol, code, environments([self]), needs)


def load_units(part: Part) -> None:
    """Load the units that a part needs, its own if it is apart; compile what is nowhere."""
    for one in _first(part):
        if one.symbol not in _loaded:
            for other in apart_from(one):
                load_units(other)
            _add(one._codegen, _found(one) or _made(one))


def _first(part: Part) -> list[Part]:
    return [part] if part.symbol else apart_from(part)


def _found(part: Part) -> Unit | None:
    """Return the unit that some process has kept."""
    kept = found_checked(part.file + UNIT)
    if kept is None:
        return None
    try:
        unit = Unit(*pickle.loads(kept[1]))
    except Exception:  # whatever is wrong with it, compiling it is right
        return None
    fits = unit.symbol == part.symbol and all(need in _loaded for need in unit.needs)
    return unit if fits else None


def _made(part: Part) -> Unit:
    unit, folder = _Apart(part._codegen, part.name).compiled(part), writable()
    if folder is not None:
        with contextlib.suppress(OSError):  # a full disk must not stop a run
            write_checked(folder / (part.file + UNIT), dumps(tuple(unit)))
    return unit


def units_below(program: Any) -> list[Unit]:
    """Return the loaded units that a program needs, callees first; numba's own need none."""
    found: dict[str, Unit] = {}

    def visit(symbol: str) -> None:
        if symbol not in found:
            for need in _loaded[symbol].needs:
                visit(need)
            found[symbol] = _loaded[symbol]

    for one in _first(program.part) if isinstance(program, LinkedProgram) else ():
        visit(one.symbol)
    return list(found.values())


def add_units(codegen: Any, units: Iterable[Unit]) -> None:
    """Make the functions of units callable; callees first."""
    for unit in units:
        if unit.symbol not in _loaded:
            _add(codegen, unit)


def _add(codegen: Any, unit: Unit) -> None:
    engine = codegen._engine
    engine._ee.add_object_file(ll.ObjectFileRef.from_data(unit.code))
    engine._defined_symbols |= {unit.symbol, *(one.env_name for one in unit.environments)}
    _loaded[unit.symbol] = unit
    for one in unit.environments:
        codegen.set_env(one.env_name, one)


_loaded: dict[str, Unit] = {}
Part.need = staticmethod(load_units)
