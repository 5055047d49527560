"""Stiffness of a bonded sole, affine in its materials: K = sum_l lambda_l K_lambda_l + mu_l K_mu_l.

K_lambda and K_mu are the weak forms

    div(u) * div(v)    and    2 * ddot(sym_grad(u), sym_grad(v))

of a vector u. All components share one scalar element, so scikit-fem assembles the scalar
matrices A_kl of d_k v d_l u, six of nine because A_lk = A_kl' (`gradients`). Both parts are
sums of these, component by component:

    K_lambda[a, b] = A_ab,    K_mu[a, b] = delta_ab (A_00 + A_11 + A_22) + A_ba.

If the element has pressures, the volumetric part takes P_ab = B_a' M^-1 B_b instead of A_ab,
from the forms d_a u p (`divergence`) and p q (`inverse_mass`).

The parts are assembled once per mesh and element; K of any material is a weighted sum of them.
Bond nodes are removed (glued to the rigid foot) and the tread carries a P1 trace, u = T u_free:
every matrix A becomes T'AT. Without the trace, point loads on vertices beside unloaded
mid-edge nodes give a stiffness below the rigorous bound E A / t.

Matrices are stored by node, 3x3 blocks of the lower triangle (`sole.elimination.symmetric_blocks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from sole.base.arrays import BoolArray, FloatArray, IntArray, frozen, sealed
from sole.base.compiled import kernel
from sole.base.errors import MeshError
from sole.base.memory import require_memory
from sole.elasticity.elements import KINDS, NodeNumbering, bases, number_dofs, number_nodes
from sole.elimination import SymmetricBlocks
from sole.material import Material
from sole.mesh import SoleMesh

_CHUNK = 1_000_000  # entries of element matrices assembled at a time; bounds the memory
_PAIRS = tuple(combinations_with_replacement(range(3), 2))  # (k, l) of the six A_kl


# ---------------------------------------------------------------- the weak forms


def gradients(k: int, l: int) -> Any:
    """Return the form of A_kl[i, j] = int d_k N_i d_l N_j, for a scalar u."""
    from skfem import BilinearForm

    @BilinearForm  # type: ignore[untyped-decorator]
    def form(u: Any, v: Any, _: Any) -> Any:
        return u.grad[l] * v.grad[k]

    return form


def divergence(k: int) -> Any:
    """Return the form of B_k[q, j] = int psi_q d_k N_j: component k of div(u) * p."""
    from skfem import BilinearForm

    @BilinearForm  # type: ignore[untyped-decorator]
    def form(u: Any, p: Any, _: Any) -> Any:
        return u.grad[k] * p

    return form


def inverse_mass(pressure: Any) -> Any:
    """Return M^-1 of the form p * q, inverted by element because pressures are discontinuous."""
    from skfem import BilinearForm

    @BilinearForm  # type: ignore[untyped-decorator]
    def form(p: Any, q: Any, _: Any) -> Any:
        return p * q

    return form.elemental(pressure).inverse().tocsr()


# ---------------------------------------------------------------- the parts


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
    mesh: SoleMesh, element: str = "p2", fix_bond: bool = True
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
    require_memory(_bytes(dofs, kept, pattern), f"assembling {3 * int(kept.sum())} dofs")
    T = _trace_matrix(number, free)
    position, parts = [], []
    for layer in range(len(mesh.layers)):
        chosen = np.flatnonzero(mesh.layer_of_tet == layer)
        own = pattern if len(mesh.layers) == 1 else _pattern(masters[chosen], int(kept.sum()))
        parts.append(_assemble_layer(dofs, element, chosen, T, own))
        position.append(_positions(pattern, own))
    return StiffnessParts(
        mesh, element, *pattern, tuple(position), tuple(parts),
        frozen(number.coordinates[kept]), frozen(contact, np.int64), number, frozen(free, np.int64),
    )  # fmt: skip


def _bytes(dofs: Any, kept: BoolArray, pattern: tuple[IntArray, IntArray]) -> float:
    """Return the peak memory of the assembly in bytes, above what is already allocated."""
    nnz = len(pattern[1])
    blocks = 3 * 72.0 * nnz  # both parts, and their sum for one material
    scalar = 8 * 24.0 * nnz * len(kept) / int(kept.sum())  # six matrices, and a product of two
    k, e = dofs.element_dofs.shape
    return blocks + scalar + 100.0 * min(int(k * k * e), _CHUNK)


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


def _trace_matrix(number: NodeNumbering, free: IntArray) -> Any:
    """Return T (N, N_free), sparse: u = T u_free with 0 on the bond and the trace on slaves."""
    from scipy.sparse import csr_array

    kept = np.flatnonzero(free >= 0)
    node, master, weight = number.trace
    values = np.concatenate([np.ones(len(kept)), weight])
    place = (np.concatenate([kept, node]), np.concatenate([free[kept], free[master]]))
    return csr_array((values, place), shape=(len(free), len(kept)))


def _assemble_layer(
    dofs: Any, element: str, chosen: IntArray, T: Any, pattern: tuple[IntArray, IntArray]
) -> FloatArray:
    """Return the blocks (nnz, 2, 9) of K_lambda and K_mu of the elements `chosen`."""
    blocks = np.empty((len(pattern[1]), 2, 3, 3))
    if not len(chosen):
        return sealed(blocks.reshape(0, 2, 9))
    A, K_mu = blocks[:, 0], blocks[:, 1]  # without pressures K_lambda is A itself
    _sort_blocks(_sum_up(_gradient_matrices, dofs, element, chosen, T), pattern, A)
    _shear(A, K_mu)
    if KINDS[element].pressure:
        P = A
        _sort_blocks(_sum_up(_projected_matrices, dofs, element, chosen, T), pattern, P)
    return sealed(blocks.reshape(-1, 2, 9))


def _shear(A: FloatArray, K_mu: FloatArray) -> None:
    """K_mu[a, b] = A_ba + delta_ab (A_00 + A_11 + A_22): 2 ddot(sym_grad(u), sym_grad(v))."""
    K_mu[:] = A.swapaxes(1, 2)
    for a in range(3):
        K_mu[:, a, a] += A[:, 0, 0] + A[:, 1, 1] + A[:, 2, 2]


def _gradient_matrices(u: Any, _: Any, T: Any) -> Iterator[Any]:
    """Yield T'A_kl T for the six (k, l) of `_PAIRS`."""
    T_transposed = T.T.tocsr()
    for k, l in _PAIRS:
        yield T_transposed @ gradients(k, l).assemble(u) @ T


def _projected_matrices(u: Any, p: Any, T: Any) -> Iterator[Any]:
    """Yield T'P_kl T, P_kl = B_k' M^-1 B_l, for the six (k, l) of `_PAIRS`."""
    B = [divergence(k).assemble(u, p) @ T for k in range(3)]
    B_transposed = [matrix.T.tocsr() for matrix in B]
    pressures = [inverse_mass(p) @ matrix for matrix in B]
    for k, l in _PAIRS:
        yield B_transposed[k] @ pressures[l]


def _sum_up(
    matrices: Callable[[Any, Any, Any], Iterator[Any]],
    dofs: Any,
    element: str,
    chosen: IntArray,
    T: Any,
) -> list[Any]:
    """Return the six scalar `matrices` of the elements `chosen`, assembled chunk by chunk."""
    total: list[Any] = [0] * len(_PAIRS)
    chunks = -(-(len(dofs.element_dofs) ** 2 * len(chosen)) // _CHUNK)
    for chunk in np.array_split(chosen, chunks):
        for n, matrix in enumerate(matrices(*bases(dofs, element, chunk), T)):
            total[n] = matrix + total[n]
    return total


def _sort_blocks(six: list[Any], pattern: tuple[IntArray, IntArray], blocks: FloatArray) -> None:
    """Move the `six` scalar matrices into `blocks` (nnz, 3, 3) of `pattern`; the list empties.

    The other three are transposes: component (l, k) of block (I, J) is (k, l) of (J, I).
    """
    indptr, columns = pattern
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    for k, l in _PAIRS:
        A = six.pop(0).tocsr()
        A.sort_indices()  # entries can then be found by bisection
        blocks[:, k, l] = A[rows, columns]
        if k != l:
            blocks[:, l, k] = A[columns, rows]


@kernel
def _add_scaled(
    position: IntArray, part: FloatArray, lam: float, mu: float, blocks: FloatArray
) -> None:
    """blocks[position] += lam K_lambda + mu K_mu, without temporaries."""
    for k in range(len(position)):
        for a in range(9):
            blocks[position[k], a] += lam * part[k, 0, a] + mu * part[k, 1, a]
