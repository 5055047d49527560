"""PyVista without what it imports and these pictures never use.

PyVista imports matplotlib's pyplot and its Agg canvas for one kind of chart, and the parser of mypy
where that is installed: together a third of its import. Only PyVista sees their stand-ins.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from sole.base.stand_in import StandIn, in_place

__all__ = ["import_pyvista"]

PYPLOT, AGG = "matplotlib.pyplot", "matplotlib.backends.backend_agg"


def _make_canvas(*arguments: Any, **options: Any) -> Any:
    """Return matplotlib's canvas, imported now."""
    return import_module(AGG).FigureCanvasAgg(*arguments, **options)


def import_pyvista() -> Any:
    """Return the module `pyvista` with all that draws imported."""
    if "pyvista.plotting" not in sys.modules:
        canvas = StandIn(AGG)
        vars(canvas)["FigureCanvasAgg"] = _make_canvas
        with in_place({PYPLOT: StandIn(PYPLOT), AGG: canvas, "mypy": None}):
            import_module("pyvista.plotting")
    return sys.modules["pyvista"]
