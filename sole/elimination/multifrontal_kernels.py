"""Compiled kernels of the multifrontal elimination: assemble, factor, update, expand.

A front has s own and b boundary dofs. Its panel is (s + b, s), column after column; its
update, (b, b), is the lower triangle in strips of STRIP columns, each strip a full column
block of its own height, packed one after the other.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import kernel
from sole.elimination.native import address_of, call

STRIP = 192  # columns of a strip of a packed lower triangle; a multiple of three
_WIDE = 192  # columns of a panel factored before the rest is updated
ROWS = 384  # rows of a panel that are solved at a time
NARROW = 48  # columns whose triangle is inverted; the rest are matrix products
Routines = tuple[int, int, int, int, int]  # addresses of dgemm, dsyrk, dpotrf, dtrtri, dtrsm
_L, _N, _T = ord("L"), ord("N"), ord("T")


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


@cache
def routines() -> Routines:
    """Return the addresses of dgemm, dsyrk, dpotrf, dtrtri, dtrsm."""
    return (
        address_of("cython_blas", "dgemm"),
        address_of("cython_blas", "dsyrk"),
        address_of("cython_lapack", "dpotrf"),
        address_of("cython_lapack", "dtrtri"),
        address_of("cython_blas", "dtrsm"),
    )


@kernel
def strip_offset(
    order: int,
    column: int,
) -> int:
    """Return the offset of the strip that begins at `column` of a packed lower triangle."""
    strips = column // STRIP
    return STRIP * (strips * order - STRIP * (strips * (strips - 1) // 2))


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
            _add_block(panel[column + 3 * entry_row[e] :], m, blocks, entry_block[e])
    for i in range(child_start[k], child_start[k + 1]):
        c = child[i]
        rows = into_parent[boundary_start[c] : boundary_start[c + 1]]
        _add_to_panel(memory[update_at[c] :], rows, panel, m, s)
    failed = _factor_panel(panel, m, s, inverses, native)
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
    _divide(panels[panel_at[k] :], s + b, s, s + row, min(s + row + ROWS, s + b), inverses, native)


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
    call(dsyrk, (_L, _N, width, s, -1.0, L, m, before, U, height))
    if height > width:
        call(dgemm, (_N, _T, height - width, width, s, -1.0, L[width:], m, L, m,
                     before, U[width:], height))  # fmt: skip
    for i in range(child_start[k], child_start[k + 1]):
        c = child[i]
        rows = into_parent[boundary_start[c] : boundary_start[c + 1]]
        _add_to_strip(memory[update_at[c] :], rows, U, column, width, height, s)


@kernel
def _add_block(
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


@kernel
def _find_runs(
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


@kernel
def _add_to_panel(
    child: FloatArray,
    places: IntArray,
    panel: FloatArray,
    height: int,
    own: int,
) -> None:
    """Add the columns of a child's update that belong to a front's own dofs to its panel."""
    runs = _find_runs(places)
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


@kernel
def _add_to_strip(
    child: FloatArray,
    places: IntArray,
    strip: FloatArray,
    column: int,
    width: int,
    height: int,
    own: int,
) -> None:
    """Add the part of a child's update that belongs to one strip of a front's update."""
    runs = _find_runs(places)
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


@kernel
def _factor_panel(
    panel: FloatArray,
    m: int,
    s: int,
    inverses: FloatArray,
    native: Routines,
) -> int:
    """Factor the first s rows of an (m, s) panel; return -1, or the failing row.

    `inverses` gets the inverses of the narrow triangles on the diagonal.
    """
    dgemm, _, dpotrf, dtrtri, _ = native
    info = np.zeros(1, np.int32)
    for i in range(0, s, NARROW):
        end = min(i + NARROW, s)
        w = end - i
        call(dpotrf, (_L, w, panel[i * m + i :], m, info))
        if info[0] != 0:
            return int(i + info[0] - 1)
        inverse = inverses[i * NARROW :]
        for j in range(w):
            for r in range(j):
                inverse[j * w + r] = 0.0
            for r in range(j, w):
                inverse[j * w + r] = panel[(i + j) * m + i + r]
        call(dtrtri, (_L, _N, w, inverse, w, info))
        if end == s:
            break
        # Columns of the same wide block are updated now, the others block by block.
        wide = i // _WIDE * _WIDE
        wide_end = min(wide + _WIDE, s)
        _divide_narrow(panel, m, i, end, end, s, wide_end, inverse, native)
        if end == wide_end:
            for j in range(end, s, _WIDE):
                call(dgemm, (_N, _T, s - j, min(_WIDE, s - j), end - wide, -1.0,
                             panel[wide * m + j :], m, panel[wide * m + j :], m,
                             1.0, panel[j * m + j :], m))  # fmt: skip
    return -1


@kernel
def _divide(
    panel: FloatArray,
    m: int,
    s: int,
    row: int,
    row_end: int,
    inverses: FloatArray,
    native: Routines,
) -> None:
    """X = X L^-T for rows row .. row_end-1 of a panel whose first s rows hold L."""
    dgemm = native[0]
    for i in range(0, s, NARROW):
        end = min(i + NARROW, s)
        wide = i // _WIDE * _WIDE
        wide_end = min(wide + _WIDE, s)
        _divide_narrow(panel, m, i, end, row, row_end, wide_end, inverses[i * NARROW :], native)
        if end == wide_end and end < s:
            call(dgemm, (_N, _T, row_end - row, s - end, end - wide, -1.0,
                         panel[wide * m + row :], m, panel[wide * m + end :], m,
                         1.0, panel[end * m + row :], m))  # fmt: skip


@kernel
def _divide_narrow(
    panel: FloatArray,
    m: int,
    i: int,
    end: int,
    row: int,
    row_end: int,
    wide_end: int,
    inverse: FloatArray,
    native: Routines,
) -> None:
    """Solve columns i .. end-1 of some rows, subtract their part from those up to wide_end."""
    dgemm = native[0]
    w, rows = end - i, row_end - row
    copy = np.empty(w * rows)
    for j in range(w):
        for r in range(rows):
            copy[j * rows + r] = panel[(i + j) * m + row + r]
    call(dgemm, (_N, _T, rows, w, w, 1.0, copy, rows, inverse, w, 0.0,
                 panel[i * m + row :], m))  # fmt: skip
    if end < wide_end:
        call(dgemm, (_N, _T, rows, wide_end - end, w, -1.0, panel[i * m + row :], m,
                     panel[i * m + end :], m, 1.0, panel[end * m + row :], m))  # fmt: skip


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
            _add_block(memory[at + 3 * entry_row[e] :], order - top, blocks, entry_block[e])


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
                _add_to_strip(
                    memory[update_at[c] :],
                    rows,
                    memory[strip_offset(order, column) :],
                    column,
                    min(STRIP, order - column),
                    order - column,
                    0,
                )
    unpack(memory, order)


@kernel
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
            call(dgemm, (_T, _N, s, columns, b, -1.0, L[s:], s + b, known, b, 0.0, own, rows))
        call(dtrsm, (_L, _L, _T, _N, s, columns, 1.0, L, s + b, own, rows))
