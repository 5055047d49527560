"""What Dask's workers cost: rate of rows on two workers beside two bare processes.

    python benchmarks/study_workers.py [--seconds 0.1] [--rows 200] [--busy]

Rows that take `--seconds` each, asleep (so that other load on the machine does not matter) or,
with `--busy`, computing. Bare: two processes with half of the rows each, no workers, run side by
side. Rates are between a tenth and nine tenths of the rows, without start and table. Then where a
cluster stops to scale: the client handles one chunk at a time, so n workers give

    rate(n) = min(n / (t + c), 1 / c)        t: time of a row, c: client's time for a chunk
"""

from __future__ import annotations

import argparse
import multiprocessing
import platform
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

from sole import sweep
from sole.meshing import mesh_shape
from sole.presets import preset
from sole.studies.axis import parse_axis
from sole.studies.progress import Progress
from sole.studies.rows import Case, Column, SharedSole
from sole.studies.study import Study
from sole.studies.workforce import Workforce


class TimedRows:
    """Rows that do nothing but last."""

    columns: ClassVar = {"twice": Column("Pa", "2 E")}
    settings: ClassVar[frozenset[str]] = frozenset()
    needs_sole = False

    def __init__(self, seconds: float, busy: bool) -> None:
        self.seconds, self.busy = seconds, busy

    def row(self, shared: SharedSole, case: Case) -> Mapping[str, float]:
        if self.busy:
            end = time.process_time() + self.seconds
            while time.process_time() < end:
                pass
        else:
            time.sleep(self.seconds)
        return {"twice": 2 * case.young}


def rate(rows: int, kind: Any, workers: int) -> float:
    """Rows a second between a tenth and nine tenths of them."""
    study = Study(
        axis=(parse_axis("young", f"1e5:1e7:{rows}"), parse_axis("poisson", "0.3")), element="p1"
    )
    mesh = mesh_shape(preset("hrp2kai"))
    times: list[float] = []

    def note(progress: Progress) -> None:
        if progress.stage == "rows":
            times.append(time.perf_counter())

    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(sweep, "make_rows", lambda study: {"timed": kind}),
    ):
        crew = Workforce(workers=workers)
        sweep.run_sweep(study, mesh, Path(folder) / "t.nc", workforce=crew, listener=note)
    a, b = len(times) // 10, len(times) * 9 // 10
    return (b - a) / (times[b] - times[a])


def limit(row: float, client: float, workers: int) -> float:
    """Rows a second of `workers`, one row to a chunk."""
    return min(workers / (row + client), 1 / client)


def main(arguments: Sequence[str] | None = None) -> float:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.1, help="of a row")
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--busy", action="store_true", help="compute instead of sleeping")
    options = parser.parse_args(arguments)
    kind = TimedRows(options.seconds, options.busy)
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        bare = sum(pool.map(rate, [options.rows // 2] * 2, [kind] * 2, [0, 0]))
    two = rate(options.rows, kind, 2)
    none = rate(2000, TimedRows(0.0, False), 2)
    tasks = rate_of_tasks()
    print(f"Python {platform.python_version()}, rows of {options.seconds:g} s")
    print(f"two bare processes {bare:.2f} rows/s, two workers {two:.2f}: {two / bare:.3f}")
    print(f"overhead per row: {1e3 * (2 / two - 2 / bare):.1f} ms")
    print(f"empty rows, in chunks: {none:.0f} a second; client per chunk: {1e3 / tasks:.2f} ms")
    for row in (0.1, 1.0, 10.0):
        line = ", ".join(f"{n}: {limit(row, 1 / tasks, n) * row:.0f}" for n in (10, 100, 1000))
        print(f"rows of {row:g} s: workers and how many of them are used: {line}")
    return two / bare


def rate_of_tasks() -> float:
    """Chunks a second that the client handles: empty rows, one to a chunk."""
    with mock.patch("sole.studies.chunks.MOST_ROWS", 1):
        return rate(600, TimedRows(0.0, False), 2)


if __name__ == "__main__":
    main()
