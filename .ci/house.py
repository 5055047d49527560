"""The rules of the house that no ready-made linter knows; `.ci/check` runs it.

    python .ci/house.py            check circles, doors and names; exit code 1 if a rule is broken
    python .ci/house.py --counts   how the house measures: files, names, arguments
    python .ci/house.py --api      docs/api.md, the page of the public names (face.py)

A *room* is a folder whose `__init__` has an `__all__`: the one door to what is inside. A folder
without is a corridor, and every module and folder in it has a door of its own. Imports are read
wherever they stand: at the top, inside functions, under TYPE_CHECKING.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import face

PACKAGES = ("sole", "contact", "robot")
UNLISTED = ("commands", "summaries")  # corridors whose modules are reached by entry points
MOST_ARGUMENTS = 12
MOST_LINES = 300
FEWEST_LINES = 60


@dataclass(frozen=True)
class Import:
    """One imported name: `module` is where it is asked for, `line` where that stands."""

    module: str
    name: str
    line: int


@dataclass(frozen=True)
class Module:
    """One file: its dotted name, its syntax tree and what it imports."""

    name: str
    path: Path
    tree: ast.Module
    lines: int

    @property
    def is_folder(self) -> bool:
        """Whether this is the `__init__` of a folder."""
        return self.path.name == "__init__.py"

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """All imports of our own packages, wherever they stand."""
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom):
                module = self.absolute(node)
                found += [Import(module, a.name, node.lineno) for a in node.names]
            elif isinstance(node, ast.Import):
                found += [Import(a.name, "", node.lineno) for a in node.names]
        return tuple(i for i in found if i.module.partition(".")[0] in PACKAGES)

    def absolute(self, node: ast.ImportFrom) -> str:
        """Return the module that a statement imports from, relative ones resolved."""
        if not node.level:
            return node.module or ""
        above = self.name.split(".")
        above = above[: len(above) + self.is_folder - node.level]
        return ".".join([*above, *filter(None, [node.module])])

    @cached_property
    def exported(self) -> tuple[str, ...] | None:
        """Its `__all__`; None without one."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                return tuple(ast.literal_eval(node.value))
        return None


class House:
    """The modules below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules: dict[str, Module] = {}
        for package in PACKAGES:
            for path in sorted((root / package).rglob("*.py")):
                text = path.read_text(encoding="utf-8")
                parts = path.relative_to(root).with_suffix("").parts
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                self.modules[name] = Module(name, path, ast.parse(text), len(text.splitlines()))

    def target(self, wanted: Import) -> str:
        """Return the module that an import loads."""
        inner = f"{wanted.module}.{wanted.name}"
        return inner if inner in self.modules else wanted.module

    @cached_property
    def arrows(self) -> dict[str, set[str]]:
        """Which modules every module imports."""
        return {
            m.name: {self.target(i) for i in m.imports} - {m.name} for m in self.modules.values()
        }

    @cached_property
    def rooms(self) -> tuple[str, ...]:
        """Folders with a door, outermost first; a room inside a room has a door of its own."""
        found = [m.name for m in self.modules.values() if m.is_folder and m.exported is not None]
        return tuple(sorted(found, key=len))

    def door(self, module: str, importer: str = "") -> str:
        """Return the door at which `importer` has to ask for what is in `module`."""
        for room in reversed(self.rooms):
            if inside(module, room) and not inside(importer, room):
                return room
        return module

    def doors(self) -> tuple[Module, ...]:
        """Every door: rooms, and the modules of corridors."""
        return tuple(
            m
            for m in self.modules.values()
            if self.door(m.name) == m.name
            and not (m.is_folder and m.exported is None)
            and not any(part in UNLISTED for part in m.name.split("."))
        )


def inside(module: str, room: str) -> bool:
    """Whether `module` is `room` or stands in it."""
    return module == room or module.startswith(f"{room}.")


def circles(house: House) -> list[str]:
    """Return a line for a circle of imports, if there is one."""
    try:
        TopologicalSorter(house.arrows).prepare()
    except CycleError as error:
        return [f"import circle: {' -> '.join(reversed(error.args[1]))}"]
    return []


def ways_round(house: House) -> list[str]:
    """Return a line for every import that goes round a door."""
    found = []
    for m in house.modules.values():
        for wanted in m.imports:
            target = house.target(wanted)
            if target not in house.modules:
                continue
            door = house.door(target, m.name)
            at = f"{m.path.relative_to(house.root)}:{wanted.line}"
            plain = not wanted.name and target not in PACKAGES
            if plain or (target in house.rooms and target != wanted.module):
                found.append(f"{at}: {target} as a whole: import the names that are needed")
            elif door != target:
                found.append(f"{at}: {target} is behind the door {door}: import it from there")
            elif m.name != target and inside(m.name, target) and target in house.rooms:
                found.append(f"{at}: {m.name} asks at the door of its own room, {target}")
            elif (names := house.modules[target].exported) is not None and (
                target == wanted.module and wanted.name not in names and door == target
            ):
                if not (inside(m.name, target) or wanted.name == ""):
                    found.append(f"{at}: {wanted.name} is not in __all__ of {target}")
    return found


def names_at_doors(house: House) -> list[str]:
    """Return a line for every door without `__all__`, and every name that two doors hand out."""
    found, seen = [], {}
    for m in house.doors():
        if m.exported is None:
            found.append(f"{m.path.relative_to(house.root)}: a door without __all__")
            continue
        for node in ast.walk(m.tree):
            if isinstance(node, ast.AugAssign) and ast.unparse(node.target) == "__all__":
                found.append(f"{m.path.relative_to(house.root)}: __all__ must be one plain list")
            elif isinstance(node, ast.ImportFrom):
                found += [
                    f"{a.asname} of {m.name} is a second name of {a.name}"
                    for a in node.names
                    if a.asname in m.exported and a.asname != a.name
                ]
        for name in m.exported:
            if name in seen:
                found.append(f"{name} has two import paths: {seen[name]} and {m.name}")
            seen[name] = m.name
    return found


def definitions(house: House, kind: type[ast.AST]) -> dict[str, list[str]]:
    """Return where every public class or function at module level is defined."""
    found = defaultdict(list)
    for m in house.modules.values():
        blocks = (n for n in m.tree.body if isinstance(n, ast.If | ast.Try))
        for node in [*m.tree.body, *(n for block in blocks for n in block.body)]:
            if isinstance(node, kind) and not node.name.startswith("_"):
                found[node.name].append(m.name)
    return found


def same_names(house: House) -> list[str]:
    """Return a line for every class name that means two things."""
    classes = definitions(house, ast.ClassDef)
    return [
        f"class {name} means {len(where)} things: {', '.join(where)}"
        for name, where in sorted(classes.items())
        if len(where) > 1
    ]


def long_argument_lists(house: House) -> list[str]:
    """Return a line for every function or call with more than `MOST_ARGUMENTS` by position."""
    found = []
    for m in house.modules.values():
        for node in ast.walk(m.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                n = len(node.args.posonlyargs) + len(node.args.args)
                if n > MOST_ARGUMENTS and "commands" not in m.name.split("."):
                    found.append(f"{m.path}:{node.lineno}: {node.name} takes {n} arguments")
            elif isinstance(node, ast.Call) and len(node.args) > MOST_ARGUMENTS:
                who = ast.unparse(node.func)
                found.append(f"{m.path}:{node.lineno}: {who} is called with {len(node.args)}")
    return found


def counts(house: House) -> dict[str, int]:
    """Return how the house measures."""
    importers: Counter[str] = Counter()
    handed_out = set()
    for name, targets in house.arrows.items():
        if house.modules[name].is_folder:
            handed_out |= targets
        else:
            importers.update(t for t in targets if t in house.modules)
    plain = [m for m in house.modules.values() if not m.is_folder]
    functions = definitions(house, ast.FunctionDef)
    text = {m.name: m.path.read_text(encoding="utf-8") for m in plain}
    stems = Counter(m.path.name for m in plain)
    return {
        "files": len(house.modules),
        "lines": sum(m.lines for m in house.modules.values()),
        "files over 300 lines": sum(m.lines > MOST_LINES for m in plain),
        "files under 60 lines": sum(m.lines < FEWEST_LINES for m in plain),
        "rooms (folders with a door)": len(house.rooms),
        "doors": len(house.doors()),
        **face.counts(house),
        "import circles (0 or at least 1)": len(circles(house)),
        "imports round a door": len(ways_round(house)),
        "public names with two import paths": len(names_at_doors(house)),
        "modules with one importer, at no door": sum(
            importers[m.name] == 1 and m.name not in handed_out for m in plain
        ),
        "class names that mean two things": len(same_names(house)),
        "public function names that mean two things": sum(len(w) > 1 for w in functions.values()),
        "file names that occur twice": sum(n > 1 for n in stems.values()),
        "functions and calls of over 12 arguments": len(long_argument_lists(house)),
        "type: ignore": sum(t.count("type: ignore") for t in text.values()),
    }


def main() -> int:
    """Check, or print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--counts", action="store_true", help="print how the house measures")
    parser.add_argument("--api", action="store_true", help="print the page of public names")
    parser.add_argument("--list", action="store_true", help="with --counts: name each of them")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    given = parser.parse_args()
    house = House(given.root)
    if empty := [package for package in PACKAGES if package not in house.modules]:
        print(f"no package {', '.join(empty)} in {given.root}")
        return 1
    if given.api:
        print(face.api(house), end="")
        return 0
    if given.counts:
        for name, number in counts(house).items():
            print(f"{number:7d}  {name}")
        if given.list:
            print("\n".join(same_names(house) + long_argument_lists(house)))
        return 0
    broken = circles(house) + ways_round(house) + names_at_doors(house) + same_names(house)
    broken += long_argument_lists(house) + face.faults(house)
    print("\n".join(broken) or f"the house is in order: {len(house.modules)} files")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
