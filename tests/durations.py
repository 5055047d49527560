"""Which tests are fast: chosen by what they took, not by hand.

    make durations    run everything and store what the tests took in tests/durations.json
    make test-fast    the quickest tests, as many as fit into `BUDGET`

A test counts with its fixtures. Tests that are not in the file took less than `SHORTEST`, or are
new: both run. The files that take longest run first, so that no process is left with one of them
at the end.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("durations.json")
BUDGET = 70.0  # s of work beside the tests that are not in the file; two processes share it
SHORTEST = 0.1  # s


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add both options."""
    parser.addoption("--fast", action="store_true", help="only tests measured as quick")
    parser.addoption("--store-durations", action="store_true", help=f"write {FILE.name}")


def quick(took: dict[str, float], budget: float) -> set[str]:
    """Return the names of the quickest tests that fit into `budget` [s] together."""
    chosen, spent = set(), 0.0
    for name, seconds in sorted(took.items(), key=lambda item: item[1]):
        spent += seconds
        if spent > budget:
            break
        chosen.add(name)
    return chosen


def sum_by_file(took: dict[str, float]) -> dict[str, float]:
    """Return what the tests of each file took together [s]; 0 of unknown files."""
    whole: dict[str, float] = defaultdict(float)
    for name, seconds in took.items():
        whole[name.partition("::")[0]] += seconds
    return whole


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without a test of the second stage if only such are asked for.

    Importing all files takes a quarter of a minute, in each process.
    """
    if config.option.markexpr.startswith("long") and collection_path.suffix == ".py":
        return "mark.long" not in collection_path.read_text(encoding="utf-8") or None
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest files first; leave slow tests out if asked to."""
    fast = config.getoption("--fast")
    if fast and not FILE.exists():
        raise pytest.UsageError(f"--fast needs {FILE.name}: run make durations first")
    took = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    whole = sum_by_file(took)
    items.sort(key=lambda item: -whole[item.nodeid.partition("::")[0]])  # stable
    if not fast:
        return
    slow = set(took) - quick(took, BUDGET)
    left_out = [item for item in items if item.nodeid in slow]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item.nodeid not in slow]


class Durations:
    """Adds up what every test takes: its fixtures, itself, its end."""

    def __init__(self) -> None:
        self.took: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note one phase of a test."""
        self.took[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        kept = {n: round(s, 2) for n, s in sorted(self.took.items()) if s >= SHORTEST}
        FILE.write_text(json.dumps(kept, indent=0) + "\n", encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Listen only if asked to, and only where the reports of all processes come together."""
    if config.getoption("--store-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Durations())
