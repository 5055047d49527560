"""The table of a torture run: how often a law was checked, how often it failed, how closely."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

KEYS = ("part", "kind", "tried", "failed", "worst")


class Tally:
    """Counts of one part; `rows` is its table, `failures` say which case broke which law."""

    def __init__(self, part: str) -> None:
        self.part, self.failures = part, list[str]()
        self._rows: dict[str, dict[str, Any]] = {}

    def check(self, kind: str, value: float, limit: float, where: str) -> None:
        """Count value <= limit; NaN fails. `worst` is the largest value/limit."""
        row = self._rows.setdefault(
            kind, dict(zip(KEYS, (self.part, kind, 0, 0, 0.0), strict=True))
        )
        row["tried"] += 1
        share = value / limit if limit > 0 else (0.0 if value <= limit else math.inf)
        row["worst"] = max(row["worst"], share if math.isfinite(share) else math.inf)
        if not value <= limit:
            row["failed"] += 1
            self.failures.append(f"{where}: {kind}: {value:.6g}, limit {limit:.6g}")

    def holds(self, kind: str, fine: bool, where: str) -> None:
        """Count a law that either holds or not."""
        self.check(kind, 0.0 if fine else math.inf, 1.0, where)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row per law, with the keys `KEYS`."""
        return list(self._rows.values())


def numbers_of(arguments: Sequence[str], number: int, seed: int) -> tuple[int, int]:
    """Return number of cases and seed from a command line, with these defaults."""
    given = [int(a) for a in arguments]
    return given[0] if given else number, given[1] if len(given) > 1 else seed


def print_table(rows: Sequence[dict[str, Any]], failures: Sequence[str] = ()) -> None:
    """Print the table and the first failures; worst = 1 is the bound itself."""
    print(f"{'part':<10} {'kind':<34} {'tried':>9} {'failed':>7} {'worst':>9}")
    for r in rows:
        print(
            f"{r['part']:<10} {r['kind']:<34} {r['tried']:>9} {r['failed']:>7} {r['worst']:>9.3g}"
        )
    for failure in failures[:20]:
        print(f"  {failure}")
