"""The caption of a choice's maps: it explains the marks that are drawn, and no others."""

from __future__ import annotations

import numpy as np

from sole.studies.choice.maps import drawn_axes, draws_materials
from sole.studies.choice.recommended_row import Choice


def caption_maps(choice: Choice) -> str:
    """Return the sentences below the maps of `draw_maps`."""
    cases, axes = choice.cases, drawn_axes(choice)
    over, samples = len(axes) == 2, not cases.shape
    said = []
    if not choice.feasible.mask.all():
        crosses = "Grey crosses" if over else "Crosses"
        said.append(f"{crosses if samples or not over else 'Hatched'}: infeasible.")
    values = [cases.metrics[g.metric].values for g in choice.goals]
    if over and any(np.isnan(v).any() for v in values):
        said.append("Red crosses: failed.")
    if choice.row is not None:
        said.append("Star: recommended.")
    drawn = draws_materials(choice, axes)
    if choice.places and drawn:
        said.append(
            "Numbered bars: ranges of real materials, on the edge if their nu lies beyond it."
            if over
            else "Numbers: real materials, at the row that stands for each."
        )
    elif choice.materials and not drawn:
        said.append("Real materials are not drawn: these axes are not E and nu of one layer.")
    said.append(
        "Dots: computed values."
        if samples or not over
        else "Dots: computed values; colours between them are interpolated."
    )
    return " ".join(said)
