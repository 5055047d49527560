"""What a user may have meant by a name that is not known: the most similar one, or the new one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from os import scandir
from pathlib import Path

__all__ = ["did_you_mean", "near_file", "new_name"]

ALIKE = 0.6  # least similarity of two names, from 0 to 1 (equal)
FILES = 2000  # of a folder that are looked at


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean 'A'?" with the known name most like `name`, or ''."""
    near = _nearest(name, known)
    return "" if near is None else f"; did you mean '{near}'?"


def near_file(path: Path) -> str:
    """Return "; did you mean 'A'?" with the file of this kind most like `path` beside it, or ''."""
    try:
        with scandir(path.parent) as entries:
            beside = [path.with_name(entry.name) for entry in islice(entries, FILES)]
    except (OSError, ValueError):
        return ""
    beside = [file for file in beside if file.name != path.name]  # a link to nothing is there
    known = {file.stem: file for file in beside if file.name.endswith(path.suffix)}
    near = _nearest(path.stem, known)
    return "" if near is None else f"; did you mean '{known[near]}'?"


def _nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the name most like the given one, whatever its capitals; None: none is like it."""
    from difflib import get_close_matches

    lower = {one.lower(): one for one in known}
    near = get_close_matches(str(name).lower(), lower, n=1, cutoff=ALIKE)
    return lower[near[0]] if near else None


# By command: the old name, and what to write now.
RENAMED: Mapping[str, Mapping[str, str]] = {
    "sole compile": {"--processes": "--workers"},
    "sole contact solve": {"--tol": "--tolerance"},
    "sole contact bench": {"--tol": "--tolerance"},
    "sole export": {"--load": "--force"},
    "sole mesh": {"--step": "--cad"},
    "sole view": {"--size": "--pixels"},
    "sole walk": {
        "--steps": "--footsteps",
        "--size": "--size-tread",
        "--nodes": "--forces-every",
        "--margins": "--margins-every",
    },
    "sole live walk": {"--size": "--size-tread", "--nodes": "--forces-every"},
}


def new_name(command: str, option: str) -> str:
    """Return the present name of an option of a command such as "sole walk", '' if unknown."""
    return RENAMED.get(command, {}).get(option, "")
