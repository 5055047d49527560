"""Few of LLVM's passes, for code without loops that runs once in a call.

The door of a kernel for Python takes arrays from their objects, calls the kernel and returns. There
is little in it for LLVM to find.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as ll  # type: ignore[import-untyped]


def tidied(module: Any, builder: Any) -> None:
    """Optimise a module of straight lines; `builder` is LLVM's, which tells the target."""
    passes = ll.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, builder)
