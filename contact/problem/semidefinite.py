"""Whether W is positive semi-definite: a Delassus operator is, W of a file may not be.

    x' W x >= -share max W_ii |x|^2,   share = 1e-8 for round-off

The answer is that of a Cholesky factor of (W + W')/2 + share max W_ii I, dense or sparse. A sparse
W whose factor would fill up is tested by Lanczos' method: its Ritz values are never below the
smallest eigenvalue, so a negative one is proof; a slightly negative eigenvalue may be missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from contact.problem.delassus import DenseDelassus, SparseDelassus

if TYPE_CHECKING:
    from scipy import sparse

INDEFINITE = 1e-8  # smallest eigenvalue / largest diagonal entry that passes as round-off
CHEAP = 1e11  # operations of a sparse factor, some ten seconds
LANCZOS = 200  # steps


def positive_semidefinite(
    operator: DenseDelassus | SparseDelassus, share: float = INDEFINITE
) -> bool:
    """Return whether the symmetric part of W has no eigenvalue below -share max W_ii.

    By a factor of W + share max W_ii I; without `factor_is_cheap` by Lanczos' method, which may
    miss a slightly negative eigenvalue.
    """
    diagonal = operator.matrix.diagonal()
    largest = float(np.abs(diagonal).max(initial=0.0))
    if diagonal.min(initial=0.0) < -share * largest:
        return False
    shift = share * largest
    if isinstance(operator, DenseDelassus):
        if largest == 0.0:
            return not operator.matrix.any()
        A = (operator.matrix + operator.matrix.T) / 2
        A[np.diag_indices_from(A)] += shift
        from scipy.linalg import lapack

        return bool(lapack.dpotrf(A, lower=1, overwrite_a=1)[1] == 0)
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import splu

    W = operator.matrix
    if largest == 0.0:
        return not np.any(W.data)
    if not factor_is_cheap(operator):
        return lowest_found(W) >= -shift
    shifted = ((W + W.T) / 2 + shift * eye_array(W.shape[0])).tocsc()
    factor = splu(
        shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )
    pivoted = not np.array_equal(factor.perm_r, factor.perm_c)
    return bool(not pivoted and (factor.U.diagonal() > 0).all())


def factor_is_cheap(operator: DenseDelassus | SparseDelassus) -> bool:
    """Whether W has a factor of less than 1e11 operations: sum of squares over its envelope.

    The envelope is that of reverse Cuthill and McKee's order of the contacts; a minimum degree
    order does better, by less on graphs that fill up anyway.
    """
    if isinstance(operator, DenseDelassus):
        return True
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    start, row, _ = operator.columns
    K = operator.contacts
    graph = csr_array((np.ones(len(row), dtype=np.int8), row, start), shape=(K, K))
    graph = csr_array(graph + graph.T)
    place = np.empty(K, dtype=np.int64)
    place[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(K)
    entries = coo_array(graph)
    reach = np.zeros(K)
    np.maximum.at(reach, place[entries.row], place[entries.row] - place[entries.col])
    return bool(27.0 * float(reach @ reach) <= CHEAP)


def lowest_found(W: sparse.csr_array) -> float:
    """Return the smallest Ritz value of (W + W')/2, an upper bound of its smallest eigenvalue."""
    from scipy.linalg import eigvalsh_tridiagonal

    v = np.random.default_rng(1).normal(size=W.shape[0])
    v /= np.linalg.norm(v)
    turned, before, beta = W.T.tocsr(), np.zeros_like(v), 0.0
    alphas: list[float] = []
    betas: list[float] = []
    for _ in range(LANCZOS):
        w = (W @ v + turned @ v) / 2 - beta * before
        alphas.append(float(w @ v))
        w -= alphas[-1] * v
        beta = float(np.linalg.norm(w))
        if beta <= 1e-14 * max(map(abs, alphas)):
            break
        betas.append(beta)
        before, v = v, w / beta
    off = np.array(betas[: len(alphas) - 1])
    ritz = eigvalsh_tridiagonal(np.array(alphas), off, select="i", select_range=(0, 0))
    return float(ritz[0])
