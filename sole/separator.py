"""Cut a set of mesh nodes in two by few nodes: sweeps of a plane, then a minimum cover.

Along each axis the nodes are sorted; one pass over the edges counts, for every position of
the plane, the nodes on one side that touch the other. At the best position the edges across
the plane form a bipartite graph, and its smallest vertex cover, by Koenig's theorem from a
maximum matching, is the smallest separator within the two layers of nodes along the plane.
On quadratic tetrahedra it is half as large as either layer.

All kernels stand in this one file because numba's cache does not see changes in another.
"""

from __future__ import annotations

import numba
import numpy as np

_OFF_CENTRE = 2.0  # how much an unequal cut is worth avoiding, relative to its size
_SMALLEST = 0.3  # of the nodes on the smaller side


@numba.njit(cache=True)
def cut_recursively(xadj, adj, xyz, free, order, leaf):  # type: ignore[no-untyped-def]
    """Permute order[:free] so that fronts are ranges; return their starts and parents."""
    side = np.full(len(order), -1, np.int8)
    work = np.empty((4, len(order)), np.int64)
    ranges = [(0, 0, 0) for _ in range(0)]  # first, end, parent by place in this list
    todo = [(0, free, -1, True)]
    while len(todo) > 0:
        first, end, parent, look_for_parts = todo.pop()
        if end == first:
            continue
        if end - first <= leaf:
            ranges.append((first, end, parent))
            continue
        nodes = order[first:end].copy()
        side[nodes] = 0
        if look_for_parts:
            parts = _gather_parts(xadj, adj, nodes, side, work[0], order[first:end])
            if len(parts) > 2:
                begin = 0
                for k in range(1, len(parts)):  # crumbs are put together
                    if parts[k] - begin > leaf // 2 or k == len(parts) - 1:
                        todo.append((first + begin, first + parts[k], parent, False))
                        begin = parts[k]
                side[nodes] = -1
                continue
        _cut(xadj, adj, xyz, nodes, side, work)
        bounds = [first]
        for s in range(3):
            at = bounds[s]
            for v in nodes:
                if side[v] == s:
                    order[at] = v
                    at += 1
            bounds.append(at)
        side[nodes] = -1
        if end > bounds[2]:
            ranges.append((bounds[2], end, parent))
            parent = len(ranges) - 1
            _sort_along(order[bounds[2] : end], xyz)
        todo.append((first, bounds[1], parent, True))
        todo.append((bounds[1], bounds[2], parent, True))
    f = len(ranges)
    rank = np.argsort(np.array([r[0] for r in ranges]))
    number = np.empty(f, np.int64)
    number[rank] = np.arange(f)
    start = np.empty(f + 1, np.int64)
    parents = np.empty(f, np.int64)
    for k in range(f):
        first, _, parent = ranges[rank[k]]
        start[k] = first
        parents[k] = number[parent] if parent >= 0 else -1
    start[f] = free
    return start, parents


@numba.njit(cache=True)
def _cut(xadj, adj, xyz, nodes, side, work):  # type: ignore[no-untyped-def]
    """Set `side` of `nodes` to 0 or 1 for the halves, 2 for the separator.

    xadj, adj : neighbours of every node, both triangles, without the diagonal.
    side : (n,) 0 for `nodes`, negative for all others.
    work : (4, n) integers, overwritten.
    """
    swept, half = _sweep(xadj, adj, xyz, nodes, side, work[0])
    for i in range(half, len(swept)):
        side[swept[i]] = 1
    _cover(xadj, adj, swept, half, side, work[1], work[2], work[3])


@numba.njit(cache=True)
def _sweep(xadj, adj, xyz, nodes, side, rank):  # type: ignore[no-untyped-def]
    """Return the nodes sorted along the best axis and how many of them to cut off."""
    n = len(nodes)
    best, best_half, best_order = np.inf, n // 2, nodes
    below = np.empty(n, np.int64)  # change of the number of nodes that touch the other side
    above = np.empty(n, np.int64)
    for axis in range(3):
        swept = nodes[np.argsort(xyz[nodes, axis])]
        for i in range(n):
            rank[swept[i]] = i
        below[:] = 0
        above[:] = 0
        for i in range(n):
            first = last = i
            for e in range(xadj[swept[i]], xadj[swept[i] + 1]):
                if side[adj[e]] == 0:
                    r = rank[adj[e]]
                    first, last = min(first, r), max(last, r)
            below[i] += 1
            below[last] -= 1
            above[first] += 1
            above[i] -= 1
        from_below = from_above = 0
        found = False
        for i in range(n):
            from_below += below[i]
            from_above += above[i]
            if min(i + 1, n - i - 1) < _SMALLEST * n:
                continue
            offset = (2.0 * (i + 1) - n) / n
            cost = min(from_below, from_above) * (1 + _OFF_CENTRE * offset * offset)
            if cost < best:
                best, best_half, found = cost, i + 1, True
        if found:
            best_order = swept
    return best_order, best_half


@numba.njit(cache=True)
def _cover(xadj, adj, nodes, half, side, match, seen, came_from):  # type: ignore[no-untyped-def]
    """Mark with side 2 the smallest set of nodes that touches all edges from 0 to 1."""
    left = np.empty(half, np.int64)
    count = 0
    for i in range(len(nodes)):
        match[nodes[i]] = -1
        seen[nodes[i]] = -1
    for i in range(half):
        v = nodes[i]
        for e in range(xadj[v], xadj[v + 1]):
            if side[adj[e]] == 1:
                left[count] = v
                count += 1
                break
    left = left[:count]
    for v in left:  # a greedy matching first
        for e in range(xadj[v], xadj[v + 1]):
            u = adj[e]
            if side[u] == 1 and match[u] < 0:
                match[u], match[v] = v, u
                break
    queue = np.empty(count, np.int64)
    for source in left:  # then augmenting paths, breadth first
        if match[source] < 0:
            u = _augmenting_path(xadj, adj, source, side, match, seen, came_from, queue)
            while u >= 0:
                v = came_from[u]
                before = match[v]
                match[u], match[v] = v, u
                u = before
    # Koenig: of the alternating paths from unmatched left nodes, the right nodes reached
    # and the left nodes not reached.
    tail = 0
    for v in left:
        seen[v] = 0
        if match[v] < 0:
            seen[v] = 1
            queue[tail] = v
            tail += 1
    head = 0
    while head < tail:
        v = queue[head]
        head += 1
        for e in range(xadj[v], xadj[v + 1]):
            u = adj[e]
            if side[u] == 1:
                side[u] = 2
                w = match[u]
                if seen[w] == 0:
                    seen[w] = 1
                    queue[tail] = w
                    tail += 1
    for v in left:
        if seen[v] == 0:
            side[v] = 2


@numba.njit(cache=True)
def _augmenting_path(xadj, adj, source, side, match, seen, came_from, queue):  # type: ignore[no-untyped-def]
    """Return the free right node at the end of an augmenting path from `source`, or -1."""
    head, tail = 0, 1
    queue[0] = source
    while head < tail:
        v = queue[head]
        head += 1
        for e in range(xadj[v], xadj[v + 1]):
            u = adj[e]
            if side[u] == 1 and seen[u] != source:
                seen[u] = source
                came_from[u] = v
                if match[u] < 0:
                    return u
                queue[tail] = match[u]
                tail += 1
    return -1


@numba.njit(cache=True)
def _gather_parts(xadj, adj, nodes, side, part, out):  # type: ignore[no-untyped-def]
    """Write `nodes` to `out`, part by connected part; return where the parts begin and end."""
    for v in nodes:
        part[v] = -1
    bounds = [0]
    tail = 0
    for source in nodes:
        if part[source] >= 0:
            continue
        part[source] = source
        head = tail
        out[tail] = source
        tail += 1
        while head < tail:
            v = out[head]
            head += 1
            for e in range(xadj[v], xadj[v + 1]):
                u = adj[e]
                if side[u] == 0 and part[u] < 0:
                    part[u] = source
                    out[tail] = u
                    tail += 1
        bounds.append(tail)
    return bounds


@numba.njit(cache=True)
def _sort_along(nodes, xyz):  # type: ignore[no-untyped-def]
    """Sort a separator along its longest extent: later cuts then hit contiguous stretches."""
    axis, longest = 0, -1.0
    for a in range(3):
        x = xyz[nodes, a]
        extent = x.max() - x.min()
        if extent > longest:
            axis, longest = a, extent
    nodes[:] = nodes[np.argsort(xyz[nodes, axis])]
