"""No hands inside other libraries; `.ci/check` runs it.

    python .ci/hands_off.py [FOLDER ...]    exit code 1 if one of our files reaches in

Refused are assignments to attributes of another package's modules and classes (also by `setattr`,
`del`, `vars(...)` and `__dict__`), names of others that begin with an underscore, and entries in
`sys.modules`. It reads source and imports nothing. What a call returns is an object of ours to use:
its public attributes may be set. A private name counts as ours if one of our files defines it.
"""

# ruff: noqa: D102  (visit_X looks at nodes of kind X)
from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("sole", "contact", "robot", "examples", "benchmarks", "website", ".ci")
OURS = {"sole", "contact", "robot", "__main__"}
# Documented in spite of their underscore: namedtuples, ctypes, and two functions of Python.
PUBLIC = {"_asdict", "_replace", "_fields", "_make", "_field_defaults", "_fields_", "_argtypes_"}
PUBLIC |= {"_exit", "_getframe", "_MEIPASS"}
SETTERS = {"setattr", "delattr", "monkeypatch.setattr", "mock.patch.object", "patch.object"}
CHANGES = {"update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__"}
IMPORTS = {"import_module", "importlib.import_module", "__import__"}


def is_private(name: str) -> bool:
    """Whether a name begins with one underscore, or two and does not end with two."""
    return name.startswith("_") and not name.endswith("__") and name.strip("_") != ""


def own_names(trees: list[ast.Module]) -> set[str]:
    """Return the private names that our files define: functions, variables, attributes, fields."""
    found = set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                if isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}:
                    found.add(node.attr)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
    return found


class Reach(ast.NodeVisitor):
    """What one file reaches into: `found` has (line, words)."""

    def __init__(self, own: set[str], neighbours: set[str]) -> None:
        self.own, self.neighbours = own, neighbours | OURS
        self.found: list[tuple[int, str]] = []
        self.scopes: list[dict[str, str]] = [{}]  # local name -> what it is of a foreign package

    # ------------------------------------------------------------- what names mean

    def foreign(self, module: str) -> bool:
        """Whether a module is of another package; Python's own are nobody's."""
        top = module.partition(".")[0]
        return top not in self.neighbours and top not in sys.stdlib_module_names

    def bind(self, name: str, meaning: str) -> None:
        self.scopes[-1][name] = meaning

    def meaning(self, node: ast.AST) -> str:
        """Return the dotted name of a module, a class or a function of others; '' if none."""
        if isinstance(node, ast.Name):
            return next((s[node.id] for s in reversed(self.scopes) if node.id in s), "")
        if isinstance(node, ast.Attribute):
            inner = self.meaning(node.value)
            return f"{inner}.{node.attr}" if inner else ""
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            first = node.args[0] if node.args else None
            text = first.value if isinstance(first, ast.Constant) else None
            if called in IMPORTS and isinstance(text, str) and self.foreign(text):
                return text
            if called == "getattr" and len(node.args) > 1:
                inner, name = self.meaning(node.args[0]), node.args[1]
                named = name.value if isinstance(name, ast.Constant) else "..."
                return f"{inner}.{named}" if inner else ""
        if isinstance(node, ast.Subscript) and self.is_modules(node.value):
            text = getattr(node.slice, "value", "")
            return text if isinstance(text, str) and self.foreign(text) else ""
        return ""

    def is_modules(self, node: ast.AST) -> bool:
        """Whether this is `sys.modules`."""
        if isinstance(node, ast.Name):
            return self.meaning(node) == "sys.modules"
        return ast.unparse(node) == "sys.modules"

    def space(self, node: ast.AST) -> ast.AST | None:
        """Return whose namespace this is: `vars(X)`, `X.__dict__`; None if it is no namespace."""
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "vars" and node.args:
            return node.args[0]
        if isinstance(node, ast.Attribute) and node.attr == "__dict__":
            return node.value
        return None

    def tell(self, node: ast.AST, words: str) -> None:
        self.found.append((node.lineno, words))

    def private(self, node: ast.AST, name: str, whose: str) -> None:
        """Tell of a private name that is not ours."""
        if is_private(name) and name not in PUBLIC and (whose or name not in self.own):
            self.tell(node, f"the private name {name} of {whose or 'another package'}")

    # ------------------------------------------------------------- what is written

    def visit_Import(self, node: ast.Import) -> None:
        for a in node.names:
            if self.foreign(a.name):
                self.bind((a.asname or a.name).partition(".")[0], a.name if a.asname else
                          a.name.partition(".")[0])  # fmt: skip
                for part in a.name.split("."):
                    self.private(node, part, a.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if module == "sys":
            for a in node.names:
                if a.name == "modules":
                    self.bind(a.asname or a.name, "sys.modules")
        if node.level or not self.foreign(module) or module == "__future__":
            return
        for part in module.split("."):
            self.private(node, part, module)
        for a in node.names:
            self.private(node, a.name, module)
            self.bind(a.asname or a.name, f"{module}.{a.name}")

    def scoped(self, node: ast.AST) -> None:
        self.scopes.append({})
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            given = node.args
            for a in [*given.posonlyargs, *given.args, *given.kwonlyargs]:
                self.bind(a.arg, "")  # an argument hides an import
        self.generic_visit(node)
        self.scopes.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = scoped

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.written(target, node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.written(node.target, node.value)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.written(node.target, None)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self.written(node.target, None)
        self.generic_visit(node)

    def visit_withitem(self, node: ast.withitem) -> None:
        if node.optional_vars is not None:
            self.written(node.optional_vars, None)
        self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.written(target, None)
        self.generic_visit(node)

    def written(self, target: ast.AST, value: ast.AST | None) -> None:
        """Look at one target of an assignment."""
        if isinstance(target, ast.Tuple | ast.List):
            values = value.elts if isinstance(value, ast.Tuple) else [None] * len(target.elts)
            for one, its in zip(target.elts, values, strict=False):
                self.written(one, its)
        elif isinstance(target, ast.Starred):
            self.written(target.value, None)
        elif isinstance(target, ast.Name):
            modules = value is not None and self.is_modules(value)
            means = "sys.modules" if modules else "" if value is None else self.meaning(value)
            self.bind(target.id, means)
        elif isinstance(target, ast.Attribute):
            if whose := self.meaning(target.value):
                self.tell(target, f"an assignment to {whose}.{target.attr}")
        elif isinstance(target, ast.Subscript):
            self.entry(target, target.value, target.slice)

    def entry(self, node: ast.AST, mapping: ast.AST, key: ast.AST | None) -> None:
        """Look at an entry of a mapping that is changed."""
        if self.is_modules(mapping):
            self.tell(node, "an entry in sys.modules")
        elif (owner := self.space(mapping)) is not None:
            if whose := self.meaning(owner):
                self.tell(node, f"an entry in the namespace of {whose}")
            elif isinstance(key, ast.Constant) and isinstance(key.value, str):
                self.private(node, key.value, "")

    # ------------------------------------------------------------- what is called and read

    def visit_Call(self, node: ast.Call) -> None:
        called = ast.unparse(node.func)
        if called in SETTERS and node.args and (whose := self.meaning(node.args[0])):
            self.tell(node, f"{called} on {whose}")
        if called in {"getattr", "hasattr", "setattr", "delattr"} and len(node.args) > 1:
            name = node.args[1]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                self.private(node, name.value, self.meaning(node.args[0]))
        if called in {"patch.dict", "mock.patch.dict", "monkeypatch.setitem"} and node.args:
            self.entry(node, node.args[0], None)
        if isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            self.entry(node, node.func.value, node.args[0] if node.args else None)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        whose = self.meaning(node.value)
        mine = isinstance(node.ctx, ast.Store) and not whose
        if not mine:
            self.private(node, node.attr, whose)
        self.generic_visit(node)


def check(root: Path, folders: tuple[str, ...] = FOLDERS) -> list[str]:
    """Return a line for everything in the files below `root` that reaches in."""
    files = {p: p.relative_to(root).as_posix() for f in folders for p in (root / f).rglob("*.py")}
    trees = {p: ast.parse(p.read_text(encoding="utf-8")) for p in sorted(files)}
    # Scripts import what lies beside them, and helpers of the tests.
    scripts = [p for p in trees if files[p].partition("/")[0] not in OURS]
    near = {name for p in scripts for name in (p.stem, p.parent.name)}
    near |= {p.stem for p in (root / "tests").rglob("*.py")}
    own = own_names(list(trees.values()))
    return [
        f"{files[path]}:{line}: {words}"
        for path, tree in trees.items()
        for line, words in reaches(tree, own, near)
    ]


def reaches(tree: ast.Module, own: set[str], near: set[str]) -> Iterator[tuple[int, str]]:
    """Yield line and words of what a file reaches into, in order."""
    look = Reach(own, near)
    look.visit(tree)
    yield from sorted(set(look.found))


def main() -> int:
    """Check the tree, or the folders that are named."""
    found = check(ROOT, tuple(sys.argv[1:]) or FOLDERS)
    print("\n".join(found) or "hands off: nothing reaches into another library")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
