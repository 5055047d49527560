"""Figures 11 to 14 of the penalty paper, with its axes: heights of and forces on the vertices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from robot.measures import VERTICES
from robot.papers.experiments.vertex_walk import VertexRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["FIRST_STANCE", "draw_forces", "draw_heights", "draw_swings"]

FIRST_STANCE = (1.2, 1.6)  # s: axis of figures 12 to 14, the right foot after its first impact
LEFT, RIGHT = 0, 1
# Where a panel stands in the paper: v1 and v2 above, v3 and v4 below.
PANELS = [f"{name[0].upper()}{name[1:]}" for name in VERTICES]
STYLES: dict[str, dict[str, Any]] = {
    "penalty": {"color": "k", "lw": 0.7},
    "rigid": {"color": "C0", "lw": 1.2},
    "soft": {"color": "C3", "lw": 1.2},
}


def draw_swings(record: VertexRecord) -> Figure:
    """Figure 11: heights of all vertices, the right foot solid, the left one dotted."""
    figure, panels = _panels()
    for k, axes in enumerate(panels):
        axes.plot(record.times, record.heights[:, RIGHT, k], "k-", lw=0.9, label="right foot")
        axes.plot(record.times, record.heights[:, LEFT, k], "k:", lw=0.9, label="left foot")
        axes.set(xlim=(0, 2), ylim=(0, 0.1), ylabel="height [m]")
        axes.set_title(f"Vertices v{k + 1}, v{k + 5} ({PANELS[k]})", fontsize="medium")
    panels[0].legend(fontsize="small", loc="upper left")
    return figure


def draw_heights(records: Sequence[VertexRecord]) -> Figure:
    """Figure 12: heights around zero, right foot after its first impact."""
    figure, panels = _panels()
    for k, axes in enumerate(panels):
        for record in records:
            height = 1e3 * record.heights[:, RIGHT, k]
            axes.plot(record.times, height, label=_label(record), **_style(record))
        axes.set(xlim=FIRST_STANCE, ylim=(-0.2, 0.2), ylabel="height [mm]")
        axes.set_title(f"Vertex v{k + 1} ({PANELS[k]})", fontsize="medium")
    panels[0].legend(fontsize="x-small", loc="upper left")
    return figure


def draw_forces(records: Sequence[VertexRecord]) -> Figure:
    """Figures 13 and 14: vertical forces on the vertices in the same time."""
    figure, panels = _panels()
    for k, axes in enumerate(panels):
        for record in records:
            force = record.forces[:, RIGHT, k]
            axes.plot(record.times, force, label=_label(record), **_style(record))
        axes.set(xlim=FIRST_STANCE, ylim=(0, 500), ylabel="normal force [N]")
        axes.set_title(f"Vertex v{k + 1} ({PANELS[k]})", fontsize="medium")
    panels[0].legend(fontsize="x-small", loc="upper left")
    return figure


def _panels() -> tuple[Figure, list[Axes]]:
    """Return a figure of four panels with time below, v1, v2 above and v3, v4 below."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    panels = list(np.ravel(figure.subplots(2, 2, sharex=True)))
    for axes in panels[2:]:
        axes.set_xlabel("time [s]")
    return figure, panels


def _label(record: VertexRecord) -> str:
    return record.case.label


def _style(record: VertexRecord) -> dict[str, Any]:
    return STYLES[record.case.contact]
