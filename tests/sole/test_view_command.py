"""`sole view` from a file to a picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Call, in_this_process


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return in_this_process(monkeypatch, capsys)


def test_a_picture_of_the_size_asked_for(run, pad_file, tmp_path: Path) -> None:
    import matplotlib.image

    out = tmp_path / "pad.png"
    code, told, err = run("view", pad_file, "-o", out, "--pixels", 640, 480, "--json")
    assert (code, err) == (0, "")
    assert json.loads(told)["output"] == str(out)
    assert json.loads(told)["schema"] == "sole.condensed/1"
    assert matplotlib.image.imread(out).shape[:2] == (480, 640)


def test_a_grid_for_paraview_holds_the_fields(run, pad_file, pad, tmp_path: Path) -> None:
    import pyvista

    out = tmp_path / "pad.vtu"
    assert run("view", pad_file, "-o", out, "--quiet") == (0, "", "")
    grid = pyvista.read(out)
    assert grid.n_cells == len(pad.mesh.tets)
    named = {"compliance [m/N]", "pressure [Pa]", "displacement [m]", "layer", "quality"}
    assert named <= set(grid.array_names)


def test_a_page_that_stands_alone(run, pad_file, tmp_path: Path) -> None:
    out = tmp_path / "pad.html"
    assert run("view", pad_file, "-o", out, "--field", "pressure")[0] == 0
    assert out.stat().st_size > 500_000


@pytest.mark.parametrize(
    ("arguments", "mention"),
    [
        (["-o", "x.gif"], ".png"),
        (["-o", "x.png", "--field", "nonsense"], "compliance"),
        (["-o", "x.png", "--exaggeration", "0"], "exaggeration"),
        (["-o", "nowhere/x.png"], "nowhere"),
    ],
)
def test_wrong_wishes_are_one_line_and_leave_no_file(
    run, pad_file, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments, mention
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run("view", pad_file, *arguments)
    assert (code, out) == (2, "")
    assert mention in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif("not __import__('sys').platform.startswith('linux')")
def test_without_a_display_and_without_a_file_it_says_what_to_do(
    run, pad_file, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    code, out, err = run("view", pad_file)
    assert (code, out) == (2, "")
    assert "-o FILE.png" in err
