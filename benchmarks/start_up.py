"""What commands cost before they do their work: imports, machine code, refusals.

Seconds of processor time, the least of a few runs, each in a process of its own. The commands run
on a coarse pad and a short walk, so that little but the start is left of them. `--imports` names
the three packages whose import costs most, with their share of all imports. `--cold` adds the first
walk and `sole compile` with an empty folder of machine code.

python benchmarks/start_up.py [--runs 5] [--imports] [--cold] [--quick]
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
    "contact solve none.hdf5",
    "contact bench none",
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


def heaviest(command: str, folder: Path, count: int = 3) -> list[tuple[str, float]]:
    """Return the packages whose modules take most of the import time of a command: name, share."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", PROGRAM, *command.split()],
        cwd=folder,
        env={"OMP_NUM_THREADS": "1", **os.environ},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    own: dict[str, int] = {}
    for line in done.stderr.splitlines():
        parts = line.removeprefix("import time:").split("|")
        if len(parts) == 3 and parts[0].strip().isdigit():
            package = parts[2].strip().split(".")[0]
            own[package] = own.get(package, 0) + int(parts[0])
    total = sum(own.values())
    most = sorted(own.items(), key=lambda item: -item[1])[:count]
    return [(name, spent / total) for name, spent in most]


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """Print the tables; return processor times [s] by command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--imports", action="store_true", help="the heaviest packages")
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
            most = heaviest(command, folder) if given.imports or given.quick else []
            named = ", ".join(f"{name} {100 * share:.0f} %" for name, share in most)
            print(f"{spent:6.2f} s  sole {command}{f'  (imports: {named})' if named else ''}")
        for command in FIRST if given.cold else ():
            with tempfile.TemporaryDirectory() as empty:
                spent, wall = seconds(command, folder, NUMBA_CACHE_DIR=empty)
            found[f"first {command}"] = spent
            print(f"{spent:6.2f} s  sole {command}, from nothing; {wall:.0f} s by the clock")
    return found


if __name__ == "__main__":
    main()
