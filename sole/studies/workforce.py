"""Who works out the rows of a sweep: this process, processes on this machine, a Dask cluster."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from sole.errors import ConfigError, SoleError

START_SECONDS = 6.0  # what workers cost before their first row: start, imports, compiled code
ROW_SECONDS = 3600.0  # a row that takes longer hangs
TRIAL_SECONDS = 1.0  # rows are timed for so long here before a cluster is thought of


class WorkersError(SoleError):
    """The workers of a sweep, or their scheduler, cannot be reached any more."""


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass(frozen=True, kw_only=True)
class Workforce:
    """Who works.

    Parameters
    ----------
    workers : processes on this machine, at most as many as cores; 0: this process; None: this
        process if the sweep is short, else as many as cores.
    scheduler : address of a Dask scheduler, such as "tcp://host:8786", instead of own workers.
    dashboard : port of Dask's dashboard for own workers, None for no dashboard.
    timeout : longest time of a row on a worker [s]; over it the worker is ended and the row
        has failed. In this process nothing can end a row.

    Raises
    ------
    ConfigError
        A negative number; workers and a scheduler together; a dashboard without workers; no
        time for a row.
    """

    workers: int | None = 0
    scheduler: str = ""
    dashboard: int | None = None
    timeout: float = ROW_SECONDS

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 0:
            raise ConfigError(f"workers must be 0 or more, got {self.workers}")
        if self.scheduler and self.workers:
            raise ConfigError(
                f"the cluster at {self.scheduler} has its own workers: leave --workers out"
            )
        if self.scheduler and "://" not in self.scheduler:
            raise ConfigError(f"a scheduler is tcp://HOST:PORT, got '{self.scheduler}'")
        if self.dashboard is not None and (self.scheduler or self.workers == 0):
            raise ConfigError("a dashboard belongs to workers of this machine: give --workers N")
        if not self.timeout > 0:
            raise ConfigError(f"timeout must be more than 0 s, got {self.timeout:g}")

    @property
    def number(self) -> int:
        """Number of own processes if there are to be any."""
        return cores() if self.workers is None else min(self.workers, cores())

    @property
    def here(self) -> bool:
        """Whether this process works out all rows."""
        return self.workers == 0 and not self.scheduler

    @property
    def undecided(self) -> bool:
        """Whether the length of the sweep decides."""
        return self.workers is None and not self.scheduler

    def worth_starting(self, seconds: float, done: int, left: int) -> bool:
        """Return whether workers would save more than they cost.

        `done` rows took `seconds` in this process and `left` are left; n workers save
        (1 - 1/n) of the time.
        """
        if self.number < 2 or seconds < TRIAL_SECONDS:
            return False
        return seconds / done * left * (1 - 1 / self.number) > START_SECONDS


def workforce_of(
    workers: int | None,
    threads: int,
    scheduler: str,
    dashboard: int | None,
    timeout: float | None,
) -> Workforce:
    """Return who works, from the options of a command.

    No threads: this process. A timeout asks for workers from the first row on, because nothing
    can end a row in this process.

    Raises
    ------
    ConfigError
        As of `Workforce`; a timeout without workers.
    """
    workers = workers if threads else 0
    if timeout is not None and not scheduler:
        if workers == 0:
            raise ConfigError(
                "nothing can end a row in this process: give --workers N, or leave --timeout out"
            )
        workers = workers or cores()
    return Workforce(
        workers=workers,
        scheduler=scheduler,
        dashboard=dashboard,
        timeout=ROW_SECONDS if timeout is None else timeout,
    )


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread: sums then have the same order here and on every worker."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    import scipy.linalg.blas  # noqa: F401  (loads the library that is limited)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
