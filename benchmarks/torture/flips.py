"""Flipped bits, cuts and blocks of zeros in every kind of file; judged as in `torture.bad_input`.

    python benchmarks/torture/flips.py [NUMBER] [SEED] [--only K ...]

Each must be refused or read,
in one line and without a crash.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from sole.base.numba_settings import set_up_numba
from torture.bad_input import Outcome, outcome_of, print_rows, table, trials
from torture.valid_calls import CALLS, Call

NUMBER, SEED = 3000, 1
SUFFIXES = (".nc", ".npz", ".npy", ".msh", ".stl", ".hdf5", ".step", ".vtu", ".vtk", ".inp")
WAYS = ("flip", "flips", "cut", "zeros")


def damaged(rng: np.random.Generator, data: bytes, way: str) -> bytes:
    """Return the bytes of a file as a bad disk or a broken transfer leaves them."""
    out, at = bytearray(data), int(rng.integers(len(data)))
    if way == "cut":
        return data[:at]
    if way == "zeros":
        out[at : at + 512] = bytes(len(out[at : at + 512]))
    else:
        for place in rng.integers(len(out), size=1 if way == "flip" else 16):
            out[place] ^= 1 << int(rng.integers(8))
    return bytes(out)


def calls() -> list[Call]:
    """Return the first call that reads each file, and the first `sole info` of it."""
    found: dict[tuple[str, bool], Call] = {}
    for call in CALLS:
        if call.file.endswith(SUFFIXES) and not call.command.startswith("live"):
            found.setdefault((call.file, call.command == "info"), call)
    return list(found.values())


def run_files(
    numbers: Sequence[int], seed: int, show: bool = False
) -> Iterator[tuple[int, Outcome]]:
    """Yield the outcome of every damaged file; number and seed decide it."""
    known = calls()
    with trials() as (forks, fresh):
        for number in numbers:
            rng = np.random.default_rng([seed, number])
            call, way = known[number % len(known)], WAYS[int(rng.integers(len(WAYS)))]
            with fresh() as folder:
                path = folder / call.file
                path.write_bytes(damaged(rng, path.read_bytes(), way))
                yield number, outcome_of(forks, call, call.words.split(), way, folder, show)


def main(number: int = NUMBER, seed: int = SEED) -> list[dict[str, Any]]:
    """Return one row per command and kind, as `torture.bad_input`."""
    return table(run_files(range(number), seed))


if __name__ == "__main__":
    set_up_numba()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("number", type=int, nargs="?", default=NUMBER, help="of files (3000)")
    parser.add_argument("seed", type=int, nargs="?", default=SEED, help="of the damage (1)")
    parser.add_argument("--only", type=int, nargs="+", help="only these files, and what they said")
    given = parser.parse_args()
    chosen = given.only or range(given.number)
    rows = table(run_files(chosen, given.seed, show=given.only is not None))
    print_rows(rows)
    sys.exit(any(row["failed"] for row in rows))
