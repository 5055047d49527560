"""Compiled loop that fills the matrix of a Newton step on one sole."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def fill_newton(C, node, L, P, D, A):  # type: ignore[no-untyped-def]
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
