"""Compiled loops over the compliances C of all bodies: d = scale C f, read by rows.

Both soles of a robot often share one C; then each of its rows is read once for both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel


class ComplianceArrays(NamedTuple):
    """C of all bodies, as in `contact.problem.Compliances`."""

    flat: FloatArray
    first: IntArray
    position: IntArray


@kernel(fastmath={"contract"})
def displace_nodes(C: ComplianceArrays, scale: FloatArray, f: FloatArray) -> FloatArray:
    """scale C f (3M,): row by row of the loaded nodes (C is symmetric), in a fixed order.

    Unlike a BLAS product it reads nothing for unloaded nodes, gives the same bits on any
    number of threads, and does not wait for other threads on a busy machine.
    """
    flat, first, position = C
    d, known = np.zeros(len(f)), -1
    for b in range(len(position)):
        if position[b] < 0 or b == known:
            continue
        if has_loaded_twin(first, b, position, f):
            known = b + 1
            displace_twins(flat, first, b, position[b], scale, f, d)
            continue
        c = scale[b]
        n = np.uint64(3 * (first[b + 1] - first[b]))
        begin = np.uint64(3 * first[b])
        for i in range(first[b], first[b + 1]):
            g0, g1, g2 = c * f[3 * i], c * f[3 * i + 1], c * f[3 * i + 2]
            if g0 == 0.0 and g1 == 0.0 and g2 == 0.0:
                continue
            row0 = np.uint64(position[b]) + np.uint64(3 * (i - first[b])) * n
            row1 = row0 + n
            row2 = row1 + n
            for j in range(n):
                d[begin + j] += g0 * flat[row0 + j] + g1 * flat[row1 + j] + g2 * flat[row2 + j]
    return d


@inner_kernel
def has_loaded_twin(first: IntArray, b: int, position: IntArray, f: FloatArray) -> bool:
    """Whether the bodies b and b + 1 share their C and both carry forces f (3M,)."""
    if b + 1 >= len(position) or position[b] != position[b + 1]:
        return False
    here, there, end = 3 * first[b], 3 * first[b + 1], 3 * first[b + 2]
    return bool(f[here:there].any()) and bool(f[there:end].any())


@inner_kernel(fastmath={"contract"})
def displace_twins(
    flat: FloatArray,
    first: IntArray,
    b: int,
    position: int,
    scale: FloatArray,
    f: FloatArray,
    d: FloatArray,
) -> None:
    """Add scale C f of the bodies b and b + 1, which share their C: each row is read once.

    Bit for bit what either gives alone: no term is left out for the other's sake but zeros.
    """
    c, e = scale[b], scale[b + 1]
    n, zero, two = np.uint64(3 * (first[b + 1] - first[b])), np.uint64(position), np.uint64(2)
    begin, other = np.uint64(3 * first[b]), np.uint64(3 * first[b + 1])
    for i in range(np.uint64(0), n, np.uint64(3)):
        left, right = begin + i, other + i
        g0, g1, g2 = c * f[left], c * f[left + np.uint64(1)], c * f[left + two]
        h0, h1, h2 = e * f[right], e * f[right + np.uint64(1)], e * f[right + two]
        row0 = zero + i * n
        row1 = row0 + n
        row2 = row1 + n
        if not (g0 == 0.0 and g1 == 0.0 and g2 == 0.0 and h0 == 0.0 and h1 == 0.0 and h2 == 0.0):
            for j in range(n):
                a0, a1, a2 = flat[row0 + j], flat[row1 + j], flat[row2 + j]
                d[begin + j] += g0 * a0 + g1 * a1 + g2 * a2
                d[other + j] += h0 * a0 + h1 * a1 + h2 * a2
