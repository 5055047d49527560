"""A child process for foreign code that may crash, find no end or fill the memory.

It has limits of processor time and memory, leaves no core file, imports nothing from the folder
that it runs in, and ends with its parent. Ctrl-C comes to the parent alone, which then ends it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

__all__ = ["bounded_child"]

_LIMITS = """
import sys
if sys.platform != "win32":
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for kind, most in ((resource.RLIMIT_CPU, {seconds}), (resource.RLIMIT_AS, {memory})):
        if most is not None:
            resource.setrlimit(kind, (most, most))
if sys.platform == "linux":
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG: killed with its parent
"""


@contextmanager
def bounded_child(
    code: str,
    words: Sequence[str],
    *,
    seconds: int | None = None,
    memory: int | None = None,
    stdout: int | IO[Any] = subprocess.DEVNULL,
    text: bool = False,
    cwd: str | None = None,
) -> Iterator[subprocess.Popen[Any]]:
    """Start Python on `code` with the arguments `words`; kill it when the block ends.

    Parameters
    ----------
    seconds : processor time that it may take [s]; None: no limit.
    memory : address space that it may have [bytes]; None: no limit.
    stdout, text, cwd : as of `subprocess.Popen`; input and errors go nowhere.
    """
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", _LIMITS.format(seconds=seconds, memory=memory) + code, *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        text=text,
        errors="replace" if text else None,
        start_new_session=True,
    )
    try:
        yield child
    finally:
        child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()
