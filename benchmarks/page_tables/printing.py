"""Print a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterable


def print_table(header: str, rows: Iterable[Iterable[object]]) -> None:
    """Print `header` ("a | b") and rows, each as soon as it comes."""
    print(f"\n| {header} |\n|" + "---|" * (header.count(" | ") + 1))
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)
