"""A mechanism as its contacts feel it: W = D^T A^-1 D and b, equations (15), (16) of the paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import lapack

from contact.papers.penalty.penalty_checks import require_finite
from sole.base.arrays import FloatArray, sealed, shaped
from sole.base.errors import SoleError

SKEW = (
    1e-8  # how far a matrix may be from symmetric and positive semidefinite, of its largest entry
)


@dataclass(frozen=True, eq=False)
class ContactSpace:
    """A mechanism as its n contacts feel it: P'' = W F + b, equations (15), (16).

    Parameters
    ----------
    operator : W = D^T A^-1 D (3n, 3n) [1/kg], contact by contact in the order t1, t2, n.
    drift : b = D^T A^-1 (Gamma_e - H) + B (3n,) [m/s^2], accelerations without contact forces.

    Raises
    ------
    SoleError
        For shapes that do not fit each other, and for values that are not finite.
    """

    operator: FloatArray
    drift: FloatArray

    def __post_init__(self) -> None:
        drift = require_finite("drift", self.drift)
        if drift.size % 3:
            raise SoleError(f"drift must have 3 entries per contact, got {drift.size}")
        object.__setattr__(self, "drift", sealed(shaped("drift", drift, (drift.size,))))
        W = shaped("operator", require_finite("operator", self.operator), (drift.size, drift.size))
        object.__setattr__(self, "operator", sealed(W))

    @classmethod
    def of_dynamics(
        cls, A: ArrayLike, D: ArrayLike, generalized_forces: ArrayLike, bias: ArrayLike
    ) -> ContactSpace:
        """Return W = D^T A^-1 D and b = D^T A^-1 (Gamma_e - H) + B.

        Parameters
        ----------
        A : inertia matrix (v, v), symmetric and positive definite.
        D : (v, 3n), P' = D^T q_v.
        generalized_forces : Gamma_e - H (v,): actuators less Coriolis, centrifugal and weight.
        bias : B (3n,) [m/s^2], P'' at zero generalised accelerations.

        Raises
        ------
        SoleError
            For shapes that do not fit, and for A not symmetric or not positive definite.
        """
        name = "the inertia matrix A"
        A, D, force, B = _mechanism(name, A, D, generalized_forces, bias)
        rows = D.shape[1]
        L, failed = lapack.dpotrf(A, lower=1)
        if failed or not _well_conditioned(L, A):
            raise SoleError(
                "the inertia matrix A must be positive definite, got a singular or indefinite one: "
                "is a body without mass or inertia, or a coordinate counted twice?"
            )
        X, _ = lapack.dtrtrs(L, np.column_stack([D, force]), lower=1)  # L^-1 [D, Gamma_e - H]
        J, w = X[:, :rows], X[:, rows]
        return cls(J.T @ J, J.T @ w + B)

    @classmethod
    def of_inverse(
        cls, A_inverse: ArrayLike, D: ArrayLike, generalized_forces: ArrayLike, bias: ArrayLike
    ) -> ContactSpace:
        """Return the same from A^-1 (v, v), symmetric; see `of_dynamics`."""
        inverse, D, force, B = _mechanism("A_inverse", A_inverse, D, generalized_forces, bias)
        X = inverse @ D
        return cls(D.T @ X, force @ X + B)

    @property
    def contacts(self) -> int:
        """The number n of contacts."""
        return len(self.drift) // 3

    def active(self, mask: ArrayLike) -> ContactSpace:
        """Return the space of the contacts in `mask` (n,) alone, equation (16)."""
        keep = np.asarray(mask)
        if keep.dtype != bool or keep.shape != (self.contacts,):
            raise SoleError(
                f"mask must be {self.contacts} booleans, one per contact, got {keep.dtype} of "
                f"shape {keep.shape}"
            )
        if keep.all():
            return self
        rows = np.flatnonzero(np.repeat(keep, 3))
        return ContactSpace(self.operator[np.ix_(rows, rows)], self.drift[rows])

    def accelerations(self, forces: ArrayLike) -> FloatArray:
        """P'' = W F + b (n, 3) [m/s^2] under `forces` (n, 3) [N], equation (15)."""
        F = shaped("forces", forces, (self.contacts, 3)).ravel()
        return (self.operator @ F + self.drift).reshape(-1, 3)


def _mechanism(
    name: str, A: ArrayLike, D: ArrayLike, generalized_forces: ArrayLike, bias: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    D = require_finite("D", D)
    if D.ndim != 2 or not D.shape[0] or D.shape[1] % 3:
        raise SoleError(f"D must have shape (v, 3n), got {D.shape}")
    v, rows = D.shape
    A = shaped(name, require_finite(name, A), (v, v))
    force = shaped(
        "generalized_forces", require_finite("generalized_forces", generalized_forces), (v,)
    )
    check_symmetric(name, A)
    return A, D, force, shaped("bias", require_finite("bias", bias), (rows,))


def check_symmetric(name: str, A: FloatArray) -> None:
    """Refuse a matrix (..., m, m) further than 1e-8 of its largest entry from symmetric."""
    skew = np.abs(A - A.swapaxes(-1, -2)).max(axis=(-1, -2), initial=0.0)
    size = np.abs(A).max(axis=(-1, -2), initial=0.0)
    if (skew > SKEW * size).any():
        raise SoleError(
            f"{name} must be symmetric, got a difference of {skew.max():.3g} at a size of "
            f"{size.max():.3g}"
        )


def _well_conditioned(L: FloatArray, A: FloatArray) -> bool:
    """Whether LAPACK's estimate of the reciprocal condition of A = L L^T is above round-off."""
    rcond, _ = lapack.dpocon(L, float(np.abs(A).sum(axis=0).max(initial=0.0)), uplo="L")
    return bool(rcond > np.finfo(float).eps)
