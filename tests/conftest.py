"""Fixtures that several files share: one small box mesh and its condensed sole."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from durations import (  # noqa: F401  (pytest finds its hooks here)
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_ignore_collect,
)
from hypothesis import settings

from sole.base.numba_settings import set_up_numba

# The same examples in every run, so that what is red is red for everybody; new ones on demand:
# HYPOTHESIS_PROFILE=explore make test
settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=40)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

# Before anything imports them: no window, no display.
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("PYVISTA_OFF_SCREEN", "true")
# This is a process of ours: kernels are kept where `sole` keeps them.
set_up_numba()
# Lines about slow work come when they come: tests of stderr on a loaded machine go without.
os.environ.setdefault("SOLE_PATIENCE", "inf")


@pytest.fixture(scope="module", autouse=True)
def closed_connections_are_survived():
    """No file leaves SIGPIPE as Gmsh sets it: a later test's connection would end pytest, mute."""
    yield
    status = Path("/proc/self/status")
    if status.exists():
        ignored = int(status.read_text().split("SigIgn:")[1].split()[0], 16)
        assert ignored >> (signal.SIGPIPE - 1) & 1, "this file left SIGPIPE unignored"


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def box():
    """A 0.20 x 0.10 x 0.02 m box, 7 x 5 tread vertices."""
    from box_mesh import box_mesh

    return box_mesh(0.20, 0.10, 0.02, (6, 4, 2))


@pytest.fixture(scope="session")
def pad(box):
    """That box condensed with linear elements: E = 1 MPa, nu = 0.4."""
    from sole.condense import condense
    from sole.material import Material

    return condense(box, [Material(young_modulus=1e6, poisson_ratio=0.4)], element="p1")


@pytest.fixture(scope="session")
def pad_file(pad, tmp_path_factory) -> Path:
    """The same as a file; copy it before you change it."""
    from sole.condense import save_condensed

    path = tmp_path_factory.mktemp("pad") / "pad.npz"
    save_condensed(path, pad)
    return path


@pytest.fixture
def no_pictures(monkeypatch):
    """Reports are made without their pictures, which take four fifths of the time."""
    monkeypatch.setattr("sole.studies.choice.html_report._picture", lambda figure: "")


@pytest.fixture(scope="session")
def sole_command(root):
    """Run `sole ARGUMENTS` in a process of its own; returns the finished process."""
    import subprocess
    import sys

    def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-c", "from sole.base.cli import main; main()"]
        return subprocess.run(
            [*program, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            cwd=cwd or root,
            stdin=subprocess.DEVNULL,
        )

    return run


@pytest.fixture
def sole_here(root, monkeypatch, capsys):
    """The same in this process, which spares its start: two seconds."""
    import subprocess

    from command_line import in_this_process

    call = in_this_process(monkeypatch, capsys)

    def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        with monkeypatch.context() as inside:
            inside.chdir(cwd or root)
            code, out, err = call(*arguments)
        return subprocess.CompletedProcess(arguments, code, out, err)

    return run
