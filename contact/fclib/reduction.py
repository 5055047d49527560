"""W and q of a global problem, or of one with equality constraints: reduce it to its contacts.

    global:  M v = H r + G lam + f,   G' v + b = 0,   u = H' v + w,
    hence    W = H' S H,   q = H' v0 + w,   (v0, -lam0) = A^-1 (f, -b),
             A = M, or [M G; G' 0],   S = the block of A^-1 that belongs to v.

    local:   u = W r + V lam + q,   V' r + R lam + s = 0,
    hence    W - V R^-1 V',   q - V R^-1 s.

Rigid bodies make A block diagonal with small blocks: these are inverted all at once, so that W
is as sparse as the contacts between bodies; what is left has one sparse factorisation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import SoleError
from sole.base.memory import require_memory

SMALL = 64  # unknowns of a block that is inverted as a dense matrix
COLUMNS = 128  # right-hand sides of the sparse factor at a time
SINGULAR = 1e-14  # reciprocal condition, after scaling, below which a block has no inverse
SYMMETRIC = 1e-12  # relative; a smaller asymmetry is our round-off, and W is made symmetric


@dataclass(frozen=True, eq=False, kw_only=True)
class GlobalProblem:
    """M v = H r + G lam + f, G' v + b = 0, u = H' v + w; n unknowns, K contacts, p constraints.

    Parameters
    ----------
    mass : M (n, n).
    directions : H (n, 3K), columns in the order (t1, t2, n) of every contact.
    force : f (n,).
    offset : w (3K,), same order.
    friction : mu (K,).
    constraints : G (n, p), None without.
    constraint_offset : b (p,), None without.
    """

    mass: sparse.csr_array
    directions: sparse.csr_array
    force: FloatArray
    offset: FloatArray
    friction: FloatArray
    constraints: sparse.csr_array | None = None
    constraint_offset: FloatArray | None = None

    def local(self) -> tuple[sparse.csr_array, FloatArray]:
        """Return W (3K, 3K) and q (3K,).

        Raises
        ------
        SoleError
            M, or [M G; G' 0], is singular.
        ResourceError
            W does not fit in memory.
        """
        A, H, f = self.mass, self.directions, self.force
        name = "M"
        if self.constraints is not None:
            G = self.constraints
            p = int(G.shape[1])
            b = np.zeros(p) if self.constraint_offset is None else self.constraint_offset
            none = sparse.csr_array((p, p))
            A = sparse.csr_array(sparse.vstack([sparse.hstack([A, G]), sparse.hstack([G.T, none])]))
            H = sparse.csr_array(sparse.vstack([H, sparse.csr_array((p, H.shape[1]))]))
            f = np.concatenate([f, -b])
            name = "[M G; G' 0]"
        inverse = BlockInverse.of(A, name)
        q = self.offset + H.T @ inverse.solve(f)
        W = inverse.congruence(H)
        if symmetric(A):
            W = sparse.csr_array((W + W.T) / 2)
        return W, np.asarray(q)


def without_multipliers(
    W: sparse.csr_array, V: sparse.csr_array, R: sparse.csr_array, q: FloatArray, s: FloatArray
) -> tuple[sparse.csr_array, FloatArray]:
    """Return W - V R^-1 V' and q - V R^-1 s."""
    inverse = BlockInverse.of(R, "R")
    return (
        sparse.csr_array(W - inverse.congruence(sparse.csr_array(V.T))),
        np.asarray(q - V @ inverse.solve(s)),
    )


@dataclass(frozen=True, eq=False)
class BlockInverse:
    """A^-1: `small` holds the inverses of the small blocks, `factor` is of the rest.

    Parameters
    ----------
    small : (n, n), zero in the rows of the rest.
    rest : (m,) unknowns of the rest.
    factor : of A[rest, rest], None if nothing is left.
    """

    small: sparse.csr_array
    rest: IntArray
    factor: object | None

    @classmethod
    def of(cls, A: sparse.csr_array, name: str = "A") -> BlockInverse:
        """Factorise A (n, n); `name` is for the error."""
        n = int(A.shape[0])
        count, block = _blocks(A)
        size = np.bincount(block, minlength=count)
        parts = [_inverted(A, block, size, s, name) for s in np.unique(size[size <= SMALL])]
        rows, columns, values = (
            np.concatenate([np.zeros(0), *(p[a] for p in parts)]) for a in range(3)
        )
        entries = (values, (rows.astype(np.int64), columns.astype(np.int64)))
        rest = np.flatnonzero(size[block] > SMALL)
        factor = _factor(A[rest][:, rest], name) if len(rest) else None
        return cls(sparse.csr_array(entries, shape=(n, n)), rest, factor)

    def solve(self, b: FloatArray) -> FloatArray:
        """A^-1 b (n,)."""
        x = np.asarray(self.small @ b)
        if self.factor is not None:
            x[self.rest] = self.factor.solve(b[self.rest])  # type: ignore[attr-defined]
        return x

    def congruence(self, H: sparse.csr_array) -> sparse.csr_array:
        """H' A^-1 H, sparse."""
        n = int(H.shape[1])
        _require_room(self.small, H)
        W = sparse.csr_array(H.T @ (self.small @ H))
        if self.factor is None:
            return W
        HL = sparse.csc_array(H[self.rest])
        touched = np.flatnonzero(np.diff(HL.indptr))
        require_memory(
            12.0 * len(touched) ** 2 + 8.0 * COLUMNS * (len(self.rest) + n),
            f"reducing a global problem of {n // 3} contacts to its contacts",
            "fewer contacts",
        )
        pieces = [sparse.csc_array((n, 0))]
        for columns in _chunks(touched):
            X = self.factor.solve(HL[:, columns].toarray())  # type: ignore[attr-defined]
            pieces.append(sparse.csc_array(HL.T @ X))
        spread = (np.ones(len(touched)), (np.arange(len(touched)), touched))
        added = sparse.hstack(pieces) @ sparse.csr_array(spread, shape=(len(touched), n))
        return sparse.csr_array(W + added)


def symmetric(A: sparse.csr_array) -> bool:
    """Return whether A = A' but for round-off."""
    largest = float(abs(A).max()) if A.nnz else 0.0
    return float(abs(A - A.T).max()) <= SYMMETRIC * largest if A.nnz else True


def _blocks(A: sparse.csr_array) -> tuple[int, IntArray]:
    """Count the independent blocks of A; also return (n,) the block of every unknown."""
    if not A.shape[0]:
        return 0, np.zeros(0, dtype=np.int64)
    count, block = connected_components(A, directed=False)
    return int(count), np.asarray(block, dtype=np.int64)


def _chunks(columns: IntArray) -> Iterator[IntArray]:
    for first in range(0, len(columns), COLUMNS):
        yield columns[first : first + COLUMNS]


def _inverted(
    A: sparse.csr_array, block: IntArray, size: IntArray, s: int, name: str
) -> tuple[IntArray, IntArray, FloatArray]:
    """Rows, columns and values of the inverses of all blocks of `s` unknowns."""
    chosen = np.flatnonzero(size == s)
    slot = np.full(len(size), -1)
    slot[chosen] = np.arange(len(chosen))
    order = np.argsort(block, kind="stable")
    members = order[np.isin(block[order], chosen)].reshape(len(chosen), s)
    place = np.zeros(len(block), dtype=np.int64)
    place[members] = np.arange(s)
    entries = sparse.coo_array(A)
    row, column = entries.coords
    here = slot[block[row]] >= 0
    row, column = row[here], column[here]
    dense = np.zeros((len(chosen), s, s))
    np.add.at(dense, (slot[block[row]], place[row], place[column]), entries.data[here])
    # Scaled by the largest entry of each row, so that kg and kg m^2 weigh the same.
    largest = np.abs(dense).max(axis=2)
    if not largest.all():
        raise SoleError(f"{name} is singular: row {members[largest == 0][0]} is zero")
    scale = 1 / np.sqrt(largest)
    scaled = scale[:, :, None] * dense * scale[:, None, :]
    condition = np.linalg.cond(scaled)
    if not (condition < 1 / SINGULAR).all():
        worst = int(np.argmax(np.nan_to_num(condition, nan=np.inf)))
        raise SoleError(
            f"{name} is singular: its block of unknowns {members[worst].min()} to "
            f"{members[worst].max()} has no inverse"
        )
    inverse = scale[:, :, None] * np.linalg.inv(scaled) * scale[:, None, :]
    rows = np.broadcast_to(members[:, :, None], inverse.shape)
    columns = np.broadcast_to(members[:, None, :], inverse.shape)
    return rows.ravel(), columns.ravel(), inverse.ravel()


@dataclass(frozen=True, eq=False)
class _Scaled:
    """LU factors of D A D with D = 1/sqrt(largest entry of the row)."""

    scale: FloatArray
    lu: object

    def solve(self, b: FloatArray) -> FloatArray:
        """A^-1 b, b (n,) or (n, k)."""
        D = self.scale if b.ndim == 1 else self.scale[:, None]
        return np.asarray(D * self.lu.solve(np.ascontiguousarray(D * b)))  # type: ignore[attr-defined]


def _factor(A: sparse.csr_array, name: str) -> _Scaled:
    largest = abs(A).max(axis=1).toarray().ravel()
    if not largest.all():
        raise SoleError(f"{name} is singular: one of its rows is zero")
    D = sparse.diags_array(1 / np.sqrt(largest))
    try:
        lu = splu(sparse.csc_array(D @ A @ D))
    except RuntimeError as error:
        raise SoleError(f"{name} is singular: its factorisation met a zero pivot") from error
    pivots = np.abs(lu.U.diagonal())
    if not pivots.min() > SINGULAR * pivots.max():
        raise SoleError(f"{name} is singular: pivots from {pivots.min():.1e} to {pivots.max():.1e}")
    return _Scaled(1 / np.sqrt(largest), lu)


def _require_room(small: sparse.csr_array, H: sparse.csr_array) -> None:
    """Ask for the memory of H' A^-1 H: contacts that share a block fill it."""
    if not small.nnz:
        return
    count, block = _blocks(small)
    entries = sparse.coo_array(H)
    pairs = np.unique(block[entries.coords[0]].astype(np.int64) * H.shape[1] + entries.coords[1])
    per_block = np.bincount(pairs // H.shape[1], minlength=count).astype(float)
    needed = min(float(per_block @ per_block), float(H.shape[1]) ** 2)
    require_memory(
        36.0 * needed,
        f"reducing a global problem of {H.shape[1] // 3} contacts to its contacts",
        "fewer contacts",
    )
