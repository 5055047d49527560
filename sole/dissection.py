"""Geometric nested dissection: in which order, and in which fronts, nodes are eliminated.

A set of nodes is cut in two by a small separator found from the coordinates; the halves are
cut again until they are small. Separators are eliminated after what they separate, and the
`keep` nodes are never eliminated: they stay in the root. Every separator and every uncut
remainder is a front: its own nodes, and the boundary of later nodes that its elimination
couples (George 1973; the assembly tree of Duff and Reid 1983).
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np

from sole.arrays import FloatArray, IntArray, frozen

_LEAF = 100  # nodes that are eliminated without further cuts


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
    kept : m.
    flops : floating-point operations of the elimination.
    peak_bytes : most memory that it holds at a time, K_c included.
    """

    order: IntArray
    start: IntArray
    parent: IntArray
    boundary_start: IntArray
    boundary: IntArray
    kept: int
    flops: float
    peak_bytes: float


def nested_dissection(
    indptr: IntArray, indices: IntArray, coordinates: FloatArray, keep: IntArray
) -> Dissection:
    """Return the elimination tree of a symmetric matrix over nodes, `keep` in its root.

    Parameters
    ----------
    indptr, indices : lower triangle of the node pattern, CSR, as in `SymmetricBlocks`.
    coordinates : (n, 3) positions of the nodes [m]; only the quality of the cuts depends on
        them.
    keep : (m,) nodes never eliminated, in the order wanted for K_c.
    """
    n = len(indptr) - 1
    keep = np.asarray(keep, dtype=np.int64)
    neighbour_start, neighbours = _both_triangles(indptr, indices)
    is_kept = np.zeros(n, np.bool_)
    is_kept[keep] = True
    order = np.concatenate([np.flatnonzero(~is_kept), keep])
    start, parent = _dissect(
        neighbour_start, neighbours, np.ascontiguousarray(coordinates), is_kept, order, _LEAF
    )
    boundary_start, boundary = _boundaries(neighbour_start, neighbours, order, start, parent)
    own = 3.0 * np.diff(start)
    rest = 3.0 * np.diff(boundary_start)
    flops = float((own**3 / 3 + own**2 * rest + own * rest**2).sum())
    peak = _peak(own, rest, parent, 3.0 * len(keep))
    return Dissection(
        frozen(order, np.int64),
        frozen(start, np.int64),
        frozen(parent, np.int64),
        frozen(boundary_start, np.int64),
        frozen(boundary, np.int64),
        len(keep),
        flops,
        peak,
    )


@numba.njit(cache=True)
def _both_triangles(indptr, indices):  # type: ignore[no-untyped-def]
    """Return the pattern without diagonal, both triangles."""
    n = len(indptr) - 1
    start = np.zeros(n + 1, np.int64)
    for I in range(n):
        for k in range(indptr[I], indptr[I + 1]):
            J = indices[k]
            if J != I:
                start[I + 1] += 1
                start[J + 1] += 1
    for I in range(n):
        start[I + 1] += start[I]
    fill = start[:-1].copy()
    out = np.empty(start[n], np.int32)
    for I in range(n):
        for k in range(indptr[I], indptr[I + 1]):
            J = indices[k]
            if J != I:
                out[fill[I]] = J
                fill[I] += 1
                out[fill[J]] = I
                fill[J] += 1
    return start, out


@numba.njit(cache=True)
def _dissect(xadj, adj, xyz, is_kept, order, leaf):  # type: ignore[no-untyped-def]
    """Reorder `order` (its kept tail stays) so that fronts are ranges; return them."""
    n = len(is_kept)
    free = n - is_kept.sum()
    side = np.full(n, -1, np.int8)  # 0, 1: halves of the set at hand, 2: separator
    first = [0 for _ in range(0)]
    last = [0 for _ in range(0)]
    above = [0 for _ in range(0)]
    stack = [(0, free, -1)]
    while len(stack) > 0:
        lo, hi, parent = stack.pop()
        if hi <= lo:
            continue
        if hi - lo <= leaf:
            first.append(lo)
            last.append(hi)
            above.append(parent)
            continue
        nodes = order[lo:hi].copy()
        axis, width = 0, -1.0
        for a in range(3):
            x = xyz[nodes, a]
            if x.max() - x.min() > width:
                axis, width = a, x.max() - x.min()
        nodes = nodes[np.argsort(xyz[nodes, axis])]
        half = len(nodes) // 2
        for i in range(len(nodes)):
            side[nodes[i]] = 0 if i < half else 1
        for i in range(half):
            v = nodes[i]
            for k in range(xadj[v], xadj[v + 1]):
                if side[adj[k]] == 1:
                    side[v] = 2
                    break
        at = lo
        cuts = np.zeros(4, np.int64)
        for s in range(3):
            cuts[s] = at
            for v in nodes:
                if side[v] == s:
                    order[at] = v
                    at += 1
        cuts[3] = hi
        for v in nodes:
            side[v] = -1
        if cuts[3] > cuts[2]:
            first.append(cuts[2])
            last.append(hi)
            above.append(parent)
            parent = len(first) - 1
        stack.append((cuts[0], cuts[1], parent))
        stack.append((cuts[1], cuts[2], parent))
    f = len(first)
    rank = np.argsort(np.array(last))
    number = np.empty(f, np.int64)
    number[rank] = np.arange(f)
    start = np.empty(f + 1, np.int64)
    above_of = np.empty(f, np.int64)
    for k in range(f):
        start[k] = first[rank[k]]
        p = above[rank[k]]
        above_of[k] = number[p] if p >= 0 else -1
    start[f] = free
    return start, above_of


@numba.njit(cache=True)
def _boundaries(xadj, adj, order, start, parent):  # type: ignore[no-untyped-def]
    """Return the boundary of every front: neighbours of its own and of its children's."""
    n, f = len(order), len(parent)
    position = np.empty(n, np.int64)
    for i in range(n):
        position[order[i]] = i
    seen = np.full(n, -1, np.int64)
    offsets = np.zeros(f + 1, np.int64)
    out = np.empty(4 * n + 16, np.int64)
    head = np.full(f, -1, np.int64)
    following = np.full(f, -1, np.int64)
    used = 0
    for k in range(f):
        begin = used
        end = start[k + 1]
        for i in range(start[k], end):
            v = order[i]
            for e in range(xadj[v], xadj[v + 1]):
                p = position[adj[e]]
                if p >= end and seen[p] != k:
                    seen[p] = k
                    if used == len(out):
                        out = np.concatenate((out, np.empty_like(out)))
                    out[used] = p
                    used += 1
        c = head[k]
        while c >= 0:
            for i in range(offsets[c], offsets[c + 1]):
                p = out[i]
                if p >= end and seen[p] != k:
                    seen[p] = k
                    if used == len(out):
                        out = np.concatenate((out, np.empty_like(out)))
                    out[used] = p
                    used += 1
            c = following[c]
        out[begin:used] = np.sort(out[begin:used])
        offsets[k + 1] = used
        if parent[k] >= 0:
            following[k] = head[parent[k]]
            head[parent[k]] = k
    return offsets, out[:used].copy()


def _peak(own: FloatArray, rest: FloatArray, parent: IntArray, kept: float) -> float:
    """Return the bytes held at the worst moment of an elimination in the order of fronts."""
    waiting = np.zeros(len(own))  # updates of finished children, per parent
    live = peak = 8 * kept**2
    for k in range(len(own)):
        front = 8 * (own[k] + rest[k]) ** 2
        peak = max(peak, live + front)
        update = 8 * rest[k] ** 2
        live += update - waiting[k]
        if parent[k] >= 0:
            waiting[parent[k]] += update
        else:
            live -= update
    return float(peak)
