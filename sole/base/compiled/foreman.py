"""Kernels compiled beforehand, by several processes: what `sole compile` and cold commands do.

The processes take the longest remaining kernel from one queue and leave machine code on disk. One
process compiles a kernel for all its types, since numba notes these in one file. Threads would not
help: numba compiles one function of a process at once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import asdict, dataclass

from sole.base.compiled.folders import writable_folder
from sole.base.compiled.listed import Listed, missing_kernels
from sole.base.compiled.news import QUIET, number_of, say, speaks
from sole.base.numba_settings import is_set_up, set_up_numba

WORTH = 4.0  # s of compiling from which on processes are started
PROGRAM = "from sole.base.compiled.foreman import work; work()"

Tell = Callable[[float], None]  # share done


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """What was done: kernels and wall time [s]; `failed`: kernels that could not be compiled."""

    kernels: int
    seconds: float
    processes: int
    failed: tuple[str, ...] = ()


def cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def compile_all(
    wanted: Collection[Listed], processes: int | None = None, tell: Tell = lambda share: None
) -> Compiled:
    """Compile kernels in `processes`, by default one per core, and keep their machine code."""
    start, queue = time.monotonic(), by_kernel(wanted)
    number = min(processes or cores(), len(queue))
    total, done = sum(one.seconds for one in wanted) or 1.0, 0.0
    failed, lock = list[str](), threading.Lock()

    def attend(worker: subprocess.Popen[str]) -> None:
        nonlocal done
        trouble = "\n"
        while trouble:  # "": the process has ended
            with lock:
                mine = queue.pop(0) if queue else []
            if not mine:
                return
            for one in mine:
                trouble = _ask(worker, one) if trouble else ""
                with lock:
                    if trouble != "\n":
                        failed.append(f"{one.kernel}: {trouble.strip() or 'the process ended'}")
                    done += one.seconds
                    tell(min(done / total, 1.0))

    workers = [_worker() for _ in range(number)]
    try:
        threads = [threading.Thread(target=attend, args=(w,), daemon=True) for w in workers]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(0.1)  # a signal is seen between two joins
        for worker in workers:
            _dismiss(worker)
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    failed += [f"{one.kernel}: not started" for entries in queue for one in entries]
    spent = time.monotonic() - start
    return Compiled(
        kernels=len(wanted) - len(failed), seconds=spent, processes=number, failed=tuple(failed)
    )


def by_kernel(wanted: Collection[Listed]) -> list[list[Listed]]:
    """Return the entries by kernel, the longest first."""
    found: dict[str, list[Listed]] = {}
    for one in wanted:
        found.setdefault(one.kernel, []).append(one)
    return sorted(found.values(), key=lambda entries: -sum(one.seconds for one in entries))


def _ask(worker: subprocess.Popen[str], one: Listed) -> str:
    """Let a process compile; return what went wrong as a line, "" if it has ended."""
    assert worker.stdin is not None and worker.stdout is not None
    try:
        worker.stdin.write(json.dumps(asdict(one)) + "\n")
        worker.stdin.flush()
        return worker.stdout.readline()
    except OSError:
        return ""


def _dismiss(worker: subprocess.Popen[str]) -> None:
    """Let a process end by itself: it has files to delete."""
    assert worker.stdin is not None and worker.stdout is not None
    with suppress(OSError):
        worker.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        worker.wait(10.0)
    worker.stdout.close()


def prepare(jobs: Collection[str], *, bar: bool = True) -> None:
    """Compile what the jobs call, if it is long work and there are cores to share it.

    Otherwise do nothing: every kernel is compiled when it is called. It never stops a command.
    Without `bar` lines are printed, for callers that draw a bar of their own.
    """
    off = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" or not is_set_up()
    if off or cores() < 2 or not sys.executable or writable_folder() is None:
        return
    wanted = missing_kernels(jobs)
    if sum(one.seconds for one in wanted) >= WORTH:
        compile_shown(wanted, None, bar=bar)


def compile_shown(wanted: list[Listed], processes: int | None, *, bar: bool = True) -> Compiled:
    """Do `compile_all`, with a line before and after and a bar on a terminal."""
    from sole.base.progress import progress_bar

    if wanted:
        many, number = number_of(len(wanted)), min(processes or cores(), len(wanted))
        say(f"compiling {many} for this processor, once, in {number} processes ...")
    with progress_bar("compiling", None, shown=bar and speaks()) as show:
        done = compile_all(wanted, processes, show)
    if wanted:
        say(f"compiled {number_of(done.kernels)} in {done.seconds:.0f} s")
    if done.failed:
        left = number_of(len(done.failed))
        say(f"{left} could not be compiled beforehand: {done.failed[0]}")
    return done


def _worker() -> subprocess.Popen[str]:
    """Start a process that does `work`."""
    own = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", QUIET: "1"}
    own["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL,
        text=True, env=os.environ | own,
    )  # fmt: skip


def work() -> None:
    """Compile what stdin names, one entry of a list on every line; answer with what went wrong."""
    set_up_numba()
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        trouble = ""
        try:
            Listed(**json.loads(line)).compile()
        except Exception as error:
            trouble = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        print(trouble, file=answers, flush=True)
