"""The inverse K_A = C_AA^-1 of a sole's compliance at the nodes A that stick, kept for reuse.

K_A depends on the set A alone, not on time step, frames or support; for all nodes of a sole it is
the condensed stiffness. With G0, how the nodes of the undeformed sole move with its foot, go
V0 = K_A G0 and N0 = G0' V0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from contact.problem import Compliances
from contact.solvers.closed_form_algebra_kernels import pack_strips
from sole.base.arrays import FloatArray, IntArray, sealed

PARTS = 4  # soles partly in contact whose factors are kept


@dataclass(frozen=True, eq=False)
class SoleFactor:
    """The inverse compliance of the nodes of one sole that stick.

    Parameters
    ----------
    stiffness : K_A [N/m], its lower triangle: `closed_form_algebra_kernels.pack_strips`.
    geometry, forces : G0 and V0 = K_A G0 (3a, 6). moments : N0 = G0' V0 (6, 6).
    error : |1 - C_AA K_A|, Frobenius.
    whole : whether A are all nodes of the sole.
    """

    stiffness: FloatArray
    geometry: FloatArray
    forces: FloatArray
    moments: FloatArray
    error: float
    whole: bool

    @classmethod
    def of(cls, C: FloatArray, nodes: IntArray, geometry: FloatArray) -> SoleFactor:
        """Invert C (3m, 3m) at `nodes` (a,), where the undeformed sole moves as `geometry` G0."""
        i = (3 * nodes[:, None] + np.arange(3)).ravel()
        C_A = C[np.ix_(i, i)]
        factor, _ = lapack.dpotrf(C_A, lower=1)
        K, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
        K = np.tril(K)
        K += np.tril(K, -1).T
        G0 = np.ascontiguousarray(geometry)
        V0 = K @ G0
        error = float(np.linalg.norm(C_A @ K - np.eye(len(K))))
        whole = len(i) == len(C)
        return cls(sealed(pack_strips(K)), G0, sealed(V0), sealed(G0.T @ V0), error, whole)


def known_factor(
    C: Compliances,
    body: int,
    nodes: IntArray,
    geometry: FloatArray,
    known: dict[bytes, SoleFactor],
) -> SoleFactor:
    """Return the factor of the `nodes` of a sole, counted through all bodies; look it up first.

    geometry : G0 (3M, 6). known : factors by body and nodes, added to.
    """
    matrix = C.matrix(body)
    assert matrix is not None
    key = body.to_bytes(4) + nodes.tobytes()
    if key not in known:
        rows = (3 * nodes[:, None] + np.arange(3)).ravel()
        known[key] = SoleFactor.of(matrix, nodes - C.first[body], geometry[rows])
    return known[key]


def forget_parts(known: dict[bytes, SoleFactor]) -> None:
    """Delete all but the last `PARTS` factors of parts of a sole; those of whole soles stay."""
    parts = [key for key, sole in known.items() if not sole.whole]
    for old in parts[:-PARTS]:
        del known[old]
