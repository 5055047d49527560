"""Symmetric sparse matrices stored by node: 3x3 blocks of the lower triangle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class SymmetricBlocks:
    """A symmetric matrix over n nodes of three dofs each, K[3I:3I+3, 3J:3J+3] by blocks.

    Parameters
    ----------
    indptr : (n + 1,) start of the row of every node in `indices`.
    indices : (nnz,) column nodes, increasing within a row, at most the row: the lower triangle
        with its diagonal.
    blocks : (nnz, 3, 3) block of every entry; a diagonal block is stored whole, and is
        symmetric.
    """

    indptr: IntArray
    indices: IntArray
    blocks: FloatArray

    @property
    def nodes(self) -> int:
        """Number of nodes n; the matrix is (3n, 3n)."""
        return len(self.indptr) - 1

    def to_csr(self) -> Any:
        """Return the whole matrix, both triangles, as a `scipy.sparse.csr_array`."""
        from scipy.sparse import bsr_array, coo_array

        n = self.nodes
        rows = np.repeat(np.arange(n), np.diff(self.indptr))
        off = np.flatnonzero(rows != self.indices)
        # Sort blocks, not entries: an integer matrix carries their positions.
        number = np.concatenate([np.arange(len(rows)), off]) + 1
        pattern = coo_array(
            (
                number,
                (
                    np.concatenate([rows, self.indices[off]]),
                    np.concatenate([self.indices, rows[off]]),
                ),
            ),
            shape=(n, n),
        ).tocsr()
        pattern.sort_indices()
        blocks = self.blocks[pattern.data - 1]
        of_row = np.repeat(np.arange(n), np.diff(pattern.indptr))
        mirrored = pattern.indices > of_row
        blocks[mirrored] = blocks[mirrored].swapaxes(1, 2)
        return bsr_array((blocks, pattern.indices, pattern.indptr), shape=(3 * n, 3 * n)).tocsr()
