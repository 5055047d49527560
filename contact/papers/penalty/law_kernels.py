"""Equations (17)-(20) of the penalty law over many states, compiled [RengifoEtAl2009].

(18) asks for W^+ y. A pivoted Cholesky factor W = C C^T, C (m, r), gives it in r x r systems,

    W^+ = C (C^T C)^-1 (C^T C)^-1 C^T,

if the rank is beyond doubt: the pivots kept far above the threshold, the rest far below. The
nonzero eigenvalues of W and of C^T C are the same. Where the rank is not that clear, the
eigenvalues decide.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel, kernel

CLEAR = 1e5  # a pivot this much above the threshold is kept without checking the eigenvalues
NOISE = 1e-3  # and what is left of W below this part of the threshold counts as nothing


@inner_kernel
def least_norm(W: FloatArray, y: FloatArray, rcond: float, F: FloatArray) -> Any:
    """Write F = W^+ y; return the rank, |W F - y| and the lowest eigenvalue, 0 where not needed."""
    m = len(y)
    S, C, order = 0.5 * (W + W.T), np.zeros((m, m)), np.arange(m)
    largest = 0.0
    for i in range(m):
        largest = max(largest, S[i, i])
    threshold = rcond * largest
    # Cholesky with pivots: W = C C' of rank r, where that is clear.
    r, clear = 0, largest > 0.0
    while clear and r < m:
        best = r
        for i in range(r + 1, m):
            if S[order[i], order[i]] > S[order[best], order[best]]:
                best = i
        pivot = S[order[best], order[best]]
        if pivot < max(CLEAR * threshold, 1e-9 * largest):
            break
        order[r], order[best] = order[best], order[r]
        k, root = order[r], np.sqrt(pivot)
        C[k, r] = root
        for i in range(r + 1, m):
            C[order[i], r] = S[order[i], k] / root
        for i in range(r + 1, m):
            a = order[i]
            for j in range(r + 1, i + 1):
                b = order[j]
                S[a, b] -= C[a, r] * C[b, r]
                S[b, a] = S[a, b]
        r += 1
    # Clear: all that is left of W is round-off.
    for i in range(r, m):
        for j in range(r, m):
            clear &= abs(S[order[i], order[j]]) <= NOISE * threshold
    if not clear:
        return _by_eigenvalues(W, y, rcond, F)
    # F = C (C'C)^-2 C'y by the small matrix M = C'C.
    M, x = np.zeros((r, r)), np.zeros(r)
    for i in range(r):
        for k in range(m):
            x[i] += C[k, i] * y[k]
        for j in range(i + 1):
            for k in range(m):
                M[i, j] += C[k, i] * C[k, j]
    for j in range(r):  # M = L L^T in place
        for k in range(j):
            M[j, j] -= M[j, k] ** 2
        M[j, j] = np.sqrt(M[j, j])
        for i in range(j + 1, r):
            for k in range(j):
                M[i, j] -= M[i, k] * M[j, k]
            M[i, j] /= M[j, j]
    _solve(M, x)  # now C x is the part of y in the range of W
    # |y - C x|, the part outside the range of W; then F.
    square = 0.0
    for i in range(m):
        error = y[i]
        for j in range(r):
            error -= C[i, j] * x[j]
        square += error**2
    _solve(M, x)
    for i in range(m):
        F[i] = 0.0
        for j in range(r):
            F[i] += C[i, j] * x[j]
    return r, np.sqrt(square), 0.0


@inner_kernel
def _solve(L: FloatArray, x: FloatArray) -> None:
    """Solve L L^T z = x in place."""
    r = len(x)
    for i in range(r):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]
    for i in range(r - 1, -1, -1):
        for k in range(i + 1, r):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]


@inner_kernel
def _by_eigenvalues(W: FloatArray, y: FloatArray, rcond: float, F: FloatArray) -> Any:
    """Do the same by W = V diag(w) V^T, where eigenvalues up to rcond max(w) count as zero."""
    w, V = np.linalg.eigh(0.5 * (W + W.T))
    rank, rest = 0, y.copy()
    F[:] = 0.0
    for k in range(len(y)):
        if w[k] > max(rcond * w[-1], 0.0):
            rank += 1
            v = V[:, k].copy()
            c = 0.0
            for i in range(len(y)):
                c += v[i] * y[i]
            F += (c / w[k]) * v
            rest -= c * v
    square = 0.0
    for i in range(len(y)):
        square += rest[i] ** 2
    return rank, np.sqrt(square), w[0] / max(abs(w[0]), abs(w[-1]), 1e-300)


@kernel
def least_norms(W: FloatArray, y: FloatArray, rcond: float) -> Any:
    """`least_norm` of stacks W (N, m, m), y (N, m): F (N, m), ranks, residuals, lowest (N,)."""
    count, m = y.shape
    F, rank = np.zeros((count, m)), np.zeros(count, np.int64)
    residual, lowest = np.zeros(count), np.zeros(count)
    for s in range(count):
        # (19): F of least norm.
        rank[s], residual[s], lowest[s] = least_norm(W[s], y[s], rcond, F[s])
    return F, rank, residual, lowest


@kernel
def law_forces(
    law: FloatArray,  # kp, kv, mu, epsilon, rcond
    W: FloatArray,
    b: FloatArray,
    p: FloatArray,
    v: FloatArray,
    touching: Any,
    sinking: Any,
) -> Any:
    """(17)-(20) of N states: W (N, 3n, 3n), b (N, 3n), p (N, n), v (N, n, 3), masks (N, n).

    Returns forces, required, desired (N, n, 3), and (N,) each: ranks, residuals, lowest
    eigenvalues and |W_c - W_c^T| as parts of the largest.
    For mu = 0 the tangential rows of (18) are left out: friction that (20) removes whole would
    leave the normal forces that were to carry its moment. The paper keeps them.
    """
    kp, kv, mu, epsilon, rcond = law
    count, n = p.shape
    forces, required, desired = (
        np.zeros((count, n, 3)),
        np.zeros((count, n, 3)),
        np.zeros((count, n, 3)),
    )
    rank, residual, lowest = np.zeros(count, np.int64), np.zeros(count), np.zeros(count)
    skew = np.zeros(count)
    first = 2 if mu == 0.0 else 0
    rows = np.zeros(3 * n, np.int64)
    for s in range(count):
        # (17): the acceleration that the law wants at every touching point.
        m = 0
        for i in range(n):
            if touching[s, i]:
                desired[s, i, 0] = -kv * v[s, i, 0]
                desired[s, i, 1] = -kv * v[s, i, 1]
                damping = kv * v[s, i, 2] if sinking[s, i] else 0.0
                desired[s, i, 2] = kp * (epsilon - p[s, i]) - damping
                for k in range(first, 3):
                    rows[m] = 3 * i + k
                    m += 1
        if m == 0:
            continue
        # (18): W_c F = y, the rows of these points; how far W_c is from symmetric.
        W_c, y, F = np.empty((m, m)), np.empty(m), np.empty(m)
        for i in range(m):
            y[i] = desired[s, rows[i] // 3, rows[i] % 3] - b[s, rows[i]]
            for j in range(m):
                W_c[i, j] = W[s, rows[i], rows[j]]
        largest = 1e-300
        for i in range(m):
            for j in range(i + 1):
                largest = max(largest, abs(W_c[i, j]))
                skew[s] = max(skew[s], abs(W_c[i, j] - W_c[j, i]))
        skew[s] /= largest
        rank[s], residual[s], lowest[s] = least_norm(W_c, y, rcond, F)
        for i in range(m):
            required[s, rows[i] // 3, rows[i] % 3] = F[i]
        # (20): no tension, and friction inside Coulomb's cone.
        for i in range(n):
            f_n = max(0.0, required[s, i, 2])
            f_t = np.hypot(required[s, i, 0], required[s, i, 1])
            shrink = mu * f_n / f_t if f_t > mu * f_n else 1.0
            forces[s, i, 0] = shrink * required[s, i, 0]
            forces[s, i, 1] = shrink * required[s, i, 1]
            forces[s, i, 2] = f_n
    return forces, required, desired, rank, residual, lowest, skew
