"""Linear complementarity by Lemke's pivoting: exact up to round-off, any size that fits.

    w = M z + q,   w >= 0,   z >= 0,   w'z = 0.

Lemke's method adds a covering column, w = M z + q + d z0, drives z0 from the value that makes
everything non-negative down to zero, and exchanges one pair of variables at a time. It ends
with a solution or on a ray; for copositive M and a q that is non-negative on the solutions of
the homogeneous problem it never ends on a ray [CottlePangStone1992].

The tableau holds only the columns of the nonbasic variables, n x (n + 2): half of the usual one.
Ties are broken lexicographically, so that the method cannot cycle. The values of the basic
variables are recomputed at the end from M, q and the final basis, which removes the round-off of
thousands of pivots.

Of the packages on the index only `quantecon` has a maintained Lemke's method; it stores twice as
much, does not solve for the basis anew, and imports a symbolic algebra. `lemkelcp` is from 2017.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
import scipy.linalg

from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.compiled import inner_kernel, kernel
from sole.base.errors import SoleError

SOLUTION, RAY, LIMIT = 0, 1, 2


class Ending(Enum):
    """How the pivoting ended."""

    SOLVED = "solved"
    RAY = "ended on a ray: no solution was found, and there may be none"
    LIMIT = "reached the limit of pivots"


@dataclass(frozen=True, eq=False, kw_only=True)
class Complementarity:
    """The result of Lemke's method: z (n,) and the number of pivots."""

    z: FloatArray
    pivots: int
    ending: Ending


def lemke(M: FloatArray, q: FloatArray, max_pivots: int | None = None) -> Complementarity:
    """Solve w = M z + q for z (n,); at most `max_pivots` exchanges, 50 (n + 1) if not given.

    M and q should be scaled so that their largest entries are about 1. On a ray and at the
    limit, z is that of the last basis, with the artificial variable left out.
    """
    M, q = np.asarray(M, dtype=float), np.asarray(q, dtype=float)
    n = len(q)
    if M.shape != (n, n):
        raise SoleError(f"M has shape {M.shape}, expected {(n, n)}: as many rows as q")
    if not (np.isfinite(M).all() and np.isfinite(q).all()):
        raise SoleError("M and q must be finite, got a NaN or an infinity")
    if n == 0 or q.min() >= 0.0:
        return Complementarity(z=frozen(np.zeros(n)), pivots=0, ending=Ending.SOLVED)
    tableau = np.empty((n, n + 2))
    np.negative(M, out=tableau[:, :n])
    tableau[:, n], tableau[:, n + 1] = -1.0, q
    basic = np.arange(n)
    limit = 50 * (n + 1) if max_pivots is None else max_pivots
    ended, pivots = pivot_to_end(tableau, basic, limit)
    z = np.zeros(n)
    carrying = np.flatnonzero((basic >= n) & (basic < 2 * n))
    z[basic[carrying] - n] = tableau[carrying, n + 1]
    z = np.maximum(z, 0.0)
    if ended == SOLUTION:
        z = _anew(M, q, z, np.sort(basic[carrying] - n))
    ending = (Ending.SOLVED, Ending.RAY, Ending.LIMIT)[ended]
    return Complementarity(z=frozen(z), pivots=int(pivots), ending=ending)


def complementarity_error(M: FloatArray, q: FloatArray, z: FloatArray) -> float:
    """|min(z, M z + q)| / |q|, largest entries: 0 at a solution (1 if q = 0)."""
    if len(q) == 0:
        return 0.0
    error = float(np.abs(np.minimum(z, M @ z + q)).max())
    return error / (float(np.abs(q).max()) or 1.0)


def _anew(M: FloatArray, q: FloatArray, z: FloatArray, basis: IntArray) -> FloatArray:
    """Solve M_aa z_a = -q_a for the basis a; keep `z` of the tableau if that is worse."""
    if len(basis) == 0:
        return z
    block = M[np.ix_(basis, basis)]
    lu, piv, info = scipy.linalg.lapack.dgetrf(block)
    if info:
        return z
    x = scipy.linalg.lu_solve((lu, piv), -q[basis], check_finite=False)
    x -= scipy.linalg.lu_solve((lu, piv), block @ x + q[basis], check_finite=False)
    new = np.zeros_like(z)
    new[basis] = np.maximum(x, 0.0)
    better = complementarity_error(M, q, new) <= complementarity_error(M, q, z)
    return new if better else z


@kernel
def pivot_to_end(
    T: FloatArray,
    basic: IntArray,
    limit: int,
) -> tuple[int, int]:
    """Exchange basic and nonbasic variables until z0 leaves; returns (ending, pivots).

    T (n, n + 2): basic = T[:, n + 1] - T[:, :n + 1] nonbasic; changed in place, as is `basic`
    (n,). Variables: w_i is i, z_i is n + i, z0 is 2 n.
    """
    n = T.shape[0]
    nonbasic = np.arange(n, 2 * n + 1)
    where = np.full(2 * n + 1, -1)  # column of a nonbasic variable
    for c in range(n + 1):
        where[nonbasic[c]] = c
    row = 0
    for i in range(1, n):  # of ties the last row: lexicographically the smallest
        if T[i, n + 1] <= T[row, n + 1]:
            row = i
    column = n
    pivots = 0
    while True:
        exchange_variables(T, row, column)
        leaving, entering = basic[row], nonbasic[column]
        basic[row], nonbasic[column] = entering, leaving
        where[leaving], where[entering] = column, -1
        pivots += 1
        if leaving == 2 * n:
            return 0, pivots
        if pivots >= limit:
            return 2, pivots
        column = where[leaving + n if leaving < n else leaving - n]
        row = find_leaving_row(T, basic, where, column)
        if row < 0:
            return 1, pivots


@inner_kernel
def exchange_variables(
    T: FloatArray,
    row: int,
    column: int,
) -> None:
    """Pivot on T[row, column]."""
    n, width = T.shape
    p = 1.0 / T[row, column]
    for j in range(width):
        T[row, j] *= p
    T[row, column] = p
    for i in range(n):
        f = T[i, column]
        if i == row or f == 0.0:
            continue
        T[i, column] = 0.0
        for j in range(width):
            T[i, j] -= f * T[row, j]
        if -1e-14 < T[i, width - 1] < 0.0:
            T[i, width - 1] = 0.0


@inner_kernel
def find_leaving_row(
    T: FloatArray,
    basic: IntArray,
    where: IntArray,
    column: int,
) -> int:
    """Row of the smallest ratio, ties broken lexicographically; z0 first; -1 on a ray."""
    n = T.shape[0]
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(T[i, column]))
    small = 1e-11 * largest
    lowest = np.inf
    for i in range(n):
        if T[i, column] > small:
            lowest = min(lowest, T[i, n + 1] / T[i, column])
    if lowest == np.inf:
        return -1
    tied = np.empty(n, dtype=np.int64)
    count = 0
    for i in range(n):
        a = T[i, column]
        if a > small and T[i, n + 1] <= lowest * a + 1e-13 * (1.0 + a):
            if basic[i] == 2 * n:
                return i
            tied[count] = i
            count += 1
    for w in range(n):  # columns of the inverse of the basis: those of w
        if count == 1:
            break
        c = where[w]
        best = np.inf
        for t in range(count):
            best = min(best, lexical_entry(T, basic, tied[t], c, w) / T[tied[t], column])
        kept = 0
        for t in range(count):
            i = tied[t]
            if lexical_entry(T, basic, i, c, w) / T[i, column] <= best + 1e-12 * (1.0 + abs(best)):
                tied[kept] = i
                kept += 1
        count = kept
    return int(tied[0])


@inner_kernel
def lexical_entry(
    T: FloatArray,
    basic: IntArray,
    i: int,
    c: int,
    w: int,
) -> float:
    """Entry of row i in the column of w, which is a unit vector while w is basic."""
    if c >= 0:
        return float(T[i, c])
    return 1.0 if basic[i] == w else 0.0
