"""Doors that load later hand out the same names, and what only reads loads nothing heavy."""

from __future__ import annotations

import importlib

import pytest
from test_lazy_imports import loaded_by

LAZY = "load_later(globals())"


def lazy_doors(root):
    """Rooms whose door loads later."""
    files = [f for p in ("sole", "contact", "robot") for f in (root / p).rglob("__init__.py")]
    return [f.parent for f in files if LAZY in f.read_text(encoding="utf-8")]


def test_every_name_of_a_lazy_door_is_there(root):
    doors = lazy_doors(root)
    assert len(doors) >= 6
    for folder in doors:
        door = importlib.import_module(".".join(folder.relative_to(root).parts))
        files = {f.stem for f in folder.glob("*.py")}
        assert not files & set(door.__all__), "a file would hide the name"
        assert all(getattr(door, name) is not None for name in door.__all__)
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            door.nothing  # noqa: B018


def test_rooms_load_without_numba():
    rooms = "contact.press, contact.solvers, robot.walk, sole.condense, sole.elimination"
    program = f"import {rooms}; from robot.walk import Executed; from contact.press import press"
    assert not loaded_by(program) & {"numba", "llvmlite"}


CALLS = {
    "press no.npz --force 1 -o p.npz": "numpy",
    "view no.npz -o p.png": "numpy",
    "report no.nc": "numpy",
    "walk no.toml": "numpy",
    "condense no.msh -o p.npz": "scipy",
    "walk {misspelt}": "scipy",
}


@pytest.mark.parametrize("call", CALLS)
def test_a_refusal_comes_before_heavy_imports(call, tmp_path):
    misspelt = tmp_path / "misspelt.toml"
    misspelt.write_text('schema = "robot.scenario/1"\nsetle = 1\n', encoding="utf-8")
    words = call.format(misspelt=misspelt).split()
    program = (
        f"import contextlib; sys.argv = {['sole', *words]!r}\n"
        "from sole.base.cli import main\n"
        "with contextlib.suppress(SystemExit):\n    main()\n"
    )
    loaded = loaded_by(program)
    assert "typer" in loaded
    assert not loaded & {CALLS[call], "numba", "pinocchio", "pyvista", "xarray"}
