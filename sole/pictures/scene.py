"""Scenes: what a viewer returns, and how a picture becomes a file or a window.

A viewer builds a `PyVistaScene` (panels that draw on a plotter, and the dataset behind them)
or a `FigureScene` (a matplotlib figure). Nothing is rendered before `write` or `show`, so the
datasets can be inspected, tested and saved where nothing can be drawn. Rendering to a file
goes through EGL and needs no display; the same scene gives the same picture.
"""

from __future__ import annotations

import contextlib
import ctypes
import html
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sole.archive import replacing
from sole.errors import SoleError
from sole.pictures.webpage import standalone_page
from sole.system_libraries import LIBRARIES, mending_command, missing

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pyvista import Plotter, UnstructuredGrid

# Camera direction (towards the object) and what is up, in the sole frame: x forward, y left,
# z up. In each of the first three x (or y) runs to the right of the picture.
VIEWS = {
    "below": ((0.0, 0.0, 1.0), (0.0, -1.0, 0.0)),
    "above": ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
    "side": ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "front": ((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "oblique": ((-0.45, 0.75, -0.5), (0.0, 0.0, 1.0)),
    "oblique_below": ((-0.45, 0.75, 0.6), (0.0, 0.0, 1.0)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewOptions:
    """What the user asks of a viewer.

    Parameters
    ----------
    field : draw only this field, in one panel; "" draws the viewer's usual sheet.
    exaggeration : factor on displacements, > 0; None lets the viewer choose a round one.
    size : width and height of a picture [pixels]; None suits the number of panels.

    Raises
    ------
    SoleError
        A factor that is not positive, or a picture without area.
    """

    field: str = ""
    exaggeration: float | None = None
    size: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.exaggeration is not None and not 0 < self.exaggeration < float("inf"):
            raise SoleError(f"the exaggeration must be positive, got {self.exaggeration:g}")
        if self.size is not None and not 64 <= min(self.size) <= max(self.size) <= 16384:
            raise SoleError(f"a picture has 64 to 16384 pixels a side, got {self.size}")


class Scene(Protocol):
    """Something that can be written to a file or shown in a window."""

    def write(self, output: Path) -> None:
        """Write to `output`, atomically; the suffix chooses the format."""

    def show(self) -> None:
        """Open a window and wait until it is closed."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing of a sheet: a title, what to draw, and from where (a key of `VIEWS`)."""

    title: str
    draw: Callable[[Plotter], None]
    view: str = "oblique"
    zoom: float = 1.0


@dataclass(frozen=True, eq=False)
class PyVistaScene:
    """Panels on a sheet, and the dataset they draw.

    PNG and windows show all panels; stand-alone HTML shows panel number `turning`, to be turned
    with the mouse; VTU and VTP hold the dataset with every field, SI units.
    """

    panels: tuple[Panel, ...]
    dataset: UnstructuredGrid
    title: str = ""
    columns: int = 2
    size: tuple[int, int] | None = None
    turning: int = 0

    def plotter(self, *, off_screen: bool = True, only: int | None = None) -> Plotter:
        """Return a plotter with all panels drawn, or `only` one."""
        import pyvista

        chosen = self.panels if only is None else (self.panels[only],)
        columns = min(self.columns, len(chosen))
        rows = -(-len(chosen) // columns)
        plotter = pyvista.Plotter(
            shape=(rows, columns),
            off_screen=off_screen,
            window_size=list(self.size or _usual_size(rows, columns)),
            border=len(chosen) > 1,
            border_color="lightgray",
            title=self.title or "sole",
        )
        plotter.background_color = pyvista.Color("white")
        for k, panel in enumerate(chosen):
            plotter.subplot(k // columns, k % columns)
            if panel.title:
                plotter.add_text(panel.title, position=(0.02, 0.94), viewport=True, font_size=11)
            panel.draw(plotter)
            _look(plotter, panel)
        return plotter

    def write(self, output: Path) -> None:
        """Write PNG, stand-alone HTML, VTU or VTP, by suffix."""
        output = Path(output)
        suffix = _suffix(output, (".png", ".html", ".vtu", ".vtp"))
        with replacing(output) as temporary:
            if suffix == ".vtu":
                self.dataset.save(str(temporary))
            elif suffix == ".vtp":
                self.dataset.extract_surface(algorithm=None).save(str(temporary))
            elif suffix == ".png":
                self._write_png(temporary)
            else:
                self._write_html(temporary)

    def _write_png(self, path: Path) -> None:
        with off_screen_rendering():
            plotter: Any = self.plotter()
            try:
                plotter.screenshot(str(path))
            finally:
                plotter.close()

    def _write_html(self, path: Path) -> None:
        with off_screen_rendering():
            plotter = self.plotter(only=self.turning)
            try:
                # Rulers are drawn in the picture's plane; a page that turns needs a box.
                for name in [n for n in plotter.renderer.actors if n.startswith("ruler")]:
                    plotter.remove_actor(name)
                plotter.show_bounds(xtitle="x [m]", ytitle="y [m]", ztitle="z [m]", n_zlabels=2)
                page = standalone_page(plotter, self.title)
            finally:
                plotter.close()
        path.write_text(page, encoding="utf-8")

    def show(self) -> None:
        """Open a window with all panels."""
        require_display()
        self.plotter(off_screen=False).show()


@dataclass(frozen=True, eq=False)
class FigureScene:
    """A matplotlib figure; build it with `matplotlib.figure.Figure`, which needs no display."""

    figure: Figure
    title: str = ""
    dpi: int = 150

    def write(self, output: Path) -> None:
        """Write PNG, SVG, PDF or HTML (with the SVG inside), by suffix."""
        output = Path(output)
        suffix = _suffix(output, (".png", ".svg", ".pdf", ".html"))
        # Without dates and with a fixed salt the same figure is the same file.
        metadata: dict[str, Any] = {".png": {}, ".pdf": {"CreationDate": None}}.get(
            suffix, {"Date": None}
        )
        with replacing(output) as temporary:
            kind = "svg" if suffix == ".html" else suffix[1:]
            import matplotlib

            with matplotlib.rc_context({"svg.hashsalt": "sole"}):
                self.figure.savefig(temporary, format=kind, dpi=self.dpi, metadata=metadata)
            if suffix == ".html":
                svg = temporary.read_text(encoding="utf-8")
                page = (
                    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
                    f"<title>{html.escape(self.title)}</title></head>\n"
                    f"<body>\n{svg[svg.index('<svg') :]}</body></html>\n"
                )
                temporary.write_text(page, encoding="utf-8")

    def show(self) -> None:
        """Open a window with the figure."""
        require_display()
        import matplotlib.pyplot as plt

        manager = plt.figure().canvas.manager
        if manager is None:
            raise SoleError("matplotlib has no window system here: give -o FILE.png instead")
        manager.canvas.figure = self.figure
        self.figure.set_canvas(manager.canvas)
        plt.show()


def _suffix(output: Path, known: tuple[str, ...]) -> str:
    suffix = output.suffix.lower()
    if suffix not in known:
        raise SoleError(
            f"cannot write {output}: the suffix '{output.suffix}' is none of {', '.join(known)}"
        )
    return suffix


def _usual_size(rows: int, columns: int) -> tuple[int, int]:
    return (1100, 760) if rows * columns == 1 else (800 * columns, 530 * rows)


def _look(plotter: Plotter, panel: Panel) -> None:
    """Aim a parallel camera so that everything drawn fills the panel below its title."""
    towards, up = (np.asarray(v) / np.linalg.norm(v) for v in VIEWS[panel.view])
    right = np.cross(towards, up)
    right /= np.linalg.norm(right)
    up = np.cross(right, towards)
    box = np.asarray(plotter.renderer.bounds).reshape(3, 2)
    corners = np.array([[box[a, i >> a & 1] for a in range(3)] for i in range(8)])
    center = box.mean(axis=1)
    width, height = (float(np.ptp((corners - center) @ v)) for v in (right, up))
    left, bottom, rest_x, rest_y = 0.13, 0.26, 0.80, 0.60  # of the panel; title, scalar bar
    x0, y0, x1, y1 = plotter.renderer.GetViewport()
    aspect = (x1 - x0) * plotter.window_size[0] / ((y1 - y0) * plotter.window_size[1])
    full = max(height / rest_y, width / rest_x / aspect, 1e-6) / panel.zoom
    center = center + (0.5 - bottom - rest_y / 2) * full * up
    center = center + (0.5 - left - rest_x / 2) * full * aspect * right
    distance = 4 * float(np.linalg.norm(np.ptp(box, axis=1))) + 1e-6
    camera = plotter.camera
    camera.focal_point = tuple(center)
    camera.position = tuple(center - distance * towards)
    camera.up = tuple(up)
    camera.parallel_projection = True
    camera.parallel_scale = full / 2
    plotter.renderer.reset_camera_clipping_range()


@contextlib.contextmanager
def off_screen_rendering() -> Iterator[None]:
    """Make VTK render without a display inside the block.

    Raises
    ------
    SoleError
        On Linux, libEGL is missing: VTK would end the process without a message.
    """
    if not sys.platform.startswith("linux"):
        yield
        return
    require_rendering_libraries()
    name = "VTK_DEFAULT_OPENGL_WINDOW"
    before = os.environ.get(name)
    os.environ[name] = before or "vtkEGLRenderWindow"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)


def require_rendering_libraries() -> None:
    """Raise a `SoleError` that says what to install if VTK's libraries are not all there."""
    needed = [library for library in LIBRARIES if "VTK" in library.needed_by]
    lacking = missing(needed)
    if lacking:
        names = ", ".join(library.soname for library in lacking)
        raise SoleError(
            f"rendering needs the system libraries {names}: run "
            f"`{mending_command(lacking)}`; `sole doctor` checks the others"
        )


def require_display() -> None:
    """Raise a `SoleError` unless a window can be opened."""
    if not sys.platform.startswith("linux"):
        return
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        display = None
    else:
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
        display = x11.XOpenDisplay(None)
    if not display:
        raise SoleError("there is no display to open a window on: give -o FILE.png instead")
    x11.XCloseDisplay(display)
