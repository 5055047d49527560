"""Compiled loops: `@kernel` compiles by numba; machine code is kept, and is never out of date."""

from sole.base.compiled.by_address import call_at, kernel_address
from sole.base.compiled.decorator import compiler_part, kernel, packed
from sole.base.compiled.folders import code_folders, writable_folder
from sole.base.compiled.foreman import compile_shown, cores, prepare
from sole.base.compiled.listed import listed_kernels, missing_kernels
from sole.base.compiled.machine_calls import machine_call

__all__ = [
    "call_at",
    "code_folders",
    "compile_shown",
    "compiler_part",
    "cores",
    "kernel",
    "kernel_address",
    "listed_kernels",
    "machine_call",
    "missing_kernels",
    "packed",
    "prepare",
    "writable_folder",
]
