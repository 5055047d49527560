"""Stand-ins for modules that a library imports and this project never uses.

    with in_place({"matplotlib.pyplot": StandIn("matplotlib.pyplot"), "dask": None}):
        import toppra

Inside the block imports find the stand-ins, after it the real modules. A library that keeps a
`StandIn` gets the real thing as soon as it uses it. None stands for what is not installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["StandIn", "in_place"]


class StandIn(ModuleType):
    """A module that is imported when somebody asks for one of its names."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # the import system asks for these
            raise AttributeError(name)
        return getattr(import_module(self.__name__), name)


@contextmanager
def in_place(stand_ins: Mapping[str, ModuleType | None]) -> Iterator[None]:
    """Let `import` find the stand-ins inside the block, where nothing was imported before."""
    placed = {name: module for name, module in stand_ins.items() if name not in sys.modules}
    sys.modules.update(placed)  # type: ignore[arg-type]  # None: not to be found
    try:
        yield
    finally:
        for name, module in placed.items():
            if name in sys.modules and sys.modules[name] is module:
                del sys.modules[name]
