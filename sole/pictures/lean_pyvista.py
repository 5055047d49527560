"""PyVista without what it imports and these pictures never use.

PyVista imports matplotlib's pyplot and its Agg canvas for one kind of chart, and the parser of mypy
where that is installed: together a third of its import. Stand-ins take their places while PyVista
is imported, and only PyVista sees them. They fetch the real thing when it is used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["import_pyvista"]

PYPLOT, AGG = "matplotlib.pyplot", "matplotlib.backends.backend_agg"


class _StandIn(ModuleType):
    """A module that is imported when somebody asks for one of its names."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # the import system asks for these
            raise AttributeError(name)
        return getattr(import_module(self.__name__), name)


def _make_canvas(*arguments: Any, **options: Any) -> Any:
    """Return matplotlib's canvas, imported now."""
    return import_module(AGG).FigureCanvasAgg(*arguments, **options)


@contextmanager
def _in_place(stand_ins: dict[str, ModuleType | None]) -> Iterator[None]:
    """Let `import` find the stand-ins inside the block where nothing was imported before."""
    placed = {name: module for name, module in stand_ins.items() if name not in sys.modules}
    sys.modules.update(placed)  # type: ignore[arg-type]  # None: not to be found
    try:
        yield
    finally:
        for name, module in placed.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


def import_pyvista() -> Any:
    """Return the module `pyvista` with all that draws imported."""
    if "pyvista.plotting" not in sys.modules:
        canvas = _StandIn(AGG)
        vars(canvas)["FigureCanvasAgg"] = _make_canvas
        with _in_place({PYPLOT: _StandIn(PYPLOT), AGG: canvas, "mypy": None}):
            import_module("pyvista.plotting")
    return sys.modules["pyvista"]
