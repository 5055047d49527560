"""Check of memory before a job: one that does not fit is refused with the number."""

from __future__ import annotations

from sole.base.errors import ResourceError

__all__ = ["require_memory"]


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
