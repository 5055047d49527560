"""The sole frame and the unit of length of foreign meshes and solids."""

from __future__ import annotations

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import MeshError, ShapeError
from sole.mesh.surface import normals_and_areas
from sole.shape import refuse_size

METRES = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254}

THICKEST = 1 + 1e-5  # of the shorter side seen from above; a cube passes, whatever its round-off


def metres_per(unit: str) -> float:
    """Return the length of one `unit` (of `METRES`, or "inch") in metres."""
    name = "in" if unit == "inch" else unit
    if name not in METRES:
        raise ShapeError(f"unit must be m, cm, mm or in (inches), got '{unit}'")
    return METRES[name]


def in_sole_frame(points: FloatArray, bond: IntArray) -> FloatArray:
    """Move points so that the bond's bounding box is centred at x = y = 0 and its top at z = 0.

    Points already in place to 1e-9 of their size stay unchanged, to the last bit.

    Raises
    ------
    MeshError
        The bond faces down: the file is upside down or its groups are swapped.
    """
    glued = points[np.unique(bond)]
    normals, areas = normals_and_areas(points, bond)
    if areas @ normals[:, 2] <= 0:
        raise MeshError(
            "the bond faces down; a sole has z up, its bond on top and its tread below: turn it "
            "over or swap the groups"
        )
    low, high = glued.min(axis=0), glued.max(axis=0)
    origin = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, high[2]])
    if np.abs(origin).max() <= 1e-9 * np.ptp(points, axis=0).max():
        return points
    moved: FloatArray = points - origin
    return moved


def refuse_extent(
    points: FloatArray,
    what: str,
    hint: str,
    turn: str = "is y up in this file? turn it, x forward and z up",
) -> None:
    """Raise ShapeError if the bounding box of points [m] is not a sole's (`refuse_size`).

    A sole that is thicker than wide is refused, too: most of them are of files where y is up.
    `turn` says what to do then.
    """
    x, y, z = np.ptp(points, axis=0)
    refuse_size((float(x), float(y), float(z)), what, hint)
    if z > THICKEST * min(x, y):
        raise ShapeError(
            f"{what} would be {x:g} m long, {y:g} m wide and {z:g} m thick, thicker than wide: "
            f"{turn} (a pad as tall as that: --box, or a shape)"
        )
