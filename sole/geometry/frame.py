"""The frame of every sole, given to what comes from elsewhere."""

from __future__ import annotations

import numpy as np

from sole.arrays import FloatArray, IntArray
from sole.errors import MeshError
from sole.geometry.surface import normals_and_areas
from sole.shape import refuse_size


def in_sole_frame(points: FloatArray, bond: IntArray) -> FloatArray:
    """Move points so that the bond's bounding box is centred at x = y = 0 and its top at z = 0.

    What already is there to 1e-9 of its size is left alone, to the last bit.

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


def refuse_extent(points: FloatArray, what: str, hint: str) -> None:
    """Refuse points [m] whose bounding box is not that of a sole (`refuse_size`)."""
    x, y, z = np.ptp(points, axis=0)
    refuse_size((float(x), float(y), float(z)), what, hint)
