"""Bad input for every command and every kind of file: one line and exit code 2, or a good run.

    python benchmarks/torture/bad_input.py [NUMBER] [SEED] [--only K ...]

Each input is a valid call (`torture.valid_calls`) with its file, its options or both broken
(`torture.mutations`). It runs in a fork of this process (`torture.forks`), in a folder of its own,
with limits of time and memory. Exit codes 0 and 2 pass. With 2 there must be one line on standard
error and nothing new in the folder; never a traceback, a warning, a complaint of a library, or NaN
in JSON. `--only K` repeats single inputs and prints their calls and what they said.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from sole.base.numba_settings import set_up_numba
from torture.forks import Forks
from torture.mutations import mutate_file, mutate_words
from torture.options import options_of
from torture.valid_calls import CALLS, Call
from torture.valid_files import write_valid_files

NUMBER, SEED = 2000, 1
COUNTS = ("tried", "refused", "failed")
MOST_MEMORY = 500_000_000  # bytes that a call may use beyond what its process has
PROGRESS = re.compile(r"[\w ]+: \d+ of \d+")  # of work that takes seconds
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
    weights = np.array([c.weight for c in CALLS], dtype=float)
    with trials() as (forks, fresh):
        for number in numbers:
            rng = np.random.default_rng([seed, number])
            call = CALLS[int(rng.choice(len(CALLS), p=weights / weights.sum()))]
            words, way = call.words.split(), ""
            with fresh() as folder:
                if call.kind and rng.random() < 0.7:
                    way = mutate_file(rng, folder / call.file, call.kind)
                if not way or rng.random() < 0.1:
                    words = mutate_words(rng, words, options_of(call))
                    way = f"{way} options".strip()
                yield number, outcome_of(forks, call, words, way, folder, show)


@contextlib.contextmanager
def trials() -> Iterator[tuple[Forks, Callable[[], AbstractContextManager[Path]]]]:
    """Yield forks, and a function that opens a fresh folder with the valid files."""
    before, argv = Path.cwd(), sys.argv
    with (
        tempfile.TemporaryDirectory(prefix="torture-") as made,
        contextlib.ExitStack() as stack,
    ):
        valid = Path(made) / "valid"
        valid.mkdir()

        @contextlib.contextmanager
        def fresh() -> Iterator[Path]:
            folder = Path(made) / "input"
            shutil.copytree(valid, folder, symlinks=True)
            yield folder
            shutil.rmtree(folder, ignore_errors=True)

        try:
            os.chdir(valid)
            write_valid_files(valid)
            yield stack.enter_context(Forks(Path(made))), fresh
        finally:
            os.chdir(before)
            sys.argv = argv


def outcome_of(
    forks: Forks, call: Call, words: list[str], way: str, folder: Path, show: bool
) -> Outcome:
    """Run one call and judge it."""
    there = _listing(folder)
    answer = forks.run(words, folder)
    code, said = answer.code, answer.said
    wrong = _judge(code, answer.told, said, answer.memory)
    wrong = wrong or ("--json" in words and _no_json(answer.told, words[0] == "live")) or ""
    new = sorted(_listing(folder) - there)
    if not wrong and (kept := re.search(r"are kept in (\S+)", said)):
        wrong = _spoiled(forks, kept[1], folder)
    if not wrong and code == 2 and new and not any(r in said for r in RUNS_ON):
        wrong = f"left {', '.join(new)}"
    if show:
        print(f"{' '.join(words)}\n  exit {code}, {answer.seconds:.1f} s")
        print(f"{answer.told[:2000]}{said[:4000]}  {wrong or 'fine'}")
    return Outcome(call, tuple(words), way, code, answer.seconds, wrong)


def _spoiled(forks: Forks, file: str, folder: Path) -> str:
    """Return what `sole info` holds against a file that an error left on purpose."""
    answer = forks.run(["info", file, "--json"], folder)
    return f"kept {file}, but: {answer.said}" if answer.code else ""


def _judge(code: int, told: str, said: str, memory: float) -> str:
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
    if code == 0 and (more := [line for line in lines if not PROGRESS.match(line)]):
        return f"says {more[0][:150]}"
    return ""


def _no_json(told: str, in_lines: bool) -> str:
    """Return what is wrong with JSON, '' if nothing; `sole live` prints a line at each end."""
    try:
        for text in told.splitlines() if in_lines else [told] * bool(told):
            json.loads(text, parse_constant=_refuse)
    except ValueError as error:
        return f"stdout is no JSON ({error})"
    return ""


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"holds {constant}")


def _listing(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*")}


def print_rows(rows: Sequence[dict[str, Any]]) -> None:
    """Print the table of `main`."""
    print(f"{'command':<16} {'kind':<12} {'tried':>6} {'refused':>8} {'failed':>7} {'worst s':>8}")
    for r in rows:
        print(
            f"{r['part']:<16} {r['kind']:<12} {r['tried']:>6} {r['refused']:>8} {r['failed']:>7} "
            f"{r['worst']:>8.1f}"
        )


if __name__ == "__main__":
    set_up_numba()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("number", type=int, nargs="?", default=NUMBER, help="of inputs (2000)")
    parser.add_argument("seed", type=int, nargs="?", default=SEED, help="of the mutations (1)")
    parser.add_argument("--only", type=int, nargs="+", help="only these inputs, and what they said")
    given = parser.parse_args()
    chosen = given.only or range(given.number)
    found = table(run_inputs(chosen, given.seed, show=given.only is not None))
    print_rows(found)
    sys.exit(any(row["failed"] for row in found))
