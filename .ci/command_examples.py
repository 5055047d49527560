"""Run an example of every command; record what it writes and the keys of its JSON object.

    python .ci/command_examples.py              all: website/command_examples.json, some minutes
    python .ci/command_examples.py mesh press   these, and those before them that they need

The command reference of the site shows what is recorded (website/command_pages.py). A test runs the
quick examples and compares.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from kernels import write_problem

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "website" / "command_examples.json"
# In this order, in one folder that holds meshes/ and examples/.
EXAMPLES = {
    "demo": "sole demo -o demo",
    "mesh": "sole mesh --preset hrp2kai --size-tread 12mm --size-bond 20mm -o pad.msh",
    "condense": "sole condense pad.msh -o pad.npz",
    "info": "sole info pad.npz",
    "press": "sole press pad.npz --force 570 --cop 0.03 0.01 -o press.npz",
    "sweep": "sole sweep pad.msh --young 1e5:1e8:7 --poisson 0.3,0.4 --mass 58 --com-height 0.8 "
    "-o sweep.nc",
    "report": "sole report sweep.nc -o sweep.html",
    "study": "sole study examples/studies/first_study.toml --dry-run",
    "view": "sole view press.npz -o press.png",
    "identify": "sole identify drawer.msh examples/bench/drawer.csv -o drawer.npz",
    "fit": "sole fit examples/bench/foam.csv --law hyperfoam --terms 2",
    "export": "sole export pad.npz --to mujoco --eta 0.005 -o foot.xml",
    "walk": "sole walk --young 3MPa --stand --duration 0.2 -o walk.nc",
    "retime": "sole retime examples/retiming/eleven_postures.toml -o retimed.png",
    "robot list": "sole robot list",
    "robot info": "sole robot info hrp2-like",
    "robot export": "sole robot export hrp2-like -o robot.urdf",
    "robot posture": "sole robot posture robot.urdf -o posture.srdf",
    "contact solve": "sole contact solve problems/pad.hdf5 -o solution.npz",
    "contact bench": "sole contact bench problems -o solvers.csv",
    "contact cone": "sole contact cone --half-length 0.112 --half-width 0.065 --friction 0.4 "
    "--wrench 30 10 400 5 -8 3",
    "reproduce": "sole reproduce caron closed_form --quick",
    "compile": "sole compile --job condense",
    "doctor": "sole doctor",
}
# They serve until they are stopped, or take long: only the example is recorded.
NOT_RUN = {
    "design": "sole design examples/studies/two_layer.toml -o best.nc",
    "live play": "sole live play walk.nc",
    "live press": "sole live press pad.npz",
    "live walk": "sole live walk --young 3MPa",
}
DRAWER = "sole mesh --box 0.03 0.02 0.01 --size-tread 0.005 --size-bond 0.005 -o drawer.msh --quiet"
UNSEEN = ("problems", "drawer.msh")


def files_of(folder: Path) -> dict[str, int]:
    """Return the files of a folder with their times; those of folders count as the folder."""
    own = [p for p in folder.iterdir() if not p.is_symlink() and p.name not in UNSEEN]
    return {f"{p.name}/" if p.is_dir() else p.name: p.stat().st_mtime_ns for p in own}


def run(name: str, folder: Path) -> dict[str, Any]:
    """Run the example of a command; return what is recorded of it."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    given = {"cwd": folder, "env": {**os.environ, "PATH": path}, "text": True}
    if name == "identify":
        subprocess.run(shlex.split(DRAWER), check=True, **given)
    elif name == "contact solve":
        write_problem(folder)
    before = files_of(folder)
    command = [*shlex.split(EXAMPLES[name]), "--json"]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, **given
    )
    after = files_of(folder)
    keys = [key for key in json.loads(done.stdout) if key not in {"title", "units", "warnings"}]
    written = sorted(file for file, time in after.items() if before.get(file) != time)
    return {"example": EXAMPLES[name], "keys": keys, "writes": written}


def prepared(folder: Path) -> None:
    """Put what examples read into a folder."""
    for name in ("meshes", "examples"):
        (folder / name).symlink_to(ROOT / name)


def main() -> None:
    """Run the examples named on the command line, or all, and write the record."""
    chosen = sys.argv[1:] or list(EXAMPLES)
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    record |= {name: {"example": example} for name, example in NOT_RUN.items()}
    last = max(list(EXAMPLES).index(name) for name in chosen)
    with tempfile.TemporaryDirectory() as folder:
        prepared(Path(folder))
        for name in list(EXAMPLES)[: last + 1]:
            if name in chosen or name in {"mesh", "condense", "press", "sweep", "contact solve"}:
                record[name] = run(name, Path(folder))
                print(f"{name}: {len(record[name]['keys'])} keys", flush=True)
                text = json.dumps(record, indent=1, sort_keys=True) + "\n"
                RECORD.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
