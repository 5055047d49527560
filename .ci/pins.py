"""Check constraints.txt: every pin can be installed on every Python that it is for.

    python .ci/pins.py             exit code 1 if a pin does not fit; `.ci/check` runs it

It reads the metadata of what is installed (`make install-dev`) and asks no index. On every Python,
all that the project with its extras requires, directly or not, has a pin; its version fits, and its
Requires-Python admits that Python. Markers are evaluated for that Python, not for the one that runs
this. A pin that nothing requires is named as well.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LATER_PYTHONS = ("3.12.0", "3.13.0", "3.14.0")  # and the lowest that pyproject.toml admits
# Pins that `make install-dev` leaves out, of extras (drake, bench, devices) and of earlier Pythons
# (importlib-metadata and its own): Requires-Python and requirements, copied from their metadata.
NOT_INSTALLED = {
    "drake==1.51.1": (">=3.10", "matplotlib", "numpy", "pydot", "pyyaml", "mosek==11.1.2"),
    "forcedimension-core==1.0.0": (">=3.8,<3.13", "pydantic>=2,<3", "typing-extensions>=4.6,<5"),
    "importlib-metadata==10.2.0": (">=3.11", "zipp>=3.20", "lazy-importer>=0.1"),
    "intel-cmplr-lib-ur==2026.2.0": ("", "umf==1.2.*"),
    "intel-openmp==2026.2.0": ("", "intel-cmplr-lib-ur==2026.2.0"),
    "lazy-importer==0.1.0": (">=3.11",),
    "mkl==2026.2.0": ("", "intel-openmp>=2025,<2027", "tbb==2023.*"),
    "mosek==11.1.2": (">=3.9,<3.15", "numpy"),
    "pydot==4.0.1": (">=3.8", "pyparsing>=3.1.0"),
    "pyopenhaptics==1.0.1": (">=3.9",),
    "pypardiso==0.4.7": (">=3.8", "mkl!=2024.0", "numpy", "scipy"),
    "tbb==2023.2.0": ("", "tcmlib==1.*"),
    "tcmlib==1.6.0": ("",),
    "umf==1.2.0": ("", "tcmlib>=1.6"),
    "zipp==4.1.2": (">=3.10",),
}


@dataclass(frozen=True)
class Pin:
    """A line of constraints.txt and what the metadata of that version says."""

    name: str
    version: str
    requires_python: SpecifierSet
    requires: tuple[Requirement, ...]


def applies(line: Requirement, python: str, extras: Collection[str]) -> bool:
    """Return whether a requirement counts on a Python if its owner is asked for with `extras`."""
    short = ".".join(python.split(".")[:2])
    seen = {"python_version": short, "python_full_version": python}
    return line.marker is None or any(
        line.marker.evaluate({**seen, "extra": extra}) for extra in (*extras, "")
    )


def check_python(
    pins: Mapping[str, Pin], wanted: Iterable[Requirement], python: str
) -> tuple[list[str], set[str]]:
    """Return a line for all that cannot be installed on a Python, and the pins required there."""
    broken, seen = [], set()
    waiting = [("pyproject.toml", line) for line in wanted if applies(line, python, ())]
    while waiting:
        owner, line = waiting.pop()
        name = canonicalize_name(line.name)
        if (key := (name, frozenset(line.extras), str(line.specifier))) in seen:
            continue
        seen.add(key)
        if (pin := pins.get(name)) is None:
            broken.append(f"Python {python}: {owner} requires {line.name}, which has no pin")
            continue
        if not line.specifier.contains(pin.version, prereleases=True):
            broken.append(f"Python {python}: {owner} requires {line}, the pin is {pin.version}")
        if not pin.requires_python.contains(python):
            broken.append(
                f"Python {python}: {name}=={pin.version} needs Python {pin.requires_python}; "
                "pin a version that admits both"
            )
        waiting += [
            (name, needed) for needed in pin.requires if applies(needed, python, line.extras)
        ]
    return broken, {name for name, _, _ in seen}


def check(
    pins: Mapping[str, Pin], wanted: Collection[Requirement], pythons: Iterable[str]
) -> list[str]:
    """Return a line for all that is wrong with the pins on these Pythons, as "3.11.0"."""
    broken, required = [], set()
    for python in pythons:
        found, names = check_python(pins, wanted, python)
        broken += found
        required |= names
    broken = list(dict.fromkeys(broken))  # for each that requires it
    return broken + [f"{name} is pinned and nothing requires it" for name in pins.keys() - required]


def read_pin(line: str) -> Pin:
    """Return a pin with the metadata of what is installed.

    Raises
    ------
    LookupError
        That version is not installed, nor listed here.
    """
    name, _, version = line.partition("==")
    name = canonicalize_name(name)
    try:
        found = distribution(name)
    except PackageNotFoundError:
        if (listed := NOT_INSTALLED.get(f"{name}=={version}")) is None:
            raise LookupError(f"{line} is not installed, nor in NOT_INSTALLED") from None
        requires_python, *requires = listed
    else:
        if found.version != version:
            raise LookupError(f"{line} is pinned, {found.version} is installed: make install-dev")
        requires_python, requires = found.metadata.get("Requires-Python", ""), found.requires or []
    return Pin(name, version, SpecifierSet(requires_python), tuple(map(Requirement, requires)))


def main() -> int:
    """Check all pins on all Pythons."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pythons = (project["requires-python"].removeprefix(">=") + ".0", *LATER_PYTHONS)
    groups = (project["dependencies"], *project["optional-dependencies"].values())
    wanted = [Requirement(line) for group in groups for line in group]
    wanted = [line for line in wanted if line.name != project["name"]]  # `dev` names other extras
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    try:
        pins = [read_pin(line) for line in lines if line and not line.startswith("#")]
    except LookupError as error:
        print(error)
        return 1
    broken = check({pin.name: pin for pin in pins}, wanted, pythons)
    print("\n".join(broken) or f"{len(pins)} pins can be installed on {', '.join(pythons)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
