"""3MF files: the triangles of all build items, in metres.

A 3MF is a ZIP archive with an XML model (3MF Core Specification 1.3). Both can be made to fill the
memory: the archive by its compression, the XML by its entities. So the size of the model is
bounded while it is unpacked, and a document type, which 3MF never has, is refused.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import ShapeError

UNITS = {
    "micron": 1e-6, "millimeter": 1e-3, "centimeter": 1e-2,
    "inch": 0.0254, "foot": 0.3048, "meter": 1.0,
}  # fmt: skip
LARGEST = 400_000_000  # bytes of the unpacked model
CHUNK = 1 << 20
DEEPEST = 10  # components inside components
MOST = 5_000_000  # triangles, after components have been copied to their places
IDENTITY = (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)

Part = tuple[str, FloatArray]  # id of an object, and its transform (4, 3)


@dataclass
class _Object:
    """A mesh, or components that name other objects."""

    points: list[float] = field(default_factory=list)
    faces: list[int] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)


class _Model:
    """What expat finds in a model: its unit, objects and build items."""

    def __init__(self, path: Path) -> None:
        self.path, self.scale = path, 1e-3
        self.objects: dict[str, _Object] = {}
        self.items: list[Part] = []
        self.open = _Object()

    def start(self, name: str, at: Mapping[str, str]) -> None:
        """Take in one element; names are without their namespace."""
        name = name.rpartition(" ")[2]
        if name == "vertex":
            self.open.points += [float(at["x"]), float(at["y"]), float(at["z"])]
        elif name == "triangle":
            self.open.faces += [int(at["v1"]), int(at["v2"]), int(at["v3"])]
        elif name == "object":
            self.open = self.objects[at["id"]] = _Object()
        elif name == "component":
            self.open.parts.append((at["objectid"], _transform(at)))
        elif name == "item":
            self.items.append((at["objectid"], _transform(at)))
        elif name == "model":
            unit = at.get("unit", "millimeter")
            if unit not in UNITS:
                raise ShapeError(f"{self.path}: unit '{unit}', expected one of {', '.join(UNITS)}")
            self.scale = UNITS[unit]

    def refuse_type(self, *_: object) -> None:
        """Refuse a document type: only it can declare entities."""
        raise ShapeError(
            f"{self.path}: its model declares a document type, which 3MF does not allow (entities "
            "could fill the memory); export it again"
        )


def read_3mf(path: Path) -> tuple[FloatArray, IntArray]:
    """Return the vertices (n, 3) [m] and triangles (f, 3) of all build items, each at its place.

    Raises
    ------
    ShapeError
        Not a 3MF, damaged, larger than `LARGEST` unpacked, with a document type, or without
        triangles.
    """
    model = _Model(path)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = model.start
    parser.StartDoctypeDeclHandler = model.refuse_type
    try:
        with zipfile.ZipFile(path) as archive:
            name = _model_name(archive, path)
            with archive.open(name) as stream:
                size = 0
                while chunk := stream.read(CHUNK):
                    size += len(chunk)
                    if size > LARGEST:
                        raise ShapeError(
                            f"{path}: its model has over {LARGEST / 1e6:.0f} MB unpacked: export "
                            "it with fewer triangles"
                        )
                    parser.Parse(chunk, False)
                parser.Parse(b"", True)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ShapeError(f"{path}: not a readable 3MF file ({error})") from error
    except (expat.ExpatError, KeyError, ValueError) as error:
        raise ShapeError(f"{path}: not a readable 3MF model ({error}); export it again") from error
    found: list[tuple[FloatArray, IntArray]] = []
    for part in model.items:
        _place(model, part, found, DEEPEST)
    if not found:
        raise ShapeError(f"{path}: holds no triangles; export a solid")
    offsets = np.cumsum([0, *(len(p) for p, _ in found)])
    points = np.concatenate([p for p, _ in found])
    return model.scale * points, np.concatenate(
        [f + at for (_, f), at in zip(found, offsets, strict=False)]
    )


def _model_name(archive: zipfile.ZipFile, path: Path) -> str:
    """Return the name of the first model; `3D/3dmodel.model` if there are several."""
    names = [n for n in archive.namelist() if n.lower().endswith(".model")]
    if not names:
        raise ShapeError(f"{path}: holds no 3D model; expected a 3MF, which has 3D/3dmodel.model")
    return min(names, key=lambda n: (n.lower() != "3d/3dmodel.model", names.index(n)))


def _transform(at: Mapping[str, str]) -> FloatArray:
    """Return the (4, 3) matrix of a row vector's transform: three rows of axes, then the shift."""
    numbers = [float(v) for v in at.get("transform", "").split()] or IDENTITY
    return np.array(numbers, dtype=float).reshape(4, 3)


def _place(model: _Model, part: Part, found: list[tuple[FloatArray, IntArray]], depth: int) -> None:
    """Add the mesh of an object and of its components, moved, to what was found."""
    name, matrix = part
    thing = model.objects.get(name)
    if thing is None or depth == 0:
        why = f"there is no object '{name}'" if thing is None else "its components are nested"
        raise ShapeError(f"{model.path}: not a readable 3MF model ({why}); export it again")
    if thing.faces:
        points = np.array(thing.points).reshape(-1, 3)
        faces = np.array(thing.faces, dtype=np.int64).reshape(-1, 3)
        if not 0 <= faces.min() <= faces.max() < len(points):
            raise ShapeError(f"{model.path}: a triangle names a vertex that is not there")
        found.append((points @ matrix[:3] + matrix[3], faces))
    if sum(len(f) for _, f in found) > MOST:
        raise ShapeError(f"{model.path}: holds over {MOST} triangles; export it coarser")
    for inner, own in thing.parts:
        moved = np.vstack([own[:3] @ matrix[:3], own[3] @ matrix[:3] + matrix[3]])
        _place(model, (inner, moved), found, depth - 1)
