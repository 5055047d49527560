"""The torture parts: a sample of bad input, and the table that shows all parts."""

from __future__ import annotations

import importlib
import os
import pty
import shutil
import sys

import numpy as np
import pytest
from torture import bad_input, endings, extremes, flips, valid_calls, valid_files
from torture.forks import Forks

pytestmark = pytest.mark.long

front = importlib.import_module("torture.__main__")


@pytest.mark.slow
def test_a_sample_of_bad_input():
    rows = bad_input.main(number=16, seed=4)
    assert sum(row["tried"] for row in rows) == 16
    assert [row for row in rows if row["failed"]] == []
    assert len(rows) >= 10  # commands and kinds of files
    assert 8 < sum(row["refused"] for row in rows) < 16


@pytest.mark.slow
@pytest.mark.parametrize(("part", "number"), [(flips, 8), (extremes, 3)])
def test_a_sample_of_damage_and_of_extremes(part, number):
    rows = part.main(number=number, seed=7)
    assert number <= sum(row["tried"] for row in rows) < number + 5
    assert [row for row in rows if row["failed"]] == []


@pytest.mark.slow
def test_the_calls_that_are_broken_are_valid(tmp_path, monkeypatch):
    """What is refused unbroken tests nothing of what lies behind. One in thirty, for time."""
    valid = tmp_path / "valid"
    valid.mkdir()
    monkeypatch.chdir(valid)
    monkeypatch.setattr(sys, "argv", sys.argv)
    valid_files.write_valid_files(valid)
    wrong = {}
    with Forks(tmp_path) as forks:
        for call in valid_calls.CALLS[::30]:
            shutil.copytree(valid, tmp_path / "call", symlinks=True)
            answer = forks.run(call.words.split(), tmp_path / "call")
            shutil.rmtree(tmp_path / "call")
            if answer.code:
                wrong[call.words] = answer.said
    assert wrong == {}


def test_files_are_damaged_as_said():
    rng, data = np.random.default_rng(1), bytes(range(256)) * 9
    bits = [int.from_bytes(flips.damaged(rng, data, w), "big") for w in ("flip", "flips")]
    changed = [(b ^ int.from_bytes(data, "big")).bit_count() for b in bits]
    assert changed[0] == 1 < changed[1] <= 16
    assert data.startswith(flips.damaged(rng, data, "cut"))
    assert flips.damaged(rng, data, "zeros").count(0) > 256
    files = {call.file for call in flips.calls()}
    assert {"run.nc", "box.npz", "box.msh", "solid.step", "solid.stl", "problems/two.hdf5"} <= files


def test_extremes_are_of_all_commands_and_of_keys_that_are_not_in_the_files():
    cases = extremes.cases()
    ways = {case.way for case in cases}
    assert len(cases) > 5000
    assert {"--tolerance 5e-324", "--fps 2147483648", "tolerance = 5e-324"} <= ways
    assert "gait.width = 1e300" in ways  # None in the file and by default
    assert "change.0.plate.3 = -1" in ways or "change.1.plate.3 = -1" in ways
    changed = next(c for c in cases if c.way == "gait.width = 1e300" and c.text)
    assert "width = 1e+300" in changed.text


def test_what_is_wrong_with_an_answer_is_said():
    def judged(code=2, told="", said="error: no\n", memory=0):
        return bad_input._judge(code, told, said, memory)

    assert judged() == judged(code=0, said="") == ""
    assert "exit code 1" in judged(code=1)
    assert "signal 11" in judged(code=-11)
    assert "2 lines" in judged(said="error: no\nmore\n")
    assert "Warning" in judged(said="x.py:3: RuntimeWarning: overflow\nerror: no\n")
    assert "800 MB" in judged(memory=800e6)
    assert "NaN" in bad_input._no_json('{"a": NaN}', in_lines=False)
    assert not bad_input._no_json("", in_lines=False)
    two = '{"a": 1}\n{"b": 2}\n'
    assert bad_input._no_json(two, in_lines=False) and not bad_input._no_json(two, in_lines=True)


def test_all_parts_make_one_table_and_a_failure_shows(monkeypatch, capsys):
    class Fine:
        @staticmethod
        def main(number, seed):
            return [{"part": "drops", "kind": "law", "tried": number, "failed": 0, "worst": 0.5}]

    class Broken:
        @staticmethod
        def main(number, seed):
            raise ZeroDivisionError("oops")

    parts = {"torture.drops": Fine, "torture.scenarios": Broken}
    monkeypatch.setattr(importlib, "import_module", parts.__getitem__)
    assert front.main(["drops", "--share", "0.1"]) == 0
    assert "100" in capsys.readouterr().out
    assert front.main(["drops", "scenarios"]) == 1
    assert "ZeroDivisionError: oops" in capsys.readouterr().out
    assert "bad_input" in front.present()


@pytest.mark.slow
@pytest.mark.nightly
def test_a_sample_of_commands_ends_in_order_at_random_instants(capsys):
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        pytest.skip(f"no terminals here: {error}")
    chosen = ("view", "reproduce")
    rows = endings.main(2, 1, chosen)
    assert [row["tried"] for row in rows] == [1, 2] * len(chosen)
    assert not any(row["failed"] for row in rows), capsys.readouterr().err
