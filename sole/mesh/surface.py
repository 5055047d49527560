"""The surface of a tetrahedral mesh: boundary triangles, and bond and tread by their normals."""

from __future__ import annotations

import math
import warnings

import numpy as np

from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.errors import MeshError

BOND_ANGLE = math.radians(30)  # of the normal from +z, in the top tenth
TREAD_ANGLE = math.radians(60)  # of the normal from -z
STRIP = 0.05  # share of the tread that may give way to the bond

# Faces of a positively oriented tetrahedron, seen counter-clockwise from outside.
_FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])


def faces_of(tets: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return all outward faces (4e, 3), the number (4e,) of each, and the count of each number.

    Faces with the same vertices share a number.
    """
    faces = tets[:, _FACES].reshape(-1, 3)
    _, number, count = np.unique(
        np.sort(faces, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    return faces, number.reshape(-1), count


def boundary_faces(tets: IntArray) -> IntArray:
    """Return the (b, 3) triangles that belong to one tetrahedron only, with outward normals."""
    faces, number, count = faces_of(tets)
    outside: IntArray = faces[count[number] == 1]
    return outside


def normals_and_areas(points: FloatArray, faces: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return unit normals (b, 3) and areas (b,) [m^2] of triangles."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    twice = np.linalg.norm(n, axis=1)
    return n / np.maximum(twice, 1e-300)[:, None], twice / 2


def total_area(points: FloatArray, faces: IntArray) -> float:
    """Return the total area of triangles [m^2]."""
    return float(normals_and_areas(points, faces)[1].sum())


def find_facing(normals: FloatArray, direction: float, angle: float) -> BoolArray:
    """Return a mask of unit normals within `angle` [rad] of (0, 0, `direction`), +-1."""
    inside: BoolArray = normals[:, 2] * direction >= np.cos(angle) - 1e-9
    return inside


def bond_and_tread(
    points: FloatArray,
    faces: IntArray,
    bond_angle: float,
    tread_angle: float,
    tread_height: float | None = None,
) -> tuple[IntArray, IntArray]:
    """Find bond and tread of a solid by height and normals of its surface.

    `bond`: triangles within `bond_angle` of +z whose centres lie in the top tenth of the
    height. `tread`: triangles within `tread_angle` of -z, except those of closed cavities and
    those whose centres lie more than `tread_height` above the lowest point. Where a thin edge
    leaves no wall between the two, a narrow strip of the tread gives way, with a warning.

    Parameters
    ----------
    points : (n, 3) [m], z up.
    faces : (b, 3) all boundary triangles, outwards.
    bond_angle, tread_angle : [rad], each in (0, pi/2).
    tread_height : [m]; None: any height.

    Raises
    ------
    MeshError
        An angle out of range, or no triangle found; the message says how to widen the search.
    """
    for name, angle in (("bond", bond_angle), ("tread", tread_angle)):
        if not 0 < angle < math.pi / 2:
            raise MeshError(
                f"--{name}-angle-deg must lie inside (0, 90), got {math.degrees(angle):g}"
            )
    normals, areas = normals_and_areas(points, faces)
    z = points[faces, 2].mean(axis=1)
    low, high = points[faces, 2].min(), points[faces, 2].max()
    bond = find_facing(normals, 1.0, bond_angle) & (z >= high - 0.1 * (high - low))
    tread = find_facing(normals, -1.0, tread_angle) & ~_in_cavity(points, faces)
    if tread_height is not None:
        if not tread_height > 0:
            raise MeshError(f"--tread-height must be positive, got {tread_height:g} m")
        tread &= z <= low + tread_height
    meeting = tread & np.isin(faces, faces[bond]).any(axis=1)
    lost = float(areas[meeting].sum())
    if 0 < lost < STRIP * float(areas[tread].sum()):
        warnings.warn(
            f"bond and tread meet at a thin edge: {1e4 * lost:.2g} cm2 of the tread there are left "
            "out",
            UserWarning,
            stacklevel=2,
        )
        tread &= ~meeting
    for name, group, angle, where in (
        ("bond", bond, bond_angle, "+z in the top tenth"),
        ("tread", tread, tread_angle, "-z"),
    ):
        if not group.any():
            raise MeshError(
                f"no face within {math.degrees(angle):g} degrees of {where} for the {name}; turn "
                f"the solid so that z points up, or widen --{name}-angle-deg"
            )
    return faces[bond], faces[tread]


def _in_cavity(points: FloatArray, faces: IntArray) -> BoolArray:
    """Return a mask of the triangles of closed cavities: their shell has a negative volume."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = faces[:, [0, 0]].ravel(), faces[:, 1:].ravel()
    graph = coo_array((np.ones(len(rows)), (rows, columns)), (len(points), len(points)))
    _, part = connected_components(graph, directed=False)
    a, b, c = (points[faces[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    shell = part[faces[:, 0]]
    inside: BoolArray = np.bincount(shell, volume)[shell] < 0
    return inside


def connected_tets(tets: IntArray, vertices: int) -> IntArray:
    """Return (e,) the number of the connected part of each tetrahedron."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = tets[:, [0, 0, 0]].ravel(), tets[:, 1:].ravel()
    graph = coo_array((np.ones(len(ends[0])), ends), (vertices, vertices))
    number = connected_components(graph, directed=False)[1][tets[:, 0]]
    return np.unique(number, return_inverse=True)[1].reshape(-1)


def orient_outward(group: IntArray, boundary: IntArray, name: str) -> IntArray:
    """Return the triangles of a group with the orientation of the boundary, in the group's order.

    Raises
    ------
    MeshError
        A triangle of the group is not a boundary face.
    """
    known = {tuple(sorted(face)): face for face in boundary.tolist()}
    try:
        found = [known[tuple(sorted(face))] for face in group.tolist()]
    except KeyError as error:
        raise MeshError(
            f"the group '{name}' has a triangle that is not an outer face of a tetrahedron "
            f"(vertices {', '.join(map(str, error.args[0]))}); mesh surface and volume together"
        ) from None
    return np.array(found, dtype=np.int64).reshape(-1, 3)
