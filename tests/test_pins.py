"""`.ci/pins.py` and `.ci/lowest.py` on made-up metadata: what a Python cannot install is named."""

from __future__ import annotations

import importlib.util
import sys

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

PYTHONS = ("3.11.0", "3.13.0")


@pytest.fixture(scope="module")
def script(root):
    """Load a module of `.ci`."""

    def load(name):
        spec = importlib.util.spec_from_file_location(f"ci_{name}", root / ".ci" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="module")
def gate(script):
    """The module `.ci/pins.py`."""
    return script("pins")


@pytest.fixture
def broken(gate):
    """Check pins, each (name, version, Requires-Python, requirements), of a project."""

    def check(*pins, wanted=("mesh>=1",)):
        made = {
            name: gate.Pin(name, version, SpecifierSet(python), tuple(map(Requirement, requires)))
            for name, version, python, requires in pins
        }
        return gate.check(made, [Requirement(line) for line in wanted], PYTHONS)

    return check


MESH = ("mesh", "1.2", ">=3.9", ["glue>=2"])


def test_pins_that_fit_are_in_order(broken):
    assert broken(MESH, ("glue", "2.0", "", [])) == []


def test_a_pin_that_needs_a_later_python_is_named(broken):
    """As pymdown-extensions 13.1, which needs 3.11.5, while Debian 12 has 3.11.2."""
    (line,) = broken(MESH, ("glue", "2.0", ">=3.11.5", []))
    assert line == "Python 3.11.0: glue==2.0 needs Python >=3.11.5; pin a version that admits both"


def test_what_one_python_alone_requires_is_looked_at_there(broken):
    """Markers are those of the Python in question, not of the one that runs the check."""
    later = ("mesh", "1.2", ">=3.9", ["backport; python_version >= '3.13'"])
    (line,) = broken(later)
    assert line == "Python 3.13.0: mesh requires backport, which has no pin"
    earlier = ("mesh", "1.2", ">=3.9", ["backport; python_version < '3.13'"])
    assert broken(earlier, ("backport", "1.0", "<3.13", [])) == []


def test_requirements_of_an_extra_count_only_if_it_is_asked_for(broken):
    mesh = ("mesh", "1.2", "", ["glue; extra == 'fast'"])
    assert broken(mesh) == []
    (line, *_) = broken(mesh, wanted=["mesh[fast]"])
    assert "mesh requires glue, which has no pin" in line


def test_a_pin_below_a_bound_and_one_that_nobody_requires_are_named(broken):
    found = broken(MESH, ("glue", "1.0", "", []), ("dust", "3.0", "", []))
    assert found[0] == "Python 3.11.0: mesh requires glue>=2, the pin is 1.0"
    assert found[-1] == "dust is pinned and nothing requires it"


def test_a_pin_without_metadata_is_refused(gate):
    with pytest.raises(LookupError, match="nowhere==1 is not installed"):
        gate.read_pin("nowhere==1")
    with pytest.raises(LookupError, match="pytest==1 is pinned, "):
        gate.read_pin("pytest==1")


def test_the_lowest_versions_are_those_of_the_bounds(script):
    project = {
        "name": "sole",
        "dependencies": ["numba>=0.6", "glue>=2; python_version < '3.13'"],
        "optional-dependencies": {
            "dev": ["sole[docs,fast]", "tools[x]>=1.5"],
            "docs": ["pages>=9.7"],
            "fast": ["engine>=0.1"],
            "apart": ["drake>=1"],
        },
    }
    lowest_pins = script("lowest").lowest_pins
    assert lowest_pins(project, {"numba": "0.68.1", "glue": "3"}) == {
        "engine": "0.1",
        "glue": "2",
        "numba": "0.68.1",
        "pages": "9.7",
        "tools": "1.5",
    }
    project["dependencies"].append("loose")
    with pytest.raises(ValueError, match="loose: no lower bound"):
        lowest_pins(project, {"numba": "0.68.1"})
