"""Updates of fronts, packed: symmetric matrices (b, b) of which the lower triangle is kept.

The triangle is cut into strips of STRIP columns, each strip a full column block of its own height,
packed one after the other.
"""

from __future__ import annotations

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel

STRIP = 192  # columns of a strip of a packed lower triangle; a multiple of three


@inner_kernel
def strip_offset(
    order: int,
    column: int,
) -> int:
    """Return the offset of the strip that begins at `column` of a packed lower triangle."""
    strips = column // STRIP
    return STRIP * (strips * order - STRIP * (strips * (strips - 1) // 2))


@inner_kernel
def add_block(
    target: FloatArray,
    height: int,
    blocks: FloatArray,
    entry: int,
) -> None:
    """Add a 3x3 block, transposed if `entry` = -1 - block, to columns of `height`."""
    if entry >= 0:
        for j in range(3):
            for i in range(3):
                target[j * height + i] += blocks[entry, i, j]
    else:
        for j in range(3):
            for i in range(3):
                target[j * height + i] += blocks[-1 - entry, j, i]


@inner_kernel
def find_runs(
    places: IntArray,
) -> IntArray:
    """Return where consecutive places begin, and the end of the last: runs of dofs."""
    n = len(places)
    bounds = np.empty(n + 1, np.int64)
    count = 0
    for i in range(n):
        if i == 0 or places[i] != places[i - 1] + 1:
            bounds[count] = i
            count += 1
    bounds[count] = n
    return bounds[: count + 1]


@inner_kernel
def add_to_panel(
    child: FloatArray,
    places: IntArray,
    panel: FloatArray,
    height: int,
    own: int,
) -> None:
    """Add the columns of a child's update that belong to a front's own dofs to its panel."""
    runs = find_runs(places)
    b = 3 * len(places)
    run = 0
    for node in range(len(places)):
        if 3 * places[node] >= own:
            break
        if node >= runs[run + 1]:
            run += 1
        for d in range(3):
            column = 3 * node + d
            first = column // STRIP * STRIP
            source = strip_offset(b, first) + (column - first) * (b - first) - first
            target = (3 * places[node] + d) * height
            for r in range(run, len(runs) - 1):
                shift = target + 3 * (places[runs[r]] - runs[r])
                for i in range(max(3 * runs[r], column), 3 * runs[r + 1]):
                    panel[shift + i] += child[source + i]


@inner_kernel
def add_to_strip(
    child: FloatArray,
    places: IntArray,
    strip: FloatArray,
    column: int,
    width: int,
    height: int,
    own: int,
) -> None:
    """Add the part of a child's update that belongs to one strip of a front's update."""
    runs = find_runs(places)
    b = 3 * len(places)
    run = 0
    for node in range(np.searchsorted(places, (own + column) // 3), len(places)):
        into = 3 * places[node] - own - column  # column in the strip
        if into >= width:
            break
        while node >= runs[run + 1]:
            run += 1
        for d in range(3):
            at = 3 * node + d
            first = at // STRIP * STRIP
            source = strip_offset(b, first) + (at - first) * (b - first) - first
            target = (into + d) * height - own - column
            for r in range(run, len(runs) - 1):
                shift = target + 3 * (places[runs[r]] - runs[r])
                for i in range(max(3 * runs[r], at), 3 * runs[r + 1]):
                    strip[shift + i] += child[source + i]


@inner_kernel
def unpack(
    memory: FloatArray,
    order: int,
) -> None:
    """Spread a packed lower triangle at the start of `memory` to the whole symmetric matrix."""
    for column in range(order - 1, -1, -1):
        first = column // STRIP * STRIP
        source = strip_offset(order, first) + (column - first) * (order - first) - first
        target = column * order
        for i in range(order - 1, column - 1, -1):
            memory[target + i] = memory[source + i]
    mirror(memory[: order * order].reshape(order, order))


@kernel(nogil=True)
def mirror(
    A: FloatArray,
) -> None:
    """Copy the upper triangle of a row-major matrix to its lower one, in tiles."""
    n = len(A)
    for i0 in range(0, n, 32):
        for j0 in range(i0, n, 32):
            for j in range(j0, min(j0 + 32, n)):
                for i in range(i0, min(i0 + 32, j)):
                    A[j, i] = A[i, j]
