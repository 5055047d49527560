"""Mass, centre of mass and inertia tensor of a meshed sole, exact for straight tetrahedra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sole.base.arrays import FloatArray, frozen
from sole.material import Material
from sole.mesh import SoleMesh


@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass [kg], center_of_mass (3,) [m], inertia (3, 3) about it [kg m^2], in the sole frame."""

    mass: float
    center_of_mass: FloatArray
    inertia: FloatArray


def inertia_of(mesh: SoleMesh, materials: Sequence[Material]) -> Inertia:
    """Integrate density over the tetrahedra.

    For a tetrahedron of mass M, vertices x_k and centroid c,
    int rho x x' = M/20 (16 c c' + sum_k x_k x_k').
    """
    rho = np.array([m.density for m in materials])[mesh.layer_of_tet]
    M = rho * mesh.volumes
    x = mesh.points[mesh.tets]
    c = x.mean(axis=1)
    mass = float(M.sum())
    center = M @ c / mass
    second = (
        16 * np.einsum("e,ea,eb->ab", M, c, c) + np.einsum("e,eka,ekb->ab", M, x, x)
    ) / 20 - mass * np.outer(center, center)
    return Inertia(mass, frozen(center), frozen(np.trace(second) * np.eye(3) - second))
