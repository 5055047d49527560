"""Films: MP4 by ffmpeg where there is one, GIF by Pillow otherwise. Frames are RGB arrays."""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sole.errors import SoleError

FPS = 25
FORMATS = (".mp4", ".gif")
COLORS, UNCHANGED = 112, 255  # half of a GIF's colours; the index of "as before", transparent
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
    """Write frame by frame: Pillow's own writer keeps them all in memory until the last.

    Later frames hold the box that changed, transparent where it did not.
    """
    from PIL import Image
    from PIL.GifImagePlugin import getdata

    first = next(frames, None)
    if first is None:
        raise SoleError("a film needs at least one frame")
    none, hundredths = Image.Dither.NONE, round(100 / fps)
    palette = Image.new("P", (1, 1))
    palette.putpalette(_colors(first))
    height, width = first.shape[:2]
    with path.open("wb") as stream:
        stream.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0))
        stream.write(_colors(first).ljust(768, b"\0"))
        stream.write(b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0")  # for ever
        shown: Frame | None = None
        for frame in _and(first, frames):
            now = np.asarray(Image.fromarray(frame).quantize(dither=none, palette=palette))
            part, corner = (now, (0, 0)) if shown is None else _changed(shown, now)
            shown = now
            image = Image.fromarray(part)
            for piece in getdata(image, corner, duration=10 * hundredths, transparency=UNCHANGED):
                stream.write(piece)
        stream.write(b";")


def _colors(first: Frame) -> bytes:
    """Return the palette of a film: its first frame has all colours, if only on the bars.

    Half of it are those of large areas, true to the eye, half those of what is small but unlike.
    """
    from PIL import Image

    picture, found = Image.fromarray(first), b""
    for method in (Image.Quantize.MEDIANCUT, Image.Quantize.MAXCOVERAGE):
        found += bytes(picture.quantize(COLORS, method).getpalette() or ())[: 3 * COLORS]
    return found


def _changed(before: Frame, now: Frame) -> tuple[Frame, tuple[int, int]]:
    """Return the box of what changed, `UNCHANGED` where it did not, and its corner (x, y)."""
    differs = before != now
    rows, columns = (np.flatnonzero(differs.any(axis=a)) for a in (1, 0))
    if not len(rows):
        return np.full((1, 1), UNCHANGED, np.uint8), (0, 0)
    box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    part = np.where(differs[box], now[box], np.uint8(UNCHANGED))
    return np.ascontiguousarray(part), (int(columns[0]), int(rows[0]))


def _and(first: Frame, others: Iterator[Frame]) -> Iterator[Frame]:
    yield first
    yield from others
