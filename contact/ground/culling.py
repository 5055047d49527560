"""Which pieces of a ground may be near a point: grid, blocks of neighbours, overlaps, heights.

All are made once for each ground, from the upright boxes around its pieces.
"""

from __future__ import annotations

import numpy as np

from contact.ground import piece_kernels as kernels
from sole.base.arrays import BoolArray, FloatArray, IntArray

FINEST, MOST = 32, 4096  # cells of the culling grid: per side, in all
NEARLY = 0.005  # m: pieces that are closer count as overlapping; a node moves less in a step


def highest_around(heights: FloatArray) -> FloatArray:
    """Highest height [m] in and within RINGS cells around every block of BLOCK x BLOCK cells."""
    for axis in range(heights.ndim):
        cells = heights.shape[axis] - 1
        ends = [
            (max(k - kernels.RINGS, 0), min(k + kernels.BLOCK + kernels.RINGS, cells) + 1)
            for k in range(0, cells, kernels.BLOCK)
        ]
        slices = [np.take(heights, range(*end), axis=axis).max(axis=axis) for end in ends]
        heights = np.stack(slices, axis=axis) if slices else heights
    return heights


def group_neighbours(bound: FloatArray, inside: BoolArray) -> tuple[IntArray, FloatArray]:
    """Order that puts neighbours together, unbounded pieces first; bounds of blocks of them."""
    ends = np.where(inside[:, None], bound[:, [0, 1, 3, 4]], 0.0)
    centre = (ends[:, :2] + ends[:, 2:]) / 2
    stripe = max(float(np.ptp(centre[:, 0])) / max(np.sqrt(len(bound) / kernels.BLOCK), 1.0), 1e-9)
    order = np.lexsort([centre[:, 1], np.floor(centre[:, 0] / stripe), inside])
    parts = [order[k : k + kernels.BLOCK] for k in range(0, len(order), kernels.BLOCK)]
    block = np.zeros((len(parts), kernels.COLUMNS))
    for row, part in zip(block, parts, strict=True):
        row[kernels.BOUND : kernels.BOUND + 3] = bound[part, :3].min(axis=0)
        row[kernels.BOUND + 3 : kernels.KIND] = bound[part, 3:].max(axis=0)
    return order, block


def fill_cells(bound: FloatArray, pieces: IntArray, reach: float) -> tuple[FloatArray, ...]:
    """Cells over the plane (x0, y0, pitch, nx, ny) and which pieces are within reach of each."""
    if len(pieces) == 0:
        return np.array([0.0, 0.0, 1.0, 0.0, 0.0]), np.zeros(1), np.zeros(0)
    low = bound[pieces, :2] - reach
    high = bound[pieces, 3:5] + reach
    corner, extent = low.min(axis=0), np.ptp(np.vstack([low, high]), axis=0)
    pitch = float(max(extent.max() / FINEST, min(extent.min(), reach)))
    nx, ny = (int(n) for n in np.ceil(extent / pitch) + 1)
    lists: list[list[int]] = [[] for _ in range(nx * ny)]
    first = np.floor((low - corner) / pitch).astype(int)
    last = np.floor((high - corner) / pitch).astype(int)
    for s, (i0, j0), (i1, j1) in zip(pieces.tolist(), first, last, strict=True):
        for i in range(i0, i1 + 1):
            for j in range(j0, j1 + 1):
                lists[i * ny + j].append(s)
    start = np.concatenate([[0], np.cumsum([len(cell) for cell in lists])])
    member = np.array([s for cell in lists for s in cell])
    return np.array([*corner, pitch, nx, ny]), start, member


def count_overlaps(bound: FloatArray, most: int) -> int:
    """Return how many upright boxes (s, 6) share a point from above, or nearly; at most `most`.

    Boxes that share a point share the one at the largest of their low x and the largest of their
    low y.
    """
    order = np.argsort(bound[:, 0])
    low, high = bound[order, :2] - NEARLY / 2, bound[order, 3:5] + NEARLY / 2
    x, found = low[:, 0], 0
    first = np.searchsorted(x, x - np.ptp([x, high[:, 0]], axis=0).max())
    last = np.searchsorted(x, x, side="right")
    for here, begin, end in zip(x, first, last, strict=True):
        near = np.arange(begin, end)[high[begin:end, 0] >= here]
        # At the low side of a box, those have begun there or before that have not ended before.
        start = np.sort(low[near, 1])
        begun = np.searchsorted(start, start, side="right")
        found = max(found, int((begun - np.searchsorted(np.sort(high[near, 1]), start)).max()))
        if found >= most:
            return most
    return found
