"""The box around what a page shows: in millimetres, with arrows along its axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pyvista import Plotter

AXES = (("x", "#c03028"), ("y", "#2f8f4e"), ("z", "#2c62b0"))


def draw_box_in_millimetres(plotter: Plotter) -> str:
    """Scale all that is drawn [m] to mm, add its box and three arrows; return a note on them.

    A viewer that turns the scene needs no rulers, whose letters would run into each other: the
    note gives the sides of the box.
    """
    import pyvista

    for actor in list(plotter.renderer.actors.values()):
        mapper = getattr(actor, "mapper", None)
        if not isinstance(actor, pyvista.Actor) or mapper is None or mapper.dataset is None:
            continue
        scaled: Any = mapper.dataset.copy(deep=False)
        scaled.points = 1e3 * np.asarray(scaled.points, dtype=float)
        mapper.dataset = scaled
    low, high = np.asarray(plotter.renderer.ComputeVisiblePropBounds()).reshape(3, 2).T
    length = round_length(0.15 * float((high - low).max()))
    plotter.add_mesh(pyvista.Box(np.column_stack([low, high]).ravel()), style="wireframe",
                     color="#a0a0a0", line_width=1.0, lighting=False)  # fmt: skip
    for k, (_, color) in enumerate(AXES):
        arrow = pyvista.Arrow(start=low, direction=np.eye(3)[k], scale=length, tip_radius=0.06,
                              shaft_radius=0.02)  # fmt: skip
        plotter.add_mesh(arrow, color=color, lighting=False)
    sides = " x ".join(f"{side:.3g}" for side in high - low)
    return f"box {sides} mm; arrows of {length:g} mm: x red (forward), y green (left), z blue (up)"


def round_length(longest: float) -> float:
    """Return the largest of 1, 2, 5 times a power of ten up to `longest` [mm]."""
    power = 10.0 ** np.floor(np.log10(max(longest, 1e-6)))
    return float(next(m * power for m in (5, 2, 1) if m * power <= longest * (1 + 1e-9)))
