"""Make the tables of numbers in docs/ again and compare them with the pages.

    python benchmarks/docs_numbers.py [PAGE ...] [--quick] [--slow] [--write] [--list]

Also `make docs-numbers ARGS='gait robots'`. The line above each table names its command, date and
tolerance (`page_tables.marked_tables`). Without options all tables but the slow ones are made, in
a quarter of an hour; exit code 1 if a number differs or a command fails. `--write` writes the
fresh tables and today's date into the pages; read the text around them afterwards.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from page_tables.comparison import differences, rewrite
from page_tables.marked_tables import MarkedTable, tables_of, words_of

from sole.base.errors import SoleError
from sole.base.numba_settings import set_up_numba

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 4 * 3600.0  # s of a command


def pages(root: Path = ROOT) -> list[Path]:
    """Return the pages whose tables count: all of docs/ but the list of names."""
    found = [*(root / "docs").glob("*.md"), *(root / "docs" / "results").glob("*.md")]
    return [p for p in sorted(found) if p.name != "api.md"]


def marked(names: Iterable[str] = (), root: Path = ROOT) -> list[MarkedTable]:
    """Return the tables of the pages `names` (default: all) that a command makes.

    Raises
    ------
    SoleError
        A page is unknown or a marker is not valid.
    """
    every = pages(root)
    known = {p.stem for p in every}
    chosen = [Path(name).stem for name in names] or sorted(known)
    for name in chosen:
        if name not in known:
            raise SoleError(f"no page '{name}'; there are {', '.join(sorted(known))}")
    found = [
        table
        for page in every
        if page.stem in chosen
        for table in tables_of(page.read_text(encoding="utf-8"), page)
    ]
    return [table for table in found if table.marker is not None]


def make(command: str, root: Path = ROOT) -> list[MarkedTable]:
    """Run a command in an empty folder; return the tables that it prints.

    Raises
    ------
    SoleError
        It ends with another exit code than 0, or takes too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                words_of(command, root, [sys.executable]),
                cwd=folder,
                env={**os.environ, "MPLBACKEND": "Agg"},
                capture_output=True,
                text=True,
                check=False,
                timeout=LONGEST,
            )
        except subprocess.TimeoutExpired:
            raise SoleError(f"{command}: took more than {LONGEST:g} s") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SoleError(f"{command}: exit code {done.returncode}: {last}")
    return list(tables_of(done.stdout, Path(command)))


def check(tables: Sequence[MarkedTable], write: bool = False, root: Path = ROOT) -> list[str]:
    """Make tables, a command once; print and return what differs."""
    wrong: list[str] = []
    fresh: list[tuple[MarkedTable, MarkedTable]] = []
    for command in dict.fromkeys(t.marker.command for t in tables if t.marker):
        begin = time.perf_counter()
        own = [t for t in tables if t.marker and t.marker.command == command]
        try:
            made = make(command, root)
        except SoleError as error:
            made, told = [], str(error)
        else:
            told = f"{command}: prints {len(made)} tables"
        for table in own:
            assert table.marker is not None
            if table.marker.table > len(made):
                found = [told]
            else:
                new = made[table.marker.table - 1]
                found = differences(table, new)
                fresh.append((table, new))
            state = f"{len(found)} DIFFER" if found else "ok"
            seconds = time.perf_counter() - begin
            print(f"{state:>9}  {table.place:24} {command} ({seconds:.0f} s)", flush=True)
            for line in found:
                print(f"{'':11}{line}", flush=True)
            wrong += [f"{table.place}: {line}" for line in found]
        if write:
            for page in {t.page for t, _ in fresh}:
                rewrite(page, [pair for pair in fresh if pair[0].page == page])
            fresh = []
            tables = _renewed(tables)
    return wrong


def _renewed(tables: Sequence[MarkedTable]) -> list[MarkedTable]:
    """Read the tables again, as lines may have moved."""
    pages_of = dict.fromkeys(t.page for t in tables)
    now = [t for p in pages_of for t in tables_of(p.read_text(encoding="utf-8"), p) if t.marker]
    wanted = {(t.page, t.marker.command, t.marker.table) for t in tables if t.marker}
    return [t for t in now if t.marker and (t.page, t.marker.command, t.marker.table) in wanted]


def main(words: Sequence[str] | None = None) -> int:
    """Choose tables, make and compare them; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="of docs/, e.g. gait")
    parser.add_argument("--quick", action="store_true", help="only those that take seconds")
    parser.add_argument("--slow", action="store_true", help="also those that take long")
    parser.add_argument("--write", action="store_true", help="write fresh tables into the pages")
    parser.add_argument("--list", action="store_true", help="list tables and run nothing")
    given = parser.parse_args(words)
    wanted = {"quick"} if given.quick else {"quick", "", *(["slow"] if given.slow else [])}
    tables = marked(given.pages)
    chosen = [t for t in tables if t.marker and t.marker.speed in wanted]
    if given.list:
        for t in tables:
            assert t.marker is not None
            print(f"{t.place:24} {t.marker.speed:6} {t.marker.command}")
        return 0
    wrong = check(chosen, given.write)
    left = len(tables) - len(chosen)
    print(f"{len(chosen)} tables made, {len(wrong)} differences, {left} tables left out")
    return int(bool(wrong))


if __name__ == "__main__":
    set_up_numba()
    try:
        sys.exit(main())
    except SoleError as error:
        sys.exit(f"error: {error}")
