"""Surface files: STL, OBJ, PLY and 3MF, read and checked before anything is meshed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import ShapeError
from sole.base.files import LARGEST_MESH, existing_file
from sole.base.quiet import quiet_meshio
from sole.mesh.sole_frame import METRES, metres_per
from sole.mesh.stl import FARTHEST
from sole.mesh.three_mf import read_3mf

SUFFIXES = (".stl", ".obj", ".ply", ".3mf")
LONG = 5_000_000  # bytes of a text that takes seconds to read: a sample of it is checked first
SAMPLES = 2000
VERTEX = re.compile(rb"vertex\s+([-+.\deE]+)\s+([-+.\deE]+)\s+([-+.\deE]+)\s")
PADDING = {".obj": 0, ".stl": 50}  # zero bytes that may end a file


def read_triangles(
    path: Path, unit: str | None, check: Callable[[FloatArray], None]
) -> tuple[FloatArray, IntArray]:
    """Return the vertices (n, 3) [m] of a surface file, not joined, and its triangles (f, 3).

    Polygons are divided into triangles that fan out from their first corner.

    Parameters
    ----------
    path : a file of one of `SUFFIXES`.
    unit : of STL, OBJ and PLY, which state none: "m", "cm", "mm" or "in". A 3MF states its own.
    check : called with the vertices [m], first with a sample of a long text; it raises what is
        wrong with their size.

    Raises
    ------
    ShapeError
        Unreadable, without triangles, not finite, or no unit where the file states none.
    """
    suffix = path.suffix.lower()
    existing_file(path, ShapeError, most=LARGEST_MESH, padding=PADDING.get(suffix, np.inf))
    if suffix not in SUFFIXES:
        raise ShapeError(
            f"{path}: '{path.suffix}' is not a surface file, expected {', '.join(SUFFIXES)}"
        )
    if suffix == ".3mf":
        if unit is not None:
            raise ShapeError(f"{path}: a 3MF states its unit; leave --unit out")
        points, faces = read_3mf(path)
        _refuse_values(path, points)
    else:
        if unit is not None and suffix == ".stl" and path.stat().st_size > LONG:
            sample = _sample_of_text(path)
            if len(sample) > 2:
                check(sample * metres_per(unit))
        points, faces = _by_meshio(path, suffix[1:])
        _refuse_values(path, points)
        points = points * _scale(path, points, unit)
    check(points)
    return points, faces


def _sample_of_text(path: Path) -> FloatArray:
    """Return some vertices (n, 3) from all over an STL in text; none of a binary one."""
    content = path.read_bytes()
    if not content.lstrip()[:5].lower() == b"solid" or b"\0" in content[:1000]:
        return np.empty((0, 3))
    step = max(1, len(content) // SAMPLES)
    found = (VERTEX.search(content, at, at + 2000) for at in range(0, len(content), step))
    texts = [[float(word) for word in match.groups()] for match in found if match is not None]
    sample: FloatArray = np.array(texts, dtype=float).reshape(-1, 3)
    finite: FloatArray = sample[np.isfinite(sample).all(axis=1)]
    return finite


def _by_meshio(path: Path, kind: str) -> tuple[FloatArray, IntArray]:
    try:
        mesh = quiet_meshio(path, kind)
    except ValueError as error:
        raise ShapeError(f"{path}: not a readable {kind.upper()} file ({error})") from error
    fans = []
    for block in mesh.cells:
        cells = np.asarray(block.data)
        if block.dim == 2 and cells.ndim == 2 and len(cells):
            fans += [cells[:, [0, k, k + 1]] for k in range(1, cells.shape[1] - 1)]
        elif block.type.startswith("polygon"):  # of different lengths
            fans += [
                np.array([[c[0], c[k], c[k + 1]]]) for c in cells for k in range(1, len(c) - 1)
            ]
    points = np.asarray(mesh.points, dtype=float)
    if not fans or points.ndim != 2 or points.shape[1] < 3:
        raise ShapeError(f"{path}: holds no triangles; expected the surface of a solid")
    faces = np.concatenate(fans).astype(np.int64)
    if not 0 <= int(faces.min()) <= int(faces.max()) < len(points):
        raise ShapeError(
            f"{path}: a triangle names a vertex that is not there (vertices counted from the end "
            "are not read); export it as STL"
        )
    return points[:, :3], faces


def _refuse_values(path: Path, points: FloatArray) -> None:
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise ShapeError(
            f"{path}: holds {len(bad)} vertices that are not finite (NaN or infinite), the first "
            f"is vertex {int(bad[0]) + 1}; expected numbers: export it again"
        )
    if np.abs(points).max() > FARTHEST:
        raise ShapeError(
            f"{path}: holds a vertex at {np.abs(points).max():.2g}: too far for a sole; export "
            "it again"
        )


def _scale(path: Path, points: FloatArray, unit: str | None) -> float:
    """Return the metres of the file's unit."""
    if unit is not None:
        return metres_per(unit)
    longest = float(np.ptp(points, axis=0).max())
    likely = "mm" if longest > 50 else "in" if longest > 1 else "m"
    *first, last = (f"--unit {name}" for name in METRES)
    kind = {"stl": "an STL", "obj": "an OBJ", "ply": "a PLY"}[path.suffix[1:].lower()]
    raise ShapeError(
        f"{path}: {kind} states no unit and its longest side is {longest:g}; give "
        f"{', '.join(first)} or {last} (likely {likely})"
    )
