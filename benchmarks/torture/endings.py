"""Ctrl-C, SIGTERM and a closed terminal at random instants: commands end in order.

    python benchmarks/torture/endings.py [NUMBER] [SEED] [--only view,live ...] [--keep FOLDER]

NUMBER cases of every command. A case starts the command on a terminal of its own, in a new folder
and with a TMPDIR of its own, waits until it handles signals, and then for a random share of the
time that it takes undisturbed. Then it presses Ctrl-C (SIGINT to all processes of the terminal),
sends SIGTERM to the command alone, or closes the terminal (SIGHUP to all, and nothing can be
printed any more). The command must end within `LIMIT`

- with exit code 130 after Ctrl-C, 143 after SIGTERM or a closed terminal, or 0 if it had finished,
- without a traceback or an internal error,
- without a file but those that it is there to write, complete,
- without anything in TMPDIR, a process, a listening socket or shared memory.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import pty
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from torture.tally import Tally, print_table

NUMBER, SEED = 100, 1
LIMIT = 10.0  # s from the signal to the end; the worst is in the table
GRACE = 1.0  # s for processes that only notice that their parent has gone
MARK = "SOLE_TORTURE_CASE"  # in the environment of all processes of a case
SOLE = (sys.executable, "-P", "-c", "from sole.__main__ import start; start()")
WRONG = (
    "Traceback", "Exception ignored", "internal error", "Segmentation", "Fatal", "core dumped",
    "leaked", "Error:",
)  # fmt: skip
SHARED = "/dev/shm/"

STUDY = """schema = "sole.study/2"
rows = ["press"]
mesh = "pad.msh"
element = "p1"

[[axis]]
quantity = "young"
range = [3e5, 1e7]
number = 25

[[axis]]
quantity = "poisson"
values = [0.2, 0.3, 0.4]

[options.press]
force = 570.0
"""
DESIGN = """schema = "sole.design/1"
mesh = "pad.msh"
element = "p1"

[[axis]]
quantity = "young"
range = [1e5, 1e8]

[options.stiffness]
mass = 50.0
com_height = 0.8

[design]
minimise = "k_z_z"
subject_to = ["standing_margin >= 1"]
evaluations = 120
population = 6
"""


# Of a table and of one that is to be continued.
TABLE = ("out.nc", "out.csv", "out.nc.journal*", "out.nc.soles", "out.nc.soles/*")


@dataclass(frozen=True)
class Case:
    """A command to be ended: words, what it may leave, and how many more seconds it would serve."""

    words: tuple[str, ...]
    left: tuple[str, ...] = ()
    serves: float = 0.0  # s; a server that only a signal ends


CASES: Mapping[str, Case] = {
    "view": Case(("view", "press.npz", "-o", "out.png"), ("out.png",)),
    "page": Case(("view", "run.nc", "-o", "out.html"), ("out.html",)),
    "film": Case(
        ("view", "run.nc", "--film", "out.gif", "--fps", "5", "--pixels", "320", "240"),
        ("out.gif",),
    ),
    "live walk": Case(("live", "walk", "--port", "0", "-o", "out.nc"), ("out.nc", "out.toml"), 2),
    "live press": Case(
        ("live", "press", "pad.npz", "--port", "0", "-o", "out.npz"), ("out.npz",), 2
    ),
    "live play": Case(("live", "play", "run.nc", "--port", "0"), (), 1),
    "reproduce": Case(
        ("reproduce", "rengifo", "foot_states", "friction_states", "fig6", "--workers", "2",
         "-o", "figures"),
        ("figures", "figures/*"),
    ),
    "sweep": Case(
        ("sweep", "pad.msh", "--element", "p1", "--young", "1e5:1e7:20", "--poisson", "0.2:0.4:9",
         "-o", "out.nc"),
        TABLE,
    ),
    "sweep workers": Case(
        ("sweep", "pad.msh", "--element", "p1", "--young", "3e5:1e7:30", "--poisson", "0.2,0.3",
         "--rows", "press", "--force", "570", "--workers", "2", "-o", "out.nc"),
        TABLE,
    ),
    "press": Case(("press", "fine.npz", "--force", "570", "-o", "out.npz"), ("out.npz",)),
    "study": Case(("study", "study.toml", "-o", "out.nc"), TABLE),
    "walk": Case(("walk", "--stand", "--duration", "1.5", "-o", "out.nc"), ("out.nc",)),
    "design": Case(("design", "design.toml", "-o", "out.nc"), TABLE),
    "identify": Case(
        ("identify", "drawer.msh", "bench.csv", "--plot", "out.png", "-o", "out.npz"),
        ("out.png", "out.npz"),
    ),
}  # fmt: skip


PAD = "mesh --preset hrp2kai --size-tread 0.016 --size-bond 0.03 -o pad.msh"
DRAWER = "mesh --box 0.03 0.02 0.01 --size-tread 0.005 --size-bond 0.005 -o drawer.msh"
MADE = {  # files, and the commands that make them
    "pad.msh": (PAD,),
    "pad.npz": (PAD, "condense pad.msh --element p1 -o pad.npz"),
    "press.npz": (
        PAD, "condense pad.msh --element p1 -o pad.npz", "press pad.npz --force 570 -o press.npz"
    ),
    "fine.npz": (  # 1080 nodes, whose sweeps are one long call of machine code
        "mesh --preset hrp4 --size-tread 0.0058 -o fine.msh",
        "condense fine.msh --material sole=1e6,0.45 -o fine.npz",
    ),
    "run.nc": ("walk --stand --duration 1 --every 10 -o run.nc",),
    "drawer.msh": (DRAWER,),
    "study.toml": (PAD,),
    "design.toml": (PAD,),
}  # fmt: skip


def write_inputs(folder: Path, cases: Sequence[Case]) -> None:
    """Write the files that the commands of `cases` read."""
    words = {word for case in cases for word in case.words}
    calls = dict.fromkeys(call for file in MADE if file in words for call in MADE[file])
    for call in calls:
        subprocess.run([*SOLE, *call.split(), "--quiet"], cwd=folder, check=True)
    bench = Path(__file__).parents[2] / "examples" / "bench" / "drawer.csv"
    shutil.copy(bench, folder / "bench.csv")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    (folder / "design.toml").write_text(DESIGN, encoding="utf-8")


class Terminal:
    """A command on a terminal of its own; what it prints is read all the time."""

    def __init__(self, words: Sequence[str], folder: Path, scratch: Path, mark: str) -> None:
        self.master, slave = pty.openpty()  # OSError where there are no terminals
        self.said, self.closing = b"", False
        environment = {**os.environ, "TMPDIR": str(scratch), MARK: mark, "PYTHONPATH": _path()}

        def own_terminal() -> None:
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever started us may ignore it

        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [*SOLE, *words], cwd=folder, env=environment,
            stdin=slave, stdout=slave, stderr=slave, preexec_fn=own_terminal,  # noqa: PLW1509  (no Python of others)
        )  # fmt: skip
        os.close(slave)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        # Never waits in `read`: the terminal would stay open until that returns.
        with contextlib.suppress(OSError):
            while not self.closing:
                if select.select([self.master], [], [], 0.01)[0]:
                    self.said += os.read(self.master, 4096)

    def wait_for_handlers(self) -> None:
        """Wait until the command handles SIGTERM: from then on its end is its own."""
        status, bit = Path(f"/proc/{self.process.pid}/status"), 1 << (signal.SIGTERM - 1)
        while self.process.poll() is None:
            with contextlib.suppress(OSError):
                caught = status.read_text().partition("SigCgt:")[2].split()[0]
                if int(caught, 16) & bit:
                    return
            time.sleep(0.001)

    def close(self) -> None:
        """Close the terminal: the system sends SIGHUP to its processes."""
        self.closing = True
        self.reader.join()
        os.close(self.master)
        self.master = -1


def _path() -> str:
    return os.pathsep.join(filter(None, sys.path))


def end_one(
    case: Case, way: str, after: float, inputs: Path, where: Path, mark: str
) -> tuple[list[str], float, str]:
    """Run a case and end it after a time [s]; return what is wrong, the seconds of its end, output.

    `after` < 0: let it finish, and return how long it took.
    """
    folder, scratch = where / "work", where / "tmp"
    shutil.copytree(inputs, folder)
    scratch.mkdir()
    before = set(_files(folder))
    terminal = Terminal(case.words, folder, scratch, mark)
    process = terminal.process
    if after < 0:
        process.wait()
        seconds = time.monotonic() - terminal.begun
        return [] if process.returncode == 0 else ["did not finish"], seconds, _told(terminal)
    terminal.wait_for_handlers()
    time.sleep(after)
    shared = _shared_memory(mark)
    sent, finished = time.monotonic(), process.poll() is not None
    if way == "Ctrl-C":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
    elif way == "SIGTERM":
        process.terminate()
    else:
        terminal.close()
    wrong: list[str] = []
    try:
        code = process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
        wrong.append(f"did not end within {LIMIT:g} s")
    seconds = 0.0 if finished else time.monotonic() - sent
    expected = (130 if way == "Ctrl-C" else 143, 0)
    if not wrong and code not in expected:
        wrong.append(f"exit code {code}")
    wrong += _left_running(mark)
    wrong += [f"left {n} in TMPDIR" for n in _files(scratch)]
    left = [name for name in _files(folder) if name not in before]
    allowed = {str(p.relative_to(folder)) for g in case.left for p in folder.glob(g)}
    wrong += [f"left {name}" for name in left if name not in allowed]
    wrong += [f"left {path}" for path in shared if Path(path).exists()]
    said = _told(terminal)
    wrong += [f"said {word}" for word in WRONG if word in said]
    return wrong, seconds, said


def _told(terminal: Terminal) -> str:
    """Return all that was printed, and give the terminal back."""
    terminal.reader.join(0.5)  # it ends with the last process of the terminal
    terminal.closing = True
    terminal.reader.join()
    if terminal.master >= 0:
        os.close(terminal.master)
    return terminal.said.decode(errors="replace")


def _files(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def _left_running(mark: str) -> list[str]:
    """Return the processes of a case that outlive its command by over `GRACE`, and end them."""
    until = time.monotonic() + GRACE
    while (left := _marked(mark)) and time.monotonic() < until:
        time.sleep(0.02)
    told = []
    for process in left:
        with contextlib.suppress(psutil.Error):
            told.append(f"left running: {' '.join(process.cmdline())[-80:]}")
            process.kill()
    return told


def _shared_memory(mark: str) -> set[str]:
    """Return the files of shared memory and of semaphores that a case has open."""
    found = set()
    for process in _marked(mark):
        with contextlib.suppress(psutil.Error):
            found |= {one.path for one in process.memory_maps() if one.path.startswith(SHARED)}
    return found


def _marked(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


WAYS = ("Ctrl-C", "SIGTERM", "closed terminal")


def main(
    number: int = NUMBER, seed: int = SEED, only: Sequence[str] = (), keep: Path | None = None
) -> list[dict[str, Any]]:
    """Return one row per command: part, kind, tried, failed, worst (of the time limit)."""
    tally, chance = Tally("endings"), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="endings-") as made:
        root = Path(made)
        inputs = root / "inputs"
        inputs.mkdir()
        chosen = {name: CASES[name] for name in only or CASES}
        write_inputs(inputs, list(chosen.values()))
        for name, case in chosen.items():
            span = case.serves
            if not case.serves:
                wrong, span, said = end_one(case, "", -1.0, inputs, root / "whole", f"{root}")
                shutil.rmtree(root / "whole")
                tally.holds(f"{name} undisturbed", not wrong, f"{wrong} {said}")
            else:
                span += START
            for k in range(number):
                way, after = chance.choice(WAYS), chance.uniform(0.0, 1.02 * span)
                where = root / f"{name.replace(' ', '_')}-{k}"
                where.mkdir()
                wrong, seconds, said = end_one(
                    case, way, after, inputs, where, f"{root}-{name}-{k}"
                )
                told = f"{name}, {way} after {after:.3f} s"
                tally.check(name, LIMIT + 1 if wrong else seconds, LIMIT, f"{told}: {wrong}")
                if wrong and keep is not None:
                    file = keep / f"{where.name}.txt"
                    file.write_text(f"{told}: {wrong}\n{said}", encoding="utf-8")
                shutil.rmtree(where)
    for failure in tally.failures:
        print(failure, file=sys.stderr)
    return tally.rows


START = 4.0  # s that a server takes to start

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("number", nargs="?", type=int, default=NUMBER)
    parser.add_argument("seed", nargs="?", type=int, default=SEED)
    parser.add_argument("--only", default="", help="commands, separated by commas")
    parser.add_argument("--keep", type=Path, help="folder for what failed cases said")
    given = parser.parse_args()
    names = tuple(filter(None, given.only.split(",")))
    if unknown := set(names) - set(CASES):
        parser.error(f"no case {', '.join(sorted(unknown))}; known are {', '.join(CASES)}")
    rows = main(given.number, given.seed, names, given.keep)
    print_table(rows)
    sys.exit(any(row["failed"] for row in rows))
