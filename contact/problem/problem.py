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
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from contact.problem.delassus import Delassus, DenseDelassus, SparseDelassus, check_finite
from contact.problem.semidefinite import positive_semidefinite
from sole.base.arrays import FloatArray, frozen, read_only, sealed, trusted
from sole.base.errors import SoleError

if TYPE_CHECKING:
    from scipy import sparse

ASYMMETRY = 1e-8  # relative; beyond, W is not a Delassus operator and some methods must refuse it
SMALLEST, LARGEST = 1e-100, 1e100  # of |q|, |W|, rho |q|: their squares do not overflow
TINY = 1e-280  # a sum of squares below counts as zero
REAL = "biuf"  # kinds of numpy's types that are real numbers


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

    def __repr__(self) -> str:
        """Return one line: size and friction."""
        low, high = self.friction.min(initial=np.inf), self.friction.max(initial=-np.inf)
        mu = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        return f"<Problem: {len(self.friction)} contacts, friction {mu}>"

    def __post_init__(self) -> None:
        put, K = object.__setattr__, self.operator.contacts
        q = _real(self.offset, "q")
        if q.size != 3 * K:
            raise SoleError(f"q has {q.size} numbers, expected {3 * K}: three per contact")
        put(self, "offset", frozen(q.reshape(K, 3)))
        mu = _real(self.friction, "friction")
        if mu.ndim and mu.shape != (K,):
            raise SoleError(f"friction has shape {mu.shape}, expected ({K},) or one number")
        put(self, "friction", frozen(mu) if mu.ndim else sealed(np.full(K, float(mu))))
        check_finite(self.offset, "the offset q of a contact problem")
        check_finite(self.friction, "friction")
        put(self, "steepest", float(self.friction.max(initial=0.0)))
        if self.friction.min(initial=0.0) < 0:
            raise SoleError(f"friction must not be negative, got {self.friction.min():g}")

    @classmethod
    def unchecked(
        cls,
        operator: Delassus,
        offset: FloatArray,
        friction: FloatArray,
        scales: tuple[float, float] | None = None,
    ) -> Problem:
        """Wrap arrays known to fit: q (K, 3), mu (K,); `scales`: `rho` and `size` if known.

        Machine code reads them as floats in C order, so others are copied.
        """
        offset, friction = (
            read_only(np.ascontiguousarray(offset, float)),
            read_only(np.ascontiguousarray(friction, float)),
        )
        if scales is None:
            return trusted(cls, operator=operator, offset=offset, friction=friction)
        rho, size = scales
        return trusted(cls, operator=operator, offset=offset, friction=friction, rho=rho, size=size)

    @classmethod
    def dense(cls, W: FloatArray, q: FloatArray, friction: FloatArray | float) -> Problem:
        """Check a matrix W (3K, 3K) in contact frames and wrap it.

        Raises
        ------
        SoleError
            Not square, not real, not finite, asymmetric by more than 1e-8, not positive
            semi-definite, or magnitudes beyond 1e-100 to 1e100.
        """
        from scipy.sparse import issparse

        if issparse(W):
            raise SoleError("W is a scipy sparse matrix: use Problem.sparse")
        return cls._checked(DenseDelassus(_real(W, "W")), q, friction)

    @classmethod
    def sparse(
        cls,
        W: sparse.csr_array | sparse.coo_array | sparse.csc_array,
        q: FloatArray,
        friction: FloatArray | float,
    ) -> Problem:
        """Check a scipy sparse matrix W (3K, 3K) in contact frames and wrap it, as `dense`."""
        from scipy.sparse import issparse

        if not issparse(W):
            raise SoleError(
                f"W is a {type(W).__name__}, expected a scipy sparse matrix: use Problem.dense"
            )
        if W.dtype.kind not in REAL:
            raise SoleError(f"W must hold real numbers, got {W.dtype}")
        return cls._checked(SparseDelassus(W.tocsr()), q, friction)

    @classmethod
    def _checked(
        cls,
        operator: DenseDelassus | SparseDelassus,
        q: FloatArray,
        friction: FloatArray | float,
    ) -> Problem:
        problem = cls(operator, q, np.asarray(friction))
        check_magnitudes(problem)
        _check_definite(operator)
        return problem

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

    def forces(self, values: FloatArray, name: str = "the start") -> FloatArray:
        """Return `values`, (K, 3) or flat, as contact forces (K, 3) in C order.

        Raises
        ------
        SoleError
            Another number of them, or one that is not finite.
        """
        r = np.ascontiguousarray(values, dtype=float)
        if r.size != self.offset.size:
            raise SoleError(f"{name} has shape {r.shape}, expected {self.offset.shape}")
        check_finite(r, name)
        return r.reshape(-1, 3)

    @cached_property
    def steepest(self) -> float:
        """The largest mu, 0 without contacts."""
        return float(self.friction.max(initial=0.0))

    @cached_property
    def size(self) -> float:
        """|q|; 0 below 1e-140, where squares of residuals are no numbers; too large is an error."""
        q = self.offset.reshape(-1)
        square = float(np.vdot(q, q))  # an overflow is no warning here
        if square > LARGEST**2:
            _check_magnitude("|q|", float(np.abs(q).max()))
        return math.sqrt(square) if square > TINY else 0.0

    @cached_property
    def rho(self) -> float:
        """1 / mean W_ii: the scale that turns u into forces."""
        mean = self.operator.mean_diagonal
        return 1.0 / mean if mean > 0 else 1.0

    def velocity(self, r: FloatArray) -> FloatArray:
        """u (K, 3) = W r + q."""
        return np.asarray(self.operator.apply(r) + self.offset)


def check_magnitudes(problem: Problem) -> None:
    """Refuse q, W or forces rho |q| whose squares leave the range of floating-point numbers."""
    operator = problem.operator
    largest = float(np.abs(operator.blocks).max(initial=0.0))
    for name, size in (("W", largest), ("q", float(np.abs(problem.offset).max(initial=0.0)))):
        _check_magnitude(f"|{name}|", size)
    _check_magnitude("|q|/|W|, the size of the forces,", problem.rho * problem.size)


def _check_magnitude(name: str, size: float) -> None:
    if size != 0.0 and not SMALLEST <= size <= LARGEST:
        raise SoleError(
            f"{name} is {size:.1e}, expected {SMALLEST:g} to {LARGEST:g}: use other units"
        )


def _real(values: ArrayLike, name: str) -> FloatArray:
    """Return `values` as floats; text, complex numbers and objects are refused."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise SoleError(f"{name} is not an array of numbers: {error}") from error
    if array.dtype.kind not in REAL:
        raise SoleError(f"{name} must hold real numbers, got {array.dtype}")
    return np.asarray(array, dtype=float)


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
