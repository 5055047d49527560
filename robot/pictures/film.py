"""Films: MP4 by ffmpeg where there is one, GIF by Pillow otherwise. Frames are RGB arrays."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sole.errors import SoleError

FPS = 25
FORMATS = (".mp4", ".gif")
COLORS = 128  # of a GIF's frames
Frame = NDArray[np.uint8]


def write_film(path: Path, frames: Iterable[Frame], fps: int = FPS, kind: str = "") -> None:
    """Write frames (height, width, 3) as MP4 (H.264) or GIF, as the suffix or `kind` says.

    Raises
    ------
    SoleError
        Another suffix, no frames, or no ffmpeg for an MP4; the message says what to do.
    """
    kind = kind or path.suffix.lower()
    if kind not in FORMATS:
        raise SoleError(f"cannot write {path}: a film is one of {', '.join(FORMATS)}")
    (_mp4 if kind == ".mp4" else _gif)(path, iter(frames), fps)


def require_encoder(kind: str) -> None:
    """Raise a `SoleError` if films of this suffix cannot be made here: before the work."""
    if kind == ".mp4":
        ffmpeg()


def ffmpeg() -> str:
    """Return the program: ffmpeg of the system, or the one that imageio-ffmpeg brings.

    Raises
    ------
    SoleError
        Neither is there.
    """
    program = shutil.which("ffmpeg")
    if program:
        return program
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError as error:
        raise SoleError(
            "MP4 needs ffmpeg: install it, or `pip install imageio-ffmpeg`; or write a .gif"
        ) from error
    return str(get_ffmpeg_exe())


def _mp4(path: Path, frames: Iterator[Frame], fps: int) -> None:
    first = next(frames, None)
    if first is None:
        raise SoleError("a film needs at least one frame")
    height, width = (n - n % 2 for n in first.shape[:2])  # H.264 wants even sizes
    command = [
        ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
        "-s", f"{width}x{height}", "-r", str(fps), "-i", "-", "-an", "-vcodec", "libx264",
        "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart", "-f", "mp4", str(path),
    ]  # fmt: skip
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=told
        )
        assert process.stdin is not None
        try:
            for frame in _and(first, frames):
                process.stdin.write(np.ascontiguousarray(frame[:height, :width]).tobytes())
            process.stdin.close()
            code = process.wait()
        except BrokenPipeError:
            code = process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
        if code:
            told.seek(0)
            words = told.read().decode(errors="replace").strip().splitlines()
            raise SoleError(f"ffmpeg could not write the film: {words[-1] if words else code}")


def _gif(path: Path, frames: Iterator[Frame], fps: int) -> None:
    from PIL import Image

    pictures: list[Image.Image] = []
    for frame in frames:  # one palette: the first frame has all colours, if only on the bars
        picture, none = Image.fromarray(frame), Image.Dither.NONE
        pictures.append(
            picture.quantize(dither=none, palette=pictures[0])
            if pictures
            else picture.quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=none)
        )
    if not pictures:
        raise SoleError("a film needs at least one frame")
    with path.open("wb") as stream:
        pictures[0].save(
            stream,
            format="GIF",
            save_all=True,
            append_images=pictures[1:],
            duration=round(1000 / fps),
            loop=0,
        )


def _and(first: Frame, others: Iterator[Frame]) -> Iterator[Frame]:
    yield first
    yield from others
