"""What changes in time as a file: a picture of one time, or a film of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from robot.pictures.film import FORMATS, Frame, require_encoder, write_film
from sole.archive import replacing
from sole.arrays import FloatArray
from sole.errors import SoleError
from sole.pictures.display import off_screen_rendering

Frames = Callable[[Sequence[float]], Iterator[Frame]]


def film_times(span: tuple[float, float], fps: int, slow: float) -> FloatArray:
    """Return the time [s] of every frame; a second of the run takes `slow` seconds of film."""
    return np.linspace(*span, max(2, round(fps * slow * (span[1] - span[0]))))


def write_moving(
    output: Path,
    frames: Frames,
    time: float,
    times: FloatArray,
    *,
    fps: int,
    quiet: bool = False,
    film: bool | None = None,
) -> None:
    """Write PNG of a `time`, or MP4 or GIF of all `times` [s], by suffix, atomically.

    `frames` yields a picture for each time. `film`: whether one is wanted; None: as the suffix
    says. `quiet`: no progress bar.

    Raises
    ------
    SoleError
        Another suffix than is wanted, or no encoder.
    """
    output = Path(output)
    suffix = output.suffix.lower()
    moving = suffix in FORMATS
    if not (moving or suffix == ".png") or film not in (None, moving):
        raise SoleError(
            f"cannot write {output}: a run at a time is .png, a film {' or '.join(FORMATS)}"
        )
    require_encoder(suffix)
    with replacing(output) as temporary, off_screen_rendering():
        if not moving:
            from PIL import Image

            Image.fromarray(next(frames([time]))).save(temporary)
        else:
            write_film(temporary, _told(frames, times, quiet=quiet), fps, suffix)


def _told(frames: Frames, times: FloatArray, *, quiet: bool) -> Iterator[Frame]:
    """Yield the frames of a film, with a progress bar."""
    from robot.running.progress import progress_bar

    with progress_bar("film", float(times[-1]), shown=not quiet) as tell:
        for time, frame in zip(times.tolist(), frames(times.tolist()), strict=True):
            yield frame
            tell(time)
