"""The discrete Coulomb problem: u = W r + q with exact cones.

    |r_t| <= mu r_n,   0 <= u_n orthogonal to r_n >= 0,   u_t = -lam r_t (lam >= 0) where the
    cone is reached.

Contacts are ordered (t1, t2, n), n from the ground into the robot; r is the force of the ground
on the sole. W is a `Delassus` operator; u and q carry one unit, r another (m/s and N for a time
step, m and N for a press).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import splu

from contact.delassus import Delassus, DenseDelassus, SparseDelassus, check_finite
from sole.arrays import FloatArray, frozen, sealed
from sole.errors import SoleError

ASYMMETRY = 1e-8  # relative: more is no Delassus operator, and some methods must refuse it
INDEFINITE = 1e-8  # smallest eigenvalue / largest diagonal entry that passes as round-off


@dataclass(frozen=True, eq=False)
class Problem:
    """u = W r + q.

    Parameters
    ----------
    operator : W, positive semi-definite.
    offset : q (K, 3), contact frames.
    friction : mu (K,) >= 0, or one number for all.
    """

    operator: Delassus
    offset: FloatArray
    friction: FloatArray

    def __post_init__(self) -> None:
        put, K = object.__setattr__, self.operator.contacts
        q = np.asarray(self.offset, dtype=float)
        if q.size != 3 * K:
            raise SoleError(f"q has {q.size} numbers, expected {3 * K}: three per contact")
        put(self, "offset", frozen(q.reshape(K, 3)))
        mu = np.asarray(self.friction, dtype=float)
        if mu.ndim and mu.shape != (K,):
            raise SoleError(f"friction has shape {mu.shape}, expected ({K},) or one number")
        put(self, "friction", frozen(mu) if mu.ndim else sealed(np.full(K, float(mu))))
        check_finite(self.offset, "the offset q of a contact problem")
        check_finite(self.friction, "friction")
        if self.friction.min(initial=0.0) < 0:
            raise SoleError(f"friction must not be negative, got {self.friction.min():g}")

    @classmethod
    def dense(cls, W: FloatArray, q: FloatArray, friction: FloatArray | float) -> Problem:
        """Check a matrix W (3K, 3K) in contact frames and wrap it.

        Raises
        ------
        SoleError
            Not square, not finite, asymmetric by more than 1e-8 or not positive semi-definite.
        """
        operator = DenseDelassus(np.asarray(W, dtype=float))
        _check_definite(operator)
        return cls(operator, q, np.asarray(friction, dtype=float))

    @classmethod
    def sparse(
        cls,
        W: sparse.csr_array | sparse.coo_array | sparse.csc_array,
        q: FloatArray,
        friction: FloatArray | float,
    ) -> Problem:
        """Check a scipy sparse matrix W (3K, 3K) in contact frames and wrap it, as `dense`."""
        operator = SparseDelassus(W.tocsr())
        _check_definite(operator)
        return cls(operator, q, np.asarray(friction, dtype=float))

    @property
    def contacts(self) -> int:
        """K, the number of contacts."""
        return self.operator.contacts

    @property
    def blocks(self) -> FloatArray:
        """(K, 3, 3) diagonal blocks of W."""
        return self.operator.blocks

    @property
    def symmetric(self) -> bool:
        """Whether W is symmetric to 1e-8 of its largest entry."""
        return self.operator.asymmetry <= ASYMMETRY

    @cached_property
    def size(self) -> float:
        """|q|."""
        q = self.offset.ravel()
        return math.sqrt(float(q @ q))

    @cached_property
    def rho(self) -> float:
        """1 / mean W_ii: the scale that turns u into forces."""
        mean = self.operator.mean_diagonal
        return 1.0 / mean if mean > 0 else 1.0

    def velocity(self, r: FloatArray) -> FloatArray:
        """u (K, 3) = W r + q."""
        return np.asarray(self.operator.apply(r) + self.offset)


def _check_definite(operator: DenseDelassus | SparseDelassus) -> None:
    """Refuse a W that is asymmetric or has a negative eigenvalue: try a Cholesky factor."""
    if operator.asymmetry > ASYMMETRY:
        raise SoleError(
            f"W is asymmetric: max |W - W'| / max |W| = {operator.asymmetry:.1e}, at most "
            f"{ASYMMETRY:g} is accepted; a Delassus operator is symmetric"
        )
    if not operator.contacts:
        return
    if not positive_semidefinite(operator):
        raise SoleError("W is not positive semi-definite: a Delassus operator is")


def positive_semidefinite(operator: DenseDelassus | SparseDelassus) -> bool:
    """Return whether the symmetric part of W has no eigenvalue below -1e-8 max W_ii."""
    diagonal = operator.matrix.diagonal()
    largest = float(np.abs(diagonal).max(initial=0.0))
    if diagonal.min(initial=0.0) < -INDEFINITE * largest:
        return False
    shift = INDEFINITE * largest
    if isinstance(operator, DenseDelassus):
        if largest == 0.0:
            return not operator.matrix.any()
        A = (operator.matrix + operator.matrix.T) / 2
        A[np.diag_indices_from(A)] += shift
        return bool(scipy.linalg.lapack.dpotrf(A, lower=1, overwrite_a=1)[1] == 0)
    W = operator.matrix
    if largest == 0.0:
        return not np.any(W.data)
    shifted = ((W + W.T) / 2 + shift * sparse.eye_array(W.shape[0])).tocsc()
    factor = splu(
        shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )
    pivoted = not np.array_equal(factor.perm_r, factor.perm_c)
    return bool(not pivoted and (factor.U.diagonal() > 0).all())
