"""The Delassus operator W of u = W r + q: dense, sparse, or built from condensed soles.

    SoleDelassus:  W = P (blkdiag(scale_s C_s) + G S G') P',   never formed.

C_s is the compliance of sole s in the axes of its foot, G the six rigid motions of every foot,
S their coupling through the robot (J6 M^-1 J6' times dt, or a support), P turns the axes of the
foot into the frame (t1, t2, n) of a contact. Contacts are in rows of three, (t1, t2, n), and r
is the force of the ground on the sole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from contact.delassus_kernels import (
    applied,
    body_wrenches,
    contact_motions,
    diagonal_blocks,
    displaced,
    gathered,
    trace,
)
from sole.arrays import FloatArray, IntArray, frozen, sealed
from sole.errors import SoleError

CACHE = 2**20  # bytes: about half the second-level cache of a core


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

    @property
    def asymmetry(self) -> float:
        """max |W - W'| / max |W|; zero where the construction is symmetric."""
        return 0.0

    @cached_property
    def mean_diagonal(self) -> float:
        """mean W_ii, the scale of the natural map; 0 without contacts."""
        K = self.contacts
        return float(trace(self.blocks)) / (3 * K) if K else 0.0


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
        return float(np.abs(W - W.T).max()) / largest if largest else 0.0

    @cached_property
    def transposed(self) -> FloatArray:
        """W' in C order: its rows are the columns that a changed contact adds."""
        return self.matrix if self.asymmetry == 0.0 else frozen(self.matrix.T)


@dataclass(frozen=True, eq=False)
class SparseDelassus(Delassus):
    """W given as a scipy sparse matrix (3K, 3K), used as it is."""

    matrix: sparse.csr_array

    def __post_init__(self) -> None:
        W = sparse.csr_array(self.matrix.astype(np.float64))
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
        turned = sparse.bsr_array(self.matrix.T, blocksize=(3, 3))
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


@dataclass(frozen=True, eq=False)
class Compliances:
    """The compliances of all bodies that may touch, in one buffer made once.

    Parameters
    ----------
    flat : the matrices one behind the other [m/N]; the same matrix is stored once.
    first : (bodies + 1,) number of the first node of every body.
    position : (bodies,) where the matrix of a body begins in `flat`; -1 for a rigid one.
    """

    flat: FloatArray
    first: IntArray
    position: IntArray

    @classmethod
    def of(cls, bodies: Sequence[FloatArray | int]) -> Compliances:
        """Take per body its compliance (3m, 3m) in its own axes, or the node count if rigid."""
        first, position, kept, known, size = [0], [], [], {}, 0
        for body in bodies:
            if isinstance(body, int | np.integer):
                first.append(first[-1] + int(body))
                position.append(-1)
                continue
            C = np.asarray(body, dtype=float)
            if C.ndim != 2 or C.shape[0] != C.shape[1] or len(C) % 3:
                raise SoleError(f"a compliance is (3m, 3m), got {C.shape}")
            check_finite(C)
            if id(body) not in known:
                _check_symmetric(C)
                known[id(body)] = size
                kept.append(C.reshape(-1))
                size += C.size
            first.append(first[-1] + len(C) // 3)
            position.append(known[id(body)])
        if len(kept) == 1:
            flat = kept[0]
        else:
            flat = np.concatenate(kept) if kept else np.zeros(0)
        return cls(frozen(flat), frozen(first, np.int64), frozen(position, np.int64))

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        return len(self.position)

    @property
    def nodes(self) -> int:
        """Number of nodes of all bodies."""
        return int(self.first[-1])

    def matrix(self, body: int) -> FloatArray | None:
        """Compliance (3m, 3m) of a body [m/N], a view; None if it is rigid."""
        begin = int(self.position[body])
        if begin < 0:
            return None
        n = 3 * int(self.first[body + 1] - self.first[body])
        return self.flat[begin : begin + n * n].reshape(n, n)

    @cached_property
    def compact(self) -> NDArray[Any]:
        """`flat`, in single precision where it would not fit the cache: half the memory to read."""
        return self.flat if self.flat.nbytes <= CACHE else sealed(self.flat.astype(np.float32))

    def apply(self, f: FloatArray, scale: FloatArray | None = None) -> FloatArray:
        """(scale) C f (3M,) of nodal forces f (3M,), every body in its own axes."""
        factor = np.ones(self.bodies) if scale is None else scale
        kernel: Any = displaced
        return np.asarray(kernel(self.flat, self.first, self.position, factor, f))

    @cached_property
    def body(self) -> IntArray:
        """(M,) body of every node."""
        return frozen(np.repeat(np.arange(self.bodies), np.diff(self.first)), np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class SoleDelassus(Delassus):
    """W = P (blkdiag(scale C) + G S G') P' of soles on feet.

    Parameters
    ----------
    compliances : C of every body.
    scale : (bodies,) factor on every C, 1/(dt + eta) for a time step, 1 for a press.
    node : (K,) node of every contact, counted through all bodies; nodes may repeat.
    frames : P (K, 3, 3), rows t1, t2, n in the axes of the body.
    geometry : G (3M, 6), velocity of every node in the axes of its body for the twist
        (linear, angular) of the body.
    support : S (6 bodies, 6 bodies), symmetric positive semi-definite.
    """

    compliances: Compliances
    scale: FloatArray
    node: IntArray
    frames: FloatArray
    geometry: FloatArray
    support: FloatArray

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "node", frozen(self.node, np.int64))
        for name in ("scale", "frames", "geometry", "support"):
            put(self, name, frozen(getattr(self, name)))
        K, B, M = len(self.node), self.compliances.bodies, self.compliances.nodes
        expected = {
            "scale": (B,),
            "frames": (K, 3, 3),
            "geometry": (3 * M, 6),
            "support": (6 * B, 6 * B),
        }
        for name, shape in expected.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise SoleError(f"{name} has shape {array.shape}, expected {shape}")
            check_finite(array, name)
        S = self.support
        largest = float(np.abs(S).max(initial=0.0))
        if np.abs(S - S.T).max(initial=0.0) > 1e-8 * largest:
            raise SoleError("support is asymmetric by more than 1e-8 of its largest entry")
        if largest and np.linalg.eigvalsh(S)[0] < -1e-8 * largest * len(S):
            raise SoleError("support is not positive semi-definite")
        if (self.scale < 0).any():
            raise SoleError("the scale of a compliance must not be negative")
        if K and not ((self.node >= 0) & (self.node < M)).all():
            raise SoleError(f"a contact names node {self.node.max()}, there are {M}")

    @property
    def contacts(self) -> int:
        """See `Delassus.contacts`."""
        return len(self.node)

    @cached_property
    def body(self) -> IntArray:
        """(K,) body of every contact."""
        return np.asarray(self.compliances.body[self.node])

    @cached_property
    def motions(self) -> FloatArray:
        """A = P G (K, 3, 6): velocity of a contact for the twist of its body."""
        return sealed(contact_motions(self.node, self.frames, self.geometry))

    @cached_property
    def blocks(self) -> FloatArray:
        """See `Delassus.blocks`."""
        C = self.compliances
        where = (C.flat, C.first, C.position, self.scale, self.node, self.body)
        kernel: Any = diagonal_blocks
        return sealed(kernel(*where, self.frames, self.motions, self.support))

    def nodal(self, r: FloatArray) -> FloatArray:
        """f (3M,) = P' r: contact forces summed at their nodes, axes of the bodies."""
        r = np.ascontiguousarray(r, dtype=float)
        return np.asarray(gathered(self.compliances.nodes, self.node, self.frames, r))

    def wrenches(self, f: FloatArray) -> FloatArray:
        """G' f (6 bodies,): force and moment of nodal forces on every body, its own axes."""
        return np.asarray(body_wrenches(self.compliances.first, self.geometry, f))

    def apply(self, r: FloatArray) -> FloatArray:
        """See `Delassus.apply`."""
        C, kernel = self.compliances, cast(Any, applied)
        where = (C.flat, C.first, C.position, self.scale, self.node, self.body)
        r = np.ascontiguousarray(r, dtype=float).reshape(-1, 3)
        u = kernel(*where, self.frames, self.motions, self.geometry, self.support, r)
        return np.asarray(u)

    def dense(self) -> FloatArray:
        """See `Delassus.dense`."""
        K, C = self.contacts, self.compliances
        W, axes = np.zeros((K, 3, K, 3)), np.arange(3)
        for s in range(C.bodies):
            matrix = C.matrix(s)
            if matrix is None:
                continue
            here = np.flatnonzero(self.body == s)
            i, m = self.node[here] - C.first[s], len(matrix) // 3
            part = matrix.reshape(m, 3, m, 3)[np.ix_(i, axes, i, axes)]
            P = self.frames[here]
            turned = np.einsum("kab,kbld,lcd->kalc", P, part, P, optimize=True)
            W[np.ix_(here, axes, here, axes)] = self.scale[s] * turned
        matrix = W.reshape(3 * K, 3 * K)
        A = np.zeros((K, 3, C.bodies, 6))
        A[np.arange(K), :, self.body] = self.motions
        motions = A.reshape(3 * K, -1)
        matrix += motions @ self.support @ motions.T
        return np.asarray((matrix + matrix.T) / 2)


def _check_square(shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] % 3:
        raise SoleError(f"W must be square with three rows per contact, got {shape}")


def _check_symmetric(C: FloatArray) -> None:
    """Refuse a compliance whose rows are not its columns: they are read for each other."""
    largest = float(np.abs(C).max(initial=0.0))
    if float(np.abs(C - C.T).max(initial=0.0)) > 1e-8 * largest:
        raise SoleError("the compliance is asymmetric by more than 1e-8 of its largest entry")


def check_finite(values: FloatArray, name: str = "W") -> None:
    """Raise SoleError if a number of `values` is not finite."""
    # A sum is not finite if a term is not; the full look is only for sums that overflow.
    if not np.isfinite(values.sum()) and not np.isfinite(values).all():
        raise SoleError(f"{name} must be finite, got a NaN or an infinity")
