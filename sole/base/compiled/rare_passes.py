"""Passes of numba that rewrite closures, lists and sums of arrays run where there are some.

Most kernels have none of these. The passes looked for them in every function, and had every
variable's end marked beforehand and taken out again afterwards.
"""

from __future__ import annotations

import functools
from typing import Any

import numba
import numba.core.inline_closurecall
import numba.core.ir
import numba.core.typed_passes
import numba.core.types
from numba.stencils.stencil import StencilFunc

from sole.base.compiled.lifetimes import ends_unmarked

ir: Any = numba.core.ir  # numba is half annotated
types: Any = numba.core.types
Inliner: Any = vars(numba.core.inline_closurecall)["InlineClosureCallPass"]
Rewrites: Any = vars(numba.core.typed_passes)["NopythonRewrites"]
INLINED = ("make_function", "build_list")
REDUCE = (functools, functools.reduce, numba)
COMPUTED = ("binop", "inplace_binop", "unary", "call")


def run_rarely() -> None:
    """Let numba run these passes on functions that they may change."""
    Inliner.run, Rewrites.run_pass = _inline, _rewrite


def _values(function: Any) -> Any:
    blocks = function.blocks.values()
    return ((one.target, one.value) for block in blocks for one in block.find_insts(ir.Assign))


def _inline(inliner: Any) -> None:
    """Inline closures, reductions, stencils and arrays of lists."""
    if any(_is_inlined(value) for _, value in _values(inliner.func_ir)):
        _inline_again(inliner)


def _is_inlined(value: Any) -> bool:
    if isinstance(value, ir.Expr):
        return value.op in INLINED
    if isinstance(value, ir.Global | ir.FreeVar):
        named = value.value
        return any(named is one for one in REDUCE) or isinstance(named, StencilFunc)
    return False


def _rewrite(rewrites: Any, state: Any) -> Any:
    """Rewrite what types tell; only expressions of arrays need to know where variables end."""
    if any(_is_of_arrays(state, *pair) for pair in _values(state.func_ir)):
        return _rewrite_again(rewrites, state)
    with ends_unmarked():
        return _rewrite_again(rewrites, state)


def _is_of_arrays(state: Any, target: Any, value: Any) -> bool:
    if not isinstance(value, ir.Expr) or value.op not in COMPUTED:
        return False
    return isinstance(state.typemap.get(target.name), types.Array)


_inline_again: Any = Inliner.run
_rewrite_again: Any = Rewrites.run_pass
