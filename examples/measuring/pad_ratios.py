"""Finite elements versus springs: how much stiffer a bonded pad is than c_A = E/d."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact.papers.foundation import WinklerFoundation, instantaneous_U, sole_U, tread_region
from contact.problem import ContactStatus
from sole.base.arrays import FloatArray
from sole.condense import Condenser
from sole.material import Material
from sole.mesh import SoleMesh

GROWTH, LARGEST = 1.5, 0.14  # of the cells from the edge inwards; of the half side


@dataclass(frozen=True)
class Ratios:
    """K_FEM/K_Winkler of one pad, in the order (roll, pitch, vertical) of U's diagonal.

    Parameters
    ----------
    slenderness : thickness over half of the smaller side.
    nu : Poisson's ratio.
    sticks : (3,) with the tread stuck to the ground.
    slides : (3,) without friction.
    """

    slenderness: float
    nu: float
    sticks: FloatArray
    slides: FloatArray


def pad_mesh(length: float, width: float, thickness: float, layers: int = 3) -> SoleMesh:
    """Structured mesh of a rectangular pad [m], finer towards the edges, where rubber bulges.

    The cells at the edge are about as wide as a layer is high; inwards they grow by half.
    """
    from skfem import MeshTet

    z = np.linspace(-thickness, 0, layers + 1)
    edge = 1.2 * thickness / layers
    m = MeshTet.init_tensor(_graded(length / 2, edge), _graded(width / 2, edge), z)
    points, tets, facets = m.p.T.copy(), m.t.T.copy(), m.facets.T
    a, b, c, d = (points[tets[:, k]] for k in range(4))
    mirrored = np.einsum("ei,ei->e", np.cross(b - a, c - a), d - a) < 0
    tets[mirrored] = tets[mirrored][:, [0, 2, 1, 3]]
    height = points[facets, 2]
    return SoleMesh(
        points=points,
        tets=tets,
        layer_of_tet=np.zeros(len(tets), np.int64),
        layers=("sole",),
        bond=facets[(height == z[-1]).all(axis=1)],
        tread=facets[(height == z[0]).all(axis=1)],
        name=f"pad {length:g} x {width:g} x {thickness:g} m",
    )


def stiffness_ratios(
    length: float, width: float, slenderness: float, nus: tuple[float, ...], layers: int = 3
) -> list[Ratios]:
    """Condense one pad for several Poisson ratios (element "ccr") and compare with E/d.

    E cancels: both stiffnesses are proportional to it.
    """
    E, t = 1e6, slenderness * min(length, width) / 2
    condenser = Condenser(pad_mesh(length, width, t, layers), "ccr")
    springs = np.diag(WinklerFoundation.of_layer(tread_region(condenser.mesh), E, t).U)
    rows = []
    for nu in nus:
        sole = condenser.condense([Material(young_modulus=E, poisson_ratio=nu)])
        smooth = instantaneous_U(sole, np.full(len(sole.points), int(ContactStatus.SLIP)))
        ratios = (np.diag(U) / springs for U in (sole_U(sole), smooth))
        rows.append(Ratios(slenderness, nu, *ratios))
    return rows


def _graded(half: float, edge: float) -> FloatArray:
    """Return positions from -half to half: cells of size `edge` at both ends, larger inside."""
    cells = [min(edge, LARGEST * half)]
    while sum(cells) < half:
        cells.append(min(GROWTH * cells[-1], LARGEST * half))
    side = half - np.concatenate([[0.0], np.cumsum(cells)]) * half / sum(cells)
    return np.concatenate([-side[:-1], [0.0], side[-2::-1]])
