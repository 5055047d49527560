"""The public names of our packages, listed in public_names.toml and shown in docs/api.md.

Any other name in the `__all__` of a door is an *inside* name: our packages share it, and no page,
example or notebook imports it. Experiments on papers are programs, not part of the face: a page or
an example that shows one may import what it needs.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from house import House, Module

LIST = "public_names.toml"
# Our own words for things that have a name in the field: buffer, offset, stored, previous, ...
PRIVATE = {"place", "sheet", "told", "held", "kept", "packed", "twin", "room", "door"}
SHOWN = ("README.md", "docs/**/*.md", "docs/**/*.ipynb", "examples/**/*.py")
EXPERIMENTS = re.compile(r"\.papers\.")
OURS = r"((?:sole|contact|robot)(?:\.\w+)*)"
FROM = re.compile(rf"\bfrom\s+{OURS}\s+import\s+(\([^)]*\)|[^\n;`\"']+)")
WHOLE = re.compile(rf"^\s*(?:>>> *)?import\s+{OURS}\.\w+", re.MULTILINE)


def public_names(root: Path) -> dict[str, list[str]]:
    """Return the public names of every module, in the order of the list."""
    return tomllib.loads((root / LIST).read_text(encoding="utf-8"))


def faults(house: House) -> list[str]:
    """Return a line for every fault of the list, and every import that it does not allow."""
    if not (house.root / LIST).exists():
        return [f"no {LIST} in {house.root}"]
    return [*wrong_names(house), *private_words(house), *unlisted_imports(house)]


def wrong_names(house: House) -> Iterator[str]:
    """Yield a line for every listed name that its door does not have, or that says nothing."""
    doors = {m.name: m for m in house.doors()}
    for module, names in public_names(house.root).items():
        for k, name in enumerate(names):
            if module not in doors or name not in (doors[module].exported or ()):
                yield f"{LIST}: {module} has no {name} in its __all__"
            elif name in names[:k]:
                yield f"{LIST}: {module} lists {name} twice"
            elif not said(house, doors[module], name):
                yield f"{LIST}: {name} of {module} has no docstring"


def private_words(house: House) -> Iterator[str]:
    """Yield a line for every listed name with a word that only we use."""
    for module, names in public_names(house.root).items():
        for name in names:
            words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
            for word in PRIVATE & {w.lower().removesuffix("s") for w in words}:
                yield f"{LIST}: {name} of {module} says '{word}': use the word of the field"


def unlisted_imports(house: House) -> Iterator[str]:
    """Yield a line for every import of an unlisted name in pages, examples and notebooks."""
    listed = public_names(house.root)
    for path in sorted(path for pattern in SHOWN for path in house.root.glob(pattern)):
        text = text_of(path)
        at = path.relative_to(house.root)
        yield from (f"{at}: imports {m[0].split()[-1]} as a whole" for m in WHOLE.finditer(text))
        for module, imported in FROM.findall(text):
            for part in re.sub(r"#.*|[()]", "", imported).split(","):
                name = part.split()[0] if part.strip() else ""
                if name and name not in listed.get(module, ()) and not EXPERIMENTS.search(module):
                    yield f"{at}: imports {name} of {module}, which {LIST} does not list"


def text_of(path: Path) -> str:
    """Return the text of a page or script, or the code of a notebook."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = (cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code")
    return "\n".join("".join(cell["source"]) for cell in cells)


def counts(house: House) -> dict[str, int]:
    """Return the numbers of public names and their modules, and of inside names."""
    listed = public_names(house.root)
    public = sum(map(len, listed.values()))
    return {
        "public names": public,
        "modules with public names": len(listed),
        "inside names": sum(len(m.exported or ()) for m in house.doors()) - public,
    }


def api(house: House) -> str:
    """Return docs/api.md: one section a module, one line a public name."""
    lines = [
        "# Public names\n",
        f"Every public name has one import path: `from MODULE import NAME`. `{LIST}` lists them.",
        "The page is made by `python .ci/house.py --api`, and a test compares it with the code.\n",
    ]
    for module, names in public_names(house.root).items():
        m = house.modules[module]
        about = (ast.get_docstring(m.tree) or "").split("\n\n")[0].replace("\n", " ")
        lines += [f"## `{module}`\n", f"{about}\n"]
        lines += [f"- `{name}`: {said(house, m, name)}" for name in names]
        lines.append("")
    return "\n".join(lines)


def said(house: House, m: Module, name: str) -> str:
    """Return the first paragraph of a name's docstring; a constant has its own below it."""
    for node, after in zip(m.tree.body, [*m.tree.body[1:], None], strict=True):
        text = None
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            text = ast.get_docstring(node) or ""
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if name in map(ast.unparse, targets):
                string = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                text = str(after.value.value) if string else ""
        if text is not None:
            return text.split("\n\n")[0].replace("\n", " ")
    for wanted in m.imports:
        if wanted.name == name and (target := house.target(wanted)) in house.modules:
            inner = house.modules[target]
            return said(house, inner, name) if inner is not m else ""
    return ""
