"""Dense kernels of one panel of a front: its Cholesky factor L, and X = X L^-T for its other rows.

Narrow blocks of columns are divided by the inverse of their triangle, wide ones are updated by
products of matrices, so that nearly all work is done by BLAS.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel
from sole.elimination.native import address_of, call

WIDE = 192  # columns of a panel factored before the rest is updated
NARROW = 48  # columns whose triangle is inverted; the rest are matrix products
Routines = tuple[int, int, int, int, int]  # addresses of dgemm, dsyrk, dpotrf, dtrtri, dtrsm
LOWER, PLAIN, TURNED = ord("L"), ord("N"), ord("T")  # letters of BLAS


@cache
def routines() -> Routines:
    """Return the addresses of dgemm, dsyrk, dpotrf, dtrtri, dtrsm."""
    return (
        address_of("cython_blas", "dgemm"),
        address_of("cython_blas", "dsyrk"),
        address_of("cython_lapack", "dpotrf"),
        address_of("cython_lapack", "dtrtri"),
        address_of("cython_blas", "dtrsm"),
    )


@inner_kernel
def factor_panel(
    panel: FloatArray,
    m: int,
    s: int,
    inverses: FloatArray,
    native: Routines,
) -> int:
    """Factor the first s rows of an (m, s) panel; return -1, or the failing row.

    `inverses` gets the inverses of the narrow triangles on the diagonal.
    """
    dgemm, _, dpotrf, dtrtri, _ = native
    info = np.zeros(1, np.int32)
    for i in range(0, s, NARROW):
        end = min(i + NARROW, s)
        w = end - i
        call(dpotrf, (LOWER, w, panel[i * m + i :], m, info))
        if info[0] != 0:
            return int(i + info[0] - 1)
        inverse = inverses[i * NARROW :]
        for j in range(w):
            for r in range(j):
                inverse[j * w + r] = 0.0
            for r in range(j, w):
                inverse[j * w + r] = panel[(i + j) * m + i + r]
        call(dtrtri, (LOWER, PLAIN, w, inverse, w, info))
        if end == s:
            break
        # Columns of the same wide block are updated now, the others block by block.
        wide = i // WIDE * WIDE
        wide_end = min(wide + WIDE, s)
        divide_narrow(panel, m, i, end, end, s, wide_end, inverse, native)
        if end == wide_end:
            for j in range(end, s, WIDE):
                call(dgemm, (PLAIN, TURNED, s - j, min(WIDE, s - j), end - wide, -1.0,
                             panel[wide * m + j :], m, panel[wide * m + j :], m,
                             1.0, panel[j * m + j :], m))  # fmt: skip
    return -1


@inner_kernel
def divide(
    panel: FloatArray,
    m: int,
    s: int,
    row: int,
    row_end: int,
    inverses: FloatArray,
    native: Routines,
) -> None:
    """X = X L^-T for rows row .. row_end-1 of a panel whose first s rows hold L."""
    dgemm = native[0]
    for i in range(0, s, NARROW):
        end = min(i + NARROW, s)
        wide = i // WIDE * WIDE
        wide_end = min(wide + WIDE, s)
        divide_narrow(panel, m, i, end, row, row_end, wide_end, inverses[i * NARROW :], native)
        if end == wide_end and end < s:
            call(dgemm, (PLAIN, TURNED, row_end - row, s - end, end - wide, -1.0,
                         panel[wide * m + row :], m, panel[wide * m + end :], m,
                         1.0, panel[end * m + row :], m))  # fmt: skip


@inner_kernel
def divide_narrow(
    panel: FloatArray,
    m: int,
    i: int,
    end: int,
    row: int,
    row_end: int,
    wide_end: int,
    inverse: FloatArray,
    native: Routines,
) -> None:
    """Solve columns i .. end-1 of some rows, subtract their part from those up to wide_end."""
    dgemm = native[0]
    w, rows = end - i, row_end - row
    copy = np.empty(w * rows)
    for j in range(w):
        for r in range(rows):
            copy[j * rows + r] = panel[(i + j) * m + row + r]
    call(dgemm, (PLAIN, TURNED, rows, w, w, 1.0, copy, rows, inverse, w, 0.0,
                 panel[i * m + row :], m))  # fmt: skip
    if end < wide_end:
        call(dgemm, (PLAIN, TURNED, rows, wide_end - end, w, -1.0, panel[i * m + row :], m,
                     panel[i * m + end :], m, 1.0, panel[end * m + row :], m))  # fmt: skip
