"""The claims of a paper with verdicts: tables of docs/results/papers.md.

    python benchmarks/page_tables/paper_claims.py rengifo [--full]

The same as `sole reproduce PAPER --quick`, or, with `--full`, as `sole reproduce PAPER -o FOLDER`
in a folder that has the walks of lola_walks.jsonl and vertex_walks.json of docs/results/. As
Markdown.
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
from sole.claims import find_claims, markdown_rows, reproduce_claims

HEADER = "claim | place | says | the paper's figure | ours | verdict | time [s]"
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
            print_table(HEADER, markdown_rows(reproduce_claims(find_claims(paper), quick=True)))
            continue
        with tempfile.TemporaryDirectory() as folder:
            for store in filter(Path.exists, STORES):
                copy(store, folder)
            outcomes = reproduce_claims(find_claims(paper), quick=False, folder=Path(folder))
        print_table(HEADER, markdown_rows(outcomes))
    return 0


if __name__ == "__main__":
    set_up_numba()
    raise SystemExit(main())
