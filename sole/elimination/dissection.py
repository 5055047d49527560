"""Geometric nested dissection: the order and the fronts in which nodes are eliminated.

A set of nodes is cut in two by a small separator (`sole.elimination.separator`); the halves are
cut again until they are small. Separators are eliminated after what they separate, and the
`keep` nodes are never eliminated: they stay in the root. Every separator and every uncut
remainder is a front: its own nodes, and the boundary of later nodes that its elimination
couples. Nested dissection: George 1973; assembly tree: Duff and Reid 1983.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.compiled import inner_kernel, kernel
from sole.base.errors import MeshError
from sole.elimination.separator import cut_recursively

_LEAF = 50  # sets of at most so many nodes are not cut


@dataclass(frozen=True, eq=False)
class Dissection:
    """The elimination tree of n nodes of three dofs, m of them kept.

    Positions 0 .. n-m-1 are the elimination order, n-m .. n-1 the kept nodes.

    Parameters
    ----------
    order : (n,) node at every position.
    start : (f + 1,) front k eliminates the positions start[k] .. start[k+1]-1; children
        come before their parents.
    parent : (f,) parent of every front, -1 for those under the root.
    boundary_start, boundary : positions that front k couples, increasing, all after its own.
    into_parent : for every entry of `boundary`, its place among the nodes of the parent
        front (own, then boundary); among the kept nodes if the parent is the root.
    entry_start, entry_row, entry_block : entries of the matrix by column position: the place
        of the row in the front, and the block in `SymmetricBlocks`, -1 - block if transposed.
    kept : m.
    """

    order: IntArray
    start: IntArray
    parent: IntArray
    boundary_start: IntArray
    boundary: IntArray
    into_parent: IntArray
    entry_start: IntArray
    entry_row: IntArray
    entry_block: IntArray
    kept: int

    @cached_property
    def front_flops(self) -> FloatArray:
        """(f,) floating-point operations of every front: s^3/3 + s^2 b + s b^2."""
        s = 3.0 * np.diff(self.start)
        b = 3.0 * np.diff(self.boundary_start)
        return frozen(s**3 / 3 + s**2 * b + s * b**2)

    @property
    def flops(self) -> float:
        """Floating-point operations of the elimination."""
        return float(self.front_flops.sum())

    @property
    def factor_bytes(self) -> float:
        """Memory of a stored factor (`sole.elimination.factorise`)."""
        own = 3.0 * np.diff(self.start)
        return float(8 * (own * (own + 3.0 * np.diff(self.boundary_start))).sum())


def nested_dissection(
    indptr: IntArray, indices: IntArray, coordinates: FloatArray, keep: IntArray
) -> Dissection:
    """Return the elimination tree of a symmetric matrix over nodes, `keep` in its root.

    Parameters
    ----------
    indptr, indices : lower triangle of the node pattern, CSR, as in `SymmetricBlocks`.
    coordinates : (n, 3) positions of the nodes [m]; only the quality of the cuts depends on
        them.
    keep : (m,) nodes never eliminated, in the order of K_c.
    """
    n = len(indptr) - 1
    keep = np.asarray(keep, dtype=np.int64)
    if len(keep) == 0 or len(np.unique(keep)) < len(keep) or keep.min() < 0 or keep.max() >= n:
        raise MeshError(f"the nodes to keep must be distinct, in 0..{n - 1}, at least one")
    xadj, adj = _both_triangles(indptr, indices)
    is_kept = np.zeros(n, np.bool_)
    is_kept[keep] = True
    order = np.concatenate([np.flatnonzero(~is_kept), keep])
    start, parent = _fronts(xadj, adj, np.asarray(coordinates, dtype=np.float64), order, len(keep))
    boundary_start, boundary = _boundaries(xadj, adj, order, start, parent)
    into_parent = _find_places(start, parent, boundary_start, boundary)
    entries = _find_entries(indptr, indices, order, start, boundary_start, boundary)
    return Dissection(
        frozen(order, np.int64),
        frozen(start, np.int64),
        frozen(parent, np.int64),
        frozen(boundary_start, np.int64),
        frozen(boundary, np.int64),
        frozen(into_parent, np.int32),
        frozen(entries[0], np.int64),
        frozen(entries[1], np.int32),
        frozen(entries[2], np.int32),
        len(keep),
    )


@kernel
def _both_triangles(
    indptr: IntArray,
    indices: IntArray,
) -> tuple[IntArray, NDArray[np.int32]]:
    """Return the pattern of both triangles without the diagonal: xadj, adj."""
    n = len(indptr) - 1
    xadj = np.zeros(n + 1, np.int64)
    for I in range(n):
        for k in range(indptr[I], indptr[I + 1]):
            if indices[k] != I:
                xadj[I + 1] += 1
                xadj[indices[k] + 1] += 1
    for I in range(n):
        xadj[I + 1] += xadj[I]
    free = xadj[:-1].copy()
    adj = np.empty(xadj[n], np.int32)
    for I in range(n):
        for k in range(indptr[I], indptr[I + 1]):
            J = indices[k]
            if J != I:
                adj[free[I]] = J
                adj[free[J]] = I
                free[I] += 1
                free[J] += 1
    return xadj, adj


def _fronts(
    xadj: IntArray, adj: NDArray[np.int32], xyz: FloatArray, order: IntArray, kept: int
) -> tuple[IntArray, IntArray]:
    """Permute `order` except its kept tail so that fronts are ranges; return start, parent."""
    free = order[: len(order) - kept]
    by_axis = np.stack([free[np.argsort(xyz[free, axis], kind="stable")] for axis in range(3)])
    fronts = cut_recursively(xadj, adj, np.ascontiguousarray(xyz), by_axis, _LEAF, order)
    rank = np.argsort(fronts[:, 0])
    number = np.append(np.argsort(rank), -1)
    return np.append(fronts[rank, 0], len(free)), number[fronts[rank, 2]]


def _boundaries(
    xadj: IntArray, adj: NDArray[np.int32], order: IntArray, start: IntArray, parent: IntArray
) -> tuple[IntArray, IntArray]:
    """Return boundary_start, boundary: later neighbours of the own and the children's nodes."""
    offsets, found = _collect_boundaries(xadj, adj, order, start, parent)
    front = np.repeat(np.arange(len(parent)), np.diff(offsets))
    key = front * len(order) + found
    key.sort()
    return offsets, key - front * len(order)


@kernel
def _collect_boundaries(
    xadj: IntArray,
    adj: NDArray[np.int32],
    order: IntArray,
    start: IntArray,
    parent: IntArray,
) -> tuple[IntArray, IntArray]:
    """Return the boundaries, each in the order of discovery."""
    n, f = len(order), len(parent)
    position = np.empty(n, np.int64)
    for i in range(n):
        position[order[i]] = i
    seen = np.full(n, -1, np.int64)
    offsets = np.zeros(f + 1, np.int64)
    out = np.empty(4 * n, np.int64)
    first_child = np.full(f, -1, np.int64)
    next_child = np.full(f, -1, np.int64)
    used = 0
    for k in range(f):
        end = start[k + 1]
        if used + n > len(out):
            larger = np.empty(2 * len(out), np.int64)
            for i in range(used):
                larger[i] = out[i]
            out = larger
        for i in range(start[k], end):
            for e in range(xadj[order[i]], xadj[order[i] + 1]):
                p = position[adj[e]]
                if p >= end and seen[p] != k:
                    seen[p] = k
                    out[used] = p
                    used += 1
        c = first_child[k]
        while c >= 0:
            for i in range(offsets[c], offsets[c + 1]):
                p = out[i]
                if p >= end and seen[p] != k:
                    seen[p] = k
                    out[used] = p
                    used += 1
            c = next_child[c]
        offsets[k + 1] = used
        if parent[k] >= 0:
            next_child[k] = first_child[parent[k]]
            first_child[parent[k]] = k
    return offsets, out[:used].copy()


@inner_kernel
def _find_place(
    position: int,
    k: int,
    start: IntArray,
    offsets: IntArray,
    boundary: IntArray,
) -> int:
    """Return the place of a position among the nodes of front k, kept nodes for k = -1."""
    if k < 0:
        return int(position - start[-1])
    if position < start[k + 1]:
        return int(position - start[k])
    low, high = offsets[k], offsets[k + 1]
    while low < high:
        middle = (low + high) // 2
        if boundary[middle] < position:
            low = middle + 1
        else:
            high = middle
    return int(start[k + 1] - start[k] + low - offsets[k])


@kernel
def _find_places(
    start: IntArray,
    parent: IntArray,
    offsets: IntArray,
    boundary: IntArray,
) -> NDArray[np.int32]:
    """Return for every boundary entry its place in the parent front."""
    places = np.empty(len(boundary), np.int32)
    for k in range(len(parent)):
        for i in range(offsets[k], offsets[k + 1]):
            places[i] = _find_place(boundary[i], parent[k], start, offsets, boundary)
    return places


@kernel
def _find_entries(
    indptr: IntArray,
    indices: IntArray,
    order: IntArray,
    start: IntArray,
    offsets: IntArray,
    boundaries: IntArray,
) -> tuple[IntArray, NDArray[np.int32], NDArray[np.int32]]:
    """Return the blocks of every column position, and the places of their rows."""
    n, f = len(order), len(start) - 1
    position = np.empty(n, np.int64)
    for i in range(n):
        position[order[i]] = i
    entry_start = np.zeros(n + 1, np.int64)
    for I in range(n):
        for e in range(indptr[I], indptr[I + 1]):
            p, q = position[I], position[indices[e]]
            entry_start[(p if p < q else q) + 1] += 1
    for q in range(n):
        entry_start[q + 1] += entry_start[q]
    free = entry_start[:-1].copy()
    rows = np.empty(len(indices), np.int32)
    blocks = np.empty(len(indices), np.int32)
    for I in range(n):
        for e in range(indptr[I], indptr[I + 1]):
            p, q = position[I], position[indices[e]]
            block = e
            if p < q:
                p, q, block = q, p, -1 - e
            rows[free[q]] = p
            blocks[free[q]] = block
            free[q] += 1
    for k in range(f):
        for i in range(entry_start[start[k]], entry_start[start[k + 1]]):
            rows[i] = _find_place(rows[i], k, start, offsets, boundaries)
    for i in range(entry_start[start[f]], entry_start[n]):
        rows[i] -= start[f]
    return entry_start, rows, blocks
