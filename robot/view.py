"""`sole view run.nc`: time series, the robot at a time, or a film of it.

Without a time the sheet of time series, or one of them (`--field`); with `--time` the robot on its
ground with the pressures under its soles; with `--film` those over time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from robot.pictures.film import FORMATS, FPS, Frame, require_encoder, write_film
from robot.pictures.sheet import sheet, single
from robot.recordings.run_file import load_run
from robot.run import Run
from sole.archive import replacing
from sole.errors import SoleError
from sole.pictures.display import off_screen_rendering, require_display
from sole.pictures.scene import FigureScene, Scene, ViewOptions


def view_run(path: Path, options: ViewOptions) -> Scene:
    """Return the scene that `options` ask for."""
    run = load_run(path)
    if options.exaggeration is not None:
        raise SoleError("a run is drawn true to scale: leave out --exaggeration")
    if options.film or options.time is not None:
        if options.field:
            raise SoleError("--field draws a time series: leave out --time and --film")
        time = float(run.time[-1]) if options.time is None else options.time
        return RunScene(run, time, options.size, quiet=options.quiet, film=options.film)
    title = f"{run.header['robot']}: run"
    if options.field:
        return FigureScene(single(run, options.field, options.size), title)
    return FigureScene(sheet(run, options.size), title)


view_run.over_time = True  # type: ignore[attr-defined]  # `sole view` allows --time and --film


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
        if not (0 < self.slow < np.inf and self.fps >= 1):
            raise SoleError(f"fps and slow must be positive, got {self.fps} and {self.slow:g}")

    def write(self, output: Path) -> None:
        """Write PNG, MP4 or GIF, by suffix."""
        output = Path(output)
        suffix = output.suffix.lower()
        moving = suffix in FORMATS
        if not (moving or suffix == ".png") or self.film not in (None, moving):
            raise SoleError(
                f"cannot write {output}: a run at a time is .png, a film {' or '.join(FORMATS)}"
            )
        require_encoder(suffix)
        with replacing(output) as temporary, off_screen_rendering():
            if not moving:
                from PIL import Image

                row = self.run.row(self.time)
                Image.fromarray(next(self.frames([row]))).save(temporary)
            else:
                write_film(temporary, self._told(self.rows()), self.fps, suffix)

    def rows(self) -> list[int]:
        """Return the row of every frame of a film."""
        time = self.run.time
        count = max(2, round(self.fps * self.slow * float(time[-1] - time[0])))
        wanted = np.linspace(time[0], time[-1], count)
        return [int(i) for i in np.clip(np.searchsorted(time, wanted), 0, len(time) - 1)]

    def frames(self, rows: list[int]) -> Iterator[Frame]:
        """Yield pictures (height, width, 3) of recorded rows."""
        from robot.pictures.stage import Stage

        stage = Stage(self.run, size=self.size)
        plotter: Any = stage.plotter
        try:
            for row in rows:
                stage.show(row)
                plotter.render()
                yield np.asarray(plotter.screenshot(return_img=True))[..., :3]
        finally:
            plotter.close()

    def _told(self, rows: list[int]) -> Iterator[Frame]:
        """Yield the frames of a film, with a progress bar."""
        from robot.running.progress import progress_bar

        time = self.run.time
        with progress_bar("film", float(time[-1]), shown=not self.quiet) as tell:
            for row, frame in zip(rows, self.frames(rows), strict=True):
                yield frame
                tell(float(time[row]))

    def show(self) -> None:
        """Open a window with the robot at the time."""
        require_display()
        from robot.pictures.stage import Stage

        stage = Stage(self.run, size=self.size, off_screen=False)
        stage.show(self.run.row(self.time))
        stage.plotter.show()
