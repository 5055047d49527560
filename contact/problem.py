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
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from contact.delassus import Delassus, DenseDelassus, SparseDelassus, check_finite
from sole.arrays import FloatArray, frozen, sealed
from sole.errors import SoleError

ASYMMETRY = 1e-8  # relative: more is no Delassus operator, and some methods must refuse it
SMALLEST, LARGEST = 1e-100, 1e100  # of |q|, |W|, rho |q|: their squares are numbers
TINY = 1e-280  # a sum of squares below has lost digits
REAL = "biuf"  # kinds of numpy's types that are real numbers
CHEAP = 1e11  # operations of a sparse factor, some ten seconds
LANCZOS = 200  # steps
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
        if self.friction.min(initial=0.0) < 0:
            raise SoleError(f"friction must not be negative, got {self.friction.min():g}")

    @classmethod
    def dense(cls, W: FloatArray, q: FloatArray, friction: FloatArray | float) -> Problem:
        """Check a matrix W (3K, 3K) in contact frames and wrap it.

        Raises
        ------
        SoleError
            Not square, not real, not finite, asymmetric by more than 1e-8, not positive
            semi-definite, or magnitudes beyond 1e-100 to 1e100.
        """
        if sparse.issparse(W):
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
        if not sparse.issparse(W):
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

    @cached_property
    def size(self) -> float:
        """|q|."""
        q = self.offset.ravel()
        with np.errstate(over="ignore"):
            square = float(q @ q)
        if TINY < square < math.inf:
            return math.sqrt(square)
        largest = float(np.abs(q).max(initial=0.0))  # squares underflow or overflow
        return largest * float(np.linalg.norm(q / largest)) if largest else 0.0

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
    # rho would be no finite number with a smaller mean; checked before it is asked for.
    for name, size in (("W", largest), ("q", problem.size)):
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
        raise SoleError(f"{name} is no array of numbers: {error}") from error
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


def positive_semidefinite(
    operator: DenseDelassus | SparseDelassus, share: float = INDEFINITE
) -> bool:
    """Return whether the symmetric part of W has no eigenvalue below -share max W_ii.

    By a factor of W + share max W_ii I; where `factor_is_cheap` says no, by Lanczos' method, which
    finds what is clearly negative and may miss what hardly is.
    """
    diagonal = operator.matrix.diagonal()
    largest = float(np.abs(diagonal).max(initial=0.0))
    if diagonal.min(initial=0.0) < -share * largest:
        return False
    shift = share * largest
    if isinstance(operator, DenseDelassus):
        if largest == 0.0:
            return not operator.matrix.any()
        A = (operator.matrix + operator.matrix.T) / 2
        A[np.diag_indices_from(A)] += shift
        return bool(scipy.linalg.lapack.dpotrf(A, lower=1, overwrite_a=1)[1] == 0)
    W = operator.matrix
    if largest == 0.0:
        return not np.any(W.data)
    if not factor_is_cheap(operator):
        return lowest_found(W) >= -shift
    shifted = ((W + W.T) / 2 + shift * sparse.eye_array(W.shape[0])).tocsc()
    factor = splu(
        shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )
    pivoted = not np.array_equal(factor.perm_r, factor.perm_c)
    return bool(not pivoted and (factor.U.diagonal() > 0).all())


def factor_is_cheap(operator: DenseDelassus | SparseDelassus) -> bool:
    """Whether W has a factor of less than 1e11 operations: sum of squares over its envelope.

    The envelope is that of reverse Cuthill and McKee's order of the contacts; a minimum degree
    order does better, by less on graphs that fill up anyway.
    """
    if isinstance(operator, DenseDelassus):
        return True
    start, row, _ = operator.columns
    K = operator.contacts
    graph = sparse.csr_array((np.ones(len(row), dtype=np.int8), row, start), shape=(K, K))
    graph = sparse.csr_array(graph + graph.T)
    place = np.empty(K, dtype=np.int64)
    place[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(K)
    entries = sparse.coo_array(graph)
    reach = np.zeros(K)
    np.maximum.at(reach, place[entries.row], place[entries.row] - place[entries.col])
    return bool(27.0 * float(reach @ reach) <= CHEAP)


def lowest_found(W: sparse.csr_array) -> float:
    """Return the smallest Ritz value of (W + W')/2, an upper bound of its smallest eigenvalue."""
    v = np.random.default_rng(1).normal(size=W.shape[0])
    v /= np.linalg.norm(v)
    turned, before, beta = W.T.tocsr(), np.zeros_like(v), 0.0
    alphas: list[float] = []
    betas: list[float] = []
    for _ in range(LANCZOS):
        w = (W @ v + turned @ v) / 2 - beta * before
        alphas.append(float(w @ v))
        w -= alphas[-1] * v
        beta = float(np.linalg.norm(w))
        if beta <= 1e-14 * max(map(abs, alphas)):
            break
        betas.append(beta)
        before, v = v, w / beta
    off = np.array(betas[: len(alphas) - 1])
    ritz = scipy.linalg.eigvalsh_tridiagonal(np.array(alphas), off, select="i", select_range=(0, 0))
    return float(ritz[0])
