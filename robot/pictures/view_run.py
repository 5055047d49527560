"""`sole view run.nc`: time series, a picture of the robot, a film, or a page, of one or more runs.

Without a time it draws the sheet of time series, or one series (`--field`). `--time` draws the
robot on its ground with the pressures under its soles; `--film` makes a film of these, or a page
(.html) on which the robot walks. The suffix changes the format and never what is shown. `--beside`
shows two to four runs side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from robot.pictures.differences import sheet_of_differences
from robot.pictures.film import FPS, Frame, Frames, film_times, write_moving
from robot.pictures.nodal import require_field
from robot.pictures.sheet import sheet, single
from robot.pictures.together import Side, require_time, sides_of, span_of
from robot.run import Run, load_run
from sole.base.archive import require_writable
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.pictures import (
    DPI,
    FigureScene,
    Scene,
    ViewOptions,
    checked_suffix,
    fit_screen,
    off_screen_rendering,
    require_display,
)

FIGURES = (".svg", ".pdf", ".html")  # of one time, beside PNG


def view_run(path: Path, options: ViewOptions) -> Scene:
    """Return the scene for these `options`."""
    if options.exaggeration is not None:
        raise SoleError("a run is drawn to scale: leave out --exaggeration")
    if options.beside:
        return _view_beside((path, *options.beside), options)
    run = load_run(path)
    if options.film or options.time is not None:
        if options.field:
            raise SoleError("--field draws a time series: leave out --time and --film")
        time = float(run.time[-1]) if options.time is None else options.time
        return RunScene(
            run, time, _size(options), options.fps, quiet=options.quiet, film=options.film,
            name=path.stem,
        )  # fmt: skip
    title = f"{run.header['robot']}: run"
    if options.field:
        return FigureScene(single(run, options.field, options.size), title, options.dpi or DPI)
    return SheetScene(
        (run,), (path.stem,), options.size, options.dpi or DPI, options.fps, quiet=options.quiet
    )


view_run.over_time = True  # type: ignore[attr-defined]  # `sole view`: --time, --film, --beside


def _view_beside(paths: Sequence[Path], options: ViewOptions) -> Scene:
    runs, names = [load_run(path) for path in paths], tuple(path.stem for path in paths)
    sides = sides_of(runs, names)
    if options.film or options.time is not None:
        time = span_of(sides)[1] if options.time is None else options.time
        field = options.field or "pressure"
        return BesideScene(
            sides, time, _size(options, len(sides)), field, options.fps, quiet=options.quiet,
            film=options.film, names=names,
        )  # fmt: skip
    if options.field:
        raise SoleError("with --beside, --field colours the soles: add --time or --film")
    return SheetScene(tuple(runs), names, options.size, options.dpi or DPI)


@dataclass(frozen=True, eq=False)
class SheetScene:
    """The time series of one run, or how several differ; as PVD, the instants for ParaView.

    `names` tell runs with equal soles apart. `size` [pixels] or `dpi` are those of the sheet. `fps`
    are the instants of a PVD in a second.
    """

    runs: tuple[Run, ...]
    names: tuple[str, ...]
    size: tuple[int, int] | None = None
    dpi: int = DPI
    fps: int = FPS
    quiet: bool = False

    def sheet(self) -> FigureScene:
        """Return the time series as a figure."""
        if len(self.runs) > 1:
            sides = sides_of(self.runs, self.names)
            return FigureScene(
                sheet_of_differences(sides, self.size), "runs side by side", self.dpi
            )
        run = self.runs[0]
        return FigureScene(sheet(run, self.size), f"{run.header['robot']}: run", self.dpi)

    def write(self, output: Path) -> None:
        """Write the sheet as PNG, SVG, PDF or HTML, or a PVD with its folder, by suffix."""
        suffix = checked_suffix(Path(output), (".html", ".pvd", ".png", ".svg", ".pdf"))
        if suffix != ".pvd":
            self.sheet().write(output)
            return
        if len(self.runs) > 1:
            raise SoleError("a series holds one run: leave out --beside")
        from robot.pictures.run_series import write_run_series

        write_run_series(self.runs[0], Path(output), self.fps, quiet=self.quiet)

    def show(self) -> None:
        """Open a window with the sheet."""
        self.sheet().show()


@dataclass(frozen=True, eq=False)
class RunScene:
    """The robot of a run: PNG, SVG, PDF or HTML at a `time` [s], or a film of all times.

    A film is MP4, GIF, or HTML: a page on which the robot walks.

    Parameters
    ----------
    size : size of the picture [pixels]. fps : frames per second. slow : seconds of film per second
        of the run. quiet : no progress bar.
    film : whether a film is required; None: the suffix decides. name : of the file.
    """

    run: Run
    time: float
    size: tuple[int, int] | None = None
    fps: int = FPS
    slow: float = 1.0
    quiet: bool = False
    film: bool | None = None
    name: str = "run"

    def __post_init__(self) -> None:
        self.run.row(self.time)  # refuses a time outside the run
        _require_pace(self.fps, self.slow)

    def times(self) -> FloatArray:
        """Return the time [s] of every frame of a film."""
        return film_times((float(self.run.time[0]), float(self.run.time[-1])), self.fps, self.slow)

    def write(self, output: Path) -> None:
        """Write PNG, SVG, PDF or HTML, MP4 or GIF, by suffix."""
        if self.film and output.suffix.lower() == ".html":
            _write_page(output, (self.run,), (self.name,), self.size)
        elif not _write_figure(output, self.frames, self.time, film=self.film):
            write_moving(
                output, self.frames, self.time, self.times(), fps=self.fps, quiet=self.quiet,
                film=self.film,
            )  # fmt: skip

    def frames(self, times: Sequence[float]) -> Iterator[Frame]:
        """Yield pictures (height, width, 3) of the rows nearest to `times` [s]."""
        from robot.pictures.stage import Stage

        stage = Stage(self.run, size=self.size)
        plotter: Any = stage.plotter
        if len(times) == 1:  # twice the time of a frame, which a film cannot spare
            for renderer in plotter.renderers:
                renderer.enable_anti_aliasing("ssaa")
        try:
            for time in times:
                stage.show(self.run.row(time))
                plotter.render()
                yield np.asarray(plotter.screenshot(return_img=True))[..., :3]
        finally:
            plotter.close()

    def show(self) -> None:
        """Open a window with the robot at `time`."""
        require_display(opengl=True)
        from robot.pictures.stage import SIZE, Stage

        stage = Stage(self.run, size=fit_screen(*(self.size or SIZE)), off_screen=False)
        stage.show(self.run.row(self.time))
        stage.plotter.show()


@dataclass(frozen=True, eq=False)
class BesideScene:
    """Runs side by side: a picture at a `time` [s] of the common clock, or a film of all times.

    Formats are those of `RunScene`.

    Parameters
    ----------
    sides : see `robot.pictures.together.sides_of`. field : key of the field that colours the soles,
        in `robot.pictures.nodal.FIELDS`. names : of the files. The others are those of `RunScene`.
    """

    sides: tuple[Side, ...]
    time: float
    size: tuple[int, int] | None = None
    field: str = "pressure"
    fps: int = FPS
    slow: float = 1.0
    quiet: bool = False
    film: bool | None = None
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_time(self.sides, self.time)
        require_field(self.field)
        _require_pace(self.fps, self.slow)

    def times(self) -> FloatArray:
        """Return the time [s] of every frame of a film."""
        return film_times(span_of(self.sides), self.fps, self.slow)

    def write(self, output: Path) -> None:
        """Write PNG, SVG, PDF or HTML, MP4 or GIF, by suffix."""
        if self.film and output.suffix.lower() == ".html":
            names = self.names or tuple(side.label for side in self.sides)
            _write_page(output, [side.run for side in self.sides], names, self.size)
        elif not _write_figure(output, self.frames, self.time, film=self.film):
            write_moving(
                output, self.frames, self.time, self.times(), fps=self.fps, quiet=self.quiet,
                film=self.film,
            )  # fmt: skip

    def frames(self, times: Sequence[float]) -> Iterator[Frame]:
        """Yield pictures (height, width, 3) of all runs at `times` [s]."""
        from robot.pictures.page import Page

        page = Page(self.sides, self.size, self.field)
        try:
            for time in times:
                yield page.frame(time)
        finally:
            page.close()

    def show(self) -> None:
        """Open a window with the page at `time`."""
        require_display(opengl=True)
        with off_screen_rendering():
            page = next(self.frames([self.time]))
        _figure_of(page).show()


def _write_page(
    output: Path, runs: Sequence[Run], names: Sequence[str], size: tuple[int, int] | None
) -> None:
    """Write a page on which the robots of one or more runs walk."""
    if size is not None:
        raise SoleError("a page of a run fills its window: leave out --pixels and --dpi")
    require_writable(output)
    from robot.pictures.browser import run_page

    run_page(runs, names).write(output)


def _write_figure(output: Path, frames: Frames, time: float, *, film: bool | None) -> bool:
    """Write a picture of one time as SVG, PDF or HTML; return False for another suffix."""
    if film or output.suffix.lower() not in FIGURES:
        return False
    require_writable(output)
    with off_screen_rendering():
        picture = next(frames([time]))
    _figure_of(picture).write(output)
    return True


def _figure_of(picture: Frame) -> FigureScene:
    """Return a figure that holds a picture (height, width, 3), pixel by pixel."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(picture.shape[1] / 100, picture.shape[0] / 100))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.imshow(picture, aspect="auto", interpolation="none")
    return FigureScene(figure, "run", dpi=100)


def _size(options: ViewOptions, sides: int = 1) -> tuple[int, int] | None:
    """Return the size of a picture of one run, or of several side by side; None: the usual one."""
    if options.dpi is None:
        return options.size
    from robot.pictures.page import usual_size
    from robot.pictures.stage import SIZE

    return options.pixels(SIZE if sides == 1 else usual_size(sides))


def _require_pace(fps: int, slow: float) -> None:
    if not (0 < slow < np.inf and fps >= 1):
        raise SoleError(f"fps and slow must be positive, got {fps} and {slow:g}")
