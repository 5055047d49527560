"""The three elements on straight tetrahedra, taken from scikit-fem, and their nodes.

Every component of the displacement has the same scalar element. For `p1` and `p2` the
volumetric part takes the plain divergence. For `ccr` (conforming Crouzeix-Raviart: P2 enriched
by face and interior bubbles) it takes the L2 projection of the divergence on discontinuous
pressures, linear in every element [CrouzeixRaviart1973]_. The stiffness stays symmetric
positive definite, affine in (lambda, mu) and free of locking.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.elasticity.element_choice import check_element
from sole.mesh import SoleMesh


@dataclass(frozen=True)
class ElementKind:
    """The scikit-fem classes and the quadrature of one element.

    Parameters
    ----------
    displacement : class of the scalar element of each component.
    pressure : class of the element on which the divergence is projected, made discontinuous;
        "" for the plain divergence.
    degree : polynomial degree that the quadrature integrates exactly: two gradients multiplied.
    """

    displacement: str
    pressure: str
    degree: int


KINDS = {
    "p1": ElementKind("ElementTetP1", "", 0),
    "p2": ElementKind("ElementTetP2", "", 2),
    "ccr": ElementKind("ElementTetCCR", "ElementTetP1", 6),
}


def number_dofs(tetrahedra: Any, name: str) -> Any:
    """Return scikit-fem's `Dofs` of the scalar element of `name` on its mesh `tetrahedra`."""
    import skfem

    return skfem.Dofs(tetrahedra, getattr(skfem, KINDS[check_element(name)].displacement)())


def bases(dofs: Any, name: str, chosen: IntArray) -> tuple[Any, Any]:
    """Return scikit-fem's bases of displacement and pressure (or None) on `chosen` elements.

    Both hold the values at the quadrature points of those elements only.
    """
    import skfem

    kind, mesh = KINDS[name], dofs.topo
    options = {
        "mapping": skfem.MappingAffine(mesh, chosen),
        "intorder": kind.degree,
        "elements": chosen,
        "disable_doflocs": True,
    }
    displacement = skfem.Basis(mesh, dofs.element, dofs=dofs, **options)
    if not kind.pressure:
        return displacement, None
    pressure = skfem.ElementDG(getattr(skfem, kind.pressure)())
    return displacement, skfem.Basis(mesh, pressure, **options)


@dataclass(frozen=True, eq=False)
class NodeNumbering:
    """Nodes of a mesh under an element.

    Parameters
    ----------
    tets : (e, 4) vertices in the order of the element's nodes.
    nodes_of_tet : (e, k) global node numbers; the mesh vertices are nodes 0..n-1.
    barycentric : (k, 4) barycentric coordinates of the nodes of one element.
    coordinates : (N, 3) node positions [m].
    fixed : (N,) True on the bond.
    slave : (N,) True where the P1 trace ties a node to tread vertices: mid-edge nodes to the
        mean of two, face nodes to the mean of three.
    """

    tets: IntArray
    nodes_of_tet: IntArray
    barycentric: FloatArray
    coordinates: FloatArray
    fixed: BoolArray
    slave: BoolArray

    @cached_property
    def trace(self) -> tuple[IntArray, IntArray, FloatArray]:
        """(node, master vertex, weight) of every slave node: u_node = sum weight u_master."""
        e, k = np.nonzero(self.slave[self.nodes_of_tet])
        node = self.nodes_of_tet[e, k]
        _, first = np.unique(node, return_index=True)
        e, k, node = e[first], k[first], node[first]
        weight = self.barycentric[k]
        i, v = np.nonzero(weight)
        return node[i], self.tets[e[i], v], weight[i, v]


def number_nodes(mesh: SoleMesh, dofs: Any, fix_bond: bool = True) -> NodeNumbering:
    """Return the numbering of the nodes of `mesh` by `dofs`, bond and tread marked."""
    location = dofs.element.doflocs
    barycentric = np.column_stack([1 - location.sum(axis=1), location])
    nodes_of_tet = np.ascontiguousarray(dofs.element_dofs.T, dtype=np.int64)
    tets = np.ascontiguousarray(dofs.topo.t.T, dtype=np.int64)
    N = int(dofs.N)
    coordinates = np.empty((N, 3))
    coordinates[nodes_of_tet] = np.einsum("kv,evx->ekx", barycentric, mesh.points[tets])
    fixed = np.zeros(N, dtype=bool)
    slave = np.zeros(N, dtype=bool)
    marks = [(mesh.tread, slave)] + ([(mesh.bond, fixed)] if fix_bond else [])
    for faces, mark in marks:
        if mark is fixed:
            mark[np.unique(faces)] = True
        if dofs.element.edge_dofs:
            edges = np.sort(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [0, 2]]]))
            mark[dofs.edge_dofs[:, _find(dofs.topo.edges, edges)]] = True
        if dofs.element.facet_dofs:
            mark[dofs.facet_dofs[:, _find(dofs.topo.facets, np.sort(faces))]] = True
    return NodeNumbering(tets, nodes_of_tet, barycentric, coordinates, fixed, slave)


def _find(entities: IntArray, wanted: IntArray) -> IntArray:
    """Return the column of `entities` (d, n) that holds each sorted row of `wanted` (w, d)."""
    n = np.int64(entities.max()) + 1
    weights = n ** np.arange(len(entities), dtype=np.int64)
    key = weights @ entities.astype(np.int64)
    order = np.argsort(key)
    found = order[np.searchsorted(key[order], wanted.astype(np.int64) @ weights)]
    result: IntArray = found.astype(np.int64)
    return result
