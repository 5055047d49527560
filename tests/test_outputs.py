"""Outputs: refused before the work if they cannot be written; a link is followed."""

from __future__ import annotations

import os
import re

import pytest
from command_line import in_this_process
from test_cli import BAD_CALLS

from sole.base.archive import replacing, require_output, require_output_folder
from sole.base.errors import SoleError

WRITING = {name: words for name, words in BAD_CALLS.items() if "-o" in words}
MORE = {  # outputs by other options
    "identify plot": ("identify", ["{0}.msh", "{0}.csv", "--plot", "{1}.png"]),
    "design plot": ("design", ["{0}.toml", "-o", "best.npz", "--plot", "{1}.png"]),
    "film": ("view", ["{0}.nc", "--film", "{1}.mp4"]),
    "bench picture": ("contact bench", ["{0}", "-o", "table.csv", "--plot", "{1}.png"]),
}
CALLS = {name: (name, words) for name, words in WRITING.items()} | MORE
SCHEMAS = {  # of an input with nothing else in it: reading more would be an error
    "mesh": "sole.shape",
    "study": "sole.study",
    "design": "contact.shape_design",
    "robot export": "robot.humanoid",
    "robot posture": "robot.humanoid",
}


@pytest.fixture
def sole(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return in_this_process(monkeypatch, capsys)


def put_inputs(folder, name, words):
    for word in words:
        if word.startswith("{0}"):
            path = folder / word.format("in")
            schema = SCHEMAS.get(name, "robot.scenario")
            path.write_text(f'schema = "{schema}/1"\nodd = 1\n') if path.suffix else path.mkdir()


@pytest.mark.parametrize("call", CALLS)
def test_an_output_that_cannot_be_written_is_refused_before_the_input_is_read(
    call, sole, tmp_path
) -> None:
    """The inputs are no readable files: who reads them first complains of them."""
    name, words = CALLS[call]
    put_inputs(tmp_path, name, words)
    (tmp_path / "file").touch()
    (tmp_path / "circle").symlink_to("circle")
    suffix = next(word for word in words if word.startswith("{1}")).removeprefix("{1}")
    (tmp_path / f"folder{suffix}").mkdir()
    (tmp_path / f"device{suffix}").symlink_to("/dev/full")
    (tmp_path / f"lost{suffix}").symlink_to("nowhere/out")
    (tmp_path / f"round{suffix}").symlink_to(f"round{suffix}")
    before = set(tmp_path.iterdir())
    for target, mention in (
        ("nowhere/out", "nowhere does not exist"),
        ("file/out", "file is a file, not a folder"),
        ("folder", "it is a folder"),
        ("device", "it is a device or a pipe"),
        ("lost", f"it is a link to {tmp_path}/nowhere/out, and {tmp_path}/nowhere does not exist"),
        ("round", "its links lead in a circle"),
        ("x" * 300, "the name has"),
        ("odd\udcff", "not UTF-8"),
    ):
        code, out, err = sole(*name.split(), *(w.format("in", target) for w in words))
        assert (code, out) == (2, ""), (target, err)
        assert re.fullmatch(f"error: .*{re.escape(mention)}.*\n", err), err
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("call", [c for c in CALLS if c not in ("live play", "contact bench")])
def test_an_output_of_another_kind_is_refused_before_the_input_is_read(call, sole, tmp_path):
    name, words = CALLS[call]
    put_inputs(tmp_path, name, words)
    odd = [re.sub(r"\{1\}\.\w+", "out.odd", word).format("in") for word in words]
    code, out, err = sole(*name.split(), *odd)
    assert (code, out) == (2, ""), err
    assert re.fullmatch("error: .*out.odd.*\n", err), err
    assert not (tmp_path / "out.odd").exists()


def test_a_read_only_file_is_not_replaced(tmp_path, monkeypatch) -> None:
    path = tmp_path / "kept.npz"
    path.write_text("kept")
    monkeypatch.setattr(os, "access", lambda place, mode: place != path)  # root may do all
    with pytest.raises(SoleError, match=r"kept\.npz: the file is there and is read-only"):
        require_output(path, ".npz")


def test_the_file_behind_a_link_is_written_and_the_link_stays(sole, tmp_path) -> None:
    words = ("mesh", "--box", "0.2", "0.1", "0.02", "--size-tread", "0.05", "--quiet", "-o")
    (tmp_path / "data").mkdir()
    target, link = tmp_path / "data" / "old.msh", tmp_path / "link.msh"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to("data/old.msh")
    assert sole(*words, link) == (0, "", "")
    assert link.is_symlink() and link.readlink() == target.relative_to(tmp_path)
    assert target.read_text().startswith("$MeshFormat")
    assert target.stat().st_mode & 0o777 == 0o640
    new = tmp_path / "new.msh"
    new.symlink_to("data/new.msh")  # which is not there
    assert sole(*words, new) == (0, "", "")
    assert new.is_symlink() and (tmp_path / "data" / "new.msh").read_text() == target.read_text()
    assert sorted(p.name for p in (tmp_path / "data").iterdir()) == ["new.msh", "old.msh"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data", "link.msh", "new.msh"]


def test_a_link_to_the_input_is_the_input(sole, tmp_path) -> None:
    (tmp_path / "pad.msh").write_text("x")
    (tmp_path / "pad.npz").symlink_to("pad.msh")
    code, _, err = sole("condense", "pad.msh", "--young", "1e6", "-o", "pad.npz")
    assert (code, err) == (2, "error: -o pad.npz is the input itself: choose another name\n")


def test_a_write_that_fails_leaves_link_and_target(tmp_path) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "link").symlink_to("old")
    with pytest.raises(RuntimeError), replacing(tmp_path / "link") as temporary:
        temporary.write_text("new")
        raise RuntimeError
    assert (tmp_path / "link").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_for_outputs_is_made_or_refused(tmp_path) -> None:
    require_output_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(SoleError, match="cannot make the folder"):
        require_output_folder(tmp_path / "file" / "c")
    with pytest.raises(SoleError, match="not UTF-8"):
        require_output_folder(tmp_path / "odd\udcff")


def test_a_series_behind_a_link_is_found_by_its_names(tmp_path) -> None:
    """The names in a .pvd are relative to the folder of the file, not of a link to it."""
    import pyvista

    from sole.pictures import write_series

    (tmp_path / "data").mkdir()
    (tmp_path / "link.pvd").symlink_to("data/run.pvd")
    write_series(tmp_path / "link.pvd", [(0.0, {"a": pyvista.Cube()})], {})
    assert (tmp_path / "data" / "run_series" / "a_0000.vtp").is_file()
    assert pyvista.PVDReader(str(tmp_path / "data" / "run.pvd")).read()[0].n_cells == 6
