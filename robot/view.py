"""`sole view run.nc`: time series, the robot at a time, or a film of it; of several runs, too.

Without a time the sheet of time series, or one of them (`--field`); with `--time` the robot on its
ground with the pressures under its soles; with `--film` those over time. With `--beside` the same
of two to four runs side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from robot.pictures.differences import sheet_of_differences
from robot.pictures.film import FPS, Frame
from robot.pictures.moving import film_times, write_moving
from robot.pictures.nodal import require_field
from robot.pictures.sheet import sheet, single
from robot.pictures.together import Side, require_time, sides_of, span_of
from robot.recordings.run_file import load_run
from robot.run import Run
from sole.arrays import FloatArray
from sole.errors import SoleError
from sole.pictures.display import off_screen_rendering, require_display
from sole.pictures.scene import FigureScene, Scene, ViewOptions


def view_run(path: Path, options: ViewOptions) -> Scene:
    """Return the scene that `options` ask for."""
    if options.exaggeration is not None:
        raise SoleError("a run is drawn true to scale: leave out --exaggeration")
    if options.beside:
        return _view_beside((path, *options.beside), options)
    run = load_run(path)
    if options.film or options.time is not None:
        if options.field:
            raise SoleError("--field draws a time series: leave out --time and --film")
        time = float(run.time[-1]) if options.time is None else options.time
        return RunScene(
            run, time, options.size, options.fps, quiet=options.quiet, film=options.film
        )  # fmt: skip
    title = f"{run.header['robot']}: run"
    if options.field:
        return FigureScene(single(run, options.field, options.size), title)
    return FigureScene(sheet(run, options.size), title)


view_run.over_time = True  # type: ignore[attr-defined]  # `sole view`: --time, --film, --beside


def _view_beside(paths: Sequence[Path], options: ViewOptions) -> Scene:
    sides = sides_of([load_run(path) for path in paths], [path.stem for path in paths])
    if options.film or options.time is not None:
        time = span_of(sides)[1] if options.time is None else options.time
        field = options.field or "pressure"
        return BesideScene(
            sides, time, options.size, field, options.fps, quiet=options.quiet, film=options.film
        )
    if options.field:
        raise SoleError("--field colours the soles beside each other: give --time or --film, too")
    return FigureScene(sheet_of_differences(sides, options.size), "runs side by side")


@dataclass(frozen=True, eq=False)
class RunScene:
    """The robot of a run at a `time` [s], as PNG, or over all times, as MP4 or GIF.

    Parameters
    ----------
    size : of the picture [pixels]. fps : frames per second of film. slow : how many seconds of
        film a second of the run takes. quiet : no progress bar.
    film : whether a film is wanted, not a picture; None: as the suffix says.
    """

    run: Run
    time: float
    size: tuple[int, int] | None = None
    fps: int = FPS
    slow: float = 1.0
    quiet: bool = False
    film: bool | None = None

    def __post_init__(self) -> None:
        self.run.row(self.time)  # refuses a time outside of the run
        _require_pace(self.fps, self.slow)

    def times(self) -> FloatArray:
        """Return the time [s] of every frame of a film."""
        return film_times((float(self.run.time[0]), float(self.run.time[-1])), self.fps, self.slow)

    def write(self, output: Path) -> None:
        """Write PNG, MP4 or GIF, by suffix."""
        write_moving(
            output, self.frames, self.time, self.times(), fps=self.fps, quiet=self.quiet,
            film=self.film,
        )  # fmt: skip

    def frames(self, times: Sequence[float]) -> Iterator[Frame]:
        """Yield pictures (height, width, 3) of the rows nearest to `times` [s]."""
        from robot.pictures.stage import Stage

        stage = Stage(self.run, size=self.size)
        plotter: Any = stage.plotter
        try:
            for time in times:
                stage.show(self.run.row(time))
                plotter.render()
                yield np.asarray(plotter.screenshot(return_img=True))[..., :3]
        finally:
            plotter.close()

    def show(self) -> None:
        """Open a window with the robot at the time."""
        require_display()
        from robot.pictures.stage import Stage

        stage = Stage(self.run, size=self.size, off_screen=False)
        stage.show(self.run.row(self.time))
        stage.plotter.show()


@dataclass(frozen=True, eq=False)
class BesideScene:
    """Runs side by side at a `time` [s] of one clock, as PNG, or over all times, as MP4 or GIF.

    Parameters
    ----------
    sides : of `robot.pictures.together.sides_of`. field : that colours the soles, of
        `robot.pictures.nodal.FIELDS`. The others : those of `RunScene`.
    """

    sides: tuple[Side, ...]
    time: float
    size: tuple[int, int] | None = None
    field: str = "pressure"
    fps: int = FPS
    slow: float = 1.0
    quiet: bool = False
    film: bool | None = None

    def __post_init__(self) -> None:
        require_time(self.sides, self.time)
        require_field(self.field)
        _require_pace(self.fps, self.slow)

    def times(self) -> FloatArray:
        """Return the time [s] of every frame of a film."""
        return film_times(span_of(self.sides), self.fps, self.slow)

    def write(self, output: Path) -> None:
        """Write PNG, MP4 or GIF, by suffix."""
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
        """Open a window with the page of the time."""
        require_display()
        from matplotlib.figure import Figure

        with off_screen_rendering():
            page = next(self.frames([self.time]))
        figure = Figure(figsize=(page.shape[1] / 100, page.shape[0] / 100), dpi=100)
        figure.figimage(page)
        FigureScene(figure, "runs side by side").show()


def _require_pace(fps: int, slow: float) -> None:
    if not (0 < slow < np.inf and fps >= 1):
        raise SoleError(f"fps and slow must be positive, got {fps} and {slow:g}")
