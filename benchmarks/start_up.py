"""What commands cost before they do their work: imports, machine code, refusals.

Seconds of processor time of every command of `sole`, the least of a few runs, each in a process of
its own. The commands work on a coarse pad and short walks, so that little but the start is left of
them. Servers are stopped when they say where their page is. The three packages whose modules take
most of the import time stand beside each. `--cold` adds the first walk and `sole compile` with an
empty folder of machine code. The first line is the import of the command line's own libraries:
`sole --help` stays within three times of it.

python benchmarks/start_up.py [--runs 3] [--only info view] [--cold] [--quick]
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAVE = """
from contact.fclib import save_problem
from contact.problem import Problem
from sole.condense import load_condensed
C = load_condensed('pad.npz').compliance[:60, :60]
save_problem('problems/pad.hdf5', Problem.dense(C, [1e-4, 0, -1e-3] * 20, 0.7))
"""
FILES = {
    "misspelt.toml": 'schema = "robot.scenario/1"\nsetle = 1\n',
    "study.toml": 'schema = "sole.study/2"\nrows = ["walk"]\n\n[[axis]]\nquantity = "young"\n'
    'values = [3e6]\n\n[options.walk]\ngait.kind = "stand"\n',
    "design.toml": 'schema = "sole.design/1"\nrows = ["stiffness"]\nmesh = "pad.msh"\n\n[[axis]]\n'
    'quantity = "young"\nrange = [1e6, 4e6]\n\n[design]\nminimise = "k_z_z"\nevaluations = 8\n'
    "population = 5\n",
}
PAD = (
    "mesh --preset hrp2kai --size-tread 0.012 --size-bond 0.02 -o pad.msh",
    "condense pad.msh -o pad.npz",
    "press pad.npz --force 570 -o press.npz",
    "walk --footsteps 2 -o walk.nc",
    "sweep pad.msh --young 1e5:1e8:3 --poisson 0.4 -o table.nc",
    "mesh --box 0.03 0.02 0.01 --size-tread 0.005 --size-bond 0.005 -o drawer.msh",
)
WARM = (
    "--help",
    "press --help",
    "mesh --preset hrp2kai --size-tread 0.012 --size-bond 0.02 -o again.msh",
    "condense pad.msh -o again.npz",
    "press pad.npz --force 570 -o again.npz",
    "info pad.msh",
    "info pad.npz",
    "info press.npz",
    "info walk.nc",
    "info table.nc",
    "view pad.msh -o mesh.png",
    "view pad.npz -o pad.png",
    "view press.npz -o press.png",
    "view press.npz -o press.html",
    "view press.npz -o press.vtu",
    "view table.nc -o table.png",
    "view walk.nc -o walk.png",
    "view walk.nc --film walk.html",
    "sweep pad.msh --young 1e5:1e8:3 --poisson 0.4 -o sweep.nc --restart",
    "study study.toml -o study.nc --restart",
    "design design.toml -o design.nc --restart",
    "report table.nc -o report.html",
    "identify drawer.msh " + str(ROOT / "examples" / "bench" / "drawer.csv"),
    "fit " + str(ROOT / "examples" / "bench" / "foam.csv") + " --law hyperfoam",
    "export pad.npz --to mujoco -o pad.xml",
    "contact cone --half-length 0.1 --half-width 0.06 --friction 0.4 --wrench 30 10 400 5 -8 3",
    "contact solve problems/pad.hdf5 -o solution.npz",
    "contact bench problems",
    "robot list",
    "robot info hrp2-like",
    "robot export hrp2-like -o robot.urdf",
    "robot posture hrp2-like -o robot.srdf",
    "retime " + str(ROOT / "examples" / "retiming" / "eleven_postures.toml"),
    "walk --stand --duration 0.01",
    "walk --footsteps 2 -o again.nc",
    "live play walk.nc --json",
    "live press pad.npz --json",
    "live walk --json",
    "reproduce --list",
    "doctor",
    "compile",
)
APART = ("demo",)  # half a minute of the commands above
REFUSED = (
    "press none.npz --force 570 -o press.npz",
    "view none.npz -o press.png",
    "walk none.toml",
    "walk misspelt.toml",
    "report none.nc",
    "contact solve none.hdf5",
    "contact bench none",
)
FIRST = ("compile", "walk --footsteps 2 -o first.nc")
PROGRAM = "from sole.__main__ import start; start()"
BASE = "import typer, rich"  # no command, but a program to compare `sole --help` with
BROKEN = 1  # the exit code of a command, or of Python itself, that met a mistake of ours


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return the environment of a command: one thread, Python's own bytecode kept in a folder."""
    own = {"OMP_NUM_THREADS": "1", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return own | kept | more


def run(command: str, folder: Path, *flags: str, **more: str) -> str:
    """Run a command in a process of its own, a server until it says where it is; return stderr.

    Raises
    ------
    RuntimeError
        It ended by an error that no user makes: its time would be that of something else.
    """
    words = [BASE] if command == BASE else [PROGRAM, *command.split()]
    with tempfile.TemporaryFile("w+") as told:
        process = subprocess.Popen(
            [sys.executable, *flags, "-c", *words],
            cwd=folder,
            env=environment(folder, **more),
            stdout=subprocess.PIPE,
            stderr=told,
            text=True,
        )
        assert process.stdout is not None
        if command.startswith("live"):
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
        process.communicate()
        told.seek(0)
        said = told.read()
        if process.returncode == BROKEN:
            raise RuntimeError(f"{label(command)} failed: {said.strip()[-500:]}")
        return said


def label(command: str) -> str:
    """Return what a command or `BASE` is called in the table."""
    named = command.replace(f"{ROOT}/", "")
    return f'`python -c "{BASE}"`' if command == BASE else f"`sole {named}`"


def seconds(command: str, folder: Path, **more: str) -> tuple[float, float]:
    """Return processor and wall time [s] of a command in a process of its own."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run(command, folder, **more)
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


def imports(command: str, folder: Path) -> dict[str, float]:
    """Return the time [s] that the modules of each package take to import, the largest first."""
    own: dict[str, float] = {}
    for line in run(command, folder, "-X", "importtime").splitlines():
        parts = line.removeprefix("import time:").split("|")
        if len(parts) == 3 and parts[0].strip().isdigit():
            package = parts[2].strip().split(".")[0]
            own[package] = own.get(package, 0.0) + 1e-6 * int(parts[0])
    return dict(sorted(own.items(), key=lambda item: -item[1]))


def prepare(folder: Path) -> None:
    """Write the files that the commands need."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    for command in PAD:
        seconds(command, folder)
    (folder / "problems").mkdir()
    subprocess.run([sys.executable, "-c", SAVE], cwd=folder, env=environment(folder), check=True)


def row(command: str, spent: float, folder: Path) -> str:
    """Return a line of the table: command, seconds, import seconds, the heaviest packages."""
    found = imports(command, folder)
    most = ", ".join(f"{name} {1e3 * time:.0f}" for name, time in list(found.items())[:3])
    return f"| {label(command)} | {spent:.2f} | {sum(found.values()):.2f} | {most} |"


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """Print the table; return processor times [s] by command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=3, help="the first writes bytecode")
    parser.add_argument("--only", nargs="+", default=(), help="commands that begin with these")
    parser.add_argument("--cold", action="store_true", help="also from an empty folder")
    parser.add_argument("--quick", action="store_true", help="--help and refusals alone, once")
    given = parser.parse_args(arguments)
    chosen = (BASE, "--help", *REFUSED) if given.quick else (BASE, *WARM, *REFUSED)
    chosen = tuple(c for c in chosen if not given.only or c.startswith(tuple(given.only)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "misspelt.toml").write_text(FILES["misspelt.toml"], encoding="utf-8")
        if not given.quick:
            prepare(folder)
        found = least(chosen, folder, 1 if given.quick else given.runs)
        print("| command | CPU [s] | imports [s] | heaviest imports [ms] |\n|---|---|---|---|")
        for command, spent in found.items():
            print(row(command, spent, folder))
        for command in FIRST if given.cold else ():
            with tempfile.TemporaryDirectory() as empty:
                spent, wall = seconds(command, folder, NUMBA_CACHE_DIR=empty)
            found[f"first {command}"] = spent
            print(f"\n{spent:6.2f} s  sole {command}, from nothing; {wall:.0f} s by the clock")
    return found


if __name__ == "__main__":
    main()
