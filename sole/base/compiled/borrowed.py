"""Counts of references that nobody needs are left out of kernels before LLVM optimises them.

A function of numba borrows the arrays of its arguments: whoever calls it holds them meanwhile. Yet
it counts a reference more when it begins and one less on every way out, each an atomic addition of
20 cycles, which numba's own pruning leaves in wherever there are many ways out. In small functions
that loops call, these counts took more time than the arithmetic.

Where a function does nothing with an argument's counter but add, subtract and lend it to other such
functions, as many are added as subtracted whatever way it takes. So all of them can go. Counters
that are stored, returned or merged with other arrays stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import llvmlite.binding as ll  # type: ignore[import-untyped]

NAME = re.compile(r'%[-\w.$]+|%"[^"]+"')
ARGUMENT = ("%arg.", '%"arg.')  # how names of arguments and their parts begin
MERGED = re.compile(r"\s*(%[^ ]+) = phi ptr (.*)")
COUNT = re.compile(r"\s*(?:tail |musttail |notail )?call void @NRT_(?:inc|dec)ref\(")
LENT = re.compile(r'.*\bcall [^@]*@(?:"|)_ZN')  # to a function of numba's
FUNCTION = re.compile(r'define [^@]*@(?:"|)_ZN')


def without_counts(module: Any, builder: Any) -> Any:
    """Return a module of lowered functions without the counts of what they borrow.

    `builder` : LLVM's pass builder, which tells the target.
    """
    passes = ll.create_new_module_pass_manager()
    passes.add_sroa_pass()  # arguments have one name, not a place on the stack
    passes.add_instruction_combine_pass()
    passes.run(module, builder)
    text = str(module)
    if "@NRT_" not in text:
        return module
    pruned = ll.parse_assembly("\n".join(_pruned(text.split("\n"))))
    pruned.name = module.name
    return pruned


def _pruned(lines: list[str]) -> Iterable[str]:
    function: list[str] = []
    for line in lines:
        if function:
            function.append(line)
            if line == "}":
                yield from _pruned_function(function)
                function = []
        elif FUNCTION.match(line):
            function.append(line)
        else:
            yield line


def _pruned_function(lines: list[str]) -> Iterable[str]:
    """Return a function without the counts of arguments that it only counts and lends."""
    owner = _names_of_arguments(lines)
    counts: dict[int, str] = {}
    kept: set[str] = set()
    for i, line in enumerate(lines[1:], 1):
        if "%" not in line:
            continue
        found = [owner[name] for name in NAME.findall(line) if name in owner]
        if not found:
            continue
        merged = MERGED.match(line)
        if COUNT.match(line):
            counts[i] = found[0]
        elif not (LENT.match(line) or (merged and merged[1] in owner)):
            kept.update(found)
    gone = {i for i, argument in counts.items() if argument not in kept}
    return (line for i, line in enumerate(lines) if i not in gone)


def _names_of_arguments(lines: list[str]) -> dict[str, str]:
    """Return which names mean which argument: its own, and those of it or nothing."""
    owner = {name: name for name in NAME.findall(lines[0]) if name.startswith(ARGUMENT)}
    merged = [found for line in lines if (found := MERGED.match(line))]
    more = True
    while more:
        more = False
        for found in merged:
            name = found[1]
            values = set(re.findall(r"\[ ([^,]+), ", found[2])) - {"null", "undef", "poison", name}
            if name not in owner and len({owner.get(value, "") for value in values}) == 1:
                known = owner.get(values.pop())
                if known is not None:
                    owner[name], more = known, True
    return owner
