"""Commands load nothing that they do not need, and pictures are the same all the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from press_cases import pad
from small_robot import drop, simulator
from test_lazy_imports import loaded_by

from contact.pictures.press_data import press_dataset
from contact.press import Wrench, load_press, press, save_press
from robot.run import save_run
from sole.base.errors import ResourceError
from sole.condense import load_condensed, recover, save_condensed, unit_load_forces
from sole.mesh import write_mesh
from sole.pictures.condensed_view import condensed_dataset
from sole.studies import Axis, Study, run_study


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    result = press(pad(), Wrench.standing(600.0))
    save_press(folder / "plain.npz", result)
    save_press(folder / "press.npz", result, recover(result.sole, result.forces))
    write_mesh(folder / "pad.msh", result.sole.mesh)
    fields = recover(result.sole, unit_load_forces(result.sole))
    save_condensed(folder / "pad.npz", replace(result.sole, unit_displacement=fields.displacement))
    save_condensed(folder / "bare.npz", result.sole)
    axes = (Axis(quantity="young", values=(1e6, 2e6)), Axis(quantity="poisson", values=(0.4,)))
    study = Study(axis=axes)
    run_study(study, result.sole.mesh, folder / "table.nc")
    return folder


def calling(folder: Path, *words: str) -> str:
    words = ("sole", *(str(folder / word) if "." in word else word for word in words))
    return (
        f"import contextlib; sys.argv = {[*words]!r}\n"
        "from sole.base.cli import main\n"
        "with contextlib.suppress(SystemExit):\n    main()\n"
    )


@pytest.mark.parametrize(
    "name",
    [*(pytest.param(n, marks=pytest.mark.nightly) for n in ("pad.msh", "pad.npz")), "press.npz"],
)
def test_a_picture_loads_no_finite_elements_and_no_compiler(folder, name):
    loaded = loaded_by(calling(folder, "view", name, "-o", "picture.png"))
    assert "pyvista" in loaded
    assert (folder / "picture.png").stat().st_size > 10_000
    assert not loaded & {"numba", "skfem"}
    assert name == "press.npz" or "scipy" not in loaded  # the peak of a pressure needs it
    (folder / "picture.png").unlink()


def test_a_picture_of_a_press_loads_neither_shapes_nor_elimination(folder):
    program = calling(folder, "view", "press.npz", "-o", "picture.vtu")
    apart = ("sole.shape.", "sole.elimination.multifrontal", "sole.condense.shape_derivatives")
    program += f"known = {{n for n in sys.modules if n.startswith({apart!r})}}\n"
    loaded = loaded_by(
        program + "assert not known, known\nassert 'sole.mesh.sole_mesh' in sys.modules\n"
    )
    assert "pyvista" in loaded and (folder / "picture.vtu").is_file()


def test_a_table_is_described_without_pictures_and_compiler(folder):
    loaded = loaded_by(calling(folder, "info", "table.nc"))
    assert "xarray" in loaded and not loaded & {"matplotlib", "numba"}


def test_the_unit_displacement_stored_with_a_sole_is_that_recovered(folder):
    stored, bare = (load_condensed(folder / f"{name}.npz") for name in ("pad", "bare"))
    assert bare.unit_displacement is None
    shown, recovered = (condensed_dataset(sole)["displacement"] for sole in (stored, bare))
    assert np.abs(recovered).max() > 0
    np.testing.assert_allclose(shown, recovered, atol=1e-10 * np.abs(recovered).max())


def test_without_memory_or_on_fine_meshes_files_keep_no_fields(monkeypatch):
    from sole.condense import recover_quickly, recovery
    from sole.elimination import multifrontal

    def refuse(*_):
        raise ResourceError("full")

    forces = np.ones_like(pad().points)
    assert recover_quickly(pad(), forces) is not None
    monkeypatch.setattr(multifrontal, "require_memory", refuse)
    assert recover_quickly(pad(), forces) is None
    monkeypatch.undo()
    monkeypatch.setattr(recovery, "QUICK", 10)
    assert recover_quickly(pad(), forces) is None


def test_fields_stored_with_a_press_are_those_recovered(folder):
    stored, plain = (press_dataset(load_press(folder / f"{n}.npz")) for n in ("press", "plain"))
    assert load_press(folder / "plain.npz").inside is None
    for name in ("displacement", "von_mises"):
        # Condensed again, forces and compliance are the same to round-off.
        kept = np.asarray(stored[name])
        assert np.abs(kept).max() > 0
        np.testing.assert_allclose(kept, plain[name], atol=1e-10 * np.abs(kept).max())


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walk") / "walk.nc"
    save_run(path, drop(simulator(), 20, nodes=5).recorder.run())
    return path


def test_a_sheet_of_a_walk_loads_no_compiler_and_no_tables(walk):
    program = calling(walk.parent, "view", "walk.nc", "-o", "picture.png")
    program += "apart = 'matplotlib.pyplot', 'contact.step.', 'robot.pictures.browser'\n"
    program += "known = {n for n in sys.modules if n.startswith(apart)}\nassert not known, known\n"
    loaded = loaded_by(program)
    assert "matplotlib" in loaded and (walk.parent / "picture.png").stat().st_size > 10_000
    assert not loaded & {"numba", "pandas", "pinocchio", "pyvista", "xarray"}
