"""Products of matrices with six rows or so, by loops: calls of a library take longer than these.

`B` and `out` must be C-contiguous: the innermost loop then uses the processor's vectors.
"""

from __future__ import annotations

from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel


@inner_kernel
def add_product(A: FloatArray, B: FloatArray, out: FloatArray) -> None:
    """Add A B to `out`."""
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            a = A[i, k]
            if a != 0.0:
                for j in range(B.shape[1]):
                    out[i, j] += a * B[k, j]


@inner_kernel
def add_turned(A: FloatArray, B: FloatArray, out: FloatArray) -> None:
    """Add A' B to the first rows of `out`."""
    for k in range(A.shape[0]):
        for i in range(A.shape[1]):
            a = A[k, i]
            if a != 0.0:
                for j in range(B.shape[1]):
                    out[i, j] += a * B[k, j]


@inner_kernel
def add_task(
    A: FloatArray, b: FloatArray, weights: FloatArray, H: FloatArray, f: FloatArray
) -> None:
    """Add sum weights (A x - b)^2 / 2 to the program."""
    for k in range(A.shape[0]):
        for i in range(A.shape[1]):
            a = weights[k] * A[k, i]
            if a != 0.0:
                f[i] -= a * b[k]
                for j in range(A.shape[1]):
                    H[i, j] += a * A[k, j]
