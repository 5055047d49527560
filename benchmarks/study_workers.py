"""What Dask's workers cost: rate of rows on two workers beside two bare processes.

    python benchmarks/study_workers.py [--rows 200] [--walks 12] [--seconds 5] [--quick]

Rows of 0.1 s that sleep (so that other load on the machine does not matter) and `--walks` rows of
`--seconds` that compute, as walks do. Bare: two processes with half of the rows each, no workers,
run side by side. Rates are between a tenth and nine tenths of the rows, without start and table.

Then where a cluster stops to scale. The process that was started handles one chunk after the
other, in c seconds; measured with rows of 0.05 s, one to a chunk, on two worker processes of 100
threads each: they would make 4000 rows a second if c were nothing. With rows of t seconds n workers
then make

    rate(n) = min(n / (t + o), 1 / c)        o: overhead of a row on a worker
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import ClassVar
from unittest import mock

from sole.base.numba_settings import set_up_numba
from sole.mesh import mesh_shape
from sole.shape import preset
from sole.studies import (
    AxisQuantity,
    Case,
    Column,
    Progress,
    SharedSole,
    Study,
    Workforce,
    engine,
    parse_axis,
)

WORKERS = (10, 100, 1000)


class TimedRows:
    """Rows that only take time."""

    columns: ClassVar = {"twice": Column("Pa", "2 E")}
    quantities: ClassVar[Mapping[str, AxisQuantity]] = {}
    needs_sole = False
    fingerprint = None

    def __init__(self, seconds: float, *, busy: bool) -> None:
        self.seconds, self.busy = seconds, busy

    def row(self, shared: SharedSole, case: Case) -> Mapping[str, float]:
        if self.busy:
            end = time.process_time() + self.seconds
            while time.process_time() < end:
                pass
        else:
            time.sleep(self.seconds)
        return {"twice": 2 * case.young}


def rate(rows: int, kind: TimedRows, crew: Workforce) -> float:
    """Rows a second between a tenth and nine tenths of `rows`, eight at least."""
    study = Study(
        axis=(parse_axis("young", f"1e5:1e7:{rows}"), parse_axis("poisson", "0.3")), element="p1"
    )
    mesh = mesh_shape(preset("hrp2kai"))
    times: list[float] = []

    def note(progress: Progress) -> None:
        if progress.stage == "rows" and progress.done == len(times) + 1:
            times.append(time.perf_counter())

    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(engine, "make_rows", lambda *_: {"timed": kind}),
    ):
        engine.run_study(study, mesh, Path(folder) / "t.nc", workforce=crew, listener=note)
    a, b = max(2, len(times) // 20 * 2), len(times) * 9 // 20 * 2  # whole pairs: two may keep step
    return (b - a) / (times[b] - times[a])


def side_by_side(rows: int, kind: TimedRows) -> tuple[float, float]:
    """Return the rows per second of two bare processes and of two workers."""
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        bare = sum(pool.map(rate, [rows // 2] * 2, [kind] * 2, [Workforce()] * 2))
    return bare, rate(rows, kind, Workforce(workers=2))


def most_chunks(rows: int) -> float:
    """Chunks a second that the client handles at most: two hundred threads ask for more."""
    from distributed import LocalCluster

    with (
        mock.patch("sole.studies.chunks.MOST_ROWS", 1),
        LocalCluster(
            n_workers=2,
            threads_per_worker=100,
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=50,
        ) as cluster,
    ):
        crew = Workforce(workers=None, scheduler=cluster.scheduler_address)
        return rate(rows, TimedRows(0.05, busy=False), crew)


def limit(row: float, overhead: float, client: float, workers: int) -> float:
    """Return the rows per second of `workers`, one row per chunk."""
    return min(workers / (row + overhead), 1 / client)


def main(arguments: Sequence[str] | None = None) -> float:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200, help="of 0.1 s, asleep")
    parser.add_argument("--walks", type=int, default=12, help="rows that compute")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each of these")
    parser.add_argument("--quick", action="store_true", help="few rows: no rates to quote")
    options = parser.parse_args(arguments)
    chunked, single = 20_000, 6000
    if options.quick:
        options.rows, options.walks, options.seconds, chunked, single = 20, 10, 0.2, 1000, 400
    print(f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}")
    overhead = ratio = 0.0
    for rows, kind in (
        (options.walks, TimedRows(options.seconds, busy=True)),
        (options.rows, TimedRows(0.1, busy=False)),
    ):
        bare, two = side_by_side(rows, kind)
        overhead, ratio = max(2 / two - 2 / bare, 0.0), two / bare
        print(
            f"rows of {kind.seconds:g} s: two bare processes {bare:.3f} rows/s, two workers "
            f"{two:.3f}: {ratio:.3f}, {1e3 * overhead:.1f} ms overhead a row"
        )
    empty = rate(chunked, TimedRows(0.0, busy=False), Workforce(workers=2))
    most = most_chunks(single)
    print(f"rows that take no time, in chunks: {empty:.0f} rows/s")
    print(f"chunks that the client handles: {most:.0f} a second, {1e3 / most:.2f} ms each")
    print(f"\nmodel\n\n| row | rows/s of {', '.join(map(str, WORKERS))} workers | useful workers |")
    print("|---|---|---|")
    for row in (0.1, 1.0, 5.0, 10.0):
        found = ", ".join(f"{limit(row, overhead, 1 / most, n):.0f}" for n in WORKERS)
        print(f"| {row:g} s | {found} | {(row + overhead) * most:.0f} |")
    return ratio


if __name__ == "__main__":
    set_up_numba()
    main()
