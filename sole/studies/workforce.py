"""The workers of a sweep: this process, processes on this machine, or a Dask cluster."""

from __future__ import annotations

import os
from dataclasses import dataclass

from sole.base.errors import ConfigError, SoleError
from sole.base.extras import has_extra, require_extra

START_SECONDS = 6.0  # cost of workers before their first row: start, imports, compiled code
ROW_SECONDS = 3600.0  # a longer row counts as hung
TRIAL_SECONDS = 1.0  # rows are timed here for so long before a cluster is considered


class WorkersError(SoleError):
    """The workers of a sweep, or their scheduler, are lost."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass(frozen=True, kw_only=True)
class Workforce:
    """The choice of workers.

    Parameters
    ----------
    workers : processes on this machine, at most one per core; 0: this process; None: this
        process for a short sweep, else one per core.
    scheduler : address of a Dask scheduler, such as "tcp://host:8786", instead of own workers.
    dashboard : port of Dask's dashboard for own workers, None for no dashboard.
    timeout : time limit of a row on a worker [s]; beyond it the worker is stopped and the row
        fails. Rows in this process cannot be stopped.

    Raises
    ------
    ConfigError
        A negative number, workers together with a scheduler, a dashboard without workers, or a
        non-positive timeout.
    SoleError
        Workers or a scheduler without the extra `studies`.
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
        if self.workers or self.scheduler:
            require_extra("studies", "work in other processes")

    @property
    def number(self) -> int:
        """Number of own worker processes, if any."""
        return cores() if self.workers is None else min(self.workers, cores())

    @property
    def here(self) -> bool:
        """Whether this process computes all rows."""
        return self.workers == 0 and not self.scheduler

    @property
    def undecided(self) -> bool:
        """Whether the choice depends on the length of the sweep."""
        return self.workers is None and not self.scheduler

    @property
    def told(self) -> str:
        """Who computes the rows, in words."""
        if self.scheduler:
            return f"the cluster at {self.scheduler}"
        if self.here:
            return "this process"
        return f"this process, or {self._own} if that is faster" if self.undecided else self._own

    @property
    def starting(self) -> str:
        """What begins when rows go to workers, in words."""
        return f"connecting to {self.told}" if self.scheduler else f"starting {self._own}"

    @property
    def _own(self) -> str:
        return "1 worker process" if self.number == 1 else f"{self.number} worker processes"

    def worth_starting(self, seconds: float, done: int, left: int) -> bool:
        """Return whether workers would save more time than they cost.

        `done` rows took `seconds` in this process and `left` are left; n workers save
        (1 - 1/n) of the time. Without the extra `studies` there are none.
        """
        if self.number < 2 or seconds < TRIAL_SECONDS or not has_extra("studies"):
            return False
        return seconds / done * left * (1 - 1 / self.number) > START_SECONDS


def choose_workforce(
    workers: int | None,
    threads: int,
    scheduler: str,
    dashboard: int | None,
    timeout: float | None,
) -> Workforce:
    """Return the workforce from the options of a command.

    `threads` = 0 means this process. A timeout starts workers from the first row on, because rows
    in this process cannot be stopped.

    Raises
    ------
    ConfigError
        As in `Workforce`, or a timeout without workers.
    """
    workers = workers if threads else 0
    if timeout is not None and not scheduler:
        if workers == 0:
            raise ConfigError(
                "rows in this process cannot be stopped: give --workers N, or leave --timeout out"
            )
        workers = workers or cores()
    return Workforce(
        workers=workers,
        scheduler=scheduler,
        dashboard=dashboard,
        timeout=ROW_SECONDS if timeout is None else timeout,
    )
