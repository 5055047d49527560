"""Memory: a job that does not fit is refused before it starts; a reader cannot fill it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path

from sole.base.errors import ResourceError

__all__ = ["memory_of_file", "require_memory"]

FREE = 50_000_000  # bytes that reading any file may take
RATIO = 16  # bytes per byte of the file beyond that; Abaqus' text takes 8, compressed VTU 8


MESHING = "coarsen the tread (--size-tread) first, then the bond (--size-bond)"


def require_memory(needed: float, job: str, advice: str = MESHING) -> None:
    """Raise if `needed` bytes exceed the available memory; `advice` says what helps.

    Raises
    ------
    ResourceError
        The message names the job, both amounts of memory and what to coarsen.
    """
    import psutil

    available = psutil.virtual_memory().available
    if needed > available:
        raise ResourceError(
            f"{job} needs {needed / 1e9:.3g} GB of memory, {available / 1e9:.3g} GB are available: "
            f"{advice}"
        )


@contextmanager
def memory_of_file(path: Path) -> Iterator[None]:
    """Limit the memory that a foreign reader may take for a file: `FREE` and `RATIO` a byte.

    A damaged or hostile mesh of a kilobyte may declare a billion tags; Gmsh and meshio ask for
    their memory before they look whether the file goes on. Beyond the limit Python raises
    MemoryError, C++ std::bad_alloc. Files beside it of the same stem count too (XDMF keeps its
    numbers there). The limit is one of the whole process, so only its main thread sets it, and
    only on Linux, where it counts private memory alone.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        yield
        return
    import resource

    size = sum(p.stat().st_size for p in path.parent.glob(f"{escape(path.stem)}.*") if p.is_file())
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    here = _private_memory() + FREE + RATIO * size
    here = min([here, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)])
    resource.setrlimit(resource.RLIMIT_DATA, (here, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _private_memory() -> int:
    """Return what counts towards RLIMIT_DATA now [bytes]."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("VmData:"))
