"""The inverse K_A = C_AA^-1 of a sole's compliance at the nodes A that stick, kept for reuse.

K_A depends on the set A alone, not on time step, frames or support; for all nodes of a sole it is
the condensed stiffness. With G0, how the nodes of the undeformed sole move with its foot, go
V0 = K_A G0 and N0 = G0' V0.

The lower triangle of K_A (3a, 3a) is stored in strips, one behind the other: strip i has the three
rows of node i up to its own columns. So K_A s reads each entry once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from contact.problem import Compliances
from sole.base.arrays import FloatArray, IntArray, sealed
from sole.base.compiled import inner_kernel, kernel

PARTS = 4  # soles partly in contact whose factors are kept


@dataclass(frozen=True, eq=False)
class SoleFactor:
    """The inverse compliance of the nodes of one sole that stick.

    Parameters
    ----------
    stiffness : K_A [N/m], its lower triangle: `pack_strips`.
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


def pack_strips(K: FloatArray) -> FloatArray:
    """Lower triangle of K (3a, 3a): strip i, the rows of node i up to its own columns."""
    return np.concatenate([K[i : i + 3, : i + 3].ravel() for i in range(0, len(K), 3)])


@kernel(fastmath={"reassoc", "nsz"})
def multiply_strips(
    K: FloatArray, position: int, begin: int, end: int, s: FloatArray, f: FloatArray
) -> None:
    """f = K s over begin <= i < end of both; `pack_strips` of K from `position`, each read once."""
    for i in range(begin, end):
        f[i] = 0.0
    zero, one, two = np.uint64(begin), np.uint64(1), np.uint64(2)
    row0 = np.uint64(position)
    for i in range(begin, end, 3):
        left = np.uint64(i - begin)
        row1 = row0 + left + np.uint64(3)
        row2 = row1 + left + np.uint64(3)
        a, b, c = s[i], s[i + 1], s[i + 2]
        f0 = f1 = f2 = 0.0
        for j in range(left):
            k0, k1, k2, x = K[row0 + j], K[row1 + j], K[row2 + j], s[zero + j]
            f[zero + j] += a * k0 + b * k1 + c * k2
            f0 += k0 * x
            f1 += k1 * x
            f2 += k2 * x
        f[i] += f0 + a * K[row0 + left] + b * K[row0 + left + one] + c * K[row0 + left + two]
        f[i + 1] += f1 + a * K[row1 + left] + b * K[row1 + left + one] + c * K[row1 + left + two]
        f[i + 2] += f2 + a * K[row2 + left] + b * K[row2 + left + one] + c * K[row2 + left + two]
        row0 = row2 + left + np.uint64(3)


@inner_kernel
def solve_in_place(M: FloatArray, y: FloatArray) -> None:
    """Solve M x = y in place of `y`: Gauss, largest pivot of a column; `M` is overwritten."""
    n = len(y)
    for c in range(n):
        p = c
        for a in range(c + 1, n):
            if abs(M[a, c]) > abs(M[p, c]):
                p = a
        for b in range(c, n):
            M[c, b], M[p, b] = M[p, b], M[c, b]
        y[c], y[p] = y[p], y[c]
        for a in range(c + 1, n):
            factor = M[a, c] / M[c, c]
            for b in range(c + 1, n):
                M[a, b] -= factor * M[c, b]
            y[a] -= factor * y[c]
    for a in range(n - 1, -1, -1):
        for b in range(a + 1, n):
            y[a] -= M[a, b] * y[b]
        y[a] /= M[a, a]
