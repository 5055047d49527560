"""Every benchmark runs: its `--quick` mode, in this process, prints the table that it promises."""

from __future__ import annotations

import importlib
import re

import pytest

QUICK = (
    "assembly",
    "block_on_pad",
    "condensation",
    "ground",
    "penalty",
    "sole_margin",
    "standing_still",
    "sweep",
    "time_step",
    "walk_kinematics",
    "walk_speed",
    "wrench_cone",
)
PROCESSES = ("study_workers", "study_kills")  # several processes each: tens of seconds
# `fclib_solvers` is tested in test_peers; `contact_solvers` needs half a minute.
APART = ("contact_solvers", "docs_numbers", "fclib_solvers")


def test_every_benchmark_has_a_quick_mode(root):
    scripts = {
        path.stem
        for path in (root / "benchmarks").glob("*.py")
        if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    }
    assert scripts == {*QUICK, *PROCESSES, *APART}


@pytest.mark.parametrize("name", QUICK)
def test_it_runs(name, capsys):
    importlib.import_module(name).main(["--quick"])
    told = capsys.readouterr().out
    assert len(re.findall(r"\d", told)) > 10 and "nan" not in told


@pytest.mark.slow
def test_the_workers_are_compared(capsys):
    assert importlib.import_module("study_workers").main(["--quick"]) > 0
    assert len(re.findall(r"^\| [\d.]+ s \|", capsys.readouterr().out, re.MULTILINE)) == 4


@pytest.mark.slow
def test_kills_leave_the_table_as_it_was(capsys):
    killed = importlib.import_module("study_kills").main(["--quick"])
    assert killed["client"] + killed["worker"] >= 2
    assert "all identical" in capsys.readouterr().out
