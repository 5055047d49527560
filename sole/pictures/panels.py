"""Panels of a sheet: where their letters lie, and the rectangle that is left for the object.

A panel has its title and note in the upper left corner, its legend in the upper right one, and a
colour bar at the right or below. The object fills what is left. Texts are measured, so that none
lies on another in a small window.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sole.pictures.drawing import BARS, INK, THIN, lettering, text_size

if TYPE_CHECKING:
    from pyvista import Plotter, Text

EDGE = 8  # letters of this size are as high as the distance between texts and edges
MOST_LINES = 3  # of a note
BESIDE = 0.45  # least share of a panel's width for a note next to a legend


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing of a sheet: title, drawing function and view (a key of `camera.VIEWS`).

    `place` is its rectangle (left, bottom, right, top) on the sheet without the caption, as
    shares; None gives the panels of a sheet a grid.
    """

    title: str
    draw: Callable[[Plotter], None]
    view: str = "oblique"
    zoom: float = 1.0
    place: tuple[float, float, float, float] | None = None


class Frame(NamedTuple):
    """A rectangle in a panel, as shares of its width and height from the lower left corner."""

    left: float
    bottom: float
    width: float
    height: float


def places_of(panels: Sequence[Panel], columns: int) -> list[tuple[float, float, float, float]]:
    """Return the rectangles of the panels: their own, or those of a grid of so many columns."""
    across = min(columns, len(panels))
    down = -(-len(panels) // across) if panels else 1
    found = []
    for k, panel in enumerate(panels):
        line, column = divmod(k, across)
        cell = (column / across, 1 - (line + 1) / down, (column + 1) / across, 1 - line / down)
        found.append(panel.place if panel.place is not None and len(panels) > 1 else cell)
    return found


def draw_title(plotter: Plotter, title: str) -> None:
    """Write a title in the upper left corner of the active panel."""
    if title:
        plotter.add_text(
            title, position=(0.02, 0.98), viewport=True, font_size=lettering(plotter, 11),
            color=INK, name=f"title-{plotter.renderers.active_index}",
        )  # fmt: skip


def draw_head(plotter: Plotter, text: str) -> float:
    """Write the caption of a sheet in the active panel, the last; return its height as a share."""
    width, height = plotter.window_size
    font = lettering(plotter, 11)
    drawn: Any = plotter.add_text(
        text, position=(0.01, 0.5), viewport=True, font_size=font, color=INK, name="head"
    )
    drawn.input = _wrapped(drawn, text, 0.98 * width)
    pad = 0.9 * font
    _put(drawn, (pad, pad), (width, height), top=False)
    share: float = (text_size(drawn)[1] + 2 * pad) / height
    return min(THIN, share)


def place_texts(plotter: Plotter) -> Frame:
    """Put the texts of the active panel where none lies on another; return what is left."""
    room = _panel_size(plotter)
    edge = lettering(plotter, EDGE)
    texts = _texts(plotter)
    title, note = texts.get("title"), texts.get("note")
    legend = [texts[name] for name in sorted(texts) if name.startswith("legend")]
    wide = max((text_size(text)[0] for text in legend), default=0)
    left = room[0] - 2 * edge
    beside = left - (wide + 3 * edge if legend else 0)
    fits = title is None or text_size(title)[0] <= beside
    if legend and note is not None and beside < BESIDE * left:
        fits = False
    y = room[1] - edge
    if note is not None:
        note.input = _wrapped(note, note.input.replace("\n", " "), beside if fits else left)
    for text in (title, note):
        if text is None:
            continue
        _put(text, (edge, y), room)
        y -= text_size(text)[1] + 0.6 * edge
    down = room[1] - edge if fits else y
    for text in legend:
        _put(text, (room[0] - 2 * edge if fits else edge, down), room, right=fits)
        down -= text_size(text)[1] + 0.6 * edge
    below, beside_bar = _bars(plotter)
    rulers = lettering(plotter, 13) if _has_rulers(plotter) else 0
    x0, x1 = edge + 1.6 * rulers, room[0] - edge - beside_bar - 0.6 * rulers
    y0, y1 = edge + 0.7 * rulers + below, min(y, down) - 0.4 * edge - 0.7 * rulers
    x1, y1 = max(x1, x0 + 0.2 * room[0]), max(y1, y0 + 0.2 * room[1])
    return Frame(x0 / room[0], y0 / room[1], (x1 - x0) / room[0], (y1 - y0) / room[1])


def _texts(plotter: Plotter) -> dict[str, Any]:
    """Return the texts of the active panel by their names without its number."""
    ending = f"-{plotter.renderers.active_index}"
    return {
        name.removesuffix(ending): actor
        for name, actor in plotter.renderer.actors.items()
        if name.endswith(ending) and name.startswith(("title", "note", "legend"))
    }


def _has_rulers(plotter: Plotter) -> bool:
    return any(name.startswith("ruler") for name in plotter.renderer.actors)


def _bars(plotter: Plotter) -> tuple[float, float]:
    """Return the height of a colour bar below and the width of one at the right [pixels]."""
    from vtkmodules.vtkRenderingAnnotation import vtkScalarBarActor

    below = right = 0.0
    for actor in plotter.renderer.actors.values():
        if isinstance(actor, vtkScalarBarActor):
            if actor.GetOrientation():
                right = lettering(plotter, BARS["right"])
            else:
                below = lettering(plotter, BARS["below"])
    return below, right


def _panel_size(plotter: Plotter) -> tuple[float, float]:
    """Return width and height of the active panel [pixels]."""
    x0, y0, x1, y1 = map(float, plotter.renderer.GetViewport())
    across, down = plotter.window_size
    return (x1 - x0) * across, (y1 - y0) * down


def _put(
    text: Text,
    at: tuple[float, float],
    room: tuple[float, float],
    *,
    right: bool = False,
    top: bool = True,
) -> None:
    """Put the upper left corner of a text (upper right if `right`) at a pixel of its panel."""
    prop: Any = text.prop
    prop.justification_vertical = "top" if top else "bottom"
    prop.justification_horizontal = "right" if right else "left"
    text.position = (at[0] / room[0], at[1] / room[1])


def _wrapped(text: Text, words: str, room: float) -> str:
    """Return words in as many lines as they need in a width of `room` [pixels], `MOST_LINES`."""
    if "\n" in words:
        return "\n".join(_wrapped(text, part, room) for part in words.split("\n"))
    lines = [words]
    while len(lines) < MOST_LINES and text_size(text, "\n".join(lines))[0] > room:
        more = textwrap.wrap(words, math.ceil(len(words) / (len(lines) + 1)) + 4)
        if len(more) == len(lines):
            break
        lines = more
    return "\n".join(lines)
