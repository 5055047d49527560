"""What walks of a study cost: six of figure 5's flat study, here and in an older tree.

E = 3.16 MPa, nu = 0.4, both controllers, three rhythms, with short steps for landings and without;
processor time of the whole command, in one process. `--beside` takes the `sole` of an older tree,
made by `git worktree add old COMMIT` and `make install` in it; the two take turns. A first run of
each compiles its kernels and Python's bytecode, which are kept.

python benchmarks/study_walks.py [--beside old/.venv/bin/sole] [--rounds 1] [--quick]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

SIX = """schema = "sole.study/2"
rows = ["walk"]
element = "ccr"

[[axis]]
quantity = "controller"
values = ["pd", "stabiliser"]

[[axis]]
quantity = "young"
values = [3.16e6]

[[axis]]
quantity = "poisson"
values = [0.4]

[[axis]]
quantity = "gait.single"
values = [0.67, 0.70, 0.73]
"""
ONE = """schema = "sole.study/2"
rows = ["walk"]

[[axis]]
quantity = "young"
values = [3e6]

[options.walk]
gait.kind = "stand"
"""
SHORT = "\n[options.walk]\nlanding_dt = 1.25e-4\n"
HERE = (sys.executable, "-c", "from sole.__main__ import start; start()")


def seconds(program: tuple[str, ...], study: str, kept: str) -> float:
    """Return the processor time [s] of a study in a process of its own; `kept` has bytecode."""
    usual = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    if program[0] != sys.executable:
        usual.pop("PYTHONPATH", None)  # another tree's
    environment = {"OMP_NUM_THREADS": "1", **usual, "PYTHONPYCACHEPREFIX": kept}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "study.toml").write_text(study, encoding="utf-8")
        call = (*program, "study", "study.toml", "-o", "study.nc", "--workers", "0", "--quiet")
        subprocess.run(call, cwd=folder, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(arguments: list[str] | None = None) -> dict[str, tuple[float, ...]]:
    """Print the table; return the seconds of every study, here and beside."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--beside", type=Path, help="`sole` of another tree")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="this tree twice, standing")
    given = parser.parse_args(arguments)
    studies = {"steps of 1 ms": SIX, "short steps for landings": SIX + SHORT}
    programs = [HERE] + ([(str(given.beside.absolute()),)] if given.beside else [])
    if given.quick:
        studies, programs = {"standing for 0.1 s": ONE}, [HERE, HERE]
    found = {name: [float("inf")] * len(programs) for name in studies}
    with tempfile.TemporaryDirectory() as kept:
        for program in [] if given.quick else programs:
            seconds(program, ONE, kept)
        for _ in range(given.rounds):
            for name, study in studies.items():
                for k, program in enumerate(programs):
                    found[name][k] = min(found[name][k], seconds(program, study, kept))
    print("| study | here [s] | beside [s] | here / beside |\n|---|---|---|---|")
    for name, spent in found.items():
        other = f"{spent[1]:.2f} | {spent[0] / spent[1]:.2f}" if len(spent) > 1 else " | "
        print(f"| {name} | {spent[0]:.2f} | {other} |")
    return {name: tuple(spent) for name, spent in found.items()}


if __name__ == "__main__":
    main()
