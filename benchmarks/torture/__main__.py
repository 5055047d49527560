"""All torture parts in one table, as `make torture` runs them.

    python benchmarks/torture [--share 0.1] [--seed 1] [PART ...]

A part is a file here with `main(number, seed)`; its rows have the keys part, kind, tried, failed
and worst. `--share` scales the number of cases. The exit code is 1 if anything failed.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sole.base.numba_settings import set_up_numba

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

NUMBERS = {
    "contact_problems": 5000,
    "drops": 1000,
    "scenarios": 100,
    "bad_input": 2000,
    "flips": 3000,
    "extremes": 1000,
    "endings": 100,
}
KEYS = ("part", "kind", "tried", "failed", "worst")


def run_parts(parts: Sequence[str], share: float, seed: int) -> list[dict[str, Any]]:
    """Run the parts and return the rows of all; a part that breaks off is a failed row."""
    rows: list[dict[str, Any]] = []
    for part in parts:
        number, begun = max(1, round(share * NUMBERS[part])), time.monotonic()
        try:
            found = rows_of(importlib.import_module(f"torture.{part}").main(number, seed), part)
        except Exception as error:
            found = [row_of(part, f"{type(error).__name__}: {error}")]
        rows += found or [row_of(part, "tried nothing")]
        minutes = (time.monotonic() - begun) / 60
        print(f"{part}: {number} cases, {minutes:.1f} min", file=sys.stderr)
    return rows


def row_of(part: str, reason: str) -> dict[str, Any]:
    """Return the row of a part that failed as a whole."""
    return dict(zip(KEYS, (part, reason, 0, 1, float("inf")), strict=True))


def rows_of(found: Any, part: str) -> list[dict[str, Any]]:
    """Return rows with `KEYS`; another name in `part` (a command, say) goes into `kind`."""
    rows = []
    for row in found:
        own = str(row.get("part", part))
        kind = str(row["kind"]) if own == part else f"{own}: {row['kind']}"
        rows.append({**{k: row.get(k) for k in KEYS}, "part": part, "kind": kind})
    return rows


def print_rows(rows: Sequence[dict[str, Any]]) -> None:
    """Print the table."""
    print(f"{'part':<17} {'kind':<44} {'tried':>9} {'failed':>7} {'worst':>10}")
    for r in rows:
        worst = r["worst"]
        shown = f"{worst:.3g}" if isinstance(worst, int | float) else str(worst)
        print(f"{r['part']:<17} {r['kind'][:44]:<44} {r['tried']:>9} {r['failed']:>7} {shown:>10}")


def present() -> list[str]:
    """Return the parts that are installed."""
    return [p for p in NUMBERS if importlib.util.find_spec(f"torture.{p}") is not None]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(NUMBERS)}")
    parser.add_argument("--share", type=float, default=1.0, help="of the usual numbers of cases")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.parts) - set(NUMBERS))
    if unknown:
        parser.error(f"no part {', '.join(unknown)}; known are {', '.join(NUMBERS)}")
    rows = run_parts(given.parts or present(), given.share, given.seed)
    print_rows(rows)
    return int(any(row["failed"] for row in rows))


if __name__ == "__main__":
    set_up_numba()
    sys.exit(main())
