"""The three elements on straight tetrahedra: reference tensors and node numbering.

On a straight tetrahedron the gradient of a shape function is constant times its reference
gradient, so every stiffness integral is a small product with one of two reference tensors,

    S[k,l,i,j] = int d_k N_i d_l N_j                     (shear part, mu)
    P[k,l,i,j] = int Pi(d_k N_i) Pi(d_l N_j)             (volumetric part, lambda)

over the reference tetrahedron, with Pi the L2 projection on the element-discontinuous
pressures. For `p1` and `p2` the projection changes nothing. For `ccr` (conforming
Crouzeix-Raviart: P2 enriched by face and interior bubbles, pressure in P1) it eliminates the
pressure element by element, K = 2 mu A + lambda B' M^-1 B, which keeps K symmetric positive
definite, affine in (lambda, mu) and free of locking [CrouzeixRaviart1973]_.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from sole.arrays import BoolArray, FloatArray, IntArray, frozen
from sole.errors import SoleError
from sole.mesh import SoleMesh

ELEMENTS = ("p1", "p2", "ccr")

# Beyond this Poisson ratio the element over-estimates the stiffness of a bonded pad of
# usual size by more than about 5 % (docs/theory.md has the table): warn.
LOCKING_LIMIT = {"p1": 0.45, "p2": 0.48, "ccr": 0.5}  # ccr: 1.4 % at 0.49999
# Beyond this the volumetric part swamps the round-off budget of the factorisation: refuse.
POISSON_LIMIT = {"p1": 0.4999, "p2": 0.4999, "ccr": 0.499999}


@dataclass(frozen=True, eq=False)
class ReferenceElement:
    """Tensors of one element, node order as in scikit-fem.

    Parameters
    ----------
    barycentric : (k, 4) barycentric coordinates of the k nodes.
    shear, volumetric : (9, k*k) the tensors S and P, rows (k, l), columns (i, j).
    gradient, projected_gradient : (k, 3) reference gradients at the centroid, as they are
        and projected on the pressures: the latter gives the volumetric stress.
    """

    name: str
    barycentric: FloatArray
    shear: FloatArray
    volumetric: FloatArray
    gradient: FloatArray
    projected_gradient: FloatArray

    @property
    def nodes(self) -> int:
        """Number k of nodes of one element."""
        return len(self.barycentric)


def check_element(name: str) -> str:
    """Return `name` if it is an element, else raise with the valid names."""
    if name not in ELEMENTS:
        raise SoleError(f"unknown element '{name}', expected one of {', '.join(ELEMENTS)}")
    return name


def _skfem_element(name: str) -> Any:
    from skfem import ElementTetCCR, ElementTetP1, ElementTetP2

    return {"p1": ElementTetP1, "p2": ElementTetP2, "ccr": ElementTetCCR}[check_element(name)]()


@cache
def reference_element(name: str) -> ReferenceElement:
    """Return the tensors of an element, integrated exactly by quadrature."""
    from skfem.quadrature import get_quadrature_tet

    element = _skfem_element(name)
    location = element.doflocs
    k = len(location)
    x, w = get_quadrature_tet({"p1": 0, "p2": 2, "ccr": 6}[name])
    dN = np.stack([element.lbasis(x, i)[1] for i in range(k)])
    dN = np.broadcast_to(dN.reshape(k, 3, -1), (k, 3, len(w)))  # (i, direction, point)
    S = np.einsum("ikq,jlq,q->klij", dN, dN, w)
    centre = np.full((3, 1), 0.25)
    g = np.stack([element.lbasis(centre, i)[1].reshape(3) for i in range(k)])
    if name == "ccr":
        psi = np.vstack([1 - x.sum(axis=0), x])  # P1 pressures, element by element
        M = np.einsum("aq,bq,q->ab", psi, psi, w)
        B = np.einsum("aq,ikq,q->aki", psi, dN, w)
        B_p = np.einsum("ab,blj->alj", np.linalg.inv(M), B)  # pressure dofs of each gradient
        P = np.einsum("aki,alj->klij", B, B_p)
        g_p = B_p.mean(axis=0).T  # every psi is 1/4 at the centroid
    else:
        P, g_p = S, g
    barycentric = np.column_stack([1 - location.sum(axis=1), location])
    return ReferenceElement(
        name,
        frozen(barycentric),
        frozen(S.reshape(9, k * k)),
        frozen(P.reshape(9, k * k)),
        frozen(g),
        frozen(g_p),
    )


@dataclass(frozen=True, eq=False)
class NodeNumbering:
    """Nodes of a mesh under an element.

    Parameters
    ----------
    tets : (e, 4) vertices in the order that the element's nodes refer to.
    nodes_of_tet : (e, k) global node numbers; the mesh vertices are nodes 0..n-1.
    coordinates : (N, 3) node positions [m].
    fixed : (N,) True on the bond.
    slave : (N,) True where the P1 trace ties a node to tread vertices: mid-edge nodes to the
        mean of two, face nodes to the mean of three.
    """

    tets: IntArray
    nodes_of_tet: IntArray
    coordinates: FloatArray
    fixed: BoolArray
    slave: BoolArray


def number_nodes(mesh: SoleMesh, name: str, fix_bond: bool = True) -> NodeNumbering:
    """Return the numbering of the nodes of `mesh` under element `name`, bond and tread marked."""
    from skfem import Dofs, MeshTet

    ref = reference_element(name)
    m = MeshTet(mesh.points.T.copy(), mesh.tets.T.copy())
    dofs = Dofs(m, _skfem_element(name))
    nodes_of_tet = np.ascontiguousarray(dofs.element_dofs.T, dtype=np.int64)
    tets = np.ascontiguousarray(m.t.T, dtype=np.int64)
    N = int(dofs.N)
    coordinates = np.empty((N, 3))
    coordinates[nodes_of_tet] = np.einsum("kv,evx->ekx", ref.barycentric, mesh.points[tets])
    fixed = np.zeros(N, dtype=bool)
    slave = np.zeros(N, dtype=bool)
    marks = [(mesh.tread, slave)] + ([(mesh.bond, fixed)] if fix_bond else [])
    for faces, mark in marks:
        if mark is fixed:
            mark[np.unique(faces)] = True
        if name != "p1":
            edges = np.sort(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [0, 2]]]))
            mark[dofs.edge_dofs[0, _find(m.edges, edges)]] = True
        if name == "ccr":
            mark[dofs.facet_dofs[0, _find(m.facets, np.sort(faces))]] = True
    return NodeNumbering(tets, nodes_of_tet, coordinates, fixed, slave)


def _find(entities: IntArray, wanted: IntArray) -> IntArray:
    """Return the column of `entities` (d, n) that holds each sorted row of `wanted` (w, d)."""
    n = np.int64(entities.max()) + 1
    weights = n ** np.arange(len(entities), dtype=np.int64)
    key = weights @ entities.astype(np.int64)
    order = np.argsort(key)
    found = order[np.searchsorted(key[order], wanted.astype(np.int64) @ weights)]
    result: IntArray = found.astype(np.int64)
    return result
