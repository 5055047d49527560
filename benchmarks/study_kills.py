"""A sweep whose workers or client are killed repeatedly loses no row and duplicates none.

    python benchmarks/study_kills.py [--kills 50] [--seconds 6] [--seed 0] [--quick]

Press rows on the preset hrp2kai, first in one process without disturbance. Then the same sweep on
two workers: after a random time (0 to `--seconds`) its client, which is the scheduler too, or one
of its workers is ended by SIGKILL, the client is started again, and so on. After the last kill it
may finish; a sweep that finishes earlier is checked and begun anew. Every table must be the
undisturbed one, byte for byte.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import psutil

from sole.base.numba_settings import set_up_numba
from sole.mesh import mesh_shape, write_mesh
from sole.shape import preset

SOLE = (sys.executable, "-c", "from sole.base.cli import main; main()")
SWEEP = (
    *(*SOLE, "sweep", "pad.msh", "--element", "p1", "--quiet"),
    *("--poisson", "0.2,0.3,0.4,0.45"),
    *("--rows", "press", "--force", "570", "--cop", "0.02", "0.01"),
)


def start(folder: Path, name: str, workers: int, moduli: int) -> subprocess.Popen[bytes]:
    young = ("--young", f"3e5:1e7:{moduli}")
    command = [*SWEEP, *young, "--workers", str(workers), "-o", f"{name}.nc"]
    return subprocess.Popen(command, cwd=folder)


def workers_of(client: int) -> list[psutil.Process]:
    """Return the processes under the client that are workers."""
    children = psutil.Process(client).children(recursive=True)
    return [p for p in children if "--multiprocessing-fork" in p.cmdline()]


def kill(client: int, chance: random.Random) -> str:
    """Kill the client or one of its workers; return which."""
    try:
        workers = workers_of(client)
        if workers and chance.random() < 0.6:
            chance.choice(workers).kill()
            return "worker"
        psutil.Process(client).kill()
    except psutil.NoSuchProcess:
        return "nobody"
    return "client"


def main(arguments: Sequence[str] | None = None) -> Counter[str]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=6.0, help="longest time to a kill")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="two kills, a quarter of the rows")
    options = parser.parse_args(arguments)
    moduli = 4 if options.quick else 16
    if options.quick:
        options.kills, options.seconds = 2, 4.0
    chance = random.Random(options.seed)
    killed: Counter[str] = Counter()
    tables = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_mesh(folder / "pad.msh", mesh_shape(preset("hrp2kai")))
        assert start(folder, "whole", 0, moduli).wait() == 0
        whole = (folder / "whole.csv").read_bytes()
        begin = time.perf_counter()
        process = start(folder, "killed", 2, moduli)
        while killed["worker"] + killed["client"] < options.kills or process.poll() is None:
            if killed["worker"] + killed["client"] < options.kills:
                time.sleep(chance.uniform(0.0, options.seconds))
                if process.poll() is None:
                    killed[kill(process.pid, chance)] += 1
            else:
                process.wait()
            code = process.poll()
            if code == 0:
                tables += 1
                assert (folder / "killed.csv").read_bytes() == whole, "another table"
            elif code not in (None, -signal.SIGKILL):
                raise SystemExit(f"the sweep ended with exit code {code}")
            again = killed["worker"] + killed["client"] < options.kills or not tables
            if code is not None and (again or code):
                process = start(folder, "killed", 2, moduli)
        if not tables:
            raise SystemExit("no table was finished")
        rows = whole.count(b"\n") - 1
        print(
            f"{options.kills} kills ({killed['client']} of the client, {killed['worker']} of a "
            f"worker) in {time.perf_counter() - begin:.0f} s, {tables} tables of {rows} rows "
            "finished, all identical to the undisturbed one"
        )
    return killed


if __name__ == "__main__":
    set_up_numba()
    main()
