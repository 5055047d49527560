"""Multifrontal Cholesky elimination of everything but the kept nodes.

    K_c = K_cc - K_cn K_nn^-1 K_nc

Front by front along the elimination tree (`sole.dissection`): assemble the rows of the own
nodes and the updates of the children, factor the own block, pass the Schur complement on the
boundary to the parent. What arrives in the root is K_c.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack

from sole.arrays import FloatArray
from sole.blocks import SymmetricBlocks
from sole.dissection import Dissection
from sole.errors import ResourceError, SoleError


class CondensationError(SoleError):
    """The stiffness is not positive definite: a part floats or a material is unstable."""


def check_memory(tree: Dissection, extra_bytes: float = 0.0) -> None:
    """Raise if the elimination and `extra_bytes` do not fit into the memory available."""
    import psutil

    needed = tree.peak_bytes + extra_bytes
    available = psutil.virtual_memory().available
    if needed > available:
        raise ResourceError(
            f"condensing {3 * len(tree.order)} dofs to {3 * tree.kept} needs "
            f"{needed / 1e9:.3g} GB of memory, {available / 1e9:.3g} GB are available: "
            "coarsen the tread (--size-tread) first, then the bond (--size-bond)"
        )


def schur_complement(K: SymmetricBlocks, tree: Dissection) -> FloatArray:
    """Return K_c (3m, 3m) on the kept nodes in their order, symmetric to the last bit.

    Raises
    ------
    CondensationError
        K is not positive definite on the eliminated nodes.
    """
    K_c, _ = _eliminate(K, tree, keep_factor=False)
    return K_c


@dataclass(frozen=True, eq=False)
class Factor:
    """Cholesky factor of the eliminated nodes; recovers their displacement."""

    tree: Dissection
    fronts: tuple[tuple[FloatArray, FloatArray], ...]
    K_c: FloatArray

    def solve_interior(self, U_c: FloatArray) -> FloatArray:
        """Return the field U (3n, k) with U_n = -K_nn^-1 K_nc U_c, and U_c (3m, k) itself."""
        tree = self.tree
        U_c = np.asarray(U_c, dtype=np.float64)
        k = U_c.shape[1]
        X = np.zeros((len(tree.order), 3, k))
        X[len(tree.order) - tree.kept :] = U_c.reshape(-1, 3, k)
        for f in range(len(tree.parent) - 1, -1, -1):
            L11, L21 = self.fronts[f]
            b = tree.boundary[tree.boundary_start[f] : tree.boundary_start[f + 1]]
            rhs = np.asfortranarray(-(L21.T @ X[b].reshape(-1, k)))
            x = blas.dtrsm(1.0, L11, rhs, lower=1, trans_a=1, overwrite_b=1)
            X[tree.start[f] : tree.start[f + 1]] = x.reshape(-1, 3, k)
        U = np.empty_like(X)
        U[tree.order] = X
        return U.reshape(-1, k)


def factorise(K: SymmetricBlocks, tree: Dissection) -> Factor:
    """Return the factor of the eliminated nodes of K, kept in memory."""
    K_c, fronts = _eliminate(K, tree, keep_factor=True)
    return Factor(tree, tuple(fronts), K_c)


def symmetric_inverse(K_c: FloatArray) -> FloatArray:
    """C = K_c^-1 by Cholesky, symmetric to the last bit.

    Raises
    ------
    CondensationError
        K_c is not positive definite.
    """
    L, info = lapack.dpotrf(np.asfortranarray(K_c), lower=1)
    if info:
        raise CondensationError(f"the condensed stiffness is not positive definite (row {info})")
    C, _ = lapack.dpotri(L, lower=1, overwrite_c=1)
    return _mirror(C)


def _mirror(lower: FloatArray) -> FloatArray:
    full = np.tril(lower)
    full += np.tril(lower, -1).T
    return np.ascontiguousarray(full)


def _eliminate(
    K: SymmetricBlocks, tree: Dissection, keep_factor: bool
) -> tuple[FloatArray, list[tuple[FloatArray, FloatArray]]]:
    n = len(tree.order)
    position = np.empty(n, np.int64)
    position[tree.order] = np.arange(n)
    rows = np.repeat(np.arange(n), np.diff(K.indptr))
    p, q = position[rows], position[K.indices]
    blocks = np.where((p >= q)[:, None, None], K.blocks, K.blocks.swapaxes(1, 2))
    p, q = np.maximum(p, q), np.minimum(p, q)
    by_column = np.argsort(q, kind="stable")
    p, q, blocks = p[by_column], q[by_column], blocks[by_column]
    column = np.searchsorted(q, np.arange(n + 1))
    eliminated = n - tree.kept
    K_c = np.zeros((3 * tree.kept, 3 * tree.kept), order="F")
    _add_blocks(K_c, p[column[eliminated] :] - eliminated, q[column[eliminated] :] - eliminated,
                blocks[column[eliminated] :])  # fmt: skip
    updates: dict[int, list[tuple[FloatArray, FloatArray]]] = {}
    fronts = []
    for f in range(len(tree.parent)):
        lo, hi = tree.start[f], tree.start[f + 1]
        b = tree.boundary[tree.boundary_start[f] : tree.boundary_start[f + 1]]
        index = np.concatenate([np.arange(lo, hi), b])
        F = np.zeros((3 * len(index), 3 * len(index)), order="F")
        part = slice(column[lo], column[hi])
        _add_blocks(F, np.searchsorted(index, p[part]), q[part] - lo, blocks[part])
        for child_index, U in updates.pop(f, []):
            at = (3 * np.searchsorted(index, child_index)[:, None] + np.arange(3)).ravel()
            F[np.ix_(at, at)] += U
        s = 3 * (hi - lo)
        L11, info = lapack.dpotrf(np.asfortranarray(F[:s, :s]), lower=1)
        if info:
            raise CondensationError(
                f"the stiffness is not positive definite at node {tree.order[lo + info // 3]}: "
                "a part of the sole floats, or a material is unstable"
            )
        L21 = blas.dtrsm(1.0, L11, np.asfortranarray(F[s:, :s]), side=1, lower=1, trans_a=1)
        U = blas.dsyrk(-1.0, L21, 1.0, np.asfortranarray(F[s:, s:]), lower=1)
        if keep_factor:
            fronts.append((L11, L21))
        if tree.parent[f] >= 0:
            updates.setdefault(int(tree.parent[f]), []).append((b, U))
        else:
            at = (3 * (b - eliminated)[:, None] + np.arange(3)).ravel()
            K_c[np.ix_(at, at)] += U
    return _mirror(K_c), fronts


def _add_blocks(F: FloatArray, i: FloatArray, j: FloatArray, blocks: FloatArray) -> None:
    for a in range(3):
        for c in range(3):
            F[3 * i + a, 3 * j + c] += blocks[:, a, c]
