"""Linear systems (T W_aa + D) x = b of the closed contacts a, for every kind of W.

T and D are block diagonal. Dense: one LU. Sparse: SuperLU on the blocks of a. Soles:

    T W_aa + D = B + U S A',   B = blkdiag(scale_s T_s P_s C_s P_s' + D_s),   U = T A,
    (B + U S A')^-1 = B^-1 - B^-1 U S (1 + A' B^-1 U S)^-1 A' B^-1

so that two soles cost two small factors (Woodbury); one sole, or a rigid body among them, is one
matrix filled from C. W is never formed for all contacts.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.linalg

from contact.problem import Delassus, SoleDelassus
from contact.solvers.block_system import SingularSystem, SystemBlocks, blocks_of
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import kernel


@kernel
def fill_newton(
    C: FloatArray,
    node: IntArray,
    L: FloatArray,
    P: FloatArray,
    D: FloatArray,
    A: FloatArray,
) -> None:
    """A[3k:3k+3, 3l:3l+3] = L_k C_kl P_l' + D_k delta_kl for the contacts k, l on their nodes."""
    n = len(node)
    left = np.empty((3, 3))
    for k in range(n):
        i = 3 * node[k]
        for l in range(n):
            j = 3 * node[l]
            for a in range(3):
                for c in range(3):
                    left[a, c] = (
                        L[k, a, 0] * C[i, j + c]
                        + L[k, a, 1] * C[i + 1, j + c]
                        + L[k, a, 2] * C[i + 2, j + c]
                    )
            for a in range(3):
                for b in range(3):
                    A[3 * k + a, 3 * l + b] = (
                        left[a, 0] * P[l, b, 0] + left[a, 1] * P[l, b, 1] + left[a, 2] * P[l, b, 2]
                    )
        for a in range(3):
            for b in range(3):
                A[3 * k + a, 3 * k + b] += D[k, a, b]


class NewtonSystem(Protocol):
    """Solves (T W_aa + D) x = b."""

    def solve(self, a: IntArray, T: FloatArray, D: FloatArray, b: FloatArray) -> FloatArray:
        """x (k, 3) for the contacts a (k,); raises SingularSystem."""


def system_of(operator: Delassus) -> NewtonSystem:
    """Return the cheapest system for the kind of `operator`."""
    if isinstance(operator, SoleDelassus):
        return SoleSystem(operator)
    return MatrixSystem(operator)


class MatrixSystem:
    """W as a matrix; keeps the blocks of the last set of contacts."""

    def __init__(self, operator: Delassus) -> None:
        self.operator = operator
        self.contacts: IntArray = np.zeros(0, dtype=np.int64)
        self.blocks: SystemBlocks | None = None

    def solve(self, a: IntArray, T: FloatArray, D: FloatArray, b: FloatArray) -> FloatArray:
        """See `System.solve`."""
        if self.blocks is None or not np.array_equal(a, self.contacts):
            ones = np.ones((self.operator.contacts, 3))
            self.blocks, self.contacts = blocks_of(self.operator, ones, a), a
        return _finite(self.blocks.factor(T, D, 0.0)(b))


class SoleSystem:
    """Soles on feet: per-body blocks and a coupling of rank 6 per body."""

    def __init__(self, operator: SoleDelassus) -> None:
        self.operator = operator

    def solve(self, a: IntArray, T: FloatArray, D: FloatArray, b: FloatArray) -> FloatArray:
        """See `System.solve`."""
        W = self.operator
        body, C = W.body[a], W.compliances
        bodies = [int(s) for s in np.unique(body)]
        A, U = self._coupling(a, T, body, bodies)
        columns = (6 * np.array(bodies)[:, None] + np.arange(6)).ravel()
        S = W.support[np.ix_(columns, columns)]
        parts = [np.flatnonzero(body == s) for s in bodies]
        if len(bodies) == 1 or any(C.matrix(s) is None for s in bodies):
            M = U @ S @ A.T
            for s, part in zip(bodies, parts, strict=True):
                rows = _rows(part)
                M[np.ix_(rows, rows)] += self._block(s, a[part], T[part], D[part])
            return _finite(_factor(M)(b.ravel()).reshape(-1, 3))
        rhs = np.concatenate([b.reshape(-1, 1), U @ S], axis=1)
        Y = np.empty_like(rhs)
        for s, part in zip(bodies, parts, strict=True):
            rows = _rows(part)
            Y[rows] = _factor(self._block(s, a[part], T[part], D[part]))(rhs[rows])
        small = np.eye(len(S)) + A.T @ Y[:, 1:]
        x = Y[:, 0] - Y[:, 1:] @ _factor(small)(A.T @ Y[:, 0])
        return _finite(x.reshape(-1, 3))

    def _block(self, s: int, a: IntArray, T: FloatArray, D: FloatArray) -> FloatArray:
        """scale T P C P' + D of the contacts `a` of body s, without its rigid motions."""
        W, n = self.operator, len(a)
        C = W.compliances.matrix(s)
        M = np.zeros((3 * n, 3 * n))
        if C is None:
            M.reshape(n, 3, n, 3)[np.arange(n), :, np.arange(n), :] = D
            return M
        P = W.frames[a]
        kernel: Any = fill_newton
        kernel(C, W.node[a] - W.compliances.first[s], W.scale[s] * (T @ P), P, D, M)
        return M

    def _coupling(
        self, a: IntArray, T: FloatArray, body: IntArray, bodies: list[int]
    ) -> tuple[FloatArray, FloatArray]:
        """Return A and U = T A, both (3k, 6 bodies), of the contacts `a`."""
        k, motions = len(a), self.operator.motions[a]
        A = np.zeros((k, 3, len(bodies), 6))
        U = np.zeros_like(A)
        place = np.searchsorted(bodies, body)
        A[np.arange(k), :, place] = motions
        U[np.arange(k), :, place] = T @ motions
        return A.reshape(3 * k, -1), U.reshape(3 * k, -1)


def _rows(contacts: IntArray) -> IntArray:
    return np.asarray((3 * contacts[:, None] + np.arange(3)).ravel())


def _factor(M: FloatArray) -> Any:
    """Return b -> M^-1 b."""
    if not np.isfinite(M).all():
        raise SingularSystem
    lu, pivots, info = scipy.linalg.lapack.dgetrf(M.T, overwrite_a=1)
    if info != 0:
        raise SingularSystem
    return lambda b: scipy.linalg.lapack.dgetrs(lu, pivots, b, trans=1)[0]


def _finite(x: FloatArray) -> FloatArray:
    if not np.isfinite(x).all():
        raise SingularSystem
    return x
