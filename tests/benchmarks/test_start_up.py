"""The benchmark of starting: its quick mode runs, and its commands are all that there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import start_up
import typer

from sole.base.cli import app


def commands(group: Any, *above: str) -> Iterator[str]:
    """All commands of the command line, as "contact cone"."""
    if not hasattr(group, "list_commands"):
        yield " ".join(above)
        return
    for name in group.list_commands(None):
        yield from commands(group.get_command(None, name), *above, name)


@pytest.mark.nightly
def test_quick_mode_measures_help_and_refusals(capsys):
    found = start_up.main(["--quick"])
    assert set(found) == {start_up.BASE, "--help", *start_up.REFUSED}
    assert all(0 < spent < float("inf") for spent in found.values())
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert head.count("|") == 5 and "heaviest" in head
    assert rows[0].startswith('| `python -c "import typer, rich"` |')
    assert rows[1].startswith("| `sole --help` |")
    assert len(rows) == len(found) and all(row.count("|") == 5 for row in rows)
    assert all(len(row.split("|")[4].split(",")) == 3 for row in rows)


def test_the_heaviest_package_is_the_one_that_is_imported(tmp_path, monkeypatch):
    (tmp_path / "slow_package.py").write_text("import time\ntime.sleep(2.0)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(start_up, "PROGRAM", "import slow_package, json")
    name, spent = next(iter(start_up.imports("", tmp_path).items()))
    assert name == "slow_package" and 2.0 <= spent < 20.0


def test_a_program_that_fails_is_not_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(start_up, "PROGRAM", "from sole.nowhere import start")
    with pytest.raises(RuntimeError, match=r"(?s)sole --help. failed: .*sole.nowhere"):
        start_up.seconds("--help", tmp_path)


def test_every_command_is_measured():
    known = set(commands(typer.main.get_command(app)))
    assert len(known) >= 25
    measured = {c for c in known for call in start_up.WARM if f"{call} ".startswith(f"{c} ")}
    assert measured == known - set(start_up.APART)
    others = {call.split()[0] for call in (*start_up.REFUSED, *start_up.FIRST)}
    assert others <= {c.split()[0] for c in known}
