"""Stiffness of a bonded sole, affine in its materials: K = sum_l lambda_l K_lambda_l + mu_l K_mu_l.

K_lambda and K_mu are the weak forms

    div(u) * div(v)    and    2 * ddot(sym_grad(u), sym_grad(v))

of a vector u. All components share one scalar element, so the 3x3 blocks of two nodes (i, j) follow
from the matrices A_ab[i, j] = int d_a N_i d_b N_j and P_ab, their volumetric counterpart:

    K_lambda[a, b] = P_ab,    K_mu[a, b] = A_ba + delta_ab (A_00 + A_11 + A_22).

scikit-fem integrates both on the reference tetrahedron (`sole.elasticity.reference_element`).

The parts are assembled once per mesh and element; K of any material is a weighted sum of them.
Bond nodes are removed (glued to the rigid foot) and the tread carries a P1 trace, u = T u_free:
every matrix A becomes T'AT. Without the trace, point loads on vertices beside unloaded
mid-edge nodes give a stiffness below the rigorous bound E A / t.

Matrices are stored by node, 3x3 blocks of the lower triangle (`sole.elimination.symmetric_blocks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sole.base.arrays import FloatArray, IntArray, frozen, sealed
from sole.base.compiled import inner_kernel, kernel
from sole.base.errors import MeshError
from sole.base.memory import require_memory
from sole.elasticity.element_choice import DEFAULT_ELEMENT
from sole.elasticity.elements import NodeNumbering, number_dofs, number_nodes
from sole.elasticity.reference_element import reference_matrices
from sole.elimination import SymmetricBlocks
from sole.material import Material
from sole.mesh import SoleMesh


@dataclass(frozen=True, eq=False)
class StiffnessParts:
    """The affine parts of K on the free nodes of one mesh and element.

    Parameters
    ----------
    indptr, indices : node pattern of the lower triangle of K, CSR, columns sorted.
    position : per layer, the places of its blocks in `indices`.
    parts : per layer (nnz_l, 2, 9): blocks of K_lambda and K_mu.
    coordinates : (N_free, 3) positions of the free nodes [m].
    contact : (m,) free node of every tread vertex.
    numbering : all nodes, with bond and slaves.
    free : (N,) number of a node among the free ones, -1 for bond and slave nodes.
    """

    mesh: SoleMesh
    element: str
    indptr: IntArray
    indices: IntArray
    position: tuple[IntArray, ...]
    parts: tuple[FloatArray, ...]
    coordinates: FloatArray
    contact: IntArray
    numbering: NodeNumbering
    free: IntArray

    def stiffness(self, materials: Sequence[Material]) -> SymmetricBlocks:
        """Return K = sum_l lambda_l K_lambda_l + mu_l K_mu_l [N/m]."""
        return self.combination([material.lame for material in materials])

    def combination(self, factors: Sequence[tuple[float, float]]) -> SymmetricBlocks:
        """Return sum_l a_l K_lambda_l + b_l K_mu_l for (a_l, b_l) [Pa] of any sign, by layer."""
        blocks = np.zeros((len(self.indices), 9))
        for position, part, (a, b) in zip(self.position, self.parts, factors, strict=True):
            _add_scaled(position, part, a, b, blocks)
        return SymmetricBlocks(self.indptr, self.indices, blocks.reshape(-1, 3, 3))

    @property
    def trace(self) -> tuple[IntArray, IntArray, FloatArray]:
        """(node, master vertex, weight) of every slave node: u_node = sum weight u_master."""
        return self.numbering.trace

    def expand(self, u_free: FloatArray) -> FloatArray:
        """Return the (N, 3) displacement of all nodes from that of the free ones."""
        u = np.zeros((len(self.free), 3))
        u[self.free >= 0] = u_free.reshape(-1, 3)
        node, master, weight = self.trace
        np.add.at(u, node, weight[:, None] * u[master])
        return u


def assemble_stiffness(
    mesh: SoleMesh, element: str = DEFAULT_ELEMENT, fix_bond: bool = True
) -> StiffnessParts:
    """Assemble the affine parts of the stiffness of `mesh` under `element`.

    With `fix_bond` False the bond stays free and K is singular (six rigid motions); this serves
    verification against fields that do not vanish on the bond.
    """
    from skfem import MeshTet

    dofs = number_dofs(MeshTet(mesh.points.T.copy(), mesh.tets.T.copy()), element)
    number = number_nodes(mesh, dofs, fix_bond)
    kept = ~(number.fixed | number.slave)
    free = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int64)
    contact = free[mesh.tread_vertices]
    if (contact < 0).any():
        raise MeshError("a tread vertex lies on the bond: leave a wall between them")
    # A slave's masters are vertices of the same element, so T_e needs no new columns.
    masters = np.ascontiguousarray(free[number.nodes_of_tet])
    pattern = _pattern(masters, int(kept.sum()))
    layers = len(mesh.layers)
    # K_lambda and K_mu, K of one material, and the places of a layer's blocks
    require_memory(3 * 80.0 * len(pattern[1]), f"assembling {3 * int(kept.sum())} dofs")
    A, P = reference_matrices(element)
    edges = mesh.points[number.tets[:, 1:]] - mesh.points[number.tets[:, :1]]
    J = np.swapaxes(edges, 1, 2)  # (e, a, m): dx_a / dxi_m
    G = np.asarray(np.linalg.inv(J), dtype=np.float64)
    volume = np.abs(np.linalg.det(J))
    trace = _trace_rows(number, free)
    position, parts = [], []
    for layer in range(layers):
        own = np.flatnonzero(mesh.layer_of_tet == layer)
        places = pattern if layers == 1 else _pattern(masters[own], int(kept.sum()))
        blocks = np.zeros((len(places[1]), 2, 3, 3))
        _add_elements(number.nodes_of_tet[own], G[own], volume[own], A, P, *trace, *places, blocks)
        diagonal = (places[0][1:] - 1)[np.diff(places[0]) > 0]  # last of its row; symmetric
        blocks[diagonal] = (blocks[diagonal] + blocks[diagonal].swapaxes(2, 3)) / 2
        parts.append(sealed(blocks.reshape(-1, 2, 9)))
        position.append(_positions(pattern, places))
    return StiffnessParts(
        mesh, element, *pattern, tuple(position), tuple(parts),
        frozen(number.coordinates[kept]), frozen(contact, np.int64), number, frozen(free, np.int64),
    )  # fmt: skip


def _pattern(nodes: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Return the lower-triangular node pattern (indptr, indices) of elements `nodes` (e, k)."""
    from scipy.sparse import csr_array, tril

    e, k = nodes.shape
    used = nodes.ravel() >= 0
    incidence = csr_array(
        (np.ones(int(used.sum()), np.bool_), nodes.ravel()[used],
         np.concatenate([[0], np.cumsum(used.reshape(e, k).sum(axis=1))])),
        shape=(e, n),
    )  # fmt: skip
    graph = tril(incidence.T.tocsr() @ incidence, format="csr")
    graph.sort_indices()
    return frozen(graph.indptr, np.int64), frozen(graph.indices, np.int64)


def _positions(whole: tuple[IntArray, IntArray], part: tuple[IntArray, IntArray]) -> IntArray:
    """Return the place of every entry of pattern `part` in pattern `whole`."""
    n = np.int64(len(whole[0]))
    keys = [np.repeat(np.arange(n - 1), np.diff(p)) * n + i for p, i in (whole, part)]
    return frozen(np.searchsorted(keys[0], keys[1]), np.int64)


def _trace_rows(number: NodeNumbering, free: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return T of u = T u_free by rows: (indptr, free node, weight). Bond nodes have no entry."""
    from scipy.sparse import csr_array

    kept = np.flatnonzero(free >= 0)
    node, master, weight = number.trace
    values = np.concatenate([np.ones(len(kept)), weight])
    place = (np.concatenate([kept, node]), np.concatenate([free[kept], free[master]]))
    T = csr_array((values, place), shape=(len(free), len(kept)))
    return frozen(T.indptr, np.int64), frozen(T.indices, np.int64), frozen(T.data)


@kernel
def _add_scaled(
    position: IntArray, part: FloatArray, lam: float, mu: float, blocks: FloatArray
) -> None:
    """blocks[position] += lam K_lambda + mu K_mu, without temporaries."""
    for k in range(len(position)):
        for a in range(9):
            blocks[position[k], a] += lam * part[k, 0, a] + mu * part[k, 1, a]


@kernel
def _add_elements(
    nodes: IntArray,
    G: FloatArray,
    volume: FloatArray,
    A: FloatArray,
    P: FloatArray,
    first: IntArray,
    master: IntArray,
    weight: FloatArray,
    indptr: IntArray,
    indices: IntArray,
    blocks: FloatArray,
) -> None:
    """blocks += T_e'K_e T_e of every tetrahedron e, K_lambda and K_mu, in the lower triangle.

    nodes (e, k); G (e, 3, 3) and |det J| `volume` (e,) of `sole.elasticity.reference_element`, as
    A and P; rows of T (first, master, weight); pattern (indptr, indices); blocks (nnz, 2, 3, 3).
    """
    k = nodes.shape[1]
    K = np.empty((2, 3, 3))
    for e in range(len(nodes)):
        for i in range(k):
            for j in range(k):
                own, other = nodes[e, i], nodes[e, j]
                # masters of a node on the tread: its vertices; elsewhere the node itself
                computed = False
                for r in range(first[own], first[own + 1]):
                    for c in range(first[other], first[other + 1]):
                        row, column = master[r], master[c]
                        if row < column:
                            continue
                        if not computed:
                            _map_blocks(G[e], volume[e], A[i, j], P[i, j], K)
                            computed = True
                        # the place of (row, column) in the pattern, by bisection
                        low, high = indptr[row], indptr[row + 1] - 1
                        while low < high:
                            middle = (low + high) // 2
                            if indices[middle] < column:
                                low = middle + 1
                            else:
                                high = middle
                        w = weight[r] * weight[c]
                        for a in range(3):
                            for b in range(3):
                                blocks[low, 0, a, b] += w * K[0, a, b]
                                blocks[low, 1, a, b] += w * K[1, a, b]


@inner_kernel
def _map_blocks(G: FloatArray, volume: float, A: FloatArray, P: FloatArray, K: FloatArray) -> None:
    """K_lambda = P_ab and K_mu = A_ba + delta_ab tr A of one pair of nodes, on a tetrahedron."""
    trace = 0.0
    for a in range(3):
        for b in range(3):
            volumetric = shear = 0.0
            for m in range(3):
                for n in range(3):
                    volumetric += G[m, a] * G[n, b] * P[m, n]
                    shear += G[m, b] * G[n, a] * A[m, n]
            K[0, a, b] = volume * volumetric
            K[1, a, b] = volume * shear
        trace += K[1, a, a]
    for a in range(3):
        K[1, a, a] += trace
