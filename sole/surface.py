"""The surface of a tetrahedral mesh: its boundary triangles and what they are by direction."""

from __future__ import annotations

import numpy as np

from sole.arrays import BoolArray, FloatArray, IntArray

BOND_ANGLE = 30.0  # [deg] of the normal from +z, in the top tenth
TREAD_ANGLE = 60.0  # [deg] of the normal from -z

# Faces of a positively oriented tetrahedron, seen counter-clockwise from outside.
_FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])


def faces_of(tets: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return all faces (4e, 3) outward, the number (4e,) of each and how often each number occurs.

    Two faces have one number if they have the same vertices.
    """
    faces = tets[:, _FACES].reshape(-1, 3)
    _, number, count = np.unique(np.sort(faces, axis=1), axis=0, return_inverse=True, return_counts=True)
    return faces, number.reshape(-1), count


def boundary_faces(tets: IntArray) -> IntArray:
    """(b, 3) triangles that belong to one tetrahedron only, their normals pointing outwards."""
    faces, number, count = faces_of(tets)
    return faces[count[number] == 1]


def normals_and_areas(points: FloatArray, faces: IntArray) -> tuple[FloatArray, FloatArray]:
    """Unit normals (b, 3) and areas (b,) [m^2] of triangles."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    twice = np.linalg.norm(n, axis=1)
    return n / np.maximum(twice, 1e-300)[:, None], twice / 2


def facing(normals: FloatArray, direction: float, angle: float) -> BoolArray:
    """Say which unit normals lie within `angle` [deg] of (0, 0, `direction`), direction = +-1."""
    inside: BoolArray = normals[:, 2] * direction >= np.cos(np.radians(angle)) - 1e-9
    return inside
