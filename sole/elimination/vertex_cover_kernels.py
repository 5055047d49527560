"""The smallest vertex cover of a bipartite graph, by Koenig's theorem from a maximum matching.

The graph are the edges of a mesh between the nodes on both sides of a plane.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sole.base.arrays import IntArray
from sole.base.compiled import inner_kernel


@inner_kernel
def mark_cover(
    xadj: IntArray,
    adj: NDArray[np.int32],
    nodes: IntArray,
    half: int,
    side: NDArray[np.int32],
    match: IntArray,
    seen: IntArray,
    came_from: IntArray,
) -> None:
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
            u = find_augmenting_path(xadj, adj, source, side, match, seen, came_from, queue)
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


@inner_kernel
def find_augmenting_path(
    xadj: IntArray,
    adj: NDArray[np.int32],
    source: np.int64,
    side: NDArray[np.int32],
    match: IntArray,
    seen: IntArray,
    came_from: IntArray,
    queue: IntArray,
) -> int:
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
                    return int(u)
                queue[tail] = match[u]
                tail += 1
    return -1
