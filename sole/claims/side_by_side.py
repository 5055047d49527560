"""Experiments side by side: each process takes the longest that is left, and answers in lines.

A process that ends while it runs an experiment fails that experiment alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from sole.base.stopping import end_with
from sole.claims.claim import Effort, Experiment
from sole.claims.measured import Measured, measure

__all__ = ["Order", "measure_all", "serve"]

PROGRAM = "from sole.claims.side_by_side import serve; serve({parent})"
TELL = 0.2  # s between two words on an experiment's progress
LOOK = 0.1  # s between two looks at the processes


@dataclass(frozen=True, kw_only=True)
class Order:
    """An experiment to run: `pictures` and `heads` as in `measure`, see `sole.claims.Effort`."""

    experiment: Experiment
    quick: bool
    folder: Path | None
    pictures: dict[str, Path]
    heads: dict[str, list[str]] = field(default_factory=dict)

    @property
    def expected(self) -> float:
        """Processor time that it takes [s]."""
        return self.experiment.quick if self.quick else self.experiment.full

    def run(self, tell: Callable[[float], None]) -> Measured:
        """Run it in this process."""
        effort = Effort(quick=self.quick, tell=tell, folder=self.folder)
        return measure(self.experiment, effort, self.pictures, self.heads)


def measure_all(
    orders: Sequence[Order], processes: int, tell: Callable[[int, float], None]
) -> list[Measured]:
    """Run all orders in processes of their own and return what came of each.

    Parameters
    ----------
    tell : is told the place of an order and its finished fraction, in this thread.
    """
    queue = deque(sorted(range(len(orders)), key=lambda k: -orders[k].expected))
    found: list[Measured | None] = [None] * len(orders)
    news: deque[tuple[int, float]] = deque()

    def attend(worker: subprocess.Popen[str]) -> None:
        while queue:
            try:
                k = queue.popleft()
            except IndexError:  # another process was faster
                return
            found[k] = _ask(worker, orders[k], partial(_note, news, k))
            news.append((k, 1.0))
            if queue and worker.poll() is not None:
                worker = start()

    workers: list[subprocess.Popen[str]] = []
    scratch = tempfile.TemporaryDirectory()  # a process that is killed cannot tidy up

    def start() -> subprocess.Popen[str]:
        workers.append(_start_worker(scratch.name))
        return workers[-1]

    threads: list[threading.Thread] = []
    try:
        for _ in range(min(processes, len(orders))):
            threads.append(threading.Thread(target=attend, args=(start(),), daemon=True))
            threads[-1].start()
        while any(thread.is_alive() for thread in threads) or news:
            while news:
                tell(*news.popleft())
            time.sleep(LOOK)
    finally:
        queue.clear()
        for worker in workers:
            worker.kill()
            worker.wait()
        for thread in threads:
            thread.join()  # the end of the pipes has woken it
        for worker in workers:
            for pipe in (worker.stdin, worker.stdout):
                if pipe is not None:
                    pipe.close()
        scratch.cleanup()
    return [one or Measured(error="it was not started") for one in found]


def _note(news: deque[tuple[int, float]], k: int, fraction: float) -> None:
    news.append((k, fraction))


def _ask(worker: subprocess.Popen[str], order: Order, tell: Callable[[float], None]) -> Measured:
    """Hand an order to a process and wait for its answer."""
    assert worker.stdin is not None and worker.stdout is not None
    try:
        print(json.dumps(asdict(order), default=str), file=worker.stdin, flush=True)
        for line in worker.stdout:
            answer: dict[str, Any] = json.loads(line)
            if "done" not in answer:
                return Measured(**{**answer, "pictures": tuple(answer["pictures"])})
            tell(answer["done"])
    except OSError:
        pass
    code = worker.wait()
    told = f"signal {-code}" if code < 0 else f"exit code {code}"
    return Measured(
        error=f"its process ended ({told}); run this claim alone, with --workers 1, to see why"
    )


def _start_worker(scratch: str) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "TMPDIR": scratch,
    }
    return subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM.format(parent=os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,  # Ctrl-C is for the process that asks
    )


def serve(parent: int) -> None:
    """Run the orders that stdin brings, one on every line; answer with progress and outcome.

    `parent` : number of the process that asks; this one ends with it.
    """
    end_with(parent)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what an experiment prints is no answer

    def answer(what: dict[str, Any]) -> None:
        print(json.dumps(what, default=float), file=answers, flush=True)  # of NumPy, too

    due = [0.0]

    def tell(fraction: float) -> None:
        now = time.monotonic()
        if now >= due[0]:
            due[0] = now + TELL
            answer({"done": fraction})

    for line in sys.stdin:
        known = json.loads(line)
        order = Order(
            experiment=Experiment(**known["experiment"]),
            quick=known["quick"],
            folder=None if known["folder"] is None else Path(known["folder"]),
            pictures={name: Path(path) for name, path in known["pictures"].items()},
            heads=known["heads"],
        )
        answer(asdict(order.run(tell)))
