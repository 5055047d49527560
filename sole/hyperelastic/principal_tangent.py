"""Stress and tangent of any isotropic law from its derivatives by logarithmic stretches.

    F = sum_i s_i n_i N_i',    P = dW/dF = sum_i W_i n_i N_i',    W_i = g_i/s_i,
    W_ij = H_ij/(s_i s_j) - delta_ij g_i/s_i^2

with g = dW/de and H = d2W/de2. A = dP/dF has, in principal axes, the 3x3 block W_ij on the
stretches, and for every pair i != j two modes of their own: (n_i N_j' + n_j N_i') of stiffness

    a = (W_i - W_j)/(s_i - s_j)    (its limit is (W_ii + W_jj)/2 - W_ij)

and (n_i N_j' - n_j N_i') of stiffness b = (W_i + W_j)/(s_i + s_j). A includes the geometric
stiffness [Ogden1984]_.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sole.base.arrays import FloatArray

NEAR = 1e-5  # stretches nearer than this: the limit of a, right to the square of it
FLOOR = 1e-3  # clipped modes have this part of the stiffest one


@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """Deformation gradients at n points by principal axes.

    Parameters
    ----------
    e : (n, 3) logarithmic stretches e_i = ln s_i.
    s : (n, 3) stretches.
    spatial : (n, 3, 3) columns n_i.
    material : (n, 3, 3) columns N_i.
    """

    e: FloatArray
    s: FloatArray
    spatial: FloatArray
    material: FloatArray


def principal_axes(gradient: FloatArray) -> PrincipalAxes:
    """Return the axes of F = 1 + `gradient` (n, 3, 3), det F > 0.

    From the eigenvalues of C - 1 = grad + grad' + grad' grad: F' F - 1 would lose the digits of
    small strains.
    """
    transposed = gradient.transpose(0, 2, 1)
    c, N = np.linalg.eigh(gradient + transposed + transposed @ gradient)
    e = np.log1p(np.maximum(c, -1 + 1e-15)) / 2
    s = np.exp(e)
    n = (N + gradient @ N) / s[:, None, :]
    return PrincipalAxes(e, s, n, N)


def piola_stress(axes: PrincipalAxes, g: FloatArray) -> FloatArray:
    """Return P = dW/dF (n, 3, 3) [Pa] from g (n, 3), the derivatives of W by e."""
    W = g / axes.s
    return np.asarray((axes.spatial * W[:, None, :]) @ axes.material.transpose(0, 2, 1))


def piola_tangent(
    axes: PrincipalAxes, g: FloatArray, H: FloatArray, positive: bool = False
) -> FloatArray:
    """Return A = dP/dF (n, 9, 9) [Pa], F by rows.

    Parameters
    ----------
    axes : of F.
    g, H : (n, 3) and (n, 3, 3) derivatives of W by e.
    positive : clip the modes of negative stiffness; A is then positive definite.
    """
    s, n, N = axes.s, axes.spatial, axes.material
    k = np.arange(3)
    W = g / s
    W2 = H / (s[:, :, None] * s[:, None, :])
    W2[:, k, k] -= g / s**2
    block, floor = W2, np.full(len(s), -np.inf)
    if positive:
        w, Q = np.linalg.eigh(W2)
        floor = FLOOR * np.abs(w).max(axis=1)
        block = (Q * np.maximum(w, floor[:, None])[:, None, :]) @ Q.transpose(0, 2, 1)
    A = np.zeros((len(s), 3, 3, 3, 3))
    for i in range(3):
        for j in range(3):
            A[:, i, i, j, j] = block[:, i, j]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        apart = s[:, i] - s[:, j]
        near = np.abs(apart) < NEAR
        limit = (W2[:, i, i] + W2[:, j, j]) / 2 - W2[:, i, j]
        a = np.where(near, limit, (W[:, i] - W[:, j]) / np.where(near, 1.0, apart))
        b = (W[:, i] + W[:, j]) / (s[:, i] + s[:, j])
        a, b = np.maximum(a, floor), np.maximum(b, floor)
        A[:, i, j, i, j] = A[:, j, i, j, i] = (a + b) / 2
        A[:, i, j, j, i] = A[:, j, i, i, j] = (a - b) / 2
    turn = (n[:, :, None, :, None] * N[:, None, :, None, :]).reshape(-1, 9, 9)
    return np.asarray(turn @ A.reshape(-1, 9, 9) @ turn.transpose(0, 2, 1))
