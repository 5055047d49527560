"""One name for one thing, one place for one number, and kernels that a reader can call."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("sole", "contact", "robot")
MOST = 12  # parameters of a compiled function


def trees(*packages, words=""):
    """Yield path and tree of every file in which the pattern `words` is found."""
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if re.search(words, text):
                yield path.relative_to(ROOT), ast.parse(text)


def test_classes_of_robot_have_names_of_their_own():
    names = Counter(
        node.name
        for _, tree in trees("robot")
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    )
    assert {name: n for name, n in names.items() if n > 1} == {}


def test_compiled_functions_of_robot_are_typed_and_take_few_arguments():
    compiled = [
        (path, node)
        for path, tree in trees("robot", words="@.*kernel")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any("kernel" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]
    assert len(compiled) > 20
    for path, node in compiled:
        where = f"{path}: {node.name}"
        assert node.returns is not None, where
        assert all(argument.annotation is not None for argument in node.args.args), where
        assert len(node.args.args) <= MOST, where


def test_gravity_and_friction_are_written_once():
    gravity, friction = [], []
    for path, tree in trees(*PACKAGES, words=r"9\.81|friction"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and node.value == 9.81:
                gravity.append(str(path))
            if isinstance(node, ast.AnnAssign) and node.value is not None:
                given = [(ast.unparse(node.target), node.value)]
            elif isinstance(node, ast.FunctionDef):
                names = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
                values = [*node.args.defaults, *node.args.kw_defaults]
                given = list(zip(names[::-1], values[::-1], strict=False))
            else:
                continue
            friction += [
                f"{path}: {name}"
                for name, value in given
                if name == "friction" and isinstance(value, ast.Constant) and value.value == 0.7
            ]
    assert gravity == ["sole/base/constants.py"]
    assert friction == []
