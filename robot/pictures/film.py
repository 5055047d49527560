"""Output of a time-dependent picture: PNG of one time, or a film of all times.

Films are MP4 or GIF, made by the ffmpeg of imageio-ffmpeg. Frames are RGB arrays, piped one by one,
so a long film needs no more memory than a short one. The palette of a GIF depends on all of its
frames: they are kept losslessly until the last one is written.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sole.base.archive import replacing
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.base.extras import require_extra
from sole.pictures import off_screen_rendering

FPS = 25
FORMATS = (".mp4", ".gif")
H264 = ("-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart")
LOSSLESS = ("-c:v", "libx264rgb", "-qp", "0", "-preset", "ultrafast", "-f", "matroska")
COLORS = 104  # of a GIF: more cost file size, fewer become visible
PALETTE = f"[0]palettegen=max_colors={COLORS}[colors];[1][colors]paletteuse=dither=none"
Frame = NDArray[np.uint8]


def write_film(path: Path, frames: Iterable[Frame], fps: int = FPS, kind: str = "") -> None:
    """Write frames (height, width, 3) as MP4 (H.264) or GIF, by the suffix or `kind`.

    Raises
    ------
    SoleError
        The suffix is unknown, there are no frames, or ffmpeg is missing or fails.
    """
    kind = kind or path.suffix.lower()
    if kind not in FORMATS:
        raise SoleError(f"cannot write {path}: film formats are {', '.join(FORMATS)}")
    rest = iter(frames)
    first = next(rest, None)
    if first is None:
        raise SoleError("a film needs at least one frame")
    height, width = first.shape[:2]
    if kind == ".mp4":  # H.264 wants even sizes
        height, width = height - height % 2, width - width % 2
    shown = (f[:height, :width] for f in chain([first], rest))
    pipe = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(fps)]
    pipe += ["-i", "-", "-an"]
    # In a folder of its own, so that an ffmpeg that is stopped as it starts leaves no file.
    with tempfile.TemporaryDirectory(prefix="sole-film-") as folder:
        film, whole = f"{folder}/film{kind}", f"{folder}/frames"
        if kind == ".mp4":
            _run([*pipe, *H264, film], shown)
        else:
            _run([*pipe, *LOSSLESS, whole], shown)
            _run(["-i", whole, "-i", whole, "-filter_complex", PALETTE, film])
        shutil.copyfile(film, path)


def require_encoder(kind: str) -> None:
    """Raise a `SoleError` early if films of this suffix cannot be made here."""
    if kind in FORMATS:
        ffmpeg()


def ffmpeg() -> str:
    """Return ffmpeg: from $IMAGEIO_FFMPEG_EXE, imageio-ffmpeg or the system, in this order.

    Raises
    ------
    SoleError
        There is none.
    """
    require_extra("film", "a film")
    from imageio_ffmpeg import get_ffmpeg_exe

    try:
        return str(get_ffmpeg_exe())
    except RuntimeError as error:
        raise SoleError(
            "films need ffmpeg; imageio-ffmpeg has none for this machine: install ffmpeg"
        ) from error


def _run(arguments: list[str], frames: Iterable[Frame] = ()) -> None:
    """Run ffmpeg on the frames; if it fails, its last message becomes the error."""
    command = [ffmpeg(), "-y", "-loglevel", "error", *arguments]
    with tempfile.TemporaryFile() as told:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=told,
                start_new_session=True,  # Ctrl-C is for us: we stop ffmpeg
            )
        except OSError as error:
            raise SoleError(f"ffmpeg could not be started: {error}") from error
        assert process.stdin is not None
        try:
            with process.stdin as pipe:
                for frame in frames:
                    pipe.write(np.ascontiguousarray(frame).tobytes())
        except BrokenPipeError:
            pass  # ffmpeg reports the reason
        except BaseException:
            process.kill()
            raise
        finally:
            code = process.wait()
        if code:
            told.seek(0)
            words = told.read().decode(errors="replace").strip().splitlines()
            raise SoleError(f"ffmpeg could not write the film: {words[-1] if words else code}")


Frames = Callable[[Sequence[float]], Iterator[Frame]]


def film_times(span: tuple[float, float], fps: int, slow: float) -> FloatArray:
    """Return the time [s] of every frame; one second of the run takes `slow` seconds of film."""
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
    """Write a PNG of one `time`, or an MP4 or GIF of all `times` [s], by suffix, atomically.

    `frames` yields a picture for each time. `film`: whether a film is required; None: the suffix
    decides. `quiet`: no progress bar.

    Raises
    ------
    SoleError
        The suffix does not fit, or there is no encoder.
    """
    output = Path(output)
    suffix = output.suffix.lower()
    moving = suffix in FORMATS
    if not (moving or suffix == ".png") or film not in (None, moving):
        raise SoleError(
            f"cannot write {output}: a picture of a run at a time is .png, .svg, .pdf or .html, "
            f"a film {', '.join(FORMATS)} or .html"
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
    from sole.base.progress import progress_bar

    with progress_bar("film", float(times[-1]), shown=not quiet) as tell:
        for time, frame in zip(times.tolist(), frames(times.tolist()), strict=True):
            yield frame
            tell(time)
