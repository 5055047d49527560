"""The API reference: one page for a few modules, one entry for every public name.

The names are those of public_names.toml, as in docs/api.md (`python .ci/house.py --api`); what is
said of each is its docstring, read without importing anything.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

from page_links import ROOT

OPENING = """# API reference

Every public name has one import path: `from MODULE import NAME`. [Public names](../api.md) lists
all of them on one page. Arrays are numpy's; shapes, units and frames stand in the docstrings, and
[Conventions](../conventions.md) has the common ones.
"""


def face() -> ModuleType:
    """Return .ci/face.py as a module."""
    folder = str(ROOT / ".ci")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module("face")


def page_of(module: str) -> str:
    """Return the page of a module: its package and the folder in it."""
    return ".".join(module.split(".")[:2])


def api_pages() -> Iterator[tuple[str, str]]:
    """Yield the place and the Markdown of every page."""
    names = face().public_names(ROOT)
    pages = list(dict.fromkeys(map(page_of, names)))
    lines = [OPENING, "| page | modules | names |\n|---|---|---|"]
    for page in pages:
        modules = [module for module in names if page_of(module) == page]
        count = sum(len(names[module]) for module in modules)
        lines.append(f"| [{page}]({page}.md) | {len(modules)} | {count} |")
    yield "reference/index.md", "\n".join(lines) + "\n"
    for page in pages:
        entries = [
            entry(module, names[module], alone=module == page)
            for module in names
            if page_of(module) == page
        ]
        yield f"reference/{page}.md", f"# {page}\n\n" + "\n".join(entries)


def entry(module: str, names: list[str], *, alone: bool) -> str:
    """Return the directive that documents a module; its page may be its heading."""
    members = "\n".join(f"        - {name}" for name in names)
    heading = "false" if alone else "true"
    options = f"    options:\n      show_root_heading: {heading}\n      members:\n{members}\n"
    return f"::: {module}\n{options}"
