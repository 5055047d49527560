"""The claims of a paper with verdicts: tables of docs/papers.md.

python benchmarks/page_tables/paper_claims.py rengifo

The same as `sole reproduce PAPER --quick`, as Markdown.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from sole.claims import find_claims, markdown_rows, reproduce_claims

HEADER = "claim | place | says | the paper's figure | ours | verdict | time [s]"

if __name__ == "__main__":
    for paper in sys.argv[1:]:
        print_table(HEADER, markdown_rows(reproduce_claims(find_claims(paper), quick=True)))
