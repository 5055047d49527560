"""Rows on Dask workers: chunks go out, finished rows come back to the one journal here.

This process does all condensations first, with all its threads, and puts them in the store, from
which workers read. `sole.studies.foreman` assigns chunks and handles workers that die or hang.

Whoever reaches a port of Dask runs code as its owner, and every user of a machine reaches its
loopback address. So the scheduler, the nannies and the workers of this machine talk by TLS alone,
with the certificate of this run on both sides. Its key is in the memory of these processes only.
"""

from __future__ import annotations

import contextlib
import logging
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sole.base.errors import ConfigError
from sole.base.stopping import deaf_children, undisturbed
from sole.studies.chunks import Heap
from sole.studies.foreman import Foreman
from sole.studies.job import Job, one_line
from sole.studies.journal import brief_path
from sole.studies.shared_soles import Family
from sole.studies.study_plan import SharedKey
from sole.studies.worker import Brief, BriefFile
from sole.studies.workforce import WorkersError, Workforce

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

STARTS = 3  # attempts to start our own cluster
CONNECT_SECONDS = 20
_SETTINGS: dict[str, Any] = {
    "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS}s",
    # We limit the time of a row ourselves, even if nothing else runs on the worker.
    "distributed.scheduler.worker-ttl": None,
    # A worker beyond its share of the memory is stopped, not slowed down or paused for ever.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,
}
_NO_PAGES: dict[str, Any] = {  # HTTP servers of Dask that answer nothing: they know no certificates
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
_ENVIRONMENT = {
    **dict.fromkeys(
        (
            "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "MKL_NUM_THREADS",
            "NUMBA_NUM_THREADS",
        ),
        "1",
    ),
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "DASK_LOGGING__DISTRIBUTED": "critical",
}


def work_elsewhere(job: Job, workforce: Workforce, client: Client | None = None) -> None:
    """Compute the missing rows of `job` on workers of this machine or of a cluster.

    `client` : of workers that `hire_workers` started, which stay; None: start workers for this job.

    Raises
    ------
    WorkersError
        The scheduler cannot be reached or is lost; finished rows are kept.
    ResourceError
        Workers do not see the folder of the output, or a disk is full.
    """
    notes: dict[SharedKey, dict[str, Any]] = {}

    def use(family: Family, key: SharedKey) -> None:
        notes[key] = family.prepare(key)

    groups = {key: places for _, key, places in job.groups(use)}
    if not groups:
        return
    path = brief_path(job.journal).absolute()
    soles = None if job.store is None else job.store.folder.absolute()
    brief = Brief(study=job.plan.study, meshes=job.plan.meshes, kinds=job.kinds, soles=soles)
    try:
        file = BriefFile.write(path, brief)
        with (
            contextlib.nullcontext(client)
            if client is not None
            else hire_workers(workforce) as client
        ):
            Foreman(job, client, file, notes, workforce).run(Heap(groups))
    finally:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def hire_workers(workforce: Workforce) -> Iterator[Client]:
    """Yield a client of the existing cluster, or of one that lives as long as the block."""
    import dask
    from distributed import Client

    for name in ("distributed", "distributed.client", "distributed.gc", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # keep it off the user's terminal
    settings = _SETTINGS | {"distributed.nanny.pre-spawn-environ": _ENVIRONMENT}
    if not workforce.scheduler and workforce.dashboard is None:
        settings |= _NO_PAGES
    with dask.config.set(settings):
        if workforce.scheduler:
            try:
                client = Client(workforce.scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
            except (OSError, ValueError) as error:
                raise WorkersError(
                    f"no Dask scheduler answers at {workforce.scheduler}: {one_line(error)}"
                ) from error
            with client:
                yield client
            return
        if workforce.dashboard is not None:
            _require_dashboard()
        # Workers import from their folders, so nobody else may write in the folder of these.
        with (
            tempfile.TemporaryDirectory(prefix="sole-workers-", ignore_cleanup_errors=True) as own,
            dask.config.set({"temporary-directory": own}),
        ):
            cluster = _start(workforce, own)
            try:
                with Client(cluster, set_as_default=False) as client:
                    yield client
            finally:
                with undisturbed(), contextlib.suppress(OSError, RuntimeError, TimeoutError):
                    cluster.close()  # an error: a worker was just killed


def _start(workforce: Workforce, folder: str) -> LocalCluster:
    """Start workers on this machine, in `folder`; try again if one is killed meanwhile."""
    from distributed import LocalCluster
    from distributed.security import Security

    security = Security.temporary()
    for _ in range(STARTS):
        try:
            with deaf_children():  # the thread that starts workers, also later ones, begins here
                return LocalCluster(
                    n_workers=workforce.number,
                    threads_per_worker=1,
                    processes=True,
                    security=security,
                    local_directory=folder,
                    dashboard_address=f"127.0.0.1:{workforce.dashboard or 0}",
                    scheduler_kwargs={"dashboard": workforce.dashboard is not None},
                    silence_logs=logging.CRITICAL,
                )
        except (OSError, RuntimeError, TimeoutError) as error:
            reason = error
    raise WorkersError(
        f"workers did not start in {STARTS} attempts: {one_line(reason)}; run without: --workers 0"
    ) from reason


def _require_dashboard() -> None:
    from importlib.util import find_spec

    if find_spec("bokeh") is None:
        raise ConfigError("the dashboard needs bokeh: pip install bokeh, or leave --dashboard out")
