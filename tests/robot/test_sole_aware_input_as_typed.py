"""Bad input of sole-aware control as typed: one line and exit code 2, nothing written."""

from __future__ import annotations

import sys

import pytest
from command_line import refused_in

AWARE = ("walk", "--stand", "--duration", "0.01", "--controller", "sole-aware", "-o", "out.nc")
TABLE = '[control]\nkind = "sole-aware"\n[control.sole_aware]\n'
CALLS = {
    ("--rigid",): 'needs soles that yield: .*model = "rigid"',
    ("--ground", "bump:0.01,radius=0.05,x=1"): "flat ground only, got 'bump'",
}
FILES = {
    "assumed = 0": "assumed must be .*positive.*0",
    "assumed = -1e6": "assumed must be .*positive.*-1",
    'model = "soft"': "model must be .*sole.*rigid.*soft",
    "omega = nan": "omega",
    "margin = -0.01": "margin must not be negative",
    "margin = 0.09": "tread is too small.* 90 mm",
    "stiffness = 1e6": "stiffness",
}
BUSH = "[bush]\nstiffness = [1e6, 1e6, 1e6, 1e4, 1e4, 1e4]\ndamping = [1e3, 1e3, 1e3, 10, 10, 10]\n"


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    return refused_in(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("words", CALLS)
def test_calls(words, refused):
    refused(CALLS[words], *AWARE, *words)


@pytest.mark.parametrize("key", FILES)
def test_files(key, refused, tmp_path):
    (tmp_path / "mine.toml").write_text(f'schema = "robot.scenario/1"\n{TABLE}{key}\n')
    refused(FILES[key], "walk", "mine.toml", "-o", "out.nc")


def test_a_bush_is_refused(refused, tmp_path):
    text = 'schema = "robot.scenario/1"\n[control]\nkind = "sole-aware"\n'
    (tmp_path / "mine.toml").write_text(text + BUSH)
    refused(r"remove \[bush\]", "walk", "mine.toml", "-o", "out.nc")


def test_a_missing_solver_is_told_with_the_install_line(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "daqp", None)
    refused(r"pip install 'compliant-sole\[control\]'", *AWARE)
