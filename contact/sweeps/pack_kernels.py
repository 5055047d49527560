"""Compiled: rows of C or K of a few nodes, kept together so that sweeps read what they need.

A sweep over the contacts of a few nodes E of a sole needs the block of these nodes alone, not rows
over all nodes. A `Pack` holds such blocks for every body: place by place in the order in which
nodes joined, more of them than needed at times. Sums over a row are made entry by entry, so neither
the order nor nodes that are not needed change any bit of a result: a pack only saves work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from contact.problem import ComplianceArrays
from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.compiled import inner_kernel

SPARE = 16  # places that may be out of use, besides as many as are in use
EMPTY, FORCES, VELOCITIES = 0, 1, 2


class Pack(NamedTuple):
    """Blocks of nodes, for all bodies.

    Attributes
    ----------
    flat : (3m, 3m) of every body, one behind the other: row 3 j + a of place j.
    node : (M,) of every place, those of a body from `first` on. place : (M,) of every node, -1.
    used : (bodies,) how many places are. kind : (bodies,) what is read: C, K or nothing yet.
    """

    flat: FloatArray
    node: IntArray
    place: IntArray
    used: IntArray
    kind: IntArray


def make_pack(first: IntArray) -> Pack:
    """Return an empty pack for bodies whose nodes begin at `first` (bodies + 1,)."""
    sizes = 3 * np.diff(first)
    nodes, none = int(first[-1]), np.zeros(len(sizes), np.int64)
    return Pack(
        flat=np.empty(int((sizes * sizes).sum())),
        node=np.zeros(nodes, np.int64),
        place=np.full(nodes, -1),
        used=none,
        kind=none.copy(),
    )


@inner_kernel
def fill_pack(
    pack: Pack, b: int, kind: int, begin: int, matrix: FloatArray, position: int, first: IntArray,
    wanted: BoolArray,
) -> None:  # fmt: skip
    """Give a place to every `wanted` (M,) node of body b, from its matrix at `position`.

    begin : where the block of the body begins in `pack.flat`.
    """
    low, high, need = first[b], first[b + 1], 0
    n = np.uint64(3 * (high - low))
    for i in range(low, high):
        need += wanted[i]
    new = 0
    for i in range(low, high):
        new += wanted[i] and pack.place[i] < 0
    if pack.kind[b] != kind or pack.used[b] + new > need + need // 4 + SPARE:
        pack.kind[b], pack.used[b] = kind, 0
        for i in range(low, high):
            pack.place[i] = -1
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    for i in range(low, high):
        if not wanted[i] or pack.place[i] >= 0:
            continue
        at = pack.used[b]
        pack.place[i], pack.node[low + at], pack.used[b] = at, i, at + 1
        if position < 0:  # rigid
            continue
        column, mine = three * np.uint64(at), np.uint64(position) + three * np.uint64(i - low) * n
        row = np.uint64(begin) + column * n
        for l in range(at + 1):
            other, there = np.uint64(pack.node[low + l] - low), three * np.uint64(l)
            its = np.uint64(position) + three * other * n + three * np.uint64(i - low)
            to, source = np.uint64(begin) + there * n + column, mine + three * other
            for _ in range(3):
                pack.flat[row + there], pack.flat[to] = matrix[source], matrix[its]
                pack.flat[row + there + one] = matrix[source + one]
                pack.flat[row + there + two] = matrix[source + two]
                pack.flat[to + one], pack.flat[to + two] = matrix[its + one], matrix[its + two]
                there, source, to, its = there + n, source + n, to + n, its + n


@inner_kernel
def pack_contacts(
    pack: Pack, held: IntArray, begins: IntArray, C: ComplianceArrays, K: FloatArray,
    node: IntArray, active: BoolArray, origin: IntArray,
) -> tuple[IntArray, IntArray]:  # fmt: skip
    """Fill packs for the `active` contacts; return these, and the places of their nodes.

    Of bodies `held` from there in K, of others from C. origin (bodies + 1,), zero before : where
    the places of every body begin.
    """
    wanted, count = np.zeros(C.first[-1], np.bool_), 0
    for k in range(len(node)):
        if active[k]:
            wanted[node[k]] = True
            count += 1
    for b in range(len(held)):
        if held[b] >= 0:
            fill_pack(pack, b, VELOCITIES, begins[b], K, held[b], C.first, wanted)
        else:
            fill_pack(pack, b, FORCES, begins[b], C.flat, C.position[b], C.first, wanted)
        origin[b + 1] = origin[b] + pack.used[b]
    which, place = np.empty(count, np.int64), np.empty(count, np.int64)
    count = 0
    for k in range(len(node)):
        if active[k]:
            which[count], place[count] = k, pack.place[node[k]]
            count += 1
    return which, place


@inner_kernel(fastmath={"contract"})
def respond_packed(
    pack: Pack, b: int, begin: int, first: IntArray, wanted: BoolArray, scale: float,
    f: FloatArray, d: FloatArray,
) -> None:  # fmt: skip
    """Add scale C f to d (3M,) at the `wanted` (M,) nodes of body b; f (3M,) is zero at others.

    Not at others in use: which these are depends on earlier steps.
    """
    low, n = first[b], np.uint64(3 * pack.used[b])
    stride, three = np.uint64(3 * (first[b + 1] - low)), np.uint64(3)
    flat = pack.flat
    few = np.zeros(n)
    for i in range(low, first[b + 1]):
        if pack.place[i] < 0:
            continue
        g0, g1, g2 = scale * f[3 * i], scale * f[3 * i + 1], scale * f[3 * i + 2]
        if g0 == 0.0 and g1 == 0.0 and g2 == 0.0:
            continue
        row0 = np.uint64(begin) + three * np.uint64(pack.place[i]) * stride
        row1 = row0 + stride
        row2 = row1 + stride
        for l in range(n):
            few[l] += g0 * flat[row0 + l] + g1 * flat[row1 + l] + g2 * flat[row2 + l]
    for j in range(pack.used[b]):
        i = pack.node[low + j]
        if wanted[i]:
            for a in range(3):
                d[3 * i + a] += few[3 * j + a]
