"""Compiled kernels of the multifrontal elimination: assemble, factor, update, expand.

A front has s own and b boundary dofs. Its panel is (s + b, s), column after column; its
update, (b, b), is a packed lower triangle: `sole.elimination.packed_update_kernels`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import kernel
from sole.elimination.native import call
from sole.elimination.packed_update_kernels import (
    STRIP,
    add_block,
    add_to_panel,
    add_to_strip,
    strip_offset,
    unpack,
)
from sole.elimination.panel_kernels import (
    LOWER,
    NARROW,
    PLAIN,
    TURNED,
    Routines,
    divide,
    factor_panel,
)

ROWS = 384  # rows of a panel that are solved at a time


class TreeArrays(NamedTuple):
    """The arrays of a `sole.elimination.dissection.Dissection` that the kernels use."""

    start: IntArray
    boundary_start: IntArray
    into_parent: IntArray
    entry_start: IntArray
    entry_row: IntArray
    entry_block: IntArray


class PlaceArrays(NamedTuple):
    """The arrays of a `sole.elimination.elimination_plan.EliminationPlan` that the kernels use."""

    child_start: IntArray
    child: IntArray
    panel_at: IntArray
    update_at: IntArray


@kernel(nogil=True)
def eliminate_fronts(
    todo: IntArray,
    tree: TreeArrays,
    places: PlaceArrays,
    blocks: FloatArray,
    panels: FloatArray,
    memory: FloatArray,
    native: Routines,
) -> int:
    """Eliminate the fronts `todo`; return -1, or the first position with no positive pivot."""
    start, boundary_start = tree[0], tree[1]
    for k in todo:
        b = 3 * (boundary_start[k + 1] - boundary_start[k])
        inverses = np.empty(3 * (start[k + 1] - start[k]) * NARROW)
        failed = factor_own(k, tree, places, blocks, panels, memory, inverses, native)
        if failed >= 0:
            return failed
        for row in range(0, b, ROWS):
            solve_rows(k, row, tree, places, panels, inverses, native)
        for column in range(0, b, STRIP):
            update_strip(k, column, tree, places, panels, memory, native)
    return -1


@kernel(nogil=True)
def factor_own(
    k: int,
    tree: TreeArrays,
    places: PlaceArrays,
    blocks: FloatArray,
    panels: FloatArray,
    memory: FloatArray,
    inverses: FloatArray,
    native: Routines,
) -> int:
    """Assemble the panel of front k and factor its own block; return as `eliminate_fronts`."""
    start, boundary_start, into_parent, entry_start, entry_row, entry_block = tree
    child_start, child, panel_at, update_at = places
    s = 3 * (start[k + 1] - start[k])
    m = s + 3 * (boundary_start[k + 1] - boundary_start[k])
    panel = panels[panel_at[k] : panel_at[k] + s * m]
    panel[:] = 0.0
    for q in range(start[k], start[k + 1]):
        column = 3 * (q - start[k]) * m
        for e in range(entry_start[q], entry_start[q + 1]):
            add_block(panel[column + 3 * entry_row[e] :], m, blocks, entry_block[e])
    for i in range(child_start[k], child_start[k + 1]):
        c = child[i]
        rows = into_parent[boundary_start[c] : boundary_start[c + 1]]
        add_to_panel(memory[update_at[c] :], rows, panel, m, s)
    failed = factor_panel(panel, m, s, inverses, native)
    return -1 if failed < 0 else start[k] + failed // 3


@kernel(nogil=True)
def solve_rows(
    k: int,
    row: int,
    tree: TreeArrays,
    places: PlaceArrays,
    panels: FloatArray,
    inverses: FloatArray,
    native: Routines,
) -> None:
    """L21 = F21 L11^-T for ROWS rows of front k's boundary, from `row` on."""
    start, boundary_start, panel_at = tree[0], tree[1], places[2]
    s = 3 * (start[k + 1] - start[k])
    b = 3 * (boundary_start[k + 1] - boundary_start[k])
    divide(panels[panel_at[k] :], s + b, s, s + row, min(s + row + ROWS, s + b), inverses, native)


@kernel(nogil=True)
def update_strip(
    k: int,
    column: int,
    tree: TreeArrays,
    places: PlaceArrays,
    panels: FloatArray,
    memory: FloatArray,
    native: Routines,
) -> None:
    """U = -L21 L21' + updates of the children, for the strip of front k from `column` on."""
    start, boundary_start, into_parent = tree[0], tree[1], tree[2]
    child_start, child, panel_at, update_at = places
    dgemm, dsyrk, _, _, _ = native
    s = 3 * (start[k + 1] - start[k])
    b = 3 * (boundary_start[k + 1] - boundary_start[k])
    m, width, height = s + b, min(STRIP, b - column), b - column
    L = panels[panel_at[k] + s + column :]
    U = memory[update_at[k] + strip_offset(b, column) :]
    before = 1.0 if update_at[k] == 0 else 0.0  # K_c itself already holds K_cc
    call(dsyrk, (LOWER, PLAIN, width, s, -1.0, L, m, before, U, height))
    if height > width:
        call(dgemm, (PLAIN, TURNED, height - width, width, s, -1.0, L[width:], m, L, m,
                     before, U[width:], height))  # fmt: skip
    for i in range(child_start[k], child_start[k + 1]):
        c = child[i]
        rows = into_parent[boundary_start[c] : boundary_start[c + 1]]
        add_to_strip(memory[update_at[c] :], rows, U, column, width, height, s)


@kernel(nogil=True)
def begin_root(
    tree: TreeArrays,
    blocks: FloatArray,
    memory: FloatArray,
) -> None:
    """Write K_cc to the start of `memory`, packed."""
    start, _, _, entry_start, entry_row, entry_block = tree
    first_kept = start[-1]
    order = 3 * (len(entry_start) - 1 - first_kept)
    memory[: strip_offset(order, (order - 1) // STRIP * STRIP) + STRIP * STRIP][:] = 0.0
    for q in range(first_kept, len(entry_start) - 1):
        column = 3 * (q - first_kept)
        top = column // STRIP * STRIP
        at = strip_offset(order, top) + (column - top) * (order - top) - top
        for e in range(entry_start[q], entry_start[q + 1]):
            add_block(memory[at + 3 * entry_row[e] :], order - top, blocks, entry_block[e])


@kernel(nogil=True)
def finish_root(
    tree: TreeArrays,
    places: PlaceArrays,
    memory: FloatArray,
) -> None:
    """Add the updates of the root's children that are not K_c itself, and spread K_c."""
    start, boundary_start, into_parent, entry_start, _, _ = tree
    child_start, child, _, update_at = places
    order = 3 * (len(entry_start) - 1 - start[-1])
    for i in range(child_start[-2], child_start[-1]):
        c = child[i]
        if update_at[c] > 0:
            rows = into_parent[boundary_start[c] : boundary_start[c + 1]]
            for column in range(0, order, STRIP):
                add_to_strip(
                    memory[update_at[c] :],
                    rows,
                    memory[strip_offset(order, column) :],
                    column,
                    min(STRIP, order - column),
                    order - column,
                    0,
                )
    unpack(memory, order)


@kernel(nogil=True)
def back_substitute(
    tree: TreeArrays,
    boundary: IntArray,
    panel_at: IntArray,
    panels: FloatArray,
    X: FloatArray,
    native: Routines,
) -> None:
    """X_own = -L11^-T L21' X_boundary for all fronts from the root down; X (k, 3n)."""
    start, boundary_start, _, _, _, _ = tree
    dgemm, _, _, _, dtrsm = native
    columns, rows = X.shape
    flat = X.reshape(X.size)
    for k in range(len(start) - 2, -1, -1):
        nodes = boundary[boundary_start[k] : boundary_start[k + 1]]
        s, b = 3 * (start[k + 1] - start[k]), 3 * len(nodes)
        L, own = panels[panel_at[k] :], flat[3 * start[k] :]
        if b > 0:
            known = np.empty(columns * b)
            for c in range(columns):
                for i in range(len(nodes)):
                    for d in range(3):
                        known[c * b + 3 * i + d] = X[c, 3 * nodes[i] + d]
            call(
                dgemm, (TURNED, PLAIN, s, columns, b, -1.0, L[s:], s + b, known, b, 0.0, own, rows)
            )
        call(dtrsm, (LOWER, LOWER, TURNED, PLAIN, s, columns, 1.0, L, s + b, own, rows))
