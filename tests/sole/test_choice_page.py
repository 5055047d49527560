"""The commands of docs/choice.md run, and say what the page says they do."""

from __future__ import annotations

import json
import re
import shlex

import pytest
from command_line import in_this_process


@pytest.mark.nightly
@pytest.mark.slow
def test_the_commands_of_the_page_say_what_it_says(root, tmp_path, monkeypatch, capsys):
    page = (root / "docs" / "choice.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```bash\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    commands = [shlex.split(line) for line in block.splitlines()]
    assert len(commands) == 4
    monkeypatch.chdir(tmp_path)
    call = in_this_process(monkeypatch, capsys)
    commands[2].append("--json")
    told = []
    for program, *arguments in commands:
        assert program == "sole"
        code, out, errors = call(*arguments)
        assert code == 0, errors
        told.append(out)
    two, three = (json.loads(text) for text in told[2:])
    assert two["recommended"]["settings"] == pytest.approx(
        {"young": 2.685e6, "poisson": 0.45}, 1e-3
    )
    assert two["recommended"]["metrics"]["pressure_p95"] == pytest.approx(305e3, rel=0.01)
    assert two["recommended"]["metrics"]["sink"] == pytest.approx(0.91e-3, rel=0.02)
    assert (two["feasible"], len(two["front"])) == (17, 15)
    assert two["materials"][0]["name"] == "Shore A 50 rubber"
    assert [g["maximise"] for g in three["goals"]] == [False, True, False]
    assert (tmp_path / "pad.html").stat().st_size > 50_000
    assert (tmp_path / "three.html").stat().st_size > 50_000
