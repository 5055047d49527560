"""Commands run in the process of the tests: faster than one of their own, and seen by patches."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sole.base import cli

Call = Callable[..., tuple[int, str, str]]


def in_this_process(
    monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str], *before: object
) -> Call:
    """Return a function that runs `sole BEFORE ARGUMENTS`: exit code, standard output, errors."""

    def call(*arguments: object) -> tuple[int, str, str]:
        capture.readouterr()
        monkeypatch.setattr(sys, "argv", ["sole", *map(str, (*before, *arguments))])
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = int(end.code or 0)
        said = capture.readouterr()
        return code, said.out, said.err

    return call


def refused_in(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
) -> Callable[..., None]:
    """Return a function that runs a command in `folder`: one line, exit code 2, no run written."""
    monkeypatch.chdir(folder)
    call = in_this_process(monkeypatch, capture)

    def check(said: str, *words: object) -> None:
        code, out, err = call(*words)
        assert (code, out) == (2, "")
        assert re.fullmatch(rf"error: .*{said}.*\n", err), err
        assert not list(folder.glob("*.nc"))

    return check
