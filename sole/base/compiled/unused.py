"""Instructions whose values nobody uses are taken out before a module becomes text for LLVM.

numba puts arrays together from the arguments of a function, and tuples from arrays, and then uses
two members of them. Printing and parsing the rest costs as much as everything else.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]

HARMLESS = frozenset(
    "extractvalue insertvalue getelementptr load select icmp fcmp bitcast trunc zext sext inttoptr "
    "ptrtoint add sub mul and or xor shl lshr ashr fadd fsub fmul".split()
)


def drop_unused(module: Any) -> None:
    """Take out of a module what only computes, where nobody uses the result."""
    for function in module.functions:
        uses = _uses(function)
        for block in reversed(function.blocks):
            block.instructions[:] = _used(block.instructions, uses)


def _uses(function: Any) -> dict[int, int]:
    """Return how often each value is an operand, by `id`."""
    uses: dict[int, int] = {}
    for block in function.blocks:
        for one in block.instructions:
            for operand in _operands(one):
                key = id(operand)
                uses[key] = uses.get(key, 0) + 1
    return uses


def _operands(one: Any) -> Any:
    return [value for value, _ in one.incomings] if type(one) is ir.PhiInstr else one.operands


def _used(instructions: list[Any], uses: dict[int, int]) -> list[Any]:
    """Return the instructions of a block that are used; what they use, they use no more."""
    kept = []
    for one in reversed(instructions):
        if one.opname in HARMLESS and not uses.get(id(one)):
            for operand in one.operands:
                uses[id(operand)] -= 1
        else:
            kept.append(one)
    kept.reverse()
    return kept
