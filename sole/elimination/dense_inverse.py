"""The inverse of the condensed stiffness: by LAPACK, or block by block for Ctrl-C.

LAPACK answers no signal before it is done, half a minute for 3000 nodes. The sweep operator
[Goodnight1979] takes one block of pivots k after the other, in 1.1 to 1.2 times that time,

    A_ij - A_ik D A_kj,   A_ik D,   -D,     D = A_kk^-1,

and ends with A = -K_c^-1. A_kk is positive definite all the time.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from sole.base.arrays import FloatArray
from sole.base.waiting import note
from sole.elimination.multifrontal import CondensationError, blas_controller
from sole.elimination.packed_update_kernels import mirror

WORTH_THREADS = 1500  # order from which BLAS may use all its threads
WHOLE = 3000  # order up to which LAPACK takes it all: a second
BLOCK = 384  # pivots of a block


def symmetric_inverse(K_c: FloatArray) -> FloatArray:
    """C = K_c^-1 by Cholesky, symmetric to the last bit.

    Raises
    ------
    CondensationError
        K_c is not positive definite.
    """
    # On a busy machine the threads of BLAS wait for each other longer than a small job takes.
    threads = 1 if len(K_c) < WORTH_THREADS else None
    with blas_controller().limit(limits=threads, user_api="blas"):
        C = np.array(K_c, order="C")
        if len(C) <= WHOLE:
            C = _inverse(C, 0)
        else:
            sweep_blocks(C)
    mirror(C)
    return C


def sweep_blocks(A: FloatArray) -> None:
    """Overwrite the upper triangle of a symmetric A (n, n), in C order, with that of its inverse.

    The lower triangle is not used.
    """
    n = len(A)
    for a in range(0, n, BLOCK):
        b = min(a + BLOCK, n)
        note(f"inverting its stiffness, {100 * a // n} %")
        own = slice(a, b)
        D = _inverse(A[own, own].copy(), a)
        mirror(D)
        P = np.concatenate([A[:a, own], np.zeros((b - a, b - a)), A[own, b:].T])
        Q = P @ D
        for i in range(0, n, BLOCK):
            A[i : i + BLOCK, i:] -= Q[i : i + BLOCK] @ P[i:].T
        A[:a, own], A[own, own], A[own, b:] = Q[:a], -D, Q[b:].T
    np.negative(A, out=A)


def _inverse(A: FloatArray, first: int) -> FloatArray:
    """Return the upper triangle of A^-1, in C order; A is overwritten, `first` its first row."""
    # The transpose of a symmetric row-major matrix is column-major, as LAPACK expects.
    C, info = lapack.dpotrf(A.T, lower=1, clean=0, overwrite_a=1)
    if info == 0:
        C, info = lapack.dpotri(C, lower=1, overwrite_c=1)
    if info != 0:
        raise CondensationError(
            "the condensed stiffness is not positive definite at tread node "
            f"{(first + info - 1) // 3}: a part of the sole floats, or a material is unstable"
        )
    return np.ascontiguousarray(C.T)
