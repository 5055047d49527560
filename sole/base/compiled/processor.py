"""The processor that kernels are compiled for: a common level, so that machine code can be shared.

x86-64-v3 is every x86 processor with AVX2 and FMA: Intel from 2013, AMD from 2015. A folder of
machine code made on one of them serves all others. Any other processor compiles for itself.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

LEVEL = "x86-64-v3"
NEEDED = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
NAME, FEATURES = "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"


def has_level(features: Mapping[str, bool], machine: str) -> bool:
    """Whether a processor of this architecture with these LLVM features has `LEVEL`."""
    return machine.lower() in ("x86_64", "amd64") and all(features.get(f) for f in NEEDED)


@cache
def choose_processor() -> None:
    """Let numba compile for `LEVEL` if this processor has it and the user chose nothing.

    It has no effect after numba has compiled anything: one process compiles for one processor.
    """
    if NAME in os.environ or FEATURES in os.environ or _has_begun():
        return
    from llvmlite.binding import get_host_cpu_features  # type: ignore[import-untyped]

    try:
        features = get_host_cpu_features()
    except RuntimeError:  # LLVM knows no features of this architecture
        return
    if not has_level(features, platform.machine()):
        return
    os.environ[NAME] = LEVEL
    os.environ[FEATURES] = ",".join(f"+{f}" for f in NEEDED)
    if (config := sys.modules.get("numba.core.config")) is not None:
        config.reload_config()


def processor() -> tuple[str, str, str]:
    """Return system, name and features of the processor that numba compiles for."""
    import numba.core
    from llvmlite.binding import get_host_cpu_name, get_process_triple

    codegen: Any = numba.core.codegen
    config: Any = numba.core.config
    name, features = config.CPU_NAME, config.CPU_FEATURES
    if name is None:
        name = get_host_cpu_name()
    if features is None:
        features = codegen.get_host_cpu_features()
    return get_process_triple(), name, features


def _has_begun() -> bool:
    """Whether numba has set up its compiler already."""
    registry = sys.modules.get("numba.core.registry")
    return registry is not None and "_toplevel_target_context" in vars(registry.cpu_target)
