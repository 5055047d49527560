"""Quality of a mesh: dihedral angles and scaled Jacobians of tetrahedra, evenness of the tread."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.mesh.sole_mesh import SoleMesh, tetrahedron_volumes

_EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
# The three edges that meet at each vertex, as rows of _EDGES.
_AT_VERTEX = np.array([[0, 1, 2], [0, 3, 4], [1, 3, 5], [2, 4, 5]])


FLAT = math.radians(1.0)  # smallest dihedral angle that needs no warning
POOR = 0.05  # smallest scaled Jacobian that needs none
UNEVEN = 10.0  # largest factor between areas of tread nodes that needs none; a box has 4 to 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Summary of a mesh.

    Parameters
    ----------
    vertices, tetrahedra, tread_vertices, bond_vertices : counts.
    min_dihedral, max_dihedral : extreme angle between two faces of one tetrahedron [rad];
        1.231 (70.53 degrees) for a regular one.
    min_scaled_jacobian, mean_scaled_jacobian : 1 for a regular tetrahedron, 0 for a flat one.
    """

    vertices: int
    tetrahedra: int
    tread_vertices: int
    bond_vertices: int
    min_dihedral: float
    max_dihedral: float
    min_scaled_jacobian: float
    mean_scaled_jacobian: float


def mesh_quality(mesh: SoleMesh) -> Quality:
    """Return counts and the extreme angles and Jacobians of a mesh."""
    angles = dihedral_angles(mesh.points, mesh.tets)
    jacobians = scaled_jacobians(mesh.points, mesh.tets)
    return Quality(
        vertices=len(mesh.points),
        tetrahedra=len(mesh.tets),
        tread_vertices=len(mesh.tread_vertices),
        bond_vertices=len(np.unique(mesh.bond)),
        min_dihedral=float(angles.min()),
        max_dihedral=float(angles.max()),
        min_scaled_jacobian=float(jacobians.min()),
        mean_scaled_jacobian=float(jacobians.mean()),
    )


def warn_of_quality(mesh: SoleMesh) -> tuple[str, ...]:
    """Return warnings: elements so flat or long that stresses mean little, and an uneven tread."""
    q = mesh_quality(mesh)
    angle, jacobian = math.degrees(q.min_dihedral), q.min_scaled_jacobian
    uneven = warn_of_tread(mesh)
    if q.min_dihedral < FLAT:
        return (
            f"elements as flat as {angle:.2g} degrees; other mesh sizes may avoid them",
            *uneven,
        )
    if jacobian < POOR:
        told = f"elements of a scaled Jacobian of {jacobian:.2g} (1 is regular, below {POOR} poor)"
        return (f"{told}; other mesh sizes may avoid them", *uneven)
    return uneven


def tread_factor(mesh: SoleMesh) -> float:
    """Return the largest over the smallest area of a tread node."""
    return float(mesh.tread_areas.max() / mesh.tread_areas.min())


def warn_of_tread(mesh: SoleMesh) -> tuple[str, ...]:
    """Return a warning of tread nodes so small beside others that their pressures mislead."""
    factor = tread_factor(mesh)
    if factor <= UNEVEN:
        return ()
    areas = 1e4 * mesh.tread_areas
    return (
        f"areas of tread nodes differ by a factor of {factor:.3g} ({areas.min():.2g} to "
        f"{areas.max():.2g} cm2): the largest pressure may be that of the smallest nodes; other "
        "mesh sizes may avoid them",
    )


def dihedral_angles(points: FloatArray, tets: IntArray) -> FloatArray:
    """Return the dihedral angles (e, 6) [rad] at the edges 01, 02, 03, 12, 13, 23."""
    angles = []
    for i, j in _EDGES:
        k, l = (v for v in range(4) if v not in (i, j))
        edge = points[tets[:, j]] - points[tets[:, i]]
        # the angle between the directions to the other two vertices, seen along the edge
        a, b = (np.cross(edge, points[tets[:, v]] - points[tets[:, i]]) for v in (k, l))
        sine = np.linalg.norm(np.cross(a, b), axis=1)
        angles.append(np.arctan2(sine, np.einsum("ei,ei->e", a, b)))
    return np.column_stack(angles)


def scaled_jacobians(points: FloatArray, tets: IntArray) -> FloatArray:
    """Return (e,) sqrt(2) det J / max over vertices of the product of its three edge lengths."""
    length = np.linalg.norm(points[tets[:, _EDGES[:, 1]]] - points[tets[:, _EDGES[:, 0]]], axis=2)
    largest = length[:, _AT_VERTEX].prod(axis=2).max(axis=1)
    ratio: FloatArray = np.sqrt(2) * 6 * tetrahedron_volumes(points, tets) / largest
    return ratio


def mean_ratios(points: FloatArray, tets: IntArray) -> FloatArray:
    """Return (e,) 12 (3 V)^(2/3) / sum of squared edges: 1 for a regular tetrahedron, 0 if flat.

    Liu and Joe, "Relationship between tetrahedron shape measures", BIT 34 (1994).
    """
    edges = points[tets[:, _EDGES[:, 1]]] - points[tets[:, _EDGES[:, 0]]]
    volumes = np.abs(tetrahedron_volumes(points, tets))
    ratio: FloatArray = 12 * np.cbrt(3 * volumes) ** 2 / (edges**2).sum(axis=(1, 2))
    return ratio
