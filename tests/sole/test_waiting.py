"""Work that takes longer than two seconds is named on stderr, terminal or not."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from sole.base import waiting
from sole.base.cli import _opening
from sole.base.progress import progress_bar
from sole.base.waiting import AGAIN, Watch

SLOW = """
import sys, time, typer
import sole.base.cli as cli
from sole.base.waiting import doing

def slow(**how):
    doing("waiting for nothing")
    begun = time.monotonic()
    while time.monotonic() < begun + 1.0:
        sum(range(1000))
    print('{"done": true}')

cli.app = slow
sys.argv = ["sole", "slow", *sys.argv[1:]]
cli.main()
"""


class Told:
    """A watch with a clock of its own, and what it said."""

    def __init__(self):
        self.now, self.lines = 0.0, []
        self.watch = Watch(2.0, self.lines.append, lambda: self.now)

    def at(self, now):
        self.now = now
        self.watch.look()
        return self.lines


@pytest.fixture
def told(monkeypatch):
    told = Told()
    monkeypatch.setattr(waiting, "_watches", [told.watch])
    return told


def test_a_word_comes_after_two_seconds_even_if_every_part_is_shorter(told):
    told.watch.begin("reading")
    assert told.at(1.9) == []
    told.watch.begin("computing")
    assert told.at(1.99) == []
    assert told.at(2.0) == ["computing ..."]
    assert told.at(3.0) == ["computing ..."]


def test_new_work_is_named_and_old_work_again_after_half_a_minute(told):
    told.watch.begin("reading")
    told.at(2.0)
    told.now = 10.0
    told.watch.begin("computing")
    told.watch.note = "3 of 9"
    assert told.at(12.0)[1:] == ["computing: 3 of 9"]
    assert told.at(12.0 + AGAIN - 0.1)[2:] == []
    assert told.at(12.0 + AGAIN)[2:] == [f"computing: 3 of 9, {12 + AGAIN:.0f} s so far"]


def test_who_speaks_himself_is_not_repeated(told):
    told.watch.begin("reading")
    told.now = 1.5
    waiting.heard()
    assert told.at(5.0) == []
    with waiting.hushed():
        assert told.at(1000.0) == []
    assert told.at(1000.1) == []
    waiting.doing("")
    assert told.at(2000.0) == []


def test_a_block_hands_back_what_was_under_way(told):
    waiting.doing("a study")
    with waiting.under_way("a row") as note:
        note("half")
        assert told.at(3.0) == ["a row: half"]
    assert told.at(5.0)[1:] == ["a study ..."]


def test_progress_without_a_terminal_is_told_by_the_watch(told, monkeypatch):
    with progress_bar("walking", 5.5, shown=True) as tell:
        tell(1.1)
        (line,) = told.at(2.5)
    assert line.startswith("walking: 1.10 of 5.50 s, ") and line.endswith("x real time")


@pytest.mark.parametrize(
    "option", ["--json", "--quiet", pytest.param("", marks=pytest.mark.nightly)]
)
def test_a_command_speaks_on_stderr_alone(option):
    done = subprocess.run(
        [sys.executable, "-c", SLOW, *filter(None, [option])],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SOLE_PATIENCE": "0.2"},
    )
    assert json.loads(done.stdout) == {"done": True}
    assert done.stderr == ("" if option == "--quiet" else "waiting for nothing ...\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["walk", "--robot", "talos"], "starting `sole walk`"),
        (["view", "a.nc", "-o", "a.png"], "starting `sole view a.nc`"),
        (["--version"], "starting `sole`"),
        (["contact", "solve", "a.hdf5"], "starting `sole contact solve`"),
    ],
)
def test_a_slow_start_names_command_and_file_without_options(arguments, said):
    assert _opening(["/usr/bin/sole", *arguments]) == said
