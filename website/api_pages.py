"""The API reference: one page for a few doors, one entry for every public name.

The doors and their names are those of docs/api.md (`python .ci/house.py --api`); what is said of
each name is its docstring, read without importing anything.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from page_links import ROOT

OPENING = """# API reference

Every public name has one import path: `from DOOR import NAME`. [Public names](../api.md) lists
all of them on one page. Arrays are numpy's; shapes, units and frames stand in the docstrings, and
[Conventions](../conventions.md) has the common ones.
"""


def load_house() -> ModuleType:
    """Return .ci/house.py as a module."""
    folder = str(ROOT / ".ci")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module("house")


def public_names() -> dict[str, dict[str, str]]:
    """Return name -> value of a constant assigned in a row (else "") for every door, in order."""
    house = load_house()
    built = house.House(ROOT)
    doors = [door for door in built.doors() if door.exported]
    order = {package: k for k, package in enumerate(house.PACKAGES)}
    doors.sort(key=lambda door: (order[door.name.split(".")[0]], door.name))
    return {d.name: {name: value_of(built, d, name) for name in d.exported} for d in doors}


def value_of(house: Any, module: Any, name: str) -> str:
    """Return the value in ``A, B = 1, 2`` of a name: mkdocstrings sees one name a statement."""
    for node in module.tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Tuple):
            continue
        row = [ast.unparse(target) for target in node.targets[0].elts]
        if name in row and isinstance(node.value, ast.Tuple):
            return ast.unparse(node.value.elts[row.index(name)])
    for wanted in module.imports:
        inner = house.modules.get(house.target(wanted))
        if wanted.name == name and inner not in (None, module):
            return value_of(house, inner, name)
    return ""


def room_of(door: str) -> str:
    """Return the page of a door: its package and the folder in it."""
    return ".".join(door.split(".")[:2])


def api_pages() -> Iterator[tuple[str, str]]:
    """Yield the place and the Markdown of every page."""
    names = public_names()
    rooms = list(dict.fromkeys(map(room_of, names)))
    lines = [OPENING, "| page | doors | names |\n|---|---|---|"]
    for room in rooms:
        doors = [door for door in names if room_of(door) == room]
        count = sum(len(names[door]) for door in doors)
        lines.append(f"| [{room}]({room}.md) | {len(doors)} | {count} |")
    yield "reference/index.md", "\n".join(lines) + "\n"
    for room in rooms:
        entries = [
            entry(door, names[door], alone=door == room) for door in names if room_of(door) == room
        ]
        yield f"reference/{room}.md", f"# {room}\n\n" + "\n".join(entries)


def entry(door: str, names: dict[str, str], *, alone: bool) -> str:
    """Return the directive that documents a door, and the constants that it cannot see."""
    members = "\n".join(f"        - {name}" for name, value in names.items() if not value)
    heading = "false" if alone else "true"
    rows = [
        f"### `{door}.{name}` {{#{door}.{name}}}\n\nConstant: `{value}`\n"
        for name, value in names.items()
        if value
    ]
    directive = f"::: {door}\n    options:\n      show_root_heading: {heading}\n      members:\n"
    return "\n".join([f"{directive}{members}\n", *rows])
