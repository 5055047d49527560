"""The benchmark of contact solvers runs to its end, double support included."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


@pytest.mark.nightly
def test_quick(root, tmp_path):
    """In a process of its own: its modules are named as the tests' are."""
    script, report = root / "benchmarks" / "contact_solvers.py", tmp_path / "report.json"
    done = subprocess.run(
        [sys.executable, str(script), "--quick", "--peers", "--json", str(report)],
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.strip().splitlines()
    assert first == last and "no figure here is a measurement" in first
    assert "of 3: gauss-seidel 3, newton 3, auto 3" in done.stdout
    told = json.loads(report.read_text(encoding="utf-8"))
    assert [p["state"] for p in told["problems"]] == ["touchdown", "double support", "sliding"]
    assert "forces alone" in told["sticking"][0]
    for row in told["problems"]:
        for runs in row["runs"].values():
            assert max(run["natural_map"] for run in runs.values()) <= 1e-6
