"""Print a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterable


def print_table(header: str, rows: Iterable[Iterable[object]]) -> None:
    """Print `header` ("a | b") and rows, each as soon as it comes."""
    print(f"\n| {header} |\n|" + "---|" * (header.count(" | ") + 1))
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def three_digits(value: float) -> str:
    """Return a number with three digits, four below 2."""
    size = abs(value)
    return f"{value:.{3 if size < 1.9995 else 2 if size < 9.995 else 1}f}"
