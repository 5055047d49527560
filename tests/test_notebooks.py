"""The notebooks of docs/ run without a display, and store what they print."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.long

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "docs" / "notebooks").glob("*.ipynb"))
LATE = ("let_it_step",)  # `make test-nightly`


def test_there_are_notebooks_with_stored_pictures():
    assert len(NOTEBOOKS) >= 2
    for file in NOTEBOOKS:
        notebook = nbformat.read(file, as_version=4)
        nbformat.validate(notebook)
        outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
        assert all(o.output_type != "error" for o in outputs)
        assert any("image/png" in o.get("data", {}) for o in outputs), file.name
        assert file.stat().st_size < 200_000


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "file",
    [pytest.param(f, marks=pytest.mark.nightly if f.stem in LATE else ()) for f in NOTEBOOKS],
    ids=lambda file: file.stem,
)
def test_a_notebook_runs_and_says_what_is_stored(file, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    stored = nbformat.read(file, as_version=4)
    fresh = nbformat.from_dict(stored)
    NotebookClient(fresh, timeout=300, kernel_name="python3").execute(cwd=file.parent)
    assert lines_of(fresh) == lines_of(nbformat.read(file, as_version=4))


def lines_of(notebook):
    """Return the words that the cells print, without their numbers."""
    printed = "".join(
        output.text
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "stream" and output.name == "stdout"
    )
    return [[w for w in line.split() if w.isalpha()] for line in printed.splitlines()]
