"""The house rules that a machine can hold us to: arrows, entry points, pins, one set of checks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points

import pytest

PACKAGES = ("sole", "contact", "robot")
FEWEST = {"sole.commands": 14, "sole.readers": 13, "sole.viewers": 6, "sole.rows": 3}


@pytest.fixture(scope="module")
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def run_linter(root, *options):
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache", *options],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )


def test_imports_run_one_way(root):
    done = run_linter(root)
    assert done.returncode == 0, done.stdout
    analysed = re.search(r"Analyzed (\d+) files", done.stdout)
    assert analysed is not None
    files = len([f for p in PACKAGES for f in (root / p).rglob("*.py")])
    assert int(analysed[1]) >= files >= 30


def test_an_upward_import_would_be_seen(root, tmp_path):
    for package in PACKAGES:
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
    (tmp_path / "sole" / "bad.py").write_text("def f():\n    import contact\n    return contact\n")
    linter = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]
    contract = next(c for c in linter["contracts"] if set(c["layers"]) == set(PACKAGES))
    (tmp_path / "pyproject.toml").write_text(
        f"[tool.importlinter]\nroot_packages = {json.dumps(linter['root_packages'])}\n"
        "[[tool.importlinter.contracts]]\n"
        + "".join(f"{key} = {json.dumps(value)}\n" for key, value in contract.items())
    )
    done = run_linter(tmp_path)
    assert done.returncode == 1, done.stdout
    assert "sole.bad -> contact" in done.stdout


@pytest.mark.parametrize("group", FEWEST)
def test_entry_points_load(group):
    """Each is found, and its package is the one its name or file says."""
    points = entry_points(group=group)
    assert len(points) >= FEWEST[group]
    for point in points:
        assert callable(point.load()), point
        if group in ("sole.readers", "sole.viewers"):
            assert point.name.partition(".")[0] == point.value.partition(".")[0]


def test_declared_entry_points_are_the_installed_ones(project):
    for group, declared in project["entry-points"].items():
        installed = {point.name: point.value for point in entry_points(group=group)}
        assert declared == installed, "install again: make install-dev"


def test_every_dependency_is_pinned_without_an_address(root, project):
    lines = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert len(pins) > 80
    assert [p for p in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", p)] == []
    pinned = {normal(pin.partition("==")[0]) for pin in pins}
    assert len(pinned) == len(pins)
    declared = project["dependencies"].copy()
    for extra in project["optional-dependencies"].values():
        declared += extra
    names = {normal(re.match(r"[A-Za-z0-9._-]+", d)[0]) for d in declared} - {project["name"]}
    assert len(names) >= 25
    assert names - pinned == set()


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_ci_and_the_commit_hook_call_the_same_checks(root):
    assert "entry: .ci/check" in (root / ".pre-commit-config.yaml").read_text()
    assert ".ci/check" in (root / "Makefile").read_text()
    assert "--output-sync lint docs" in (root / ".ci" / "run").read_text()
    check = (root / ".ci" / "check").read_text()
    tools = ("ruff check .", "ruff format --check .", "mypy", "lint-imports")
    for tool in (*tools, "python .ci/house.py", "python .ci/pins.py"):
        assert f"\ncheck {tool}\n" in check


@pytest.mark.parametrize("script", ["run", "check"])
def test_ci_scripts_may_be_executed(root, script):
    assert (root / ".ci" / script).stat().st_mode & 0o111


def test_every_command_file_is_registered(root):
    """As an entry point, or as a member of a group that is one."""
    points = entry_points(group="sole.commands")
    values = {point.value for point in (*points, *entry_points(group="sole.designs"))}
    for target in (point.load() for point in points):
        for member in getattr(target, "registered_commands", ()):
            values.add(f"{member.callback.__module__}:{member.callback.__name__}")
    files = [f for f in root.glob("*/commands/*.py") if f.stem != "__init__"]
    assert len(files) >= 9
    for file in files:
        assert f"{file.parent.parent.name}.commands.{file.stem}:{file.stem}" in values


def test_the_papers_models_are_imported_by_their_doors(root):
    """Others take them from `contact.papers.X`; inside, nobody takes from the own door."""
    inner = re.compile(r"(?:from|import) contact\.papers\.(penalty|foundation)\.\w+")
    seen = 0
    for folder in (*PACKAGES, "tests", "examples", "benchmarks", "docs"):
        for file in (root / folder).rglob("*.[pm][yd]"):
            text = file.read_text(encoding="utf-8")
            place = file.relative_to(root).as_posix()
            own = re.match(r"contact/papers/(penalty|foundation)/", place)
            if own is None:
                assert not inner.search(text), place
                seen += "from contact.papers." in text
            else:
                assert f"from contact.papers.{own[1]} import" not in text, place
    assert seen > 20
