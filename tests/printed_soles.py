"""Surfaces as printers and scanners make them, by code: [mm], lists of points and triangles."""

from __future__ import annotations

import zipfile

import meshio
import numpy as np

CORNERS = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], dtype=float)
SIDES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


def block(size, at=(0.0, 0.0, 0.0)):
    """A closed box, faces outwards."""
    return CORNERS * size + at, SIDES


def together(*surfaces):
    """Several surfaces as one file."""
    starts = np.cumsum([0, *(len(p) for p, _ in surfaces)])
    faces = [f + n for (_, f), n in zip(surfaces, starts, strict=False)]
    return np.concatenate([p for p, _ in surfaces]), np.concatenate(faces)


def printed_sole(size=(102.0, 41.0, 8.0), columns=4, rows=2, gap=3.0, depth=3.0):
    """A plate and tread blocks that stick 0.5 mm into it: closed shells that cut each other."""
    length, width, height = size
    plate = block((length, width, height - depth), (0, 0, depth))
    step = np.array([(length + gap) / columns, (width + gap) / rows])
    blocks = [
        block((*(step - gap), depth + 0.5), (i * step[0], j * step[1], 0))
        for i in range(columns)
        for j in range(rows)
    ]
    return together(plate, *blocks)


def whole_foot(length=120.0, width=60.0, height=70.0):
    """A foot that tapers upwards to a third: its underside is its largest flat face."""
    points, faces = block((length, width, height))
    up = points[:, 2] / height
    middle = np.array([length / 2, width / 2])
    points[:, :2] = middle + (points[:, :2] - middle) * (1 - 0.67 * up)[:, None]
    return points, faces


def ball(radius=40.0):
    """A ball of 320 triangles: no flat side."""
    import pyvista

    mesh = pyvista.Icosphere(radius=radius, nsub=2)
    return np.asarray(mesh.points, dtype=float), np.asarray(mesh.regular_faces)


def write(path, surface):
    """Write a surface as the suffix says; `.3mf` in millimetres."""
    points, faces = surface
    if path.suffix == ".3mf":
        return write_3mf(path, model_of(points, faces))
    meshio.Mesh(points, [("triangle", faces)]).write(path)
    return path


def model_of(points, faces, unit="millimeter", item=""):
    """The XML of a 3MF with one object and one build item."""
    vertices = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in points)
    triangles = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in faces)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><model unit="{unit}" '
        'xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>'
        f'<object id="1" type="model"><mesh><vertices>{vertices}</vertices>'
        f"<triangles>{triangles}</triangles></mesh></object></resources>"
        f'<build><item objectid="1" {item}/></build></model>'
    )


def write_3mf(path, model, name="3D/3dmodel.model"):
    """Write a 3MF archive with the given model."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, model)
    return path
