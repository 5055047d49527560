"""Compiled loops: numba compiles them; machine code is kept, and is never out of date."""

from sole.base.compiled.decorator import compiler_part, inner_kernel, kernel, packed
from sole.base.compiled.folders import code_folders, writable_folder
from sole.base.compiled.foreman import compile_shown, cores, prepare
from sole.base.compiled.listed import listed_kernels, missing_kernels

__all__ = [
    "code_folders",
    "compile_shown",
    "compiler_part",
    "cores",
    "inner_kernel",
    "kernel",
    "listed_kernels",
    "missing_kernels",
    "packed",
    "prepare",
    "writable_folder",
]
