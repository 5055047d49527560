"""Structured box meshes for tests: no Gmsh, any number of layers, vertex positions known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sole.mesh import SoleMesh


def box_mesh(
    length: float,
    width: float,
    thickness: float,
    cells: tuple[int, int, int],
    layers: Sequence[float] = (1.0,),
    x: np.ndarray | None = None,
    y: np.ndarray | None = None,
    z: np.ndarray | None = None,
) -> SoleMesh:
    """Box of `cells` bricks of six tetrahedra; `layers`: parts of the thickness, tread first."""
    from skfem import MeshTet

    x = np.linspace(-length / 2, length / 2, cells[0] + 1) if x is None else x
    y = np.linspace(-width / 2, width / 2, cells[1] + 1) if y is None else y
    z = np.linspace(-thickness, 0, cells[2] + 1) if z is None else z
    m = MeshTet.init_tensor(x, y, z)
    points, tets = m.p.T.copy(), m.t.T.copy()
    a, b, c, d = (points[tets[:, k]] for k in range(4))
    wrong = np.einsum("ei,ei->e", np.cross(b - a, c - a), d - a) < 0
    tets[wrong] = tets[wrong][:, [0, 2, 1, 3]]
    facets = m.facets.T
    height = points[facets, 2]
    tops = -thickness + thickness * np.cumsum(layers) / np.sum(layers)
    return SoleMesh(
        points=points,
        tets=tets,
        layer_of_tet=np.searchsorted(tops[:-1], points[tets, 2].mean(axis=1)),
        layers=tuple(f"layer{k}" for k in range(len(layers))),
        bond=facets[np.isclose(height, 0).all(axis=1)],
        tread=facets[np.isclose(height, -thickness).all(axis=1)],
    )
