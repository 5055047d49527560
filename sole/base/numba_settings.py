"""numba's settings in processes that we start: `sole`, its workers, and those that compile.

They are variables of the environment, set before numba is imported there. Nothing else of ours
touches numba's settings: whoever imports our packages keeps his own, and without these kernels work
as well, only slower to compile and kept where numba keeps everything.

    NUMBA_CACHE_LOCATOR_CLASSES   machine code is kept in our folder, see `Located`
    NUMBA_OPT                     1: the same speed for two thirds of the time to compile
    NUMBA_CPU_NAME, ..._FEATURES  a common level of processors, so that machine code can be shared

x86-64-v3 is every x86 processor with AVX2 and FMA: Intel from 2013, AMD from 2015. A folder of
machine code made on one of them serves all others. Any other processor compiles for itself.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Collection
from functools import cache

__all__ = ["has_level", "is_set_up", "processor", "set_up_numba"]

LOCATOR = "NUMBA_CACHE_LOCATOR_CLASSES"
NAME, FEATURES, OPT = "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT"
OURS = "sole.base.compiled.located.Located"
OTHERS = (  # numba's own
    "UserProvidedCacheLocator,InTreeCacheLocator,UserWideCacheLocator,IPythonCacheLocator,"
    "ZipCacheLocator"
)
LEVEL = "x86-64-v3"
# Features as LLVM calls them, and as Linux does.
NEEDED = {
    "avx": "avx", "avx2": "avx2", "bmi": "bmi1", "bmi2": "bmi2", "f16c": "f16c", "fma": "fma",
    "lzcnt": "abm", "movbe": "movbe",
}  # fmt: skip


def set_up_numba() -> None:
    """Set what the user has not; call it in a process of ours before numba is imported."""
    wanted = {LOCATOR: f"{OURS},{OTHERS}", OPT: "1"}
    if NAME not in os.environ and FEATURES not in os.environ and has_level(*_host()):
        wanted |= {NAME: LEVEL, FEATURES: ",".join(f"+{feature}" for feature in NEEDED)}
    for name, value in wanted.items():
        os.environ.setdefault(name, value)


def is_set_up() -> bool:
    """Whether numba keeps machine code in our folder, in this process and those it starts."""
    return OURS in os.environ.get(LOCATOR, "")


def has_level(features: Collection[str], machine: str) -> bool:
    """Whether a processor of this architecture with these features of LLVM has `LEVEL`."""
    return machine.lower() in ("x86_64", "amd64") and set(NEEDED) <= set(features)


@cache
def _host() -> tuple[frozenset[str], str]:
    """Return the features of this processor, of those in `NEEDED`, and its architecture."""
    machine = platform.machine()
    try:  # importing LLVM takes longer than most commands
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
            flags = next((set(line.split()) for line in lines if line.startswith("flags")), set())
        return frozenset(f for f, name in NEEDED.items() if name in flags), machine
    except OSError:
        return frozenset(f for f, has in _features_of_llvm().items() if has), machine


def _features_of_llvm() -> dict[str, bool]:
    from llvmlite.binding import get_host_cpu_features  # type: ignore[import-untyped]

    try:
        return dict(get_host_cpu_features())
    except RuntimeError:  # LLVM knows no features of this architecture
        return {}


def processor() -> tuple[str, str]:
    """Return name and features of the processor that numba compiles for."""
    from llvmlite.binding import get_host_cpu_name

    name = os.environ.get(NAME) or str(get_host_cpu_name())
    found = os.environ.get(FEATURES)
    if found is None:
        found = ",".join(sorted(f for f, has in _features_of_llvm().items() if has))
    return name, found
