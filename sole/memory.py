"""Memory is asked for before it is taken: a job that does not fit is refused with the number."""

from __future__ import annotations

from sole.errors import ResourceError

MESHING = "coarsen the tread (--size-tread) first, then the bond (--size-bond)"


def require_memory(needed: float, job: str, advice: str = MESHING) -> None:
    """Raise if `needed` bytes are more than the memory available; `advice` says what helps.

    Raises
    ------
    ResourceError
        Names the job, what it needs, what there is and what to coarsen.
    """
    import psutil

    available = psutil.virtual_memory().available
    if needed > available:
        raise ResourceError(
            f"{job} needs {needed / 1e9:.3g} GB of memory, {available / 1e9:.3g} GB are available: "
            f"{advice}"
        )
