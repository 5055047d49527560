"""Plan of the elimination: places in memory, and the fronts of every thread.

One array holds everything. K_c grows at its beginning as packed block columns of its lower
triangle. Panels and waiting updates follow by first fit, mostly in the half of K_c's memory
that its upper triangle fills only at the end.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sole.base.arrays import BoolArray, IntArray, frozen
from sole.elimination.dissection import Dissection
from sole.elimination.packed_update_kernels import STRIP

_BALANCE = 1.07  # accepted load of the busiest thread, relative to the mean


@dataclass(frozen=True, eq=False)
class EliminationPlan:
    """Offsets in one array of `size` doubles, and the order of the fronts.

    Parameters
    ----------
    branches : fronts that every thread eliminates on its own, in order.
    trunk : fronts that remain after the branches, in order; all threads share their work.
    child_start, child : the children of front k are child[child_start[k]:child_start[k + 1]];
        those of the root come last, with k = f.
    panel_at, update_at : (f,) offsets of a front's panel and of its update. An update at 0
        is K_c itself, to which the front's whole boundary belongs.
    size, panels_size : doubles in the array, and in that of the panels if they are kept.
    """

    branches: tuple[IntArray, ...]
    trunk: IntArray
    child_start: IntArray
    child: IntArray
    panel_at: IntArray
    update_at: IntArray
    size: int
    panels_size: int


def packed_size(order: int) -> int:
    """Return the doubles of a lower triangle of this order stored in strips of columns."""
    first = np.arange(0, order, STRIP)
    return int((np.minimum(STRIP, order - first) * (order - first)).sum())


@lru_cache(maxsize=4)
def plan_elimination(
    tree: Dissection, threads: int = 1, keep_panels: bool = False
) -> EliminationPlan:
    """Plan the elimination; with `keep_panels` the panels get an array of their own."""
    f = len(tree.parent)
    s, b = 3 * np.diff(tree.start), 3 * np.diff(tree.boundary_start)
    panel = s * (s + b)
    update = np.array([packed_size(int(k)) for k in b], dtype=np.int64)
    into_K_c = (tree.parent < 0) & (b == 3 * tree.kept)
    update[into_K_c] = 0
    children = _ordered_children(tree, panel, update)
    branches, trunk = _share(tree, children, into_K_c, threads)
    panel_at = np.concatenate([[0], np.cumsum(panel)])[:-1]
    update_at = np.zeros(f, np.int64)
    floor = end = packed_size(3 * tree.kept)
    waiting: list[tuple[int, int]] = []
    for fronts in (*branches, trunk):
        memory = _FirstFit(floor, waiting) if fronts is trunk else _FirstFit(end, [])
        for k in fronts:
            update_at[k] = memory.take(int(update[k])) if not into_K_c[k] else 0
            if not keep_panels:
                panel_at[k] = memory.take(int(panel[k]))
                memory.give_back(int(panel_at[k]), int(panel[k]))
            for c in children[k]:
                memory.give_back(int(update_at[c]), int(update[c]))
        waiting = waiting + memory.taken
        end = max(end, memory.top)
    return EliminationPlan(
        tuple(frozen(fronts, np.int64) for fronts in branches),
        frozen(trunk, np.int64),
        frozen(np.concatenate([[0], np.cumsum([len(c) for c in children])]), np.int64),
        frozen([c for of_front in children for c in of_front], np.int64),
        frozen(panel_at, np.int64),
        frozen(update_at, np.int64),
        max(end, (3 * tree.kept) ** 2),
        int(panel.sum()),
    )


class _FirstFit:
    """First-fit allocator of memory from `floor` upwards."""

    def __init__(self, floor: int, taken: list[tuple[int, int]]) -> None:
        self.floor = floor
        self.taken = sorted(taken)  # (offset, size)
        self.top = floor

    def take(self, size: int) -> int:
        at = self.floor
        for offset, length in self.taken:
            if offset - at >= size:
                break
            at = offset + length
        if size:
            insort(self.taken, (at, size))
        self.top = max(self.top, at + size)
        return at

    def give_back(self, at: int, size: int) -> None:
        if size:
            self.taken.remove((at, size))


def _ordered_children(tree: Dissection, panel: IntArray, update: IntArray) -> list[list[int]]:
    """Return the children of every front, first the one that gains most from an empty stack.

    The order is by peak minus remainder (Liu 1986). The last list has the children of the root.
    """
    children: list[list[int]] = [[] for _ in range(len(tree.parent) + 1)]
    peak = np.zeros(len(tree.parent), np.int64)
    for k, parent in enumerate(tree.parent):
        children[k].sort(key=lambda c: update[c] - peak[c])
        before = 0
        for c in children[k]:
            peak[k] = max(peak[k], before + peak[c])
            before += update[c]
        peak[k] = max(peak[k], before + panel[k] + update[k])
        children[parent].append(k)
    children[-1].sort(key=lambda c: update[c] - peak[c])
    return children


def _share(
    tree: Dissection, children: list[list[int]], into_K_c: BoolArray, threads: int
) -> tuple[list[list[int]], list[int]]:
    """Return one list of fronts per thread, and the fronts left to all threads together."""
    if threads == 1:
        return [], _below(children, children[-1])
    flops = tree.front_flops.copy()
    for k, parent in enumerate(tree.parent):
        if parent >= 0:
            flops[parent] += flops[k]
    tops = list(children[-1])
    while True:
        tops.sort(key=lambda k: -flops[k])
        load = [0.0] * threads
        roots: list[list[int]] = [[] for _ in range(threads)]
        for k in tops:
            t = int(np.argmin(load))
            load[t] += flops[k]
            roots[t].append(k)
        split = next((k for k in tops if into_K_c[k]), None)
        if split is None and max(load) > _BALANCE * sum(load) / threads:
            split = next((k for k in tops if children[k]), None)
        if split is None:
            break
        tops.remove(split)
        tops += children[split]
    branches = [_below(children, r) for r in roots]
    shared = set().union(*branches)
    return branches, [k for k in _below(children, children[-1]) if k not in shared]


def _below(children: list[list[int]], roots: list[int]) -> list[int]:
    """Return `roots` and all below them, children before parents."""
    out: list[int] = []
    todo = list(reversed(roots))
    while todo:  # parents first, last child first; reversed at the end
        k = todo.pop(0)
        out.append(k)
        todo[:0] = reversed(children[k])
    return out[::-1]
