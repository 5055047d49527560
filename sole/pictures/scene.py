"""Scenes: the result of a viewer, written to a picture file or shown in a window.

A viewer builds a `PyVistaScene` (panels that draw on a plotter, and the dataset behind them)
or a `FigureScene` (a matplotlib figure). Nothing is rendered before `write` or `show`, so
datasets can be inspected, tested and saved without rendering. Rendering to a file goes through
EGL and needs no display; the same scene gives the same picture.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sole.base.archive import replacing
from sole.base.errors import SoleError
from sole.pictures.camera import come_closer, look
from sole.pictures.display import fit_screen, off_screen_rendering, require_display
from sole.pictures.drawing import THIN
from sole.pictures.page_box import draw_box_in_millimetres
from sole.pictures.panels import Panel, draw_head, draw_title, place_texts, places_of
from sole.pictures.png import encode_png
from sole.pictures.vector_export import write_vectors
from sole.pictures.vtu_export import encode_vtu
from sole.pictures.webpage import standalone_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pyvista import Plotter, UnstructuredGrid


DPI = 150  # dots per inch of the usual size of pictures


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewOptions:
    """The user's options for a viewer.

    Parameters
    ----------
    field : draw only this field, in one panel; "" draws the viewer's default sheet.
    exaggeration : factor on displacements, > 0; None lets the viewer choose a round one.
    size : width and height of a picture [pixels]; None fits the number of panels.
    dpi : dots per inch instead of `DPI`: a picture of the usual size in inches, finer or coarser.
    time : instant to draw of a file with time [s]. film : film of all instants to write,
        `fps` frames per second.
    beside : files of the same kind to draw beside it. quiet : no progress bar.

    Raises
    ------
    SoleError
        A non-positive factor, or a size or frame rate out of range.
    """

    field: str = ""
    exaggeration: float | None = None
    size: tuple[int, int] | None = None
    dpi: int | None = None
    time: float | None = None
    film: bool = False
    fps: int = 25
    beside: tuple[Path, ...] = ()
    quiet: bool = False

    def __post_init__(self) -> None:
        if self.exaggeration is not None and not 0 < self.exaggeration < float("inf"):
            raise SoleError(f"the exaggeration must be positive, got {self.exaggeration:g}")
        if not 1 <= self.fps <= 100:
            raise SoleError(f"a film has 1 to 100 frames per second, got {self.fps}")
        if self.size is not None and not 64 <= min(self.size) <= max(self.size) <= 16384:
            raise SoleError(f"a picture has 64 to 16384 pixels a side, got {self.size}")
        if self.dpi is not None and not 30 <= self.dpi <= 1200:
            raise SoleError(f"a picture has 30 to 1200 dots per inch, got {self.dpi}")
        if self.dpi is not None and self.size is not None:
            raise SoleError("give the size in pixels or the dots per inch, not both")

    def pixels(self, usual: tuple[int, int]) -> tuple[int, int]:
        """Return the size [pixels] of a picture that has a `usual` size."""
        share = (self.dpi or DPI) / DPI
        return self.size or (round(share * usual[0]), round(share * usual[1]))


class Scene(Protocol):
    """Something that can be written to a file or shown in a window."""

    def write(self, output: Path) -> None:
        """Write to `output`, atomically; the suffix chooses the format."""

    def show(self) -> None:
        """Open a window and wait until it is closed."""


@dataclass(frozen=True, eq=False)
class PyVistaScene:
    """Panels on a sheet, and their dataset.

    PNG, PDF, SVG and windows show all panels; stand-alone HTML shows the panel `turning`, or the
    one of that number, which the mouse rotates, in millimetres. Both have the `caption`. VTU and
    VTP hold the dataset with every field, in SI `units` by name. `usual` is the size of a sheet
    [pixels] at `DPI` without a `size`; `dpi` scales it, and is that of a PDF or SVG. `series`
    writes the states that led to the dataset, as a .pvd with its folder.
    """

    panels: tuple[Panel, ...]
    dataset: UnstructuredGrid
    title: str = ""
    caption: str = ""
    columns: int = 2
    usual: tuple[int, int] | None = None
    size: tuple[int, int] | None = None
    turning: int | Panel = 0
    dpi: int = DPI
    units: Mapping[str, str] = field(default_factory=dict)
    series: Callable[[Path], int] | None = None

    def plotter(self, *, off_screen: bool = True, only: Panel | None = None) -> Plotter:
        """Return a plotter with all panels drawn, or `only` one, without the caption."""
        import pyvista

        chosen = self.panels if only is None else (only,)
        columns = min(self.columns, len(chosen))
        usual = _usual_size(-(-len(chosen) // columns), columns)
        if self.usual is not None and only is None:
            usual = self.usual
        size = self.size or tuple(round(n * self.dpi / DPI) for n in usual)
        head = self.caption if only is None else ""
        plotter = pyvista.Plotter(
            shape=(1, len(chosen) + bool(head)),
            off_screen=off_screen,
            window_size=list(size if off_screen else fit_screen(*size)),
            border=False,
            title=self.title or "sole",
        )
        plotter.background_color = pyvista.Color("white")
        places, below = places_of(chosen, columns), 1.0
        for _ in range(1 + bool(head)):  # the letters of the caption suit the panels
            for renderer, (x0, y0, x1, y1) in zip(plotter.renderers, places, strict=False):
                renderer.SetViewport(x0, below * y0, x1, below * y1)
            if head and below == 1.0:
                plotter.subplot(0, len(chosen))
                plotter.renderer.SetViewport(0.0, 1 - THIN, 1.0, 1.0)
                below -= draw_head(plotter, head)
                plotter.renderer.SetViewport(0.0, below, 1.0, 1.0)
        for k, panel in enumerate(chosen):
            plotter.subplot(0, k)
            draw_title(plotter, panel.title)
            panel.draw(plotter)
            look(plotter, panel.view, panel.zoom, place_texts(plotter))
        return plotter

    def write(self, output: Path) -> None:
        """Write PNG, PDF, SVG, stand-alone HTML, VTU, VTP or PVD, by suffix."""
        output = Path(output)
        known = (".png", ".pdf", ".svg", ".html", ".vtu", ".vtp")
        suffix = checked_suffix(output, known if self.series is None else (*known, ".pvd"))
        if self.series is not None and suffix == ".pvd":
            self.series(output)
            return
        with replacing(output) as temporary:
            if suffix == ".vtu":
                temporary.write_bytes(encode_vtu(self.dataset, self.units))
            elif suffix == ".vtp":
                surface = self.dataset.extract_surface(algorithm=None)
                temporary.write_bytes(encode_vtu(surface, self.units))
            elif suffix == ".png":
                self._write_png(temporary)
            elif suffix in (".pdf", ".svg"):
                self._write_vectors(temporary, suffix)
            else:
                self._write_html(temporary)

    def _write_png(self, path: Path) -> None:
        with off_screen_rendering():
            plotter: Any = self.plotter()
            try:
                path.write_bytes(encode_png(plotter.screenshot(None, return_img=True)))
            finally:
                plotter.close()

    def _write_vectors(self, path: Path, suffix: str) -> None:
        with off_screen_rendering():
            plotter: Any = self.plotter()
            try:
                plotter.render()
                write_vectors(plotter.render_window, path, suffix, self.title, self.dpi)
            finally:
                plotter.close()

    def _write_html(self, path: Path) -> None:
        with off_screen_rendering():
            panel = self.panels[self.turning] if isinstance(self.turning, int) else self.turning
            plotter = self.plotter(only=panel)
            try:
                # Rulers lie in the picture plane; a rotating page needs a box.
                for name in [n for n in plotter.renderer.actors if n.startswith("ruler")]:
                    plotter.remove_actor(name)
                note = draw_box_in_millimetres(plotter)
                look(plotter, panel.view)
                come_closer(plotter)
                page = standalone_page(plotter, self.title, note, self.caption)
            finally:
                plotter.close()
        path.write_text(page, encoding="utf-8")

    def show(self) -> None:
        """Open a window with all panels."""
        require_display(opengl=True)
        self.plotter(off_screen=False).show()


@dataclass(frozen=True, eq=False)
class FigureScene:
    """A matplotlib figure; build it with `matplotlib.figure.Figure`, which needs no display.

    Its size in pixels is `dpi` times its inches, in a file and in a window.
    """

    figure: Figure
    title: str = ""
    dpi: int = DPI

    def write(self, output: Path) -> None:
        """Write PNG, SVG, PDF or HTML (with the SVG inside), by suffix."""
        output = Path(output)
        suffix = checked_suffix(output, (".png", ".svg", ".pdf", ".html"))
        # No date and a fixed salt: the same figure gives the same file.
        metadata: dict[str, Any] = {".png": {}, ".pdf": {"CreationDate": None}}.get(
            suffix, {"Date": None}
        )
        with replacing(output) as temporary:
            kind = "svg" if suffix == ".html" else suffix[1:]
            import matplotlib

            # Fast compression: files of drawings grow by a seventh.
            how: dict[str, Any] = {"pil_kwargs": {"compress_level": 3}} if kind == "png" else {}
            with matplotlib.rc_context({"svg.hashsalt": "sole"}):
                self.figure.savefig(temporary, format=kind, dpi=self.dpi, metadata=metadata, **how)
            if suffix == ".html":
                svg = temporary.read_text(encoding="utf-8")
                page = (
                    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
                    f"<title>{html.escape(self.title)}</title></head>\n"
                    f"<body>\n{svg[svg.index('<svg') :]}</body></html>\n"
                )
                temporary.write_text(page, encoding="utf-8")

    def show(self) -> None:
        """Open a window with the whole figure, shrunk to the screen if it is larger.

        Raises
        ------
        SoleError
            There is no display, or matplotlib has no window system here.
        """
        require_display()
        import matplotlib.pyplot as plt
        from matplotlib import get_backend

        width, height = self.figure.get_size_inches()
        dpi = fit_screen(self.dpi * width, self.dpi * height)[0] / width
        self.figure.set_dpi(dpi)
        # matplotlib makes the window of a finished figure since 3.11, in the figure's size.
        plt.figure(self.figure)
        if get_backend().lower() == "agg":
            raise SoleError(
                "matplotlib has no window system here: give -o FILE.png, or install PySide6"
            )
        if self.title and (manager := plt.get_current_fig_manager()):
            manager.set_window_title(self.title)
        plt.show()


def checked_suffix(output: Path, known: tuple[str, ...]) -> str:
    """Return the suffix of an output in small letters; raise `SoleError` if it is not `known`."""
    suffix = output.suffix.lower()
    if suffix not in known:
        raise SoleError(
            f"cannot write {output}: got the suffix '{output.suffix}', expected one of "
            f"{', '.join(known)}"
        )
    return suffix


def _usual_size(rows: int, columns: int) -> tuple[int, int]:
    return (1100, 760) if rows * columns == 1 else (800 * columns, 530 * rows)
