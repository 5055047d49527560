"""Drawings of VTK as PDF and SVG: letters are outlines, sharp at any size; the rest is a raster."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from sole.base.errors import SoleError

POINTS = 72  # on an inch
SIZE, BOX = re.compile(rb'width="\d+pt" height="\d+pt"'), re.compile(rb"/MediaBox \[0 0 \d+ \d+\]")
ENDS = {".pdf": b"%%EOF", ".svg": b"</svg>"}


def write_vectors(window: Any, path: Path, suffix: str, title: str, dpi: int) -> None:
    """Write what a rendered VTK `window` shows as PDF or SVG, by `suffix`.

    Letters are outlines, so that every sign (µ, ²) is there whatever fonts a reader has. What is
    shaded has the pixels of the window, `dpi` of them on an inch of the page.

    Raises
    ------
    SoleError
        The file was not written, for instance because the disk is full.
    """
    from vtkmodules.vtkIOExportGL2PS import vtkGL2PSExporter

    exporter = vtkGL2PSExporter()
    exporter.SetRenderWindow(window)
    exporter.SetFilePrefix(str(path.with_suffix("")))
    (exporter.SetFileFormatToPDF if suffix == ".pdf" else exporter.SetFileFormatToSVG)()
    # The exporter writes the title as it is.
    exporter.SetTitle(re.sub(r"([()\\])", r"\\\1", title) if suffix == ".pdf" else escape(title))
    exporter.CompressOff()
    exporter.TextAsPathOn()
    exporter.Write()
    # The exporter reports no error: on a full disk the end is missing.
    written = path.read_bytes() if path.is_file() else b""
    if not written.rstrip().endswith(ENDS[suffix]):
        raise SoleError(f"cannot write {path}: its end is missing, perhaps the disk is full")
    points = POINTS / dpi
    path.write_bytes(
        mend_pdf(written, points) if suffix == ".pdf" else SIZE.sub(_scaled(points), written, 1)
    )


def _scaled(points: float) -> Callable[[re.Match[bytes]], bytes]:
    """Return what gives a size in pixels in points."""
    return lambda size: re.sub(rb"\d+", lambda n: b"%.6g" % (points * int(n[0])), size[0])


def mend_pdf(written: bytes, points: float) -> bytes:
    """Return a PDF of GL2PS without its faults, compressed, and without its date.

    A pixel becomes so many `points` of the page; for GL2PS it is one.

    Outlined letters set a transparency by states that the file does not define and by an operator
    that PDF does not have; readers complain. All letters are opaque, so that both may go.
    """
    table = int(written[written.rindex(b"startxref") + 10 :].split()[0])
    trailer = written[written.rindex(b"trailer") : written.rindex(b"startxref")]
    places = [int(n) for n in re.findall(rb"(\d{10}) \d{5} n", written[table:])]
    ends = dict(zip(sorted(places), [*sorted(places)[1:], table], strict=True))
    out, offsets = bytearray(written[: min(places)]), []
    for place in places:
        offsets.append(len(out))
        out += _compressed(written[place : ends[place]], points)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return bytes(out + trailer + b"startxref\n%d\n%%%%EOF\n" % start)


def _compressed(item: bytes, points: float) -> bytes:
    """Return an object of a PDF with its stream, if it has one, mended and compressed."""
    head, begin, rest = item.partition(b"stream\n")
    if not begin:
        item = BOX.sub(_scaled(points), item)
        return re.sub(rb"/CreationDate \([^)]*\)\n", b"", item)
    data = rest[: rest.rindex(b"endstream")]
    if b"/Subtype /Image" not in head:
        data = re.sub(rb"(?m)^(/GS\d+ gs|[\d.]+ ca)\n", b"", data)
        data = b"%.6g 0 0 %.6g 0 0 cm\n" % (points, points) + data
    else:
        data = data[: int(re.findall(rb"/Length (\d+)", head)[0])]
    packed = zlib.compress(data, 9)
    size = b"/Length %d /Filter /FlateDecode" % len(packed)
    head = re.sub(rb"/Length \d+( 0 R)?", size, head, count=1)
    return head + b"stream\n" + packed + b"\nendstream\nendobj\n"
