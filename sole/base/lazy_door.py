"""Doors that load a file of their room when somebody asks for one of its names.

    if TYPE_CHECKING:
        from contact.ground.height_field import HeightField
    else:
        __getattr__ = load_later(globals())

Who reads a file of settings needs the dataclasses of many rooms, and none of what computes. The
names are read from the door's own source, so they stand there once.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["load_later"]


def load_later(door: dict[str, Any]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a door from its `globals()`.

    It finds the names that the door imports under TYPE_CHECKING.
    """

    def find(name: str) -> Any:
        home = _homes(door["__file__"]).get(name)
        if home is None:
            raise AttributeError(f"module '{door['__name__']}' has no attribute '{name}'")
        door[name] = value = getattr(importlib.import_module(home), name)  # for the next time
        return value

    return find


@cache
def _homes(file: str) -> dict[str, str]:
    """Return the module of every name that a door's file imports under TYPE_CHECKING."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    blocks = (n for n in tree.body if isinstance(n, ast.If))
    inside = (n for block in blocks for n in block.body if isinstance(n, ast.ImportFrom))
    return {a.name: str(n.module) for n in inside for a in n.names}
