"""The benchmark of starting: its quick mode runs, and its commands are those that exist."""

from __future__ import annotations

from importlib.metadata import entry_points

import start_up


def test_quick_mode_measures_help_and_refusals(capsys):
    found = start_up.main(["--quick"])
    assert set(found) == {"--help", *start_up.REFUSED}
    assert all(0 < spent < float("inf") for spent in found.values())
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(found) and all("(imports: " in line for line in lines)


def test_the_heaviest_package_is_the_one_that_is_imported(tmp_path, monkeypatch):
    (tmp_path / "slow_package.py").write_text("import time\ntime.sleep(2.0)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(start_up, "PROGRAM", "import slow_package, json")
    name, share = start_up.heaviest("", tmp_path)[0]
    assert name == "slow_package" and 0.3 < share < 1


def test_every_measured_command_exists():
    known = {point.name for point in entry_points(group="sole.commands")} | {"--help"}
    called = {c.split()[0] for c in (*start_up.WARM, *start_up.REFUSED, *start_up.FIRST)}
    assert len(called) > 8 and called <= known
