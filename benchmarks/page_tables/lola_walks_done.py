"""Walk the ensembles of `lola-like` on ground that its plan does not know, and keep the results.

    python benchmarks/page_tables/lola_walks_done.py [--minutes 10] [--store FILE]

Walks that the file has already, by their scenario, are not walked again, so it goes on after an
interrupt. A walk costs 4 to 16 s of processor time. A walk that cannot be made is reported, and the
others go on. The tables are made from the file by `lola_survival.py`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.lola_ensembles import in_order
from robot.papers.experiments.edge_store import digest_of, store_walk, stored_walks
from robot.papers.experiments.lola_walks import measured, walk_over
from sole.base.errors import SoleError
from sole.base.numba_settings import set_up_numba

STORE = Path(__file__).resolve().parents[2] / "docs" / "results" / "lola_walks.jsonl"


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk what is missing, at most for the given time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--store", type=Path, default=STORE)
    given = parser.parse_args(arguments)
    done, until = set(stored_walks(given.store)), time.monotonic() + 60 * given.minutes
    cases, refused = {digest_of(case): case for case in in_order()}, 0
    for key, case in cases.items():
        if key in done:
            continue
        if time.monotonic() > until:
            break
        try:
            store_walk(given.store, case, measured(walk_over(case)))
        except SoleError as error:
            refused += 1
            print(f"{case}: {error}", file=sys.stderr, flush=True)
            continue
        done.add(key)
        print(f"{len(done & set(cases))} of {len(cases)}", flush=True)
    return 2 if refused else 0


if __name__ == "__main__":
    set_up_numba()
    raise SystemExit(main())
