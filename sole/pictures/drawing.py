"""Parts that all pictures share: units on scalar bars, legends, arrows, markers.

Datasets hold SI units; these functions draw copies in readable units (kPa, mm, ...) instead of
2.35e+05.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sole.base.errors import SoleError
from sole.base.near_names import did_you_mean
from sole.pictures.camera import VIEWS

if TYPE_CHECKING:
    from pyvista import DataSet, Plotter, Text

LAYER_COLORS = ("#4878a8", "#e1a03c", "#7d2f4f", "#b9d8c9", "#857aab", "#8d7866", "#d28cc0")
INK = "#202020"
MARK = "#0090d8"
PANEL, SMALLEST = (800, 530), 4  # panel [pixels] that fonts are chosen for; least size of a font
THIN = 0.2  # height of a panel, as a share, up to which it is the caption of a sheet
SCREEN_DPI = 72  # of VTK's windows
BARS = {"below": 82, "right": 96}  # height or width of a colour bar, with letters as in a `PANEL`
_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))


@dataclass(frozen=True, slots=True)
class Field:
    """How to draw one array: its label, SI unit and colours; `zero`: the bar starts at 0."""

    label: str
    unit: str
    colors: str = "viridis"
    zero: bool = True


def units_of(fields: Mapping[str, Field]) -> dict[str, str]:
    """Return name -> unit of the fields that have one."""
    return {name: field.unit for name, field in fields.items() if field.unit}


def display_unit(largest: float, unit: str) -> tuple[float, str]:
    """Return (factor, text): values in `unit` times `factor` are in the unit `text`.

    The prefix puts `largest` between 1 and 1000; a unit without a symbol that takes a prefix
    (such as "1" or "") stays as it is.
    """
    if unit in ("", "1", "deg") or not (math.isfinite(largest) and largest > 0):
        return 1.0, unit
    for size, prefix in _PREFIXES:
        if largest >= 0.9995 * size:
            return 1 / size, prefix + unit
    return 1e9, "n" + unit


def lettering(plotter: Plotter, size: int) -> int:
    """Return the font size of letters that have `size` in a `PANEL`; one size for a whole sheet.

    Letters shrink and grow with the sheet, so that they neither collide nor get lost.
    """
    boxes = [tuple(map(float, r.GetViewport())) for r in plotter.renderers]
    panels = [box for box in boxes if box[3] - box[1] > THIN] or boxes
    columns = len({round(box[0], 6) for box in panels})
    lines = -(-len(panels) // columns)
    across, down = plotter.window_size
    share: float = min(across / columns / PANEL[0], down / lines / PANEL[1])
    return max(SMALLEST, round(size * share))


def round_scale(low: float, high: float) -> tuple[float, float, int]:
    """Return (low, high, intervals): a scale around two values that has round ticks.

    The intervals are 1, 2, 2.5 or 5 times a power of ten, four to six of them (seven if the scale
    begins and ends between ticks). Of these scales it is the shortest.
    """
    if not high > low:
        high = low + 1.0
    power = float(10.0 ** math.floor(math.log10((high - low) / 6)))
    scales = []
    for step in (power, 2 * power, 2.5 * power, 5 * power, 10 * power):
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if 4 <= last - first <= 7:
            scales.append(((last - first) * step, last - first, first * step, last * step))
    _, intervals, start, end = min(scales)
    return start, end, intervals


def millimetres(length: float) -> str:
    """Return a length [m] as a text in mm, to a hundredth."""
    return f"{round(1e3 * length, 2) + 0.0:g} mm"


def enlarged(factor: float) -> str:
    """Return a note on how much a drawing exaggerates displacements."""
    return f"deformation {factor:g} times larger" if factor != 1 else "true to scale"


def choose_field(dataset: DataSet, fields: dict[str, Field], name: str) -> Field:
    """Return how to draw the array `name`; raise SoleError with the known names otherwise."""
    if name not in fields or name not in dataset.array_names:
        known = [n for n in fields if n in dataset.array_names]
        raise SoleError(
            f"there is no field '{name}' here; the fields are {', '.join(known)}"
            f"{did_you_mean(name, known)}"
        )
    return fields[name]


def draw_field(
    plotter: Plotter,
    dataset: DataSet,
    name: str,
    field: Field,
    *,
    edges: bool = False,
    flat: bool = False,
    limits: tuple[float, float] | None = None,
    bar: str = "right",
) -> None:
    """Draw `dataset` coloured by its array `name`, with a colour bar that shows the unit.

    The `bar` lies "right" of the object or "below" it; "" draws none, where another panel has it.
    `flat` draws without lighting, so that colours match the bar exactly. `limits` are in SI
    units; by default the range of the data, from zero if the field says so.
    """
    values = np.asarray(dataset[name], dtype=float)
    if values.ndim == 2:
        values = np.linalg.norm(values, axis=1)
    finite = values[np.isfinite(values)]
    if limits is None:
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        limits = (min(low, 0.0) if field.zero else low, high)
    factor, unit = display_unit(max(map(abs, limits)), field.unit)
    low, high, intervals = round_scale(limits[0] * factor, limits[1] * factor)
    words = field.label if bar == "below" else ""
    title = f"{words} [{unit}]".strip() if unit else words
    # PyVista identifies bars by their titles: trailing blanks make those unique.
    title += " " * (1 + plotter.renderers.active_index)
    copy = dataset.copy()
    copy.clear_data()
    home = copy.point_data if len(values) == copy.n_points else copy.cell_data
    home[title] = values * factor
    colors: Any = field.colors  # any name that matplotlib or colorcet knows
    plotter.add_mesh(
        copy,
        scalars=title,
        cmap=colors,
        clim=(low, high),
        lighting=not flat,
        ambient=0.65,
        diffuse=0.4,
        show_edges=edges,
        edge_color="#606060",
        line_width=0.5,
        nan_color="#d8d8d8",
        show_scalar_bar=bool(bar),
        scalar_bar_args={
            "title": f"{title}\n",  # the blank line keeps the title off the labels
            "title_font_size": lettering(plotter, 16),
            "label_font_size": lettering(plotter, 15),
            "n_labels": intervals + 1,
            "fmt": "{:.4g}",
            "color": INK,
            **_bar_place(plotter, bar),
        },
    )


def _bar_place(plotter: Plotter, bar: str) -> dict[str, Any]:
    """Return where a colour bar lies in the active panel, in shares of it."""
    x0, y0, x1, y1 = map(float, plotter.renderer.GetViewport())
    across, down = (x1 - x0) * plotter.window_size[0], (y1 - y0) * plotter.window_size[1]
    if bar == "below":
        thick = lettering(plotter, 53) / down
        return {"vertical": False, "position_x": 0.2, "position_y": 0.015, "width": 0.6,
                "height": min(thick, 0.3)}  # fmt: skip
    wide = min(lettering(plotter, 88) / across, 0.3)
    return {"vertical": True, "position_x": 1 - wide, "position_y": 0.1, "width": wide,
            "height": 0.62}  # fmt: skip


def draw_layers(plotter: Plotter, dataset: DataSet, layers: Sequence[str]) -> None:
    """Draw every layer in its colour (cell array "layer"); `layers` are the legend's texts."""
    index = np.asarray(dataset.cell_data["layer"])
    legend = []
    for k, layer in enumerate(layers):
        color = LAYER_COLORS[k % len(LAYER_COLORS)]
        plotter.add_mesh(
            dataset.extract_cells(index == k),
            color=color,
            ambient=0.4,
            diffuse=0.65,
            show_edges=True,
            edge_color="#505050",
            line_width=0.5,
        )
        legend.append((layer, color))
    draw_legend(plotter, legend)


def draw_legend(plotter: Plotter, entries: Sequence[tuple[str, str]]) -> None:
    """Draw rows of text, each in the colour that it explains, in the upper right corner."""
    for k, (text, color) in enumerate(entries):
        actor = plotter.add_text(
            text,
            position=(0.98, 0.94 - 0.05 * k),
            viewport=True,
            font_size=lettering(plotter, 10),
            color=color,
            name=f"legend{k}-{plotter.renderers.active_index}",
        )
        actor.prop.justification_horizontal = "right"


def draw_note(plotter: Plotter, text: str) -> None:
    """Write a note under the panel's title; the sheet breaks it into lines."""
    actor = plotter.add_text(
        text,
        position=(0.02, 0.925),
        viewport=True,
        font_size=lettering(plotter, 9),
        color=INK,
        name=f"note-{plotter.renderers.active_index}",
    )
    actor.prop.justification_vertical = "top"


def text_size(actor: Text, text: str | None = None) -> tuple[int, int]:
    """Return width and height [pixels] of a text, by default its own, in an actor's letters."""
    from vtkmodules.vtkRenderingCore import vtkTextRenderer

    ends = [0, 0, 0, 0]  # left, right, below, above
    words = actor.input if text is None else text
    vtkTextRenderer.GetInstance().GetBoundingBox(actor.prop, words, ends, SCREEN_DPI)
    return ends[1] - ends[0], ends[3] - ends[2]


def draw_outline(plotter: Plotter, dataset: DataSet, color: str = INK, width: float = 1.5) -> None:
    """Draw the sharp edges of a dataset's surface."""
    surface = dataset.extract_surface(algorithm=None)
    plotter.add_mesh(
        surface.extract_feature_edges(feature_angle=40.0), color=color, line_width=width
    )


def draw_arrows(
    plotter: Plotter, tips: ArrayLike, vectors: ArrayLike, longest: float, color: str = "#c03028"
) -> None:
    """Draw `vectors` (m, 3) as arrows that end at `tips` (m, 3), the longest `longest` [m]."""
    import pyvista

    tips, vectors = np.asarray(tips, dtype=float), np.asarray(vectors, dtype=float)
    norm = np.linalg.norm(vectors, axis=1)
    seen = norm > 1e-3 * norm.max(initial=0.0)
    if not seen.any():
        return
    arrows = vectors[seen] * (longest / norm.max())
    cloud = pyvista.PolyData(tips[seen] - arrows)
    cloud["arrow"] = arrows
    glyphs = cloud.glyph(
        orient="arrow",
        scale="arrow",
        geom=pyvista.Arrow(tip_length=0.25, tip_radius=0.09, shaft_radius=0.03),
    )
    plotter.add_mesh(glyphs, color=color, show_scalar_bar=False)


def draw_marker(
    plotter: Plotter, point: ArrayLike, radius: float, view: str, color: str = MARK
) -> None:
    """Draw a ringed cross of `radius` [m] at `point`, facing the camera of `view`."""
    import pyvista

    towards, up = (np.asarray(v) for v in VIEWS[view])
    point = np.asarray(point, dtype=float) - radius * towards  # in front of what it marks
    ring = pyvista.Disc(center=point, inner=0.75 * radius, outer=radius, normal=-towards, c_res=48)
    plotter.add_mesh(ring, color=color, lighting=False)
    for direction in (np.cross(towards, up), up):
        line = pyvista.Line(point - 1.6 * radius * direction, point + 1.6 * radius * direction)
        plotter.add_mesh(line, color=color, line_width=3, lighting=False)


def round_factor(wanted: float) -> float:
    """Return the largest of 1, 2, 5 times a power of ten up to `wanted`, at least 1."""
    if not 1 < wanted < math.inf:
        return 1.0
    power = float(10.0 ** math.floor(math.log10(wanted)))
    return next(m * power for m in (5.0, 2.0, 1.0) if m * power <= wanted * (1 + 1e-9))
