"""What `sole view` loads: nothing that its picture does not need; and it draws all the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from press_cases import pad
from test_lazy_imports import loaded_by

from contact.pictures.press_data import press_dataset
from contact.press import Wrench, load_press, press, save_press
from sole.condense import recover
from sole.mesh import write_mesh


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    result = press(pad(), Wrench.standing(600.0))
    save_press(folder / "plain.npz", result)
    save_press(folder / "press.npz", result, recover(result.sole, result.forces))
    write_mesh(folder / "pad.msh", result.sole.mesh)
    return folder


def calling(folder: Path, name: str) -> str:
    words = ["sole", "view", str(folder / name), "-o", str(folder / "picture.png")]
    return (
        f"import contextlib; sys.argv = {words!r}\n"
        "from sole.base.cli import main\n"
        "with contextlib.suppress(SystemExit):\n    main()\n"
    )


@pytest.mark.parametrize("name", ["pad.msh", "press.npz"])
def test_a_picture_loads_no_finite_elements_and_no_compiler(folder, name):
    loaded = loaded_by(calling(folder, name))
    assert "pyvista" in loaded
    assert (folder / "picture.png").stat().st_size > 10_000
    assert not loaded & {"mypy", "numba", "scipy", "skfem"}
    (folder / "picture.png").unlink()


def test_pyvista_is_whole_without_pyplot_at_its_import():
    program = (
        "import json, sys\n"
        "from sole.pictures import import_pyvista\n"
        "pyvista = import_pyvista()\n"
        "late = 'matplotlib.pyplot' in sys.modules\n"
        "chart = pyvista.ChartMPL()\n"  # draws on the canvas that a stand-in took the place of
        "import matplotlib.pyplot as plt\n"
        "from matplotlib.backends.backend_agg import FigureCanvasAgg\n"
        "whole = isinstance(FigureCanvasAgg, type) and plt.figure() is not None\n"
        "print(json.dumps([late, type(chart).__name__, whole]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [False, "ChartMPL", True]


def test_fields_stored_with_a_press_are_those_recovered(folder):
    stored, plain = (press_dataset(load_press(folder / f"{n}.npz")) for n in ("press", "plain"))
    assert load_press(folder / "plain.npz").inside is None
    for name in ("displacement", "von_mises"):
        # Condensed again, forces and compliance are the same to round-off.
        kept = np.asarray(stored[name])
        assert np.abs(kept).max() > 0
        np.testing.assert_allclose(kept, plain[name], atol=1e-10 * np.abs(kept).max())
