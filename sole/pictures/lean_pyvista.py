"""PyVista without what it imports and these pictures never use.

PyVista imports matplotlib's pyplot and its Agg canvas for one kind of chart, pooch to fetch
examples, and the parser of mypy where that is installed. matplotlib, which it needs for colours,
imports pyparsing for names of fonts. Together that is two fifths of its import. Only PyVista sees
their stand-ins.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from sole.base.stand_in import StandIn, in_place

__all__ = ["import_pyvista"]

PYPLOT, AGG = "matplotlib.pyplot", "matplotlib.backends.backend_agg"
FONTS = "matplotlib._fontconfig_pattern"


def _make_canvas(*arguments: Any, **options: Any) -> Any:
    """Return matplotlib's canvas, imported now."""
    return import_module(AGG).FigureCanvasAgg(*arguments, **options)


def _parse_font(pattern: str) -> Any:
    """Check the name of a font as matplotlib does, but not its own while it is imported."""
    if type(sys.modules.get(FONTS)) is StandIn:
        return {}
    return import_module(FONTS).parse_fontconfig_pattern(pattern)


def import_pyvista() -> Any:
    """Return the module `pyvista` with all that draws imported."""
    if "pyvista.plotting" not in sys.modules:
        canvas, fonts = StandIn(AGG), StandIn(FONTS)
        vars(canvas)["FigureCanvasAgg"] = _make_canvas
        vars(fonts)["parse_fontconfig_pattern"] = _parse_font
        parser = StandIn("pyparsing")
        vars(parser)["__version__"] = "99"  # matplotlib asks whether it is new enough
        drawn = {PYPLOT: StandIn(PYPLOT), AGG: canvas, FONTS: fonts, "pyparsing": parser}
        with in_place({**drawn, "pooch": StandIn("pooch"), "mypy": None}):
            import_module("pyvista.plotting")
    return sys.modules["pyvista"]
