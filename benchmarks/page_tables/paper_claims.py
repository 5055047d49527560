"""The claims of a paper: tables of docs/results/papers.md and docs/results/no_verdict.md.

    python benchmarks/page_tables/paper_claims.py rengifo [--full]

The same as `sole reproduce PAPER --quick`, or, with `--full`, as `sole reproduce PAPER -o FOLDER`
in a folder that has the walks of lola_walks.jsonl and vertex_walks.json of docs/results/. For each
paper a table in Markdown of the claims with a verdict, and one of those without.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from shutil import copy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from sole.base.numba_settings import set_up_numba
from sole.claims import ClaimOutcome, find_claims, markdown_rows, reproduce_claims

HEADER = "claim | place | says | the paper's figure | ours | verdict"
WITHOUT = "no verdict"
DOCS = Path(__file__).resolve().parents[2] / "docs"
STORES = (DOCS / "results" / "lola_walks.jsonl", DOCS / "results" / "vertex_walks.json")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table for each paper."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("papers", nargs="*")
    parser.add_argument("--full", action="store_true", help="full ensembles, stored walks")
    given = parser.parse_args(arguments)
    for paper in given.papers:
        if not given.full:
            print_claims(reproduce_claims(find_claims(paper), quick=True))
            continue
        with tempfile.TemporaryDirectory() as folder:
            for store in filter(Path.exists, STORES):
                copy(store, folder)
            outcomes = reproduce_claims(find_claims(paper), quick=False, folder=Path(folder))
        print_claims(outcomes)
    return 0


def print_claims(outcomes: Sequence[ClaimOutcome]) -> None:
    """Print the rows with a verdict, then those without; times depend on the machine and go."""
    rows = [row[:-1] for row in markdown_rows(outcomes)]
    print_table(HEADER, (row for row in rows if row[-1] != WITHOUT))
    print_table(HEADER, (row for row in rows if row[-1] == WITHOUT))


if __name__ == "__main__":
    set_up_numba()
    raise SystemExit(main())
