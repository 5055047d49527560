"""Compare the numbers of two tables cell by cell, and lay a fresh table over that of a page.

Two numbers a (page) and b (fresh) agree if

    |a - b| <= within |a| + u,      u: one unit of the last digit that the page prints,

since two numbers that are nearly equal may be rounded to neighbours. In columns of errors b <= 10
|a| is enough: a residual may fall. What is no number must be the same text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from page_tables.marked_tables import MarkedTable

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
GROWTH = 10.0  # of an error
Rows = Sequence[tuple[str, ...]]


def differences(page: MarkedTable, fresh: MarkedTable) -> list[str]:
    """Return a line for every difference that counts: row, column, both cells."""
    assert page.marker is not None
    if fresh.header != page.header:
        return [f"header: page {' | '.join(page.header)}; fresh {' | '.join(fresh.header)}"]
    rows, missing = aligned(page, fresh)
    found = [] if page.marker.peers else [f"row {' | '.join(row[:3])}: not made" for row in missing]
    if len(fresh.rows) > len(rows):
        found.append(f"{len(fresh.rows)} rows are made, {len(page.rows)} are on the page")
    for old, new in rows:
        for k, (a, b) in enumerate(zip(old, new, strict=True)):
            if k in page.marker.times or agree(a, b, page.marker.within, k in page.marker.errors):
                continue
            found.append(f"{old[0]}, {page.header[k]}: page {a!r}, fresh {b!r}")
    return found


def aligned(page: MarkedTable, fresh: MarkedTable) -> tuple[list[tuple[tuple, tuple]], list[tuple]]:  # type: ignore[type-arg]
    """Pair the rows, and return those of the page that are missing.

    With peers a row is known by its cells that are no times and no errors; else by its place.
    """
    assert page.marker is not None
    if not page.marker.peers:
        pairs = list(zip(page.rows, fresh.rows, strict=False))
        return pairs, list(page.rows[len(pairs) :])
    loose = page.marker.times | page.marker.errors

    def key(row: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(c for k, c in enumerate(row) if k not in loose)

    known = {key(row): row for row in fresh.rows}
    pairs = [(row, known[key(row)]) for row in page.rows if key(row) in known]
    return pairs, [row for row in page.rows if key(row) not in known]


def agree(page: str, fresh: str, within: float, error: bool = False) -> bool:
    """Return whether two cells agree: the same words, and numbers within the tolerance."""
    if NUMBER.sub("#", page).split() != NUMBER.sub("#", fresh).split():
        return False
    for a, b in zip(NUMBER.findall(page), NUMBER.findall(fresh), strict=True):
        x, y = float(a), float(b)
        if error and abs(y) <= GROWTH * abs(x):
            continue
        if abs(x - y) > within * abs(x) + last_digit(a):
            return False
    return True


def last_digit(number: str) -> float:
    """Return one unit of the last digit, 1.001 of it for the round-off of this very test."""
    mantissa, _, power = number.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 1.001 * 10.0 ** (int(power or 0) - decimals)


def rewrite(page: Path, fresh: Sequence[tuple[MarkedTable, MarkedTable]]) -> None:
    """Replace the rows of tables of one page, and their dates; rows of missing peers stay."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for old, new in sorted(fresh, key=lambda pair: -pair[0].line):
        assert old.marker is not None
        head = f"| {' | '.join(new.header)} |"
        rows: Rows = new.rows
        if old.marker.peers:
            pairs = dict(aligned(old, new)[0])
            rows = [pairs.get(row, row) for row in old.rows]
        body = [f"| {' | '.join(row)} |" for row in rows]
        start = old.line - 1
        rule = "|" + "---|" * len(new.header)
        lines[start : start + 2 + len(old.rows)] = [head, rule, *body]
        if old.marker.made:
            above, today = old.marker.line - 1, date.today()
            written = f"{today.day} {today:%B %Y}"
            lines[above] = re.sub(r"` on [^:]+:", f"` on {written}:", lines[above])
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
