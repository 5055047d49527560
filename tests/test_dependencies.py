"""Every module that we import is declared, and the main job needs no extra."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from sole.base.extras import EXTRAS

OURS = {"sole", "contact", "robot"}
# Not installed here, or a module of another name; all are of extras with a door of their own.
NAMED = {
    "pinocchio": "pin",
    "coal": "coal",
    "forcedimension_core": "forcedimension-core",
    "pydrake": "drake",
}


def declared(lines):
    return {canonicalize_name(Requirement(line).name) for line in lines}


def imported(root):
    """The top-level names of other packages that our files import, with one file each."""
    found = {}
    for package in sorted(OURS):
        for path in sorted((root / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level:
                    names = [node.module]
                found |= {name.partition(".")[0]: path for name in names}
    return {n: p for n, p in found.items() if n not in OURS | sys.stdlib_module_names}


def test_every_import_is_declared(root):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    mandatory, extras = declared(project["dependencies"]), project["optional-dependencies"]
    known = packages_distributions()
    of_extras = {name for modules in EXTRAS.values() for name in modules}
    for name, path in imported(root).items():
        homes = {canonicalize_name(d) for d in known.get(name, [NAMED.get(name, name)])}
        if name in of_extras:
            extra = next(e for e, modules in EXTRAS.items() if name in modules)
            assert homes & declared(extras[extra]) and not homes & mandatory, name
        else:
            either = mandatory.union(*(declared(lines) for lines in extras.values()))
            assert homes & either, f"{path} imports {name}, which nothing declares"
    assert len(mandatory) <= 23


BARE = """
import importlib.machinery, sys
sys.path.insert(0, {root!r})
class Present(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] not in {absent!r}:
            return super().find_spec(name, path, target)
sys.meta_path[:] = [f for f in sys.meta_path if f is not importlib.machinery.PathFinder]
sys.meta_path.append(Present)
from sole.base.cli import main
sys.argv = ["sole", *{words!r}]
main()
"""


@pytest.fixture
def bare(root, tmp_path):
    """Run a command where no module of the extras can be imported."""
    absent = {name for modules in EXTRAS.values() for name in modules}

    def run(command):
        program = BARE.format(root=str(root), absent=absent, words=command.split())
        return subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    return run


def test_the_main_job_needs_no_extra(bare, tmp_path):
    for command in (
        "mesh --box 0.1 0.06 0.02 --size-tread 0.02 --size-bond 0.02 -o pad.msh",
        "condense pad.msh --young 3e6 --poisson 0.4 -o pad.npz",
        "press pad.npz --force 300 -o press.npz",
        "sweep pad.msh --young 1e6:4e6:2 --poisson 0.4 -o table.nc",
        "view press.npz -o press.png",
        "view press.npz -o press.svg",
        "view press.npz -o press.vtu",
        "view table.nc -o table.html",
        "walk --stand --duration 0.01 -o walk.nc",
    ):
        done = bare(command)
        assert done.returncode == 0, (command, done.stderr)
    for command, extra in (
        ("report table.nc", "studies"),
        ("sweep pad.msh --young 1e6:4e6:2 --poisson 0.4 -o other.nc --workers 2", "studies"),
        ("live play walk.nc", "live"),
        ("view press.npz -o press.html", "live"),
        ("view walk.nc --film walk.mp4", "film"),
    ):
        done = bare(command)
        assert done.returncode == 2, (command, done.stderr)
        *_, said = done.stderr.strip().splitlines()
        assert said.endswith(f"pip install 'compliant-sole[{extra}]'"), (command, said)
