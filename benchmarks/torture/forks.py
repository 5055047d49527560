"""Calls of the command line in forks of this process, with limits of time and memory.

A fork has all packages and compiled kernels in its memory, so a call costs milliseconds. It serves
some calls, one after the other, and ends; one that crashes or hangs is replaced.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

import __main__

BATCH = 25  # calls of one fork
CPU_SECONDS = 40
WALL_SECONDS = 300.0
LIVE_SECONDS, LIVE_MOST = 1.5, 15.0  # between two looks whether a page is there; without one
MORE_MEMORY = 3_000_000_000  # bytes that a call may ask for
NOT_SHOWN = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


@dataclass(frozen=True)
class Answer:
    """Exit code (-number of a signal), standard output and error, time [s], peak memory [bytes]."""

    code: int
    told: str
    said: str
    seconds: float
    memory: float


class Forks:
    """Runs calls of `sole` in forks; a context manager.

    Parameters
    ----------
    folder : for the output of the calls.
    """

    def __init__(self, folder: Path) -> None:
        self._out, self._err = folder / "out", folder / "err"
        self._child = self._calls = 0
        self._ask: Any = None
        self._answers: Any = None

    def __enter__(self) -> Forks:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._end()

    def run(self, words: Sequence[str], folder: Path) -> Answer:
        """Run `sole WORDS` in `folder`."""
        if self._calls >= BATCH:
            self._end()
        if not self._child:
            self._start()
        for path in (self._out, self._err):
            path.write_bytes(b"")
        self._calls, begun, told = self._calls + 1, time.monotonic(), ""
        self._ask.write(json.dumps([list(words), str(folder)]) + "\n")
        self._ask.flush()
        if select.select([self._answers], [], [], WALL_SECONDS)[0]:
            told = self._answers.readline()
        else:
            os.kill(self._child, signal.SIGKILL)
        seconds = time.monotonic() - begun
        code, memory = json.loads(told) if told else (self._end(), 0.0)
        out, err = (p.read_text(errors="replace") for p in (self._out, self._err))
        return Answer(code, out, err, seconds, memory)

    def _start(self) -> None:
        (asked, ask), (answers, answer) = os.pipe(), os.pipe()
        self._child, self._calls = os.fork(), 0
        if self._child == 0:
            os.close(ask)
            os.close(answers)
            _serve(asked, answer, self._out, self._err)
        os.close(asked)
        os.close(answer)
        self._ask, self._answers = os.fdopen(ask, "w"), os.fdopen(answers)

    def _end(self) -> int:
        """End the fork; return its exit code."""
        if not self._child:
            return 0
        with contextlib.suppress(BrokenPipeError):
            self._ask.close()
        self._answers.close()
        _, status = os.waitpid(self._child, 0)
        self._child = 0
        return os.waitstatus_to_exitcode(status)


def _serve(asked: int, answer: int, out: Path, err: Path) -> NoReturn:
    """Answer calls until there are no more."""
    code = 1
    # Else a process that a call starts would run this script.
    __main__.__spec__ = None
    vars(__main__).pop("__file__", None)
    try:
        with os.fdopen(asked) as calls, os.fdopen(answer, "w") as answers:
            for line in calls:
                words, folder = json.loads(line)
                answers.write(json.dumps(_call(words, folder, out, err)) + "\n")
                answers.flush()
        code = 0
    finally:
        os._exit(code)


def _call(words: list[str], folder: str, out: Path, err: Path) -> tuple[int, float]:
    """Run one call; return its exit code and the growth of the memory at its peak [bytes]."""
    for number, path in ((1, out), (2, err)):
        opened = os.open(path, os.O_WRONLY | os.O_TRUNC)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout, sys.stderr = (open(n, "w", closefd=False, errors="replace") for n in (1, 2))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.resetwarnings()
    for category in NOT_SHOWN:  # as Python does on its own
        warnings.simplefilter("ignore", category)
    os.environ.pop("SOLE_DEBUG", None)
    os.environ["SOLE_PATIENCE"] = "inf"  # no line says that a slow call is under way
    os.chdir(folder)
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = int(used.ru_utime + used.ru_stime) + CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, resource.RLIM_INFINITY))
    limit = int(_status("VmData")) + MORE_MEMORY
    resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.RLIM_INFINITY))
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak
    before = _status("VmRSS")
    from sole.base import cli

    sys.argv, code = ["sole", *words], 0
    if words[:1] == ["live"]:  # which ends by Ctrl-C alone
        begun = time.monotonic()
        signal.signal(signal.SIGALRM, lambda *_: _end_live(out, begun))
        signal.setitimer(signal.ITIMER_REAL, LIVE_SECONDS, LIVE_SECONDS)
    try:
        cli.main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        print(f"Traceback: {type(error).__name__}: {error}", file=sys.stderr)
        code = 98
    signal.setitimer(signal.ITIMER_REAL, 0)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.close()
    return code, _status("VmHWM") - before


def _end_live(out: Path, begun: float) -> None:
    """Press Ctrl-C once if the page is there, or will hardly come."""
    if out.stat().st_size or time.monotonic() > begun + LIVE_MOST:
        signal.setitimer(signal.ITIMER_REAL, 0)
        os.kill(os.getpid(), signal.SIGINT)


def _status(name: str) -> float:
    """Return a size from /proc/self/status [bytes]."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return float(line.split()[1]) * 1024
    return 0.0
