"""Factors of T (W + shift 1) + D with block-diagonal T and D: the matrix of every Newton step.

W is dense or sparse in 3x3 blocks, T and D are (K, 3, 3). The sparse factor keeps the pattern and
the elimination order of W between steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import splu

from contact.problem import Delassus, SparseDelassus
from sole.base.arrays import FloatArray, IntArray

LinearSolve = Callable[[FloatArray], FloatArray]
SMALL = 600  # rows: below, dense factors are faster whatever the pattern
FILLED = 0.15  # share of non-zeros from which dense factors are faster
PIVOT = 1e-3  # a diagonal pivot this much smaller than its column is still taken: less fill


class SingularSystem(Exception):
    """The matrix has no usable factor."""


@dataclass(frozen=True, eq=False)
class DenseBlocks:
    """W as a matrix."""

    matrix: FloatArray

    def apply(self, x: FloatArray) -> FloatArray:
        """W x (K, 3)."""
        return np.asarray((self.matrix @ x.ravel()).reshape(-1, 3))

    def factor(self, T: FloatArray | None, D: FloatArray, shift: float) -> LinearSolve:
        """Return b (K, 3) -> x (K, 3) of (T (W + shift) + D) x = b; T is 1 if None."""
        n, K = len(self.matrix), len(D)
        k = np.arange(K)
        if T is None:
            A = self.matrix.copy()
            added = D + shift * np.eye(3)
        else:
            A = np.matmul(T, self.matrix.reshape(K, 3, n)).reshape(n, n)
            added = D + shift * T
        A.reshape(K, 3, K, 3)[k, :, k, :] += added
        if not np.isfinite(A[:, 0]).all() or not np.isfinite(added).all():
            raise SingularSystem
        # A' = L U in place of A: LAPACK is column-major, so no copy is made.
        lu, pivots, info = scipy.linalg.lapack.dgetrf(A.T, overwrite_a=1)
        if info != 0:
            raise SingularSystem

        def solve(b: FloatArray) -> FloatArray:
            x, _ = scipy.linalg.lapack.dgetrs(lu, pivots, b.ravel(), trans=1)
            return np.asarray(x.reshape(-1, 3))

        return solve


@dataclass(frozen=True, eq=False)
class SparseBlocks:
    """W in compressed rows of 3x3 blocks, every diagonal block present."""

    matrix: sparse.bsr_array

    @classmethod
    def of(cls, W: sparse.csr_array) -> SparseBlocks:
        """Take W (3K, 3K) and store the missing diagonal blocks as zeros."""
        blocks = sparse.bsr_array(W, blocksize=(3, 3))
        K = W.shape[0] // 3
        values = (np.ones(len(blocks.indices)), blocks.indices, blocks.indptr)
        ones = sparse.csr_array(values, shape=(K, K))
        pattern = sparse.csr_array(ones + sparse.eye_array(K))
        pattern.sort_indices()
        data = np.zeros((pattern.nnz, 3, 3))
        row = np.repeat(np.arange(K), np.diff(pattern.indptr))
        key = row * K + pattern.indices
        own = np.repeat(np.arange(K), np.diff(blocks.indptr)) * K + blocks.indices
        np.add.at(data, np.searchsorted(key, own), blocks.data)
        return cls(sparse.bsr_array((data, pattern.indices, pattern.indptr), shape=W.shape))

    def apply(self, x: FloatArray) -> FloatArray:
        """W x (K, 3)."""
        return np.asarray((self.matrix @ x.ravel()).reshape(-1, 3))

    @cached_property
    def _rows(self) -> IntArray:
        return np.repeat(np.arange(len(self.matrix.indptr) - 1), np.diff(self.matrix.indptr))

    @cached_property
    def _diagonal(self) -> IntArray:
        return np.flatnonzero(self._rows == self.matrix.indices)

    @cached_property
    def _layout(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """(order, indices, indptr, take): compressed columns in elimination order.

        `take` picks the entries from the flat data of the blocks.
        """
        W, n = self.matrix, self.matrix.shape[0]
        count = np.arange(1, W.data.size + 1, dtype=float).reshape(W.data.shape)
        numbered = sparse.csc_array(sparse.bsr_array((count, W.indices, W.indptr), shape=W.shape))
        mark = sparse.csc_array((np.ones(numbered.nnz), numbered.indices, numbered.indptr))
        mark = sparse.csc_array(mark + 2 * W.shape[0] * sparse.eye_array(n))
        order = splu(
            mark, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        ).perm_c.argsort()
        numbered = sparse.csc_array(numbered[order][:, order])
        numbered.sort_indices()
        take = np.round(numbered.data).astype(np.int64) - 1
        indices = numbered.indices.astype(np.int64)
        return order, indices, numbered.indptr.astype(np.int64), take

    def factor(self, T: FloatArray | None, D: FloatArray, shift: float) -> LinearSolve:
        """See `DenseBlocks.factor`."""
        data = self.matrix.data.copy() if T is None else np.matmul(T[self._rows], self.matrix.data)
        data[self._diagonal] += D + shift * (np.eye(3) if T is None else T)
        if not np.isfinite(data).all():
            raise SingularSystem
        order, indices, indptr, take = self._layout
        A = sparse.csc_array((data.ravel()[take], indices, indptr), shape=self.matrix.shape)
        try:
            factor = splu(A, permc_spec="NATURAL", diag_pivot_thresh=PIVOT)
        except RuntimeError:  # SuperLU: exactly singular
            raise SingularSystem from None

        def solve(b: FloatArray) -> FloatArray:
            x = np.empty(b.size)
            x[order] = factor.solve(b.ravel()[order])
            return x.reshape(-1, 3)

        return solve


@dataclass(frozen=True, eq=False)
class PenalisedBlocks:
    """weight W + 1."""

    inner: SystemBlocks
    weight: float

    def apply(self, x: FloatArray) -> FloatArray:
        """Return weight W x + x."""
        return self.weight * self.inner.apply(x) + x

    def factor(self, T: FloatArray | None, D: FloatArray, shift: float) -> LinearSolve:
        """See `DenseBlocks.factor`."""
        whole = np.eye(3) if T is None else T
        solve = self.inner.factor(T, (D + whole * (1 + shift)) / self.weight, 0.0)
        return lambda b: solve(b / self.weight)


SystemBlocks = DenseBlocks | SparseBlocks | PenalisedBlocks


def blocks_of(
    operator: Delassus, scale: FloatArray, contacts: IntArray
) -> DenseBlocks | SparseBlocks:
    """Return diag(scale) W diag(scale) restricted to `contacts`, dense or sparse; scale (K, 3)."""
    rows = (3 * contacts[:, None] + np.arange(3)).ravel()
    s = scale[contacts].ravel()
    if isinstance(operator, SparseDelassus):
        W = sparse.csr_array(operator.matrix[rows][:, rows])
        if len(rows) > SMALL and W.nnz < FILLED * len(rows) ** 2:
            D = sparse.diags_array(s)
            return SparseBlocks.of(sparse.csr_array(D @ W @ D))
        return DenseBlocks(s[:, None] * W.toarray() * s)
    matrix = operator.dense()
    if len(rows) < len(matrix):
        matrix = matrix[np.ix_(rows, rows)]
    return DenseBlocks(s[:, None] * matrix * s)
