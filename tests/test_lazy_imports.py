"""`sole --help` answers at once because no command file imports anything heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

HEAVY = {
    "coal", "dask", "distributed", "gmsh", "h5netcdf", "h5py", "imageio_ffmpeg", "jinja2",
    "matplotlib", "meshio", "mujoco", "numba", "numpy", "pandas", "pinocchio", "psutil", "pydantic",
    "pyvista", "scipy", "shapely", "skfem", "trame", "vtk", "vtkmodules", "xarray",
}  # fmt: skip


def loaded_by(program: str) -> set[str]:
    """Return the top-level packages that a program loads in a process of its own."""
    watch = "import atexit, json, sys\natexit.register(lambda: print(json.dumps("
    watch += "sorted({name.partition('.')[0] for name in sys.modules})), file=sys.stderr))\n"
    done = subprocess.run(
        [sys.executable, "-c", watch + program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.strip().splitlines()[-1]))


def test_the_watch_sees_what_is_loaded():
    assert "numpy" in loaded_by("import numpy")


def test_help_loads_nothing_heavy():
    run = "sys.argv = ['sole', '--help']; from sole.base.cli import main; main()"
    assert not loaded_by(run) & HEAVY


@pytest.mark.parametrize("package", ["sole", "contact", "robot"])
def test_importing_a_package_loads_nothing_heavy(package):
    assert not loaded_by(f"import {package}") & HEAVY


def test_command_files_load_nothing_heavy(root):
    files = sorted(root.glob("*/commands/*.py"))
    modules = [".".join(f.relative_to(root).with_suffix("").parts) for f in files]
    assert len(modules) >= len(entry_points(group="sole.commands")) >= 8
    guilty = {m: loaded_by(f"import {m}") & HEAVY for m in modules}
    assert not {m: found for m, found in guilty.items() if found}


def test_help_of_a_command_loads_nothing_heavy():
    run = "sys.argv = ['sole', 'press', '--help']; from sole.base.cli import main; main()"
    assert not loaded_by(run) & HEAVY - {"pydantic"}  # typer checks values with it


@pytest.mark.parametrize("option", ["--robot", "--ground"])
def test_a_misspelt_name_loads_no_robot(option):
    run = f"sys.argv = ['sole', 'walk', '{option}', 'hrp2-lik']; from sole.base.cli import main\n"
    loaded = loaded_by(run + "try: main()\nexcept SystemExit as end: assert end.code == 2")
    assert "robot" in loaded and not loaded & {"pinocchio", "gmsh", "skfem", "h5py", "coal"}
