"""What a benchmark says before and after the tables of its quick mode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

MARK = "quick: this shows only that it runs; no figure here is a measurement"


@contextmanager
def marked(quick: bool) -> Iterator[None]:
    """Print `MARK` around what the block prints, if it is `quick`."""
    if quick:
        print(MARK, flush=True)
    yield
    if quick:
        print(MARK, flush=True)
