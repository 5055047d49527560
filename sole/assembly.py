"""Stiffness of a bonded sole, affine in its materials: K = sum_l lambda_l K_lambda_l + mu_l K_mu_l.

The parts are assembled once per mesh and element; every material is then a weighted sum.
Bond nodes are removed (glued to the rigid foot) and the tread carries a P1 trace
(`sole.elements.NodeNumbering`), i.e. what is assembled is T'KT. Without the trace, point
loads on vertices beside load-free mid-edge nodes fall below the rigorous bound E A / t.

Matrices are stored by node, 3x3 blocks of the lower triangle (`sole.elimination.blocks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numba
import numpy as np

from sole.arrays import BoolArray, FloatArray, IntArray, frozen, sealed
from sole.elements import NodeNumbering, number_nodes, reference_element
from sole.elimination.blocks import SymmetricBlocks
from sole.errors import MeshError
from sole.material import Material
from sole.memory import require_memory
from sole.mesh import SoleMesh

_CHUNK = 2048  # elements whose local tensors are held at a time: bounds the memory


@dataclass(frozen=True, eq=False)
class StiffnessParts:
    """The affine parts of K on the free nodes of one mesh and element.

    Parameters
    ----------
    indptr, indices : node pattern of the lower triangle of K, CSR, columns sorted.
    position : per layer, where its blocks stand in `indices`.
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
        blocks = np.zeros((len(self.indices), 9))
        for position, part, material in zip(self.position, self.parts, materials, strict=True):
            lam, mu = material.lame
            _add_scaled(position, part, lam, mu, blocks)
        return SymmetricBlocks(self.indptr, self.indices, blocks.reshape(-1, 3, 3))

    @cached_property
    def trace(self) -> tuple[IntArray, IntArray, FloatArray]:
        """(node, master vertex, weight) of every slave node: u_node = sum weight u_master."""
        number, ref = self.numbering, reference_element(self.element)
        e, k = np.nonzero(number.slave[number.nodes_of_tet])
        node = number.nodes_of_tet[e, k]
        _, first = np.unique(node, return_index=True)
        e, k, node = e[first], k[first], node[first]
        weight = ref.barycentric[k]
        i, v = np.nonzero(weight)
        return node[i], number.tets[e[i], v], weight[i, v]

    def expand(self, u_free: FloatArray) -> FloatArray:
        """Return the (N, 3) displacement of all nodes from that of the free ones."""
        u = np.zeros((len(self.free), 3))
        u[self.free >= 0] = u_free.reshape(-1, 3)
        node, master, weight = self.trace
        np.add.at(u, node, weight[:, None] * u[master])
        return u


def assemble(mesh: SoleMesh, element: str = "p2", fix_bond: bool = True) -> StiffnessParts:
    """Assemble the affine parts of the stiffness of `mesh` under `element`.

    With `fix_bond` False the bond stays free and K is singular (six rigid motions): for
    verification against fields that do not vanish there.
    """
    number = number_nodes(mesh, element, fix_bond)
    kept = ~(number.fixed | number.slave)
    free = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int64)
    contact = free[mesh.tread_vertices]
    if (contact < 0).any():
        raise MeshError("a tread vertex lies on the bond: leave a wall between them")
    # A slave's masters are vertices of the same element, so T_e needs no new columns.
    masters = np.ascontiguousarray(free[number.nodes_of_tet])
    pattern = _pattern(masters, int(kept.sum()))
    # Both parts of every block, their sum for one material, and a product on the way to it.
    require_memory(4 * 72.0 * len(pattern[1]), f"assembling {3 * int(kept.sum())} dofs")
    position, parts = [], []
    for layer in range(len(mesh.layers)):
        chosen = np.flatnonzero(mesh.layer_of_tet == layer)
        own = pattern if len(mesh.layers) == 1 else _pattern(masters[chosen], int(kept.sum()))
        parts.append(_assemble_layer(mesh, number, element, masters, chosen, own))
        position.append(_positions(pattern, own))
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
    """Return where every entry of pattern `part` stands in pattern `whole`."""
    n = np.int64(len(whole[0]))
    keys = [np.repeat(np.arange(n - 1), np.diff(p)) * n + i for p, i in (whole, part)]
    return frozen(np.searchsorted(keys[0], keys[1]), np.int64)


def _assemble_layer(
    mesh: SoleMesh,
    number: NodeNumbering,
    element: str,
    masters: IntArray,
    chosen: IntArray,
    pattern: tuple[IntArray, IntArray],
) -> FloatArray:
    ref = reference_element(element)
    k = ref.nodes
    values = np.zeros((len(pattern[1]), 2, 9))
    for start in range(0, len(chosen), _CHUNK):
        e = chosen[start : start + _CHUNK]
        geometry = _metric(mesh.points[number.tets[e]])  # (c, 9, 9): (a, b) by (k, l)
        local = []
        for tensor in (ref.volumetric, ref.shear):
            D = (geometry.reshape(-1, 9) @ tensor).reshape(len(e), 9, k, k)
            _apply_trace(D, number.slave[number.nodes_of_tet[e]], ref.barycentric)
            local.append(D)
        _scatter(masters[e], local[0], local[1], *pattern, values)
    # Round-off leaves the 3x3 blocks on the diagonal asymmetric in the last bit.
    indptr, indices = pattern
    row = np.flatnonzero(np.diff(indptr))
    last = indptr[row + 1] - 1
    diagonal = last[indices[last] == row]
    blocks = values[diagonal].reshape(-1, 2, 3, 3)
    values[diagonal] = ((blocks + np.swapaxes(blocks, 2, 3)) / 2).reshape(-1, 2, 9)
    return sealed(values)


def _metric(vertices: FloatArray) -> FloatArray:
    """Q[ab, kl] = det J * Jinv[k, a] Jinv[l, b] of tetrahedra `vertices` (c, 4, 3)."""
    J = np.swapaxes(vertices[:, 1:] - vertices[:, :1], 1, 2)  # dx/dX
    Jinv = np.linalg.inv(J)
    det = np.abs(np.linalg.det(J))
    Q = np.einsum("c,cka,clb->cabkl", det, Jinv, Jinv)
    return np.ascontiguousarray(Q.reshape(-1, 9, 9))


def _apply_trace(D: FloatArray, slave: BoolArray, barycentric: FloatArray) -> None:
    """D <- T' D T in place for the elements that have slave nodes."""
    touched = np.flatnonzero(slave.any(axis=1))
    if not len(touched):
        return
    k = D.shape[2]
    T = np.zeros((len(touched), k, k))
    T[:, np.arange(k), np.arange(k)] = 1.0
    c, i = np.nonzero(slave[touched])
    T[c, i, i] = 0.0
    T[c, i, :4] = barycentric[i]
    Tt = np.swapaxes(T, 1, 2)[:, None]
    D[touched] = Tt @ D[touched] @ T[:, None]


@numba.njit(cache=True)
def _add_scaled(position, part, lam, mu, blocks):  # type: ignore[no-untyped-def]
    """blocks[position] += lam K_lambda + mu K_mu, without temporaries."""
    for k in range(len(position)):
        for a in range(9):
            blocks[position[k], a] += lam * part[k, 0, a] + mu * part[k, 1, a]


@numba.njit(cache=True)
def _scatter(nodes, D_lambda, D_mu, indptr, indices, values):  # type: ignore[no-untyped-def]
    """Add K_lambda[ia,jb] = D_lambda[ab,ij] and K_mu[ia,jb] = d_ab tr D_mu[ij] + D_mu[ba,ij]."""
    n_elements, k = nodes.shape
    for e in range(n_elements):
        for i in range(k):
            I = nodes[e, i]
            if I < 0:
                continue
            for j in range(k):
                J = nodes[e, j]
                if J < 0 or J > I:
                    continue
                low, high = indptr[I], indptr[I + 1] - 1
                while low < high:
                    middle = (low + high) // 2
                    if indices[middle] < J:
                        low = middle + 1
                    else:
                        high = middle
                trace = D_mu[e, 0, i, j] + D_mu[e, 4, i, j] + D_mu[e, 8, i, j]
                for a in range(3):
                    for b in range(3):
                        values[low, 0, 3 * a + b] += D_lambda[e, 3 * a + b, i, j]
                        values[low, 1, 3 * a + b] += D_mu[e, 3 * b + a, i, j]
                    values[low, 1, 4 * a] += trace
