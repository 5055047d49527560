"""Which variables live where is found when somebody asks, not after every rewriting.

numba looks through a function's variables nine times on its way to machine code, once after each
pass that may have changed something. What it finds serves generators, functions of objects, and
the last of these times, which ends the life of every variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba.core.analysis
import numba.core.postproc
import numba.core.transforms

analysis: Any = numba.core.analysis  # numba is half annotated
transforms: Any = numba.core.transforms
PostProcessor: Any = vars(numba.core.postproc)["PostProcessor"]
VariableLifetime: Any = vars(numba.core.postproc)["VariableLifetime"]


def find_lifetimes_when_asked() -> None:
    """Let numba look through variables only where it needs what it finds."""
    PostProcessor.run = _run


class _AtEntry(dict[Any, Any]):
    """The variables that live where a block begins, found at the first question."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, block: Any) -> Any:
        life, blocks = self._function.variable_lifetime, self._function.blocks
        found = analysis.compute_live_variables(
            life.cfg, blocks, life.usedefs.defmap, life.deadmaps.combined
        )
        self.update((blocks[place], found[place]) for place in blocks)
        return dict.__getitem__(self, block) if block in self else set()


def _run(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Do what numba's method of this name does, and put off what nobody may need."""
    function = processor.func_ir
    if function.is_generator:
        _run_at_once(processor, emit_dels, extend_lifetimes)
        return
    function.blocks = transforms.canonicalize_cfg(function.blocks)
    function.variable_lifetime = VariableLifetime(function.blocks)
    function.block_entry_vars, function.generator_info = _AtEntry(function), None
    if emit_dels and not _unmarked:
        processor._insert_var_dels(extend_lifetimes=extend_lifetimes)


@contextmanager
def ends_unmarked() -> Iterator[None]:
    """Let numba not mark where variables end meanwhile."""
    _unmarked.append(True)
    try:
        yield
    finally:
        _unmarked.pop()


_unmarked: list[bool] = []
_run_at_once = PostProcessor.run
