"""Shells complete `sole`: bash itself is run, the answers to zsh and fish are read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

ANSWERS = {"sole pr": "press", "sole contact s": "solve", "sole walk --fr": "--friction"}


@pytest.fixture
def run(root, tmp_path):
    """Run a command with a `sole` of this tree in the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "sole").write_text(f'#!/bin/sh\nexec {sys.executable} -m sole "$@"\n')
    (folder / "sole").chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"

    def call(*words, **more):
        env = {**os.environ, "PATH": path, "PYTHONPATH": str(root), "HOME": str(tmp_path), **more}
        done = subprocess.run(
            words, env=env, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.stderr == ""
        return done.stdout

    return call


@pytest.mark.parametrize(
    "source", ["source_bash", pytest.param("bash_source", marks=pytest.mark.nightly)]
)
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash(source, run):
    script = f"""
        eval "$(_SOLE_COMPLETE={source} sole)"
        complete -p sole
        for line in {" ".join(f"'{line}'" for line in ANSWERS)}; do
            COMP_WORDS=($line); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=()
            _sole_completion sole
            echo "$line: ${{COMPREPLY[@]}}"
        done"""
    how, *answers = run("bash", "-c", script).splitlines()
    assert "-o default" in how  # files, where nothing else fits
    assert answers == [f"{line}: {answer}" for line, answer in ANSWERS.items()]


@pytest.mark.parametrize("shell", ["zsh", pytest.param("fish", marks=pytest.mark.nightly)])
def test_other_shells_get_the_same_answers(shell, run):
    script = run("sole", _SOLE_COMPLETE=f"source_{shell}")
    assert "sole" in script and f"complete_{shell}" in script
    for line, answer in ANSWERS.items():
        told = run(
            "sole",
            _SOLE_COMPLETE=f"complete_{shell}",
            _TYPER_COMPLETE_ARGS=line,
            _TYPER_COMPLETE_FISH_ACTION="get-args",
        )
        assert answer in told.split("\t")[0].strip("'") and "retime" not in told


def test_an_unknown_word_on_the_way_is_no_error(run):
    """The line is not finished: nothing but completions may be printed."""
    run("sole", _SOLE_COMPLETE="complete_fish", _TYPER_COMPLETE_ARGS="sole nonsense --",
        _TYPER_COMPLETE_FISH_ACTION="get-args")  # fmt: skip


def test_it_installs_itself(run, tmp_path):
    said = run("bash", "-c", "sole --install-completion; true")
    assert "completion installed in" in said
    assert ".bash_completions/sole.sh" in (tmp_path / ".bashrc").read_text()
