"""The kernels that usual commands call, with their argument types: what to compile beforehand.

Every package with commands has a list, `kernels.json`, made by `make kernels`:

    {"contact.step.end_kernels:list_missed_contacts": [
        {"types": ["array float64 2 C", ...], "seconds": 0.1, "jobs": ["press", "condense"]}, ...]}

`jobs` are the commands that call it. A list that is out of date costs time, nothing else: what it
lacks is compiled when it is called.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sole.base.compiled.late import Late, made

FILE = "kernels.json"
OUTDATED = AttributeError, ImportError, TypeError  # of an entry that is out of date


@dataclass(frozen=True)
class Listed:
    """A kernel, "module:name", with argument types as in `signatures`, and who calls it.

    Parameters
    ----------
    seconds : what its compilation took when the list was made.
    jobs : the commands that call it.

    Methods raise one of `OUTDATED` if the list is out of date.
    """

    kernel: str
    types: list[Any]
    seconds: float
    jobs: tuple[str, ...]

    def found(self) -> tuple[Any, tuple[Any, ...]]:
        """Return the compiled function and its numba types."""
        from sole.base.compiled.signatures import unspell

        module, _, name = self.kernel.partition(":")
        function = getattr(importlib.import_module(module), name)
        function = made(function) if isinstance(function, Late) else function
        return function, tuple(unspell(kind) for kind in self.types)

    def is_kept(self) -> bool:
        """Whether machine code is on disk; also where nothing can be compiled."""
        from sole.base.compiled.located import is_kept

        function, types = self.found()
        compiled = getattr(function, "py_func", None)
        if not hasattr(compiled, "kept_inside"):  # NUMBA_DISABLE_JIT, or it cannot be kept
            return True
        return is_kept(compiled, types)

    def compile(self) -> None:
        """Compile it, or load it, and note that it is kept."""
        from sole.base.compiled.located import keep

        function, types = self.found()
        function.compile(types)
        keep(function.py_func, types)


def packages() -> list[str]:
    """Return the packages that have commands, and with them a list."""
    from sole.base.cli import plugins

    return sorted({point.module.partition(".")[0] for point in plugins("sole.commands").values()})


def list_file(package: str) -> Path:
    """Return where a package keeps its list."""
    return Path(next(iter(importlib.import_module(package).__path__))) / FILE


def listed_kernels(jobs: Collection[str] = ()) -> list[Listed]:
    """Return what these jobs call, all jobs by default: the longest compilation first."""
    files = [file for package in packages() if (file := list_file(package)).is_file()]
    found = [
        Listed(kernel, e["types"], float(e["seconds"]), tuple(e["jobs"]))
        for file in files
        for kernel, entries in json.loads(file.read_text(encoding="utf-8")).items()
        for e in entries
    ]
    chosen = [one for one in found if not jobs or set(jobs) & set(one.jobs)]
    return sorted(chosen, key=lambda one: -one.seconds)


def missing_kernels(jobs: Collection[str] = ()) -> list[Listed]:
    """Return what these jobs call and nobody has compiled; entries out of date are left out."""
    found = []
    for one in listed_kernels(jobs):
        with suppress(*OUTDATED):
            if not one.is_kept():
                found.append(one)
    return found
