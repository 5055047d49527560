"""Every module that we import is declared in the right list, and the main job needs no extra."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from robot.retime import RetimeChoice
from robot.walk import ControlChoice, Scenario, require_names
from sole.base.errors import SoleError
from sole.base.extras import EXTRAS

OURS = ("sole", "contact", "robot")
# Modules by extra: those of commands, and those of features that only Python programs use.
MODULES = EXTRAS | {
    "drake": ("pydrake",),
    "gym": ("gymnasium",),
}
# Distributions of modules that the metadata of installed packages do not list.
NAMED = {"pinocchio": "pin", "coal": "coal", "pydrake": "drake"}
# Declared for users, and imported by no module of the three packages.
BY_NAME = {
    "cryptography": "distributed makes certificates with it",
    "jupyter-threejs-sage": "its files are read",
    "example-robot-data": "its files are read",
    "pyopenhaptics": "a driver, imported by the name that --device gives",
    "forcedimension-core": "a driver, imported by the name that --device gives",
    "cma": "benchmarks/residual_policy.py",
    "pytetwild": "a program in sole/mesh/ftetwild.py imports it, in a process of its own",
}
# Peers of benchmarks that are skipped where they are not installed, and hosts of our plug-ins.
OUTSIDE = {"pink", "quadprog", "sksparse", "griffe", "mkdocs"}
SCRIPTS = ("tests", "examples", "benchmarks", "website", ".ci")


def declared(lines):
    return {canonicalize_name(Requirement(line).name) for line in lines}


IMPORT = re.compile(r"(?:^|[:;])[ \t]*(?:from[ \t]+([\w.]+)[ \t]|import[ \t]+([\w., \t]+))", re.M)


def imported(folder):
    """The top-level names that the files of a folder import, with one file each.

    A file is parsed only where a line looks like an import of a name that no file is known to
    import: parsing them all takes ten seconds.
    """
    found, ignored = {}, {*OURS, "__main__", *sys.stdlib_module_names}
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = (one or many for one, many in IMPORT.findall(text))
        names = {top(word) for line in lines for word in line.split(",")}
        if names - ignored - set(found):
            found |= dict.fromkeys(imports_of(text) - ignored - set(found), path.name)
    return found


def imports_of(text):
    """The top-level names that a program imports."""
    nodes = [*ast.walk(ast.parse(text))]
    names = {top(a.name) for node in nodes if isinstance(node, ast.Import) for a in node.names}
    absolute = [n for n in nodes if isinstance(n, ast.ImportFrom) and not n.level]
    return names | {top(node.module) for node in absolute}


def top(name):
    """The first part of a dotted name."""
    return name.strip().partition(" ")[0].partition(".")[0]


@cache
def installed():
    return packages_distributions()


def homes_of(name):
    known = installed().get(name, [NAMED.get(name, name)])
    return {canonicalize_name(distribution) for distribution in known}


def faults(modules, project):
    """What is wrong with the lists of `project`, if our packages import `modules`."""
    mandatory, extras = declared(project["dependencies"]), project["optional-dependencies"]
    extra_of = {name: extra for extra, names in MODULES.items() for name in names}
    found, used = [], set()
    for name, path in modules.items():
        homes, extra = homes_of(name), extra_of.get(name)
        used |= homes
        if extra is None and not homes & mandatory:
            found.append(f"{path} imports {name}, which is no mandatory dependency")
        if extra is not None and not homes & declared(extras[extra]):
            found.append(f"{path} imports {name}, which the extra {extra} does not declare")
        if extra is not None and homes & mandatory:
            found.append(f"{path} imports {name} of the extra {extra}, which is mandatory")
    found += [f"nothing imports {name}, which is mandatory" for name in sorted(mandatory - used)]
    for extra in extras.keys() - {"all", "bench", "docs", "dev"}:
        unused = declared(extras[extra]) - used - set(BY_NAME)
        found += [f"nothing imports {name} of the extra {extra}" for name in sorted(unused)]
    return found


@pytest.fixture(scope="module")
def modules(root):
    return {name: path for package in OURS for name, path in imported(root / package).items()}


@pytest.fixture
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_every_import_is_declared_in_the_right_list(modules, project):
    assert len(modules) >= 30
    assert faults(modules, project) == []
    assert len(project["dependencies"]) <= 23


def without(name, lines):
    return [line for line in lines if canonicalize_name(Requirement(line).name) != name]


def test_each_wrong_list_is_seen(modules, project):
    mandatory, extras = project["dependencies"], project["optional-dependencies"]

    def seen(said, mandatory=mandatory, more=None, **changed):
        changed = {"dependencies": mandatory, "optional-dependencies": extras | changed}
        (fault,) = faults(modules | (more or {}), changed)
        assert re.search(said, fault), fault

    seen("x.py imports nowhere, which is no mandatory", more={"nowhere": "x.py"})
    seen("nothing imports sympy, which is mandatory", [*mandatory, "sympy>=1"])
    seen("nothing imports sympy of the extra film", film=[*extras["film"], "sympy>=1"])
    seen("imports scipy, which is no mandatory", without("scipy", mandatory))
    moved = {"film": [*extras["film"], "scipy>=1"]}
    seen("imports scipy, which is no mandatory", without("scipy", mandatory), **moved)
    seen("imports jinja2 of the extra studies, which is mandatory", [*mandatory, "jinja2>=3"])
    seen("jinja2, which the extra studies does not", studies=without("jinja2", extras["studies"]))
    seen("toppra, which the extra retime does not", retime=[])


@pytest.mark.parametrize("folder", SCRIPTS)
def test_what_developers_run_is_declared(root, project, folder):
    extras = project["optional-dependencies"]
    known = declared(project["dependencies"]).union(*map(declared, extras.values()))
    own = {path.stem for f in SCRIPTS for path in (root / f).iterdir()}
    modules = imported(root / folder)
    undeclared = {n: p for n, p in modules.items() if n not in own | OUTSIDE}
    undeclared = {n: p for n, p in undeclared.items() if not homes_of(n) & known}
    assert not undeclared
    assert len(modules) >= 2


def test_the_page_lists_every_extra(root, project):
    text = (root / "docs" / "install.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE)
    listed = [name.strip("` ") for row in rows for name in row.split(",")]
    assert sorted(listed) == sorted(project["optional-dependencies"])


BARE = """
import contextlib, importlib.machinery, io, json, sys
sys.path.insert(0, {root!r})
class Present(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] not in {absent!r}:
            return super().find_spec(name, path, target)
sys.meta_path[:] = [f for f in sys.meta_path if f is not importlib.machinery.PathFinder]
sys.meta_path.append(Present)
from sole.base.cli import main
done = []
for words in {commands!r}:
    sys.argv, out, err, code = ["sole", *words], io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    done.append([code, err.getvalue()])
print(json.dumps(done))
"""


@pytest.fixture
def bare(root, tmp_path):
    """Run commands, in one process, where no module of the extras can be imported."""
    absent = {name for modules in EXTRAS.values() for name in modules}

    def run(commands):
        commands = list(commands)
        words = [command.split() for command in commands]
        program = BARE.format(root=str(root), absent=absent, commands=words)
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return zip(commands, json.loads(done.stdout), strict=True)

    return run


def test_the_main_job_needs_no_extra(bare, tmp_path):
    good = (
        "mesh --box 0.1 0.06 0.02 --size-tread 0.02 --size-bond 0.02 -o pad.msh",
        "condense pad.msh --young 3e6 --poisson 0.4 -o pad.npz",
        "press pad.npz --force 300 -o press.npz",
        "sweep pad.msh --young 1e6:4e6:2 --poisson 0.4 -o table.nc",
        "view press.npz -o press.png",
        "view press.npz -o press.svg",
        "view press.npz -o press.vtu",
        "view table.nc -o table.html",
        "walk --stand --duration 0.01 -o walk.nc",
    )
    assert [(command, told) for command, (code, told) in bare(good) if code] == []
    # The package is asked for before the robot, and that before anything is planned.
    (tmp_path / "squat.toml").write_text('schema = "robot.scenario/1"\nrobot = "nowhere"\n')
    extra_of = {
        "report table.nc": "studies",
        "sweep pad.msh --young 1e6:4e6:2 --poisson 0.4 -o other.nc --workers 2": "studies",
        "live play walk.nc": "live",
        "view press.npz -o press.html": "live",
        "view walk.nc --film walk.mp4": "film",
        "retime squat.toml": "retime",
        "walk --controller sole-aware -o aware.nc": "control",
    }
    for command, (code, told) in bare(extra_of):
        assert code == 2, (command, told)
        (said,) = told.splitlines()
        assert said.endswith(f"pip install 'compliant-sole[{extra_of[command]}]'"), (command, said)


def test_packages_are_asked_for_before_a_walk_is_planned(monkeypatch):
    aware, timed = (
        Scenario(control=ControlChoice(kind="sole-aware")),
        Scenario(retime=RetimeChoice()),
    )
    require_names(aware, None)
    require_names(timed, None)
    monkeypatch.setitem(sys.modules, "daqp", None)
    monkeypatch.setitem(sys.modules, "toppra", None)
    with pytest.raises(SoleError, match=r"pip install 'compliant-sole\[control\]'"):
        require_names(aware, None)
    with pytest.raises(SoleError, match=r"pip install 'compliant-sole\[retime\]'"):
        require_names(timed, None)
    require_names(Scenario(), None)
