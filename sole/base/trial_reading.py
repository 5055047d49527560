"""A file that a foreign library might crash on is first read by a child process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

from sole.base.waiting import NAME as WATCH

__all__ = ["read_in_child", "survives"]


def survives(read: Callable[[Path], object], path: Path, seconds: int | None = None) -> bool:
    """Return whether a child process that reads the file ends by itself; errors count as an end.

    Parameters
    ----------
    read : a function of a module.
    path : the file.
    seconds : processor time for the child [s]; None: no limit.

    A fork takes some milliseconds, but is safe only where no other thread of Python runs.
    """
    if sys.platform != "linux" or _others_run():
        code = (
            f"from {__name__} import read_in_child; from {read.__module__} import {read.__name__}\n"
            f"import sys; from pathlib import Path\n"
            f"read_in_child({read.__name__}, Path(sys.argv[1]), {seconds})"
        )
        words, quiet = [sys.executable, "-c", code, str(path)], subprocess.DEVNULL
        return subprocess.run(words, stdout=quiet, stderr=quiet, check=False).returncode >= 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads of BLAS, which stay idle
        child = os.fork()
    if not child:
        try:
            read_in_child(read, path, seconds)
        finally:
            os._exit(0)
    return os.WIFEXITED(os.waitpid(child, 0)[1])


def _others_run() -> bool:
    """Whether threads run that may hold a lock; the watch of silence takes none."""
    here = threading.current_thread()
    return any(t is not here and t.name != WATCH for t in threading.enumerate())


def read_in_child(read: Callable[[Path], object], path: Path, seconds: int | None) -> None:
    """Read a file in a process that may crash, silently."""
    import faulthandler

    faulthandler.disable()
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if seconds is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for descriptor in (1, 2):
            os.dup2(nowhere, descriptor)
    read(path)
