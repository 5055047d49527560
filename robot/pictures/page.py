"""A page of runs side by side at one time: captions, robots, treads, colour bar, plots.

One `Stage` per run draws robot and treads, with the same camera, length scale and colour scale for
all; matplotlib draws text and plots. Static text and plots are drawn once, and moving parts over
them; no frame is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from robot.pictures.differences import differences, draw_difference, draw_key
from robot.pictures.film import Frame
from robot.pictures.nodal import ABOVE, SoleField, end_of_colours
from robot.pictures.stage import FORCE, Stage, StagePanel, robot_height
from robot.pictures.together import Side, span_of
from sole.pictures import INK

if TYPE_CHECKING:
    from matplotlib.text import Text

DOTS, USUAL = 100, 10.5  # dots per inch; font size [points]
TALL, WIDE = 860, (640, 480)  # pixels: default height, width of two panels and of more
PLOTS = 2  # number of plots of differences under the robots
RED = "#c00000"
HELD = 0.4  # share of white over a run that has ended
GREY = "#707070"


class Bands(NamedTuple):
    """Heights [pixels] from the top of the page down."""

    head: int
    captions: int
    robots: int
    treads: int
    bar: int
    key: int
    plots: int

    def top(self, band: str) -> int:
        """Return the distance of a band's upper edge from the top of the page."""
        return sum(self[: self._fields.index(band)])


def bands_of(height: int, *, treads: bool) -> Bands:
    """Return the heights of the bands; without treads the robots take their space."""
    head, captions, bar, key = (round(s * height) for s in (0.045, 0.07, 0.075, 0.035))
    plots, below = round(0.225 * height), round(0.17 * height)
    if not treads:
        bar = below = 0
    robots = height - (head + captions + below + bar + key + plots)
    return Bands(head, captions, robots, below, bar, key, plots)


def usual_size(runs: int) -> tuple[int, int]:
    """Return the size [pixels] of a page with so many runs."""
    return WIDE[runs > 2] * runs, TALL


class Page:
    """A page that draws frames (height, width, 3) at times of the common clock.

    Parameters
    ----------
    sides : two to four runs. size : width and height [pixels]. field : key of the field that
        colours the soles, in `robot.pictures.nodal.FIELDS`.
    """

    def __init__(
        self, sides: Sequence[Side], size: tuple[int, int] | None = None, field: str = "pressure"
    ) -> None:
        self.sides = sides
        count = len(sides)
        self.width, self.height = size or usual_size(count)
        self.panel = self.width // count
        runs = [side.run for side in sides]
        end = end_of_colours(runs, field)
        self.fields = [SoleField(run, field, end) for run in runs]
        self.treads = any(run.frames for run in runs)
        self.bands = bands_of(self.height, treads=self.treads)
        share = min(1.0, self.height / TALL, self.panel / 560)
        self.font = max(3.5, USUAL * share)
        self._draw_what_stays()
        below = self.bands.treads if self.treads else 0
        self.stages = []
        for run, drawn in zip(runs, self.fields, strict=True):
            tall = self.bands.robots + (below if run.frames else 0)
            look = StagePanel(
                field=drawn,
                tall=max(robot_height(r) for r in runs),
                share=below / tall,
                font=max(4, round(0.62 * self.font)),
            )
            self.stages.append(Stage(run, size=(self.panel, tall), panel=look))
        self._last: dict[int, Frame] = {}

    def close(self) -> None:
        """Close the plotters and the figure."""
        for stage in self.stages:
            stage.plotter.close()

    def frame(self, time: float) -> Frame:
        """Return the page at a `time` [s]."""
        canvas: Any = self.figure.canvas
        canvas.restore_region(self._background)
        self.clock.set_text(f"t = {time:.2f} s")
        for side, state in zip(self.sides, self.states, strict=True):
            state.set_text(side.state(time))
            fit(state, 0.5 * self.panel, self.font)
        for line in self.lines:
            line.set_xdata([time, time])
        for artist in (self.clock, *self.states, *self.lines):
            self.figure.draw_artist(artist)
        page = np.array(canvas.buffer_rgba())[..., :3]
        top = self.bands.top("robots")
        for k in range(len(self.sides)):
            picture = self._picture(k, time)
            tall, left = len(picture), k * self.panel
            page[top : top + tall, left : left + self.panel] = picture
        for k in range(1, len(self.sides)):  # a thin line between panels
            page[self.bands.head : self.bands.top("bar"), k * self.panel] = 200
        return page

    def _picture(self, k: int, time: float) -> Frame:
        """Return robot and treads of a side; a run that has ended is drawn once, and paler."""
        side, stage = self.sides[k], self.stages[k]
        if side.held(time) and k in self._last:
            return self._last[k]
        stage.show(side.row(time))
        plotter: Any = stage.plotter
        plotter.render()
        picture = np.asarray(plotter.screenshot(return_img=True))[..., :3]
        if side.held(time):
            paler = (1 - HELD) * picture + 255 * HELD
            picture = self._last[k] = paler.astype(np.uint8)
        return picture

    def _draw_what_stays(self) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.figure = Figure(figsize=(self.width / DOTS, self.height / DOTS), dpi=DOTS)
        canvas: Any = FigureCanvasAgg(self.figure)
        self._words()
        if self.treads:
            self._bar()
        self._plots()
        canvas.draw()
        self._background = canvas.copy_from_bbox(self.figure.bbox)

    def _say(self, x: float, y: float, text: str, size: float = 1.0, **options: Any) -> Text:
        """Write at pixels from the upper left corner of the page, `size` times the usual font."""
        style: dict[str, Any] = {"color": INK, "va": "center", "fontsize": size * self.font}
        return self.figure.text(x / self.width, 1 - y / self.height, text, **style | options)

    def _words(self) -> None:
        bands, pad = self.bands, 0.02 * self.panel
        middle = bands.head / 2
        said = "same clock, camera, length scale and colour scale"
        said += f"; blue: ground force, {FORCE:g} m = weight"
        fit(self._say(pad, middle, said, color=GREY), 0.8 * self.width, self.font)
        self.clock = self._say(
            self.width - pad, middle, "t = 0.00 s", 1.25, ha="right", weight="bold", animated=True
        )
        self.states = []
        for k, side in enumerate(self.sides):
            left, top = k * self.panel + pad, bands.head
            title = self._say(
                left, top + 0.3 * bands.captions, side.title, 1.2, color=side.color, weight="bold"
            )
            fit(title, self.panel - 2 * pad, 1.2 * self.font)
            under = self._say(left, top + 0.75 * bands.captions, side.subtitle)
            fit(under, 0.46 * self.panel, self.font)
            state = self._say(
                left + self.panel - 2 * pad, top + 0.75 * bands.captions, "", color=RED,
                weight="bold", ha="right", animated=True,
            )  # fmt: skip
            self.states.append(state)
            if self.treads and not side.run.frames:
                self._say(
                    left, bands.top("treads") + bands.treads / 2,
                    "no nodal snapshots (sole walk --forces-every)", color=GREY,
                )  # fmt: skip

    def _bar(self) -> None:
        from matplotlib import colormaps
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        drawn, bands = self.fields[0], self.bands
        top = bands.top("bar")
        tall = 0.2 * bands.bar
        axes = self.figure.add_axes(
            (0.3, 1 - (top + 0.45 * bands.bar + tall) / self.height, 0.4, tall / self.height)
        )
        colors = colormaps[drawn.field.colors].with_extremes(over=ABOVE)
        scale = ScalarMappable(Normalize(0.0, drawn.most), colors)
        self.bar = self.figure.colorbar(scale, cax=axes, orientation="horizontal", extend="max")
        self.bar.set_ticks(list(np.linspace(0.0, drawn.most, 5)))
        self.bar.ax.tick_params(labelsize=0.85 * self.font, length=2, pad=2)
        label = "\n".join(filter(None, (drawn.label, drawn.remark)))
        self._say(0.29 * self.width, top + 0.55 * bands.bar, label, ha="right", va="center")
        above = max(self.fields, key=lambda f: f.largest).above
        self.above = self._say(0.71 * self.width, top + 0.55 * bands.bar, above, color=ABOVE)
        fit(self.above, 0.28 * self.width, self.font)

    def _plots(self) -> None:
        bands, top = self.bands, self.bands.top("plots")
        room, foot = 5.5 * self.font + 10, 3 * self.font + 10  # pixels for numbers and labels
        draw_key(self.figure, self.sides, (0.5, 1 - bands.top("key") / self.height), self.font)
        self.lines = []
        chosen = differences([side.run for side in self.sides])[:PLOTS]
        for k, what in enumerate(chosen):
            across = self.width / PLOTS
            axes = self.figure.add_axes(
                (
                    (k * across + room) / self.width,
                    foot / self.height,
                    (across - room - 1.5 * self.font) / self.width,
                    (self.height - top - foot - 4) / self.height,
                )
            )
            draw_difference(axes, self.sides, what, self.font / USUAL)
            small = 0.85 * self.font
            axes.tick_params(labelsize=small, length=2, pad=2)
            axes.xaxis.label.set_fontsize(small)
            axes.yaxis.label.set_fontsize(small)
            axes.xaxis.labelpad = axes.yaxis.labelpad = 2
            start = span_of(self.sides)[0]
            self.lines.append(axes.axvline(start, color=INK, lw=1.2, animated=True))


def fit(text: Text, width: float, font: float) -> None:
    """Shrink the font below `font` [points] until the text is at most `width` pixels wide."""
    text.set_fontsize(font)
    wide = text.get_window_extent().width
    if wide > width:
        text.set_fontsize(font * width / wide)
