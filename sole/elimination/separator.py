"""Cut a set of mesh nodes recursively by small separators: plane sweeps, then minimum covers.

Along each axis the nodes are sorted; one pass over the edges counts, for every position of
a plane, the nodes on one side that touch the other. At the best position the edges across
the plane form a bipartite graph, and its smallest vertex cover
(`sole.elimination.vertex_cover_kernels`) is the smallest separator within the two layers of nodes
along the plane. On quadratic tetrahedra it is half as large as either layer.

The nodes are sorted once; cutting keeps the three sequences in order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel
from sole.elimination.vertex_cover_kernels import mark_cover

_OFF_CENTRE = 2.0  # penalty of an unequal cut, relative to its size
_SMALLEST = 0.3  # least share of the nodes on the smaller side


@kernel
def cut_recursively(
    xadj: IntArray,
    adj: NDArray[np.int32],
    xyz: FloatArray,
    by_axis: IntArray,
    leaf: int,
    order: IntArray,
) -> IntArray:
    """Order the nodes of `by_axis` so that every front is a range; return first, end, parent.

    Parameters
    ----------
    xadj, adj : neighbours of every node, both triangles, without the diagonal.
    by_axis : (3, k) the nodes to order sorted along each axis; overwritten.
    leaf : sets of at most so many nodes are not cut.
    order : (>= k,) receives the nodes.

    A parent is given by its row, -1 for none; rows are in no special order.
    """
    n, free = len(xyz), by_axis.shape[1]
    side = np.full(n, -1, np.int32)  # 0, 1: the halves of the current set, 2: its separator
    part = np.empty(n, np.int32)
    work = np.empty((4, n), np.int64)
    fronts = np.empty((free + 1, 3), np.int64)
    todo = np.empty((free + 2, 3), np.int64)
    found, left = 0, _push(todo, 0, 0, free, -1)
    while left > 0:
        left -= 1
        first, end, parent = todo[left, 0], todo[left, 1], todo[left, 2]
        if end == first:
            continue
        if end - first > leaf:
            nodes = by_axis[:, first:end]
            for v in nodes[0]:
                side[v] = 0
            bounds = _label_parts(xadj, adj, nodes[0], side, part, leaf // 2, work[0])
            if len(bounds) > 2:  # disconnected parts need no separator
                _split(nodes, part, bounds, work[0])
                for v in nodes[0]:
                    side[v] = -1
                for k in range(len(bounds) - 1):
                    left = _push(todo, left, first + bounds[k], first + bounds[k + 1], parent)
                continue
            bounds = _cut(xadj, adj, nodes, side, work)
            _split(nodes, side, bounds, work[0])
            for v in nodes[0]:
                side[v] = -1
            above = found if bounds[3] > bounds[2] else parent
            left = _push(todo, left, first, first + bounds[1], above)
            left = _push(todo, left, first + bounds[1], first + bounds[2], above)
            first += bounds[2]
        if end > first:
            found = _push(fronts, found, first, end, parent)
            axis = _find_longest(xyz, by_axis, first, end)
            for i in range(first, end):
                order[i] = by_axis[axis, i]
    return fronts[:found]


@inner_kernel
def _push(
    rows: IntArray,
    count: int,
    first: int,
    end: int,
    parent: int,
) -> int:
    """Append a row; return the new count."""
    rows[count, 0], rows[count, 1], rows[count, 2] = first, end, parent
    return count + 1


@inner_kernel
def _find_longest(
    xyz: FloatArray,
    by_axis: IntArray,
    first: int,
    end: int,
) -> int:
    """Return the axis of longest extent: along it, later cuts hit contiguous stretches."""
    best, longest = 0, -1.0
    for axis in range(3):
        extent = xyz[by_axis[axis, end - 1], axis] - xyz[by_axis[axis, first], axis]
        if extent > longest:
            best, longest = axis, extent
    return best


@inner_kernel
def _label_parts(
    xadj: IntArray,
    adj: NDArray[np.int32],
    nodes: IntArray,
    side: NDArray[np.int32],
    part: NDArray[np.int32],
    crumb: int,
    queue: IntArray,
) -> IntArray:
    """Label the connected parts of `nodes`, merging tiny ones; return cumulative sizes."""
    for v in nodes:
        part[v] = -1
    bounds = np.zeros(len(nodes) + 1, np.int64)
    count = tail = 0
    for source in nodes:
        if part[source] >= 0:
            continue
        if tail - bounds[count] > crumb:
            count += 1
            bounds[count] = tail
        head = tail
        queue[tail] = source
        part[source] = count
        tail += 1
        while head < tail:
            v = queue[head]
            head += 1
            for e in range(xadj[v], xadj[v + 1]):
                u = adj[e]
                if side[u] == 0 and part[u] < 0:
                    part[u] = count
                    queue[tail] = u
                    tail += 1
    bounds[count + 1] = tail
    return bounds[: count + 2]


@inner_kernel
def _split(
    nodes: IntArray,
    label: NDArray[np.int32],
    bounds: IntArray,
    scratch: IntArray,
) -> None:
    """Partition each row of `nodes` by label, keeping the order within a label."""
    n = nodes.shape[1]
    at = np.empty(len(bounds), np.int64)
    for axis in range(3):
        for k in range(len(bounds)):
            at[k] = bounds[k]
        for v in nodes[axis]:
            scratch[at[label[v]]] = v
            at[label[v]] += 1
        for i in range(n):
            nodes[axis, i] = scratch[i]


@inner_kernel
def _cut(
    xadj: IntArray,
    adj: NDArray[np.int32],
    nodes: IntArray,
    side: NDArray[np.int32],
    work: IntArray,
) -> IntArray:
    """Set `side` of `nodes` (from 0) to 0, 1, 2; return the bounds of these groups."""
    axis, half = _sweep(xadj, adj, nodes, side, work[0])
    swept = nodes[axis]
    for i in range(half, len(swept)):
        side[swept[i]] = 1
    mark_cover(xadj, adj, swept, half, side, work[1], work[2], work[3])
    bounds = np.zeros(4, np.int64)
    for v in swept:
        bounds[side[v] + 1] += 1
    for s in range(3):
        bounds[s + 1] += bounds[s]
    return bounds


@inner_kernel
def _sweep(
    xadj: IntArray,
    adj: NDArray[np.int32],
    nodes: IntArray,
    side: NDArray[np.int32],
    rank: IntArray,
) -> tuple[int, int]:
    """Return the best axis and the number of nodes to cut off at its beginning."""
    n = nodes.shape[1]
    best, best_axis, best_half = np.inf, 0, n // 2
    below = np.empty(n, np.int64)  # change of the number of nodes that touch the other side
    above = np.empty(n, np.int64)
    for axis in range(3):
        swept = nodes[axis]
        for i in range(n):
            rank[swept[i]] = i
        below[:] = 0
        above[:] = 0
        for i in range(n):
            lowest = highest = i
            for e in range(xadj[swept[i]], xadj[swept[i] + 1]):
                if side[adj[e]] == 0:
                    r = rank[adj[e]]
                    if r < lowest:
                        lowest = r
                    elif r > highest:
                        highest = r
            below[i] += 1
            below[highest] -= 1
            above[lowest] += 1
            above[i] -= 1
        from_below = from_above = 0
        for i in range(n):
            from_below += below[i]
            from_above += above[i]
            smaller = i + 1 if 2 * (i + 1) < n else n - i - 1
            if smaller < _SMALLEST * n:
                continue
            offset = 1 - 2.0 * smaller / n
            touching = from_below if from_below < from_above else from_above
            cost = touching * (1 + _OFF_CENTRE * offset * offset)
            if cost < best:
                best, best_axis, best_half = cost, axis, i + 1
    return best_axis, best_half
