"""What commands cost before they do their work: imports, machine code, refusals.

Seconds of processor time, the least of a few runs, each in a process of its own. The commands run
on a coarse pad and a short walk, so that little but the start is left of them. `--cold` adds the
first walk and `sole compile` with an empty folder of machine code.

python benchmarks/start_up.py [--runs 5] [--cold] [--quick]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAD = (
    "mesh --preset hrp2kai --size-tread 0.012 --size-bond 0.02 -o pad.msh",
    "condense pad.msh -o pad.npz",
    "press pad.npz --force 570 -o press.npz",
    "walk --steps 2 -o walk.nc",
)
WARM = (
    "--help",
    "info pad.npz",
    "info press.npz",
    "info walk.nc",
    "mesh --preset hrp2kai --size-tread 0.012 --size-bond 0.02 -o again.msh",
    "condense pad.msh -o again.npz",
    "press pad.npz --force 570 -o again.npz",
    "view press.npz -o press.png",
    "sweep pad.msh --young 1e5:1e8:3 --poisson 0.4 -o sweep.nc --restart",
    "walk --stand --duration 0.01",
    "walk --steps 2 -o again.nc",
)
REFUSED = (
    "press none.npz --force 570 -o press.npz",
    "view none.npz -o press.png",
    "walk none.toml",
    "walk misspelt.toml",
    "report none.nc",
)
FIRST = ("compile", "walk --steps 2 -o first.nc")
PROGRAM = "from sole.base.cli import main; main()"


def seconds(command: str, folder: Path, **environment: str) -> tuple[float, float]:
    """Return processor and wall time [s] of a command in a process of its own."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", PROGRAM, *command.split()],
        cwd=folder,
        env={"OMP_NUM_THREADS": "1", **os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, wall


def least(commands: tuple[str, ...], folder: Path, runs: int) -> dict[str, float]:
    """Return the least processor time of every command [s]; the commands take turns."""
    found = dict.fromkeys(commands, float("inf"))
    for _ in range(runs):
        for command in commands:
            found[command] = min(found[command], seconds(command, folder)[0])
    return found


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """Print the tables; return processor times [s] by command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cold", action="store_true", help="also from an empty folder")
    parser.add_argument("--quick", action="store_true", help="--help and refusals alone, once")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenario = 'schema = "robot.scenario/1"\nsetle = 1\n'
        (folder / "misspelt.toml").write_text(scenario, encoding="utf-8")
        if given.quick:
            found = least(("--help", *REFUSED), folder, 1)
        else:
            for command in PAD:
                seconds(command, folder)
            found = least((*WARM, *REFUSED), folder, given.runs)
        for command, spent in found.items():
            print(f"{spent:6.2f} s  sole {command}")
        for command in FIRST if given.cold else ():
            with tempfile.TemporaryDirectory() as empty:
                spent, wall = seconds(command, folder, NUMBA_CACHE_DIR=empty)
            found[f"first {command}"] = spent
            print(f"{spent:6.2f} s  sole {command}, from nothing; {wall:.0f} s by the clock")
    return found


if __name__ == "__main__":
    main()
