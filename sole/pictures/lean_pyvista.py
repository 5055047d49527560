"""PyVista without what it imports and these pictures never use.

PyVista imports matplotlib's pyplot and its Agg canvas for one kind of chart, pooch to fetch
examples, and the parser of mypy where that is installed. matplotlib, which it needs for colours,
imports pyparsing for names of fonts. Together that is two fifths of its import. Only PyVista sees
their stand-ins.

A tenth more goes to a decorator that looks at the signatures of four hundred methods, in order to
warn of positional arguments, and to VTK, which searches its folder anew for each of its modules.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from sole.base.stand_in import StandIn, in_place

__all__ = ["import_pyvista"]

PYPLOT, AGG = "matplotlib.pyplot", "matplotlib.backends.backend_agg"
FONTS = "matplotlib._fontconfig_pattern"
WARNING = "pyvista._deprecate_positional_args"


def _make_canvas(*arguments: Any, **options: Any) -> Any:
    """Return matplotlib's canvas, imported now."""
    return import_module(AGG).FigureCanvasAgg(*arguments, **options)


def _parse_font(pattern: str) -> Any:
    """Check the name of a font as matplotlib does, but not its own while it is imported."""
    if type(sys.modules.get(FONTS)) is StandIn:
        return {}
    return import_module(FONTS).parse_fontconfig_pattern(pattern)


def _warn_of_nothing(function: Any = None, **how: Any) -> Any:
    """Decorate a function, with or without arguments of the decorator, by itself."""
    return function if function is not None else lambda decorated: decorated


@cache
def _files(folder: str) -> dict[str, str]:
    """Return the paths of VTK's libraries in a folder by the names of their modules."""
    found = sorted(f for f in os.listdir(folder) if f.endswith((".so", ".pyd")))
    return {f.split(".")[0]: os.path.realpath(os.path.join(folder, f)) for f in reversed(found)}


def _find_library(search: Callable[..., str | None]) -> Callable[..., str | None]:
    """Return VTK's `search` for the library of a module, with a look at the folder's list first."""

    def find(folders: Sequence[str], module: str) -> str | None:
        listed = (_files(str(folder)).get(module) for folder in folders)
        return next(filter(None, listed), None) or search(folders, module)

    return find


@contextmanager
def _listed_libraries() -> Iterator[None]:
    """Let VTK read its folder once inside the block."""
    vtk: Any = import_module("vtkmodules")
    search = getattr(vtk, "find_lib_path", None)
    if search is None:  # another VTK, another way
        yield
        return
    vtk.find_lib_path = _find_library(search)
    try:
        yield
    finally:
        vtk.find_lib_path = search


def import_pyvista() -> Any:
    """Return the module `pyvista` with all that draws imported."""
    if "pyvista.plotting" not in sys.modules:
        canvas, fonts = StandIn(AGG), StandIn(FONTS)
        vars(canvas)["FigureCanvasAgg"] = _make_canvas
        vars(fonts)["parse_fontconfig_pattern"] = _parse_font
        parser = StandIn("pyparsing")
        vars(parser)["__version__"] = "99"  # matplotlib asks whether it is new enough
        drawn = {PYPLOT: StandIn(PYPLOT), AGG: canvas, FONTS: fonts, "pyparsing": parser}
        unwarned = ModuleType(WARNING)
        vars(unwarned)["_deprecate_positional_args"] = _warn_of_nothing
        spared = {"pooch": StandIn("pooch"), "mypy": None, WARNING: unwarned}
        with _listed_libraries(), in_place({**drawn, **spared}):
            import_module("pyvista.plotting")
    return sys.modules["pyvista"]
