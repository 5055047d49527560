"""The lists of kernels that `sole compile` compiles: `*/kernels.json`.

    python .ci/kernels.py           make them anew (`make kernels`)
    python .ci/kernels.py --anew    measure all compile times again, not only of what is new
    python .ci/kernels.py --job J   run the commands of one job; print what they call, as JSON

A job is a command that people wait for, or a few. It runs in a process of its own; what Python
calls is written down with the types of its arguments. Jobs together have soles of every size, since
those of more than 120 nodes are swept in another way, ground on which sweeps fail and others
try again, and one thread and two.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from sole.base.numba_settings import set_up_numba

PAD = "mesh --preset hrp2kai --size-tread 0.012 --size-bond 0.02 -o pad.msh"
LARGE = "mesh --box 0.24 0.14 0.02 --size-tread 0.016 --size-bond 0.03 -o large.msh"  # 181 nodes
NEEDED = (
    PAD,
    "condense pad.msh -o pad.npz",
    "mesh --box 0.1 0.06 0.02 --size-tread 0.02 --size-bond 0.02 -o small.msh",
    "condense small.msh --young 3e6 --poisson 0.4 -o small.npz",
    LARGE,
    "condense large.msh --young 3e6 --poisson 0.4 -o large.npz",
)
JOBS = {
    "condense": ("condense pad.msh -o out.npz", "condense pad.msh --element p2 -o p2.npz"),
    "press": (
        "press pad.npz --force 570 --cop 0.03 0.01 --shear 50 0 --friction 0.7 -o press.npz",
        "press pad.npz --force 570 --ground step:0.005 -o step.npz",
        "press small.npz --force 570 --shear 50 0 --friction 0.7 -o small_press.npz",
    ),
    "stiffness": (
        "sweep pad.msh --young 1e5:1e8:3 --poisson 0:0.48:3 --mass 58 --com-height 0.8 -o s.nc",
    ),
    "walk": ("walk --footsteps 2 -o walk.nc",),
    "online": (
        "walk --footsteps 2 --plan online -o online.nc",
        "walk --stand --duration 0.05 --plan online --controller force -o force.nc",
    ),
    "aware": (
        "walk --footsteps 2 --controller sole-aware -o aware.nc",
        "walk --stand --duration 0.05 --noisy --controller sole-aware -o noisy.nc",
    ),
    "terrain": (
        "walk --footsteps 2 --ground step:0.005,0.4 -o terrain.nc",
        "walk gravel.toml --footsteps 2 -o gravel.nc",
    ),
    "large": (
        "walk large.toml --footsteps 2 -o large.nc",
        "press large.npz --force 570 --shear 50 0 --friction 0.7 -o large_press.npz",
    ),
    "large-terrain": (
        "walk large.toml --footsteps 2 --ground step:0.005,0.4 -o large_step.nc",
        "walk large.toml --footsteps 2 --ground gravel -o large_gravel.nc",
    ),
    "contact": (
        "contact solve problems/pad.hdf5 -o solution.npz",
        "contact bench problems --tolerance 1e-8 -o solvers.csv",
        "contact cone --half-length 0.11 --half-width 0.06 --friction 0.4 --wrench 9 3 400 5 -8 3",
    ),
    "reproduce": ("reproduce caron closed_form --quick", "reproduce rengifo fig4 fig5 restitution"),
    "rigid-bodies": ("python drop.py",),
    "others": (
        "walk --stand --duration 0.05 --noisy --margins-every 10 -o stand.nc",
        "walk --stand --duration 0.05 --rigid --controller pd -o rigid.nc",
        "walk cascade.toml -o cascade.nc",
    ),
}
FILES = {
    "drop.py": """from contact.ground import Plane
from contact.rigid_bodies import RigidBodies, RigidBody
from contact.step import Body
from sole.condense import load_condensed
pad = load_condensed("pad.npz")
foot = RigidBody(contact=Body.of(pad, eta=0.005), mass=29, inertia=[0.3, 0.4, 0.4])
world = RigidBodies([foot], Plane())
state = world.at([0, 0, pad.thickness + 0.005])
for _ in range(400):
    step = world.step(state, dt=1e-3)
    state = step.state
print(step.forces[0, 2], step.contact.energy.viscous, step.contact.solution.certificate)
""",
    "cascade.toml": """schema = "robot.scenario/1"
duration = 0.05
[gait]
kind = "stand"
[control.cascade]
on = true
""",
    "gravel.toml": """schema = "robot.scenario/1"
ground = "gravel"
[plan]
kind = "fixed"
[start]
z = 0.01
""",
    "large.toml": """schema = "robot.scenario/1"
[sole]
file = "large.npz"
[plan]
kind = "fixed"
[start]
z = 0.01
""",
}
THREADS = {"condense": (1, 2)}  # of the jobs that call other kernels with more than one


def run(command: str) -> None:
    """Run a command of `sole`, or "python FILE", in this process."""
    from sole.base import cli

    if command.startswith("python "):
        runpy.run_path(command.removeprefix("python "))
        return
    sys.argv = ["sole", *command.split(), "--quiet"]
    with contextlib.suppress(SystemExit):
        cli.main()


def called_by(commands: tuple[str, ...]) -> tuple[list[tuple[str, list[Any]]], bool]:
    """Run commands; return the kernels they call, with spelled types, and whether some compiled.

    Without compiling these are what Python calls, else also what was compiled into others.
    """
    from numba.core import event

    from sole.base.compiled.signatures import spell
    from sole.base.compiled.stamp import OPTIONS

    compiled = event.RecordingListener()
    with event.install_listener("numba:compile", compiled):
        for command in commands:
            run(command)
    found: list[tuple[str, list[Any]]] = []
    for plain in OPTIONS:
        made = getattr(sys.modules[plain.__module__], plain.__qualname__, None)
        name = f"{plain.__module__}:{plain.__qualname__}"
        for kinds in getattr(made, "signatures", ()):
            found.append((name, [spell(kind) for kind in kinds]))
    return found, bool(compiled.buffer)


def write_problem(folder: Path) -> None:
    """Write the contact problem that jobs solve; `pad.npz` is there."""
    from contact.fclib import save_problem
    from contact.problem import Problem
    from sole.condense import load_condensed

    C = load_condensed(folder / "pad.npz").compliance
    (folder / "problems").mkdir()
    offset = [1e-4, 0, -1e-3] * (len(C) // 3)
    save_problem(folder / "problems" / "pad.hdf5", Problem.dense(C, offset, 0.7))


def write_files(folder: Path) -> None:
    """Write the scenarios that jobs walk and the programs that they run."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


def ask(job: str, folder: Path, threads: int = 1) -> list[tuple[str, list[Any]]]:
    """Return what Python calls in a job, of a process of its own that compiles nothing."""
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, str(Path(__file__).resolve()), "--job", job],
            cwd=folder,
            env={
                **os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)
            },
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )  # fmt: skip
        found, compiled = json.loads(done.stdout)
        if not compiled:
            return [(kernel, types) for kernel, types in found]
    raise RuntimeError(f"{job} compiles in every process: its machine code is not kept")


def make_lists(anew: bool) -> None:
    """Run all jobs and write the lists; measure how long compiling what is new, or all, takes."""
    from sole.base.compiled.listed import Listed, list_file, listed_kernels, packages

    listed = () if anew else listed_kernels()
    known = {json.dumps([one.kernel, one.types]): one.seconds for one in listed}
    jobs: dict[str, set[str]] = defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder))
        ask("needed", Path(folder))
        write_problem(Path(folder))
        for job in JOBS:
            for threads in THREADS.get(job, (1,)):
                for entry in ask(job, Path(folder), threads):
                    jobs[json.dumps(entry)].add(job)
            print(f"{job}: {len(jobs)} kernels so far")
    with tempfile.TemporaryDirectory() as empty:
        os.environ["NUMBA_CACHE_DIR"] = empty
        lists: dict[str, dict[str, list[Any]]] = {package: {} for package in packages()}
        for text in sorted(jobs):
            kernel, types = json.loads(text)
            begun = time.process_time()
            if text not in known:
                Listed(kernel, types, 0.0, ()).compile()
                known[text] = round(time.process_time() - begun, 2)
            seconds = known[text]
            entry = {"types": types, "seconds": seconds, "jobs": sorted(jobs[text])}
            lists[kernel.partition(".")[0]].setdefault(kernel, []).append(entry)
    for package, found in lists.items():
        if found:
            list_file(package).write_text(laid_out(found), encoding="utf-8")
            print(f"{package}: {len(found)} kernels")


def laid_out(found: dict[str, list[Any]]) -> str:
    """Return a list as JSON with one line for each entry."""
    blocks = []
    for kernel, entries in found.items():
        lines = ",\n".join("  " + json.dumps(entry) for entry in entries)
        blocks.append(f"{json.dumps(kernel)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def main() -> None:
    """Make the lists, or run one job."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--job", help="needed, " + ", ".join(JOBS))
    parser.add_argument("--anew", action="store_true", help="measure all compile times again")
    given = parser.parse_args()
    set_up_numba()
    if given.job is None:
        make_lists(given.anew)
        return
    kept, sys.stdout = sys.stdout, sys.stderr
    found = called_by(NEEDED if given.job == "needed" else JOBS[given.job])
    print(json.dumps(found), file=kept)


if __name__ == "__main__":
    main()
