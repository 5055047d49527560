"""Sweeps on Dask's workers: real processes, really killed."""

from __future__ import annotations

import csv
import json
import select
import signal
import subprocess
import sys
import time
from collections import Counter

import probe_rows
import psutil
import pytest
from box_mesh import box_mesh

from sole.mesh import write_mesh
from sole.studies import read_table

pytestmark = [pytest.mark.slow, pytest.mark.long]
SOLE = (sys.executable, "-c", "from sole.base.cli import main; main()")
GRID = ("--young", "1e5:1e7:6", "--poisson", "0.2,0.3,0.4", "--element", "p1", "--rows", "probe")
ROWS = 18


class Sweeps:
    """Starts sweeps of a small pad in a folder."""

    def __init__(self, folder):
        self.folder, self.environment = folder, probe_rows.install(folder)
        write_mesh(folder / "pad.msh", box_mesh(0.2, 0.1, 0.02, (4, 3, 1)))

    def start(self, name, *arguments, **options):
        options = {"log": str(self.folder / f"{name}.log"), **options}
        texts = [t for k, v in options.items() for t in ("--set", f"probe.{k}={json.dumps(v)}")]
        command = [*SOLE, "sweep", "pad.msh", *GRID, *texts, "-o", f"{name}.nc", *arguments]
        return self.open(command)

    def open(self, command):
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def log(self, name):
        """Lines `place pid`, `place pid threads` if asked for, of the rows begun so far."""
        path = self.folder / f"{name}.log"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def wait_for_rows(self, name, number, process):
        end = time.monotonic() + 60
        while len(self.log(name)) < number:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end
            time.sleep(0.02)

    def table(self, name):
        return (self.folder / f"{name}.csv").read_bytes()

    def leftovers(self, name):
        return sorted(p.name for p in self.folder.glob(f"{name}.nc?*"))


@pytest.fixture(scope="module")
def sweeps(tmp_path_factory):
    return Sweeps(tmp_path_factory.mktemp("workers"))


@pytest.fixture(scope="module")
def whole(sweeps):
    """The table that one process makes, with one case that fails."""
    process = sweeps.start("whole", "--workers", "1", "--threads", "0", "--json", fails=[4])
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert json.loads(out)["workers"] == 0
    assert {pid for _, pid in sweeps.log("whole")} == {str(process.pid)}
    return sweeps.table("whole")


def ended(process, timeout=60):
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err


def test_workers_make_the_table_of_one_process(sweeps, whole):
    more = {"fails": [4], "threads": True}
    code, out, err = ended(sweeps.start("two", "--workers", "2", "--json", **more))
    assert (code, err) == (0, "")  # nothing of Dask's logs
    assert json.loads(out)["workers"] >= 1
    assert sweeps.table("two") == whole
    places, pids, threads = zip(*sweeps.log("two"), strict=True)
    assert Counter(places) == Counter(map(str, range(ROWS)))
    assert set(threads) == {"1,1"}  # of BLAS and of numba
    assert len(set(pids)) == json.loads(out)["workers"]
    reasons = read_table(sweeps.folder / "two.nc")["reason"].values.ravel()
    assert [i for i, r in enumerate(reasons) if r] == [4]
    assert reasons[4] == "probe: ZeroDivisionError: oops"
    assert sweeps.leftovers("two") == []


def test_worker_and_client_are_killed_and_the_table_is_identical(sweeps, whole):
    more = {"fails": [4], "seconds": 0.15}
    process = sweeps.start("killed", "--workers", "2", **more)
    sweeps.wait_for_rows("killed", 2, process)
    _, pid = sweeps.log("killed")[-1]
    psutil.Process(int(pid)).kill()
    sweeps.wait_for_rows("killed", 8, process)
    family = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    assert ended(process)[0] == -signal.SIGKILL, "it had ended before it was killed"
    assert psutil.wait_procs(family, timeout=10)[1] == [], "workers outlive their client"
    assert not (sweeps.folder / "killed.nc").exists()
    begun = len(sweeps.log("killed"))
    soles = {p.name: p.stat().st_mtime_ns for p in sweeps.folder.glob("killed.nc.soles/*.npy")}
    assert len(soles) == 3
    code, out, err = ended(sweeps.start("killed", "--workers", "2", "--json", **more))
    assert (code, err) == (0, "")
    assert 0 < json.loads(out)["resumed"] < begun
    assert sweeps.table("killed") == whole
    assert sweeps.leftovers("killed") == []


@pytest.mark.nightly
def test_cases_that_kill_or_halt_their_workers_are_failed_rows(sweeps, whole):
    more = {"kills": [7], "hangs": [11], "fails": [4], "seconds": 0.06}
    code, _, err = ended(
        sweeps.start("deadly", "--workers", "2", "--quiet", "--timeout", "4", **more), 180
    )
    assert (code, err) == (0, "")
    with (sweeps.folder / "deadly.csv").open() as f:
        rows = list(csv.reader(f))
    with (sweeps.folder / "whole.csv").open() as f:
        expected = list(csv.reader(f))
    assert rows[8][-2] == "failed"
    assert rows[8][-1].startswith("worker: died at this case 5 times, at last with nothing else")
    assert rows[12][-2:] == ["failed", "worker: took over 4 s"]
    for table in (rows, expected):
        del table[12], table[8]
    assert rows == expected
    begun = Counter(place for place, *_ in sweeps.log("deadly"))
    assert begun["7"] in (5, 6)  # the first death may have been laid to the row before it
    assert begun["11"] == 1
    assert sweeps.log("deadly")[-1][0] == "7"  # set aside until the end


@pytest.mark.nightly
def test_killing_the_workers_of_a_row_four_times_makes_no_failed_row(sweeps, whole):
    """Dask's own `allowed-failures` would blame whatever row is at work, here and in the end."""
    more = {"kills": [7], "deaths": 4, "fails": [4], "seconds": 0.06}
    code, _, err = ended(sweeps.start("spared", "--workers", "2", "--quiet", **more), 180)
    assert (code, err) == (0, "")
    assert sweeps.table("spared") == whole
    assert sweeps.log("spared")[-1][0] == "7"  # set aside until all others are done


@pytest.mark.nightly
def test_rows_that_share_a_chunk_with_one_that_hangs_are_worked_out(sweeps, whole):
    more = {"hangs": [11], "fails": [4], "seconds": 0.001}
    code, _, err = ended(
        sweeps.start("shared", "--workers", "1", "--quiet", "--timeout", "3", **more), 180
    )
    assert (code, err) == (0, "")
    rows, expected = sweeps.table("shared").splitlines(), whole.splitlines()
    assert rows[12].endswith(b",failed,worker: took over 3 s")
    assert rows[:12] + rows[13:] == expected[:12] + expected[13:]


@pytest.mark.nightly
def test_workers_that_die_while_they_load_end_the_sweep(sweeps):
    process = sweeps.start("loading", "--workers", "1", "--quiet", dies_loading=True)
    code, _, err = ended(process, 300)
    assert code == 2
    (line,) = err.splitlines()
    assert line.startswith("error: workers died or hung while loading a sole")
    assert "5 times in succession" in line


DASK = (sys.executable, "-m", "dask")


def dask_scheduler(sweeps, name):
    """Start a Dask scheduler as a lab does; return it, its address, and how workers find it."""
    file = sweeps.folder / f"{name}.json"
    where = ("--scheduler-file", str(file))
    scheduler = sweeps.open(
        [*DASK, "scheduler", "--port", "0", "--dashboard-address", "127.0.0.1:0", *where]
    )
    end = time.monotonic() + 60
    while not file.exists() or not file.read_text().endswith("}"):
        assert time.monotonic() < end
        time.sleep(0.05)
    return scheduler, json.loads(file.read_text())["address"], where


def end(*processes):
    for p in processes:
        family = psutil.Process(p.pid).children(recursive=True) if p.poll() is None else []
        for member in (*family, p):
            member.kill()
        p.communicate()


@pytest.mark.nightly
def test_another_cluster_goes_on_after_the_scheduler_is_killed_and_ends_what_hangs(sweeps, whole):
    more = {"fails": [4], "hangs": [17], "seconds": 0.15}
    for name in ("first", "second"):
        scheduler, address, where = dask_scheduler(sweeps, name)
        running = [scheduler]
        try:
            process = sweeps.start("lab", "--scheduler", address, "--timeout", "4", **more)
            assert select.select([process.stderr], [], [], 60)[0]
            begun, waiting = process.stderr.readline(), process.stderr.readline()
            assert begun.endswith(f"by the cluster at {address}\n")
            assert waiting.startswith(f"waiting for workers of {address}: ")
            running.append(
                sweeps.open([*DASK, "worker", "--nthreads", "1", "--no-dashboard", *where])
            )
            sweeps.wait_for_rows("lab", 4, process)
            if name == "first":
                scheduler.kill()
            code, _, err = ended(process)
        finally:
            end(*running)
        if name == "first":
            assert code == 2
            *rates, line = err.splitlines()
            assert line.startswith("error: the Dask scheduler is lost; ")
            assert line.endswith("run the same command again to continue")
        else:
            rates = [line for line in err.splitlines() if not line.startswith("checking on ")]
        assert all(rate.startswith("rows: ") for rate in rates)
    assert code == 0
    *rows, hung = sweeps.table("lab").splitlines()
    assert rows == whole.splitlines()[:-1]
    assert hung.endswith(b",failed,worker: took over 4 s")
