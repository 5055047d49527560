"""The benchmark of starting: its quick mode runs, and its commands are those that exist."""

from __future__ import annotations

from importlib.metadata import entry_points

import start_up


def test_quick_mode_measures_help_and_refusals(capsys):
    found = start_up.main(["--quick"])
    assert set(found) == {"--help", *start_up.REFUSED}
    assert all(0 < spent < float("inf") for spent in found.values())
    assert len(capsys.readouterr().out.splitlines()) == len(found)


def test_every_measured_command_exists():
    known = {point.name for point in entry_points(group="sole.commands")} | {"--help"}
    called = {c.split()[0] for c in (*start_up.WARM, *start_up.REFUSED, *start_up.FIRST)}
    assert len(called) > 8 and called <= known
