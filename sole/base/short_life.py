"""A command's process: no search for cycles while it starts, no taking apart when it ends.

Most commands are done in a second. Python would spend a tenth of it on looking for garbage among
the objects that imports make, which stay, and another tenth on freeing them one by one at the end.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
import threading

__all__ = ["collect_as_usual", "collect_later", "end_now"]

START = 2.0  # s without a search for cycles: what is unreachable meanwhile is found after them


def collect_later(seconds: float = START) -> None:
    """Look for cycles of garbage from `seconds` [s] on; a fork does at once."""
    if not gc.isenabled():
        return
    gc.disable()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=gc.enable)
    timer = threading.Timer(seconds, gc.enable)
    timer.daemon = True
    _waiting.append(timer)
    timer.start()


def collect_as_usual() -> None:
    """Look for cycles from now on, if they would be looked for later anyway."""
    while _waiting:
        timer = _waiting.pop()
        if not timer.finished.is_set():
            timer.cancel()
            gc.enable()


def end_now(code: int) -> None:
    """End the process with an exit code and leave its memory to the system.

    Threads that are no daemons are waited for, exit functions are run and buffers written as the
    interpreter does, and in its order. Only what then frees object by object is left out. If a
    buffer cannot be written, or a debugger or profiler watches, this returns: the interpreter ends
    as usual, and complains as usual.
    """
    if sys.gettrace() or sys.getprofile():
        return
    with contextlib.suppress(KeyboardInterrupt):
        threading._shutdown()  # type: ignore[attr-defined]  # as forks of multiprocessing do
    with contextlib.suppress(KeyboardInterrupt):
        atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError, KeyboardInterrupt):
        return
    os._exit(code)


_waiting: list[threading.Timer] = []
