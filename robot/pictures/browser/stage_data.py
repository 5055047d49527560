"""What stays the same in a run, for its page: kinematic tree, solids, treads, ground, texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot.pictures.bodies import TILES, TreadSurface, color_of, ground_surface, solid
from robot.pictures.browser.quantised import Quantised
from robot.pictures.caption import pushes_of
from robot.pictures.stage import robot_height
from robot.pictures.together import Side
from robot.run import LinkShape, Run, Skeleton
from sole.base.arrays import FloatArray, IntArray
from sole.condense import STRAIN_LIMIT

SHAPE, PLACE = 1e-5, 1e-4  # m: steps of solids and of the ground
MOST_TRIANGLES = 40_000  # of all mesh files of a robot; finer ones are decimated
SHARP = 30.0  # deg: edges above keep their corners


def side_header(side: Side) -> dict[str, Any]:
    """Return names, texts and the kinematic tree of a run, JSON-serialisable, in SI units."""
    run = side.run
    return {
        "title": side.title,
        "subtitle": side.subtitle,
        "color": side.color,
        "feet": list(run.feet),
        "weight": run.weight,
        "linear": STRAIN_LIMIT,
        "tall": robot_height(run),
        "end": float(run.time[-1]),
        "fell_at": side.fell_at,
        "ended": "" if run.finished else str(run.header["ended"]),
        "snapshots": bool(run.frames),
        "pushes": [
            {"start": p["start"], "duration": p["duration"], "force": list(p["force"])}
            for p in pushes_of(run)
        ],
        "skeleton": _tree(run.skeleton),
    }


def _tree(skeleton: Skeleton) -> dict[str, Any]:
    names = (
        "parents", "coordinates", "first", "placements", "axes", "frames", "frame_placements",
    )  # fmt: skip
    return {name: getattr(skeleton, name).tolist() for name in names}


def solids_of(run: Run) -> tuple[list[dict[str, Any]], dict[str, Quantised]]:
    """Return the solids of the links, with joint, placement and colour, and their triangles.

    Equal shapes share their triangles, `solid/K/points` (v, 3) [m] and `solid/K/faces` (t, 3).
    """
    found: list[dict[str, Any]] = []
    arrays: dict[str, Quantised] = {}
    known: dict[tuple[Any, ...], int | None] = {}
    shapes = run.skeleton.shapes
    meshes = sum(shape.kind == "mesh" for shape in shapes)
    for shape in shapes:
        key = (shape.kind, *np.round(shape.size, 9).tolist(), shape.path)
        if key not in known:
            triangles = _triangles(shape, MOST_TRIANGLES // max(meshes, 1))
            known[key] = None if triangles is None else len(arrays) // 2
            if triangles is not None:
                points, faces = triangles
                arrays[f"solid/{known[key]}/points"] = Quantised(points, SHAPE, "m")
                arrays[f"solid/{known[key]}/faces"] = Quantised(faces.astype(float), 1.0)
        if known[key] is not None:
            found.append(
                {
                    "link": shape.link,
                    "joint": int(shape.joint),
                    "placement": np.asarray(shape.placement).tolist(),
                    "mesh": known[key],
                    "color": color_of(shape.link),
                }
            )
    return found, arrays


def _triangles(shape: LinkShape, most: int) -> tuple[FloatArray, IntArray] | None:
    """Return vertices, one per corner of a sharp edge, and triangles; None if unreadable."""
    mesh: Any = solid(shape)
    if mesh is None:
        return None
    surface: Any = mesh.triangulate()
    if surface.n_cells > most:
        surface = surface.decimate(1.0 - most / surface.n_cells)
    split = surface.clean().compute_normals(
        cell_normals=False, split_vertices=True, feature_angle=SHARP, consistent_normals=False
    )
    return np.asarray(split.points, dtype=float), np.asarray(split.regular_faces, dtype=np.int64)


def treads_of(run: Run) -> tuple[list[dict[str, Any]], dict[str, Quantised]]:
    """Return the contact bodies and their nodes: points, faces, rim and areas of `tread/B/...`."""
    told, arrays = [], {}
    for b, tread in enumerate(run.treads):
        surface = TreadSurface(tread)
        told.append(
            {
                "name": tread.name,
                "foot": tread.foot,
                "rigid": tread.rigid,
                "solid": surface.solid,
                "height": float(tread.origin[2]),
                "thickness": tread.thickness,
            }
        )
        arrays[f"tread/{b}/points"] = Quantised(tread.points, 1e-6, "m")
        arrays[f"tread/{b}/faces"] = Quantised(surface.faces.astype(float), 1.0)
        arrays[f"tread/{b}/rim"] = Quantised(surface.rim.astype(float), 1.0)
        arrays[f"tread/{b}/areas"] = Quantised(tread.areas, 1e-9, "m^2")
    return told, arrays


def ground_of(run: Run) -> dict[str, Quantised]:
    """Return the ground: x (a,), y (b,), height (b, a) [m]; colour (b-1, a-1) among `TILES`."""
    grid: Any = ground_surface(run)
    if grid is None:
        return {}
    across, along, _ = grid.dimensions
    points = np.asarray(grid.points, dtype=float).reshape(along, across, 3)
    tiles = np.asarray(grid.cell_data["tile"], dtype=float).reshape(along - 1, across - 1)
    return {
        "ground/x": Quantised(points[0, :, 0], PLACE, "m"),
        "ground/y": Quantised(points[:, 0, 1], PLACE, "m"),
        "ground/height": Quantised(points[:, :, 2], PLACE, "m"),
        "ground/tile": Quantised(tiles, 1.0),
    }


GROUND_COLORS = list(TILES)
