"""Linear algebra of the closed forms of sticking soles: K s and small systems, without BLAS.

The lower triangle of a symmetric K (3a, 3a) is kept in strips, one behind the other: strip i has
the three rows of node i up to its own columns. So K s reads each entry once.
"""

from __future__ import annotations

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel, kernel


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
