"""Bad input for every command and every kind of file: one line and exit code 2, or a good run.

    python benchmarks/torture/bad_input.py [NUMBER] [SEED] [--only K ...]

Each input is a valid call (`torture.valid_files`) with its file, its options or both broken
(`torture.mutations`). It runs in a fork of this process, in a folder of its own, with limits of
time and memory. Exit codes 0 and 2 pass. With 2 there must be one line on standard error and
nothing new in the folder; never a traceback, a warning, a complaint of a library, or NaN in JSON.
`--only K` repeats single inputs and prints their calls and what they said.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from torture.mutations import mutate_file, mutate_words
from torture.valid_files import CALLS, Call, write_valid_files

NUMBER, SEED = 2000, 1
COUNTS = ("tried", "refused", "failed")
CPU_SECONDS = 40
WALL_SECONDS = 120.0
MORE_MEMORY = 3_000_000_000  # bytes that a child may ask for
MOST_MEMORY = 700_000_000  # bytes that a child may really use beyond this process
COMPLAINTS = ("Traceback", "internal error", "Warning", "warn(", "Exception ignored")
RUNS_ON = ("the run stopped at", "are kept", "as not solved")  # what is left is said


@dataclass(frozen=True)
class Outcome:
    """One input: its call, what was broken, and what is wrong with the answer ('' if nothing)."""

    call: Call
    words: tuple[str, ...]
    way: str
    code: int
    seconds: float
    wrong: str
    said: str


def main(number: int = NUMBER, seed: int = SEED) -> list[dict[str, Any]]:
    """Return one row per command and kind: part, kind, tried, failed, worst [s], failures."""
    return table(run_inputs(range(number), seed))


def table(outcomes: Iterator[tuple[int, Outcome]]) -> list[dict[str, Any]]:
    """Count outcomes by command and kind; print what failed."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for number, o in outcomes:
        key = (o.call.command, o.call.kind or "options")
        row = rows.setdefault(
            key, {"part": key[0], "kind": key[1], **dict.fromkeys(COUNTS, 0), "worst": 0.0}
        )
        row["tried"] += 1
        row["refused"] += o.code == 2
        row["failed"] += bool(o.wrong)
        row["worst"] = max(row["worst"], o.seconds)
        if o.wrong:
            short = " ".join(w if len(w) < 60 else f"{w[:30]}... ({len(w)})" for w in o.words)
            print(f"input {number}: {o.wrong}: sole {short} ({o.way})", file=sys.stderr)
    return [rows[key] for key in sorted(rows)]


def run_inputs(
    numbers: Sequence[int], seed: int, show: bool = False
) -> Iterator[tuple[int, Outcome]]:
    """Yield the outcome of every input; number and seed decide it."""
    before, argv = Path.cwd(), sys.argv
    with tempfile.TemporaryDirectory(prefix="torture-") as made:
        valid = Path(made) / "valid"
        valid.mkdir()
        try:
            os.chdir(valid)
            write_valid_files(valid)
            weights = np.array([c.weight for c in CALLS], dtype=float)
            for number in numbers:
                rng = np.random.default_rng([seed, number])
                folder = Path(made) / f"input{number}"
                shutil.copytree(valid, folder, symlinks=True)
                call = CALLS[int(rng.choice(len(CALLS), p=weights / weights.sum()))]
                words, way = call.words.split(), ""
                if call.kind and rng.random() < 0.7:
                    way = mutate_file(rng, folder / call.file, call.kind)
                if not way or rng.random() < 0.1:
                    words = mutate_words(rng, words)
                    way = f"{way} options".strip()
                yield number, _run(call, tuple(words), way, folder, show)
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.chdir(before)
            sys.argv = argv


def _run(call: Call, words: tuple[str, ...], way: str, folder: Path, show: bool) -> Outcome:
    """Run one call in a fork and judge it."""
    out, err = folder.parent / "out", folder.parent / "err"
    there, begun = _listing(folder), time.monotonic()
    child = os.fork()
    if child == 0:
        _in_child(words, folder, out, err)
    while True:
        pid, status, used = os.wait4(child, os.WNOHANG)
        seconds = time.monotonic() - begun
        if pid:
            break
        if seconds > WALL_SECONDS:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.002 if seconds < 0.5 else 0.02)
    code = os.waitstatus_to_exitcode(status)
    told, said = (p.read_text(errors="replace") for p in (out, err))
    memory = used.ru_maxrss * 1024 - _memory()
    wrong = _judge(code, told, said, memory, "--json" in words)
    new = sorted(_listing(folder) - there)
    if not wrong and code == 2 and new and not any(r in said for r in RUNS_ON):
        wrong = f"left {', '.join(new)}"
    if show:
        print(f"{' '.join(words)}\n  exit {code}, {seconds:.1f} s\n{told[:2000]}{said[:4000]}")
        print(f"  {wrong or 'fine'}")
    return Outcome(call, words, way, code, seconds, wrong, said)


def _judge(code: int, told: str, said: str, memory: float, as_json: bool) -> str:
    """Return what is wrong with an answer, '' if nothing."""
    lines = said.splitlines()
    first = next((line for line in lines if line.strip()), "")[:150]
    if code not in (0, 2, 130):
        last = lines[-1][:200] if lines else ""
        return f"killed by signal {-code}" if code < 0 else f"exit code {code}: {last}"
    if memory > MOST_MEMORY:
        return f"took {memory / 1e6:.0f} MB"
    for complaint in COMPLAINTS:
        if complaint in said or complaint in told:
            return f"{complaint}: {first}"
    if code == 2 and (len(lines) != 1 or not said.startswith("error: ")):
        return f"{len(lines)} lines, the first: {first}"
    if code == 0 and lines:
        return f"says {first}"
    if as_json and told:
        try:
            json.loads(told, parse_constant=_refuse)
        except ValueError as error:
            return f"stdout is no JSON ({error})"
    return ""


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"holds {constant}")


def _memory() -> int:
    """Return the peak memory of this process [bytes], which a fork inherits."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _listing(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*")}


def _in_child(words: tuple[str, ...], folder: Path, out: Path, err: Path) -> NoReturn:
    """Run the command line with limits, its output in files; never return."""
    code = 99
    try:
        for number, path in ((1, out), (2, err)):
            opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(opened, number)
            os.close(opened)
        sys.stdin = open(os.devnull)
        sys.stdout, sys.stderr = (open(n, "w", closefd=False, errors="replace") for n in (1, 2))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        warnings.resetwarnings()
        for category in (
            DeprecationWarning,
            PendingDeprecationWarning,
            ImportWarning,
            ResourceWarning,
        ):
            warnings.simplefilter("ignore", category)
        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        data = int(
            next(
                line
                for line in Path("/proc/self/status").read_text().splitlines()
                if line.startswith("VmData")
            ).split()[1]
        )
        resource.setrlimit(resource.RLIMIT_DATA, (data * 1024 + MORE_MEMORY,) * 2)
        os.environ.pop("SOLE_DEBUG", None)
        from sole.base import cli

        sys.argv = ["sole", *words]
        try:
            cli.main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        with contextlib.suppress(Exception):
            print(f"Traceback: {type(error).__name__}: {error}", file=sys.stderr)
        code = 98
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def print_rows(rows: Sequence[dict[str, Any]]) -> None:
    """Print the table of `main`."""
    print(f"{'command':<16} {'kind':<12} {'tried':>6} {'refused':>8} {'failed':>7} {'worst s':>8}")
    for r in rows:
        print(
            f"{r['part']:<16} {r['kind']:<12} {r['tried']:>6} {r['refused']:>8} {r['failed']:>7} "
            f"{r['worst']:>8.1f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("number", type=int, nargs="?", default=NUMBER, help="of inputs (2000)")
    parser.add_argument("seed", type=int, nargs="?", default=SEED, help="of the mutations (1)")
    parser.add_argument("--only", type=int, nargs="+", help="only these inputs, and what they said")
    given = parser.parse_args()
    chosen = given.only or range(given.number)
    found = table(run_inputs(chosen, given.seed, show=given.only is not None))
    print_rows(found)
    sys.exit(any(row["failed"] for row in found))
