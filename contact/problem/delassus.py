"""The Delassus operator W of u = W r + q: its interface, and W as a matrix.

Contacts are in rows of three, (t1, t2, n), and r is the force of the ground on the sole. The
operator of condensed soles, which is never formed, is in `contact.problem.sole_delassus`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from contact.problem.delassus_kernels import sum_traces
from contact.problem.law_kernels import sum_law_residuals
from sole.base.arrays import FloatArray, IntArray, asymmetry, frozen, read_only, sealed
from sole.base.errors import SoleError

if TYPE_CHECKING:
    from scipy import sparse


class Judgement(NamedTuple):
    """How well forces r obey the laws of contact, u = W r + q computed anew.

    Attributes
    ----------
    sums : over contacts, of natural map^2, Signorini^2, distance to the cone^2, distance of
        v = u + mu |u_t| n to the dual cone^2, |r . v|.
    status : (K,) 0 open, 1 sticking, 2 slipping.
    velocity : u (K, 3).
    displacements : scale C P' r (3M,) where W is made of soles, None otherwise.
    """

    sums: tuple[float, ...]
    status: IntArray
    velocity: FloatArray
    displacements: FloatArray | None


class Delassus(ABC):
    """A linear operator on contact forces, (K, 3) to (K, 3)."""

    @property
    @abstractmethod
    def contacts(self) -> int:
        """K, the number of contacts."""

    @property
    @abstractmethod
    def blocks(self) -> FloatArray:
        """(K, 3, 3) diagonal blocks of W."""

    @abstractmethod
    def apply(self, r: FloatArray) -> FloatArray:
        """W r (K, 3)."""

    @abstractmethod
    def dense(self) -> FloatArray:
        """W as a matrix (3K, 3K)."""

    def judge(self, r: FloatArray, q: FloatArray, mu: FloatArray, rho: float) -> Judgement:
        """Check `r` (K, 3) against the laws of contact, see `Judgement`."""
        u = np.asarray(self.apply(r) + q)
        sums, status = sum_law_residuals(read_only(r), u, mu, rho)
        return Judgement(tuple(sums.tolist()), status, u, None)

    @property
    def asymmetry(self) -> float:
        """max |W - W'| / max |W|; zero where the construction is symmetric."""
        return 0.0

    @cached_property
    def mean_diagonal(self) -> float:
        """mean W_ii, the scale of the natural map; 0 without contacts."""
        K = self.contacts
        return float(sum_traces(self.blocks)) / (3 * K) if K else 0.0


@dataclass(frozen=True, eq=False)
class DenseDelassus(Delassus):
    """W given as a matrix (3K, 3K), used as it is."""

    matrix: FloatArray

    def __post_init__(self) -> None:
        W = frozen(self.matrix)
        object.__setattr__(self, "matrix", W)
        _check_square(W.shape)
        check_finite(W)

    @property
    def contacts(self) -> int:
        """See `Delassus.contacts`."""
        return len(self.matrix) // 3

    @cached_property
    def blocks(self) -> FloatArray:
        """See `Delassus.blocks`."""
        K = self.contacts
        k = np.arange(K)
        return frozen(self.matrix.reshape(K, 3, K, 3)[k, :, k, :])

    @cached_property
    def mean_diagonal(self) -> float:
        """See `Delassus.mean_diagonal`."""
        n = len(self.matrix)
        return float(self.matrix.trace()) / n if n else 0.0

    def apply(self, r: FloatArray) -> FloatArray:
        """See `Delassus.apply`."""
        return np.asarray(self.matrix @ r.ravel()).reshape(-1, 3)

    def dense(self) -> FloatArray:
        """See `Delassus.dense`."""
        return self.matrix

    @cached_property
    def asymmetry(self) -> float:
        """See `Delassus.asymmetry`."""
        W = self.matrix
        largest = float(np.abs(W).max(initial=0.0))
        return asymmetry(W) / largest if largest else 0.0

    @cached_property
    def transposed(self) -> FloatArray:
        """W' in C order: its rows are the columns that a changed contact adds."""
        return self.matrix if self.asymmetry == 0.0 else frozen(self.matrix.T)


@dataclass(frozen=True, eq=False)
class SparseDelassus(Delassus):
    """W given as a scipy sparse matrix (3K, 3K), used as it is."""

    matrix: sparse.csr_array

    def __post_init__(self) -> None:
        from scipy.sparse import csr_array

        W = csr_array(self.matrix.astype(np.float64))
        W.sum_duplicates()
        object.__setattr__(self, "matrix", W)
        _check_square(W.shape)
        check_finite(W.data)

    @property
    def contacts(self) -> int:
        """See `Delassus.contacts`."""
        return int(self.matrix.shape[0]) // 3

    @cached_property
    def columns(self) -> tuple[IntArray, IntArray, FloatArray]:
        """(start (K+1,), row (B,), block (B, 3, 3)): the 3x3 blocks W_jk of every column k."""
        if not self.contacts:
            return np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros((0, 3, 3))
        from scipy.sparse import bsr_array

        turned = bsr_array(self.matrix.T, blocksize=(3, 3))
        turned.sort_indices()
        start = frozen(turned.indptr, np.int64)
        row = frozen(turned.indices, np.int64)
        return start, row, frozen(turned.data.transpose(0, 2, 1))

    @cached_property
    def blocks(self) -> FloatArray:
        """See `Delassus.blocks`."""
        start, row, block = self.columns
        out = np.zeros((self.contacts, 3, 3))
        column = np.repeat(np.arange(self.contacts), np.diff(start))
        own = row == column
        out[column[own]] = block[own]
        return sealed(out)

    def apply(self, r: FloatArray) -> FloatArray:
        """See `Delassus.apply`."""
        return np.asarray(self.matrix @ r.ravel()).reshape(-1, 3)

    def dense(self) -> FloatArray:
        """See `Delassus.dense`."""
        return np.asarray(self.matrix.toarray())

    @cached_property
    def asymmetry(self) -> float:
        """See `Delassus.asymmetry`."""
        W = self.matrix
        largest = float(np.abs(W.data).max(initial=0.0))
        return float(abs(W - W.T).max()) / largest if largest else 0.0


def _check_square(shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] % 3:
        raise SoleError(f"W must be square with three rows per contact, got {shape}")


def check_finite(values: FloatArray, name: str = "W") -> None:
    """Raise SoleError if any of `values` is not finite."""
    # A sum of squares is not finite if a term is not; the full look is for sums that overflow
    # (in silence: `vdot`).
    flat = values.reshape(-1)
    if not math.isfinite(np.vdot(flat, flat)) and not np.isfinite(values).all():
        raise SoleError(f"{name} must be finite, got a NaN or an infinity")
