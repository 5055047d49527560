"""Compiled kernels of the multifrontal elimination: assemble, factor, update, expand.

A front has s own and b boundary dofs. Its panel is (s + b, s), column after column; its
update, (b, b), is the lower triangle in strips of STRIP columns, each strip a full column
block of its own height, packed one after the other.
"""

from __future__ import annotations

import numba
import numpy as np

from sole.native import address_of, call

STRIP = 192  # columns of a strip of a packed lower triangle; a multiple of three
_WIDE = 192  # columns of a panel factored before the rest is updated
_NARROW = 48  # columns whose triangle is inverted, so that the rest is matrix products
_L, _N, _T = ord("L"), ord("N"), ord("T")


def routines() -> tuple[int, ...]:
    """Return the addresses of dgemm, dsyrk, dpotrf, dtrtri, dtrsm."""
    return (
        address_of("cython_blas", "dgemm"),
        address_of("cython_blas", "dsyrk"),
        address_of("cython_lapack", "dpotrf"),
        address_of("cython_lapack", "dtrtri"),
        address_of("cython_blas", "dtrsm"),
    )


@numba.njit(cache=True)
def strip_at(order, column):  # type: ignore[no-untyped-def]
    """Return the offset of the strip that begins at `column` of a packed lower triangle."""
    strips = column // STRIP
    return STRIP * (strips * order - STRIP * (strips * (strips - 1) // 2))


@numba.njit(cache=True, nogil=True)
def eliminate(todo, tree, places, blocks, panels, memory, native):  # type: ignore[no-untyped-def]
    """Eliminate the fronts `todo`; return -1, or the first position with no positive pivot."""
    start, boundary_start, into_parent, entry_start, entry_row, entry_block = tree
    child_start, child, panel_at, update_at = places
    for k in todo:
        s = 3 * (start[k + 1] - start[k])
        b = 3 * (boundary_start[k + 1] - boundary_start[k])
        panel = panels[panel_at[k] : panel_at[k] + s * (s + b)]
        update = memory[update_at[k] :]
        panel[:] = 0.0
        for q in range(start[k], start[k + 1]):
            column = 3 * (q - start[k]) * (s + b)
            for e in range(entry_start[q], entry_start[q + 1]):
                add_block(panel[column + 3 * entry_row[e] :], s + b, blocks, entry_block[e])
        for i in range(child_start[k], child_start[k + 1]):
            c = child[i]
            places_c = into_parent[boundary_start[c] : boundary_start[c + 1]]
            _add_to_panel(memory[update_at[c] :], places_c, panel, s + b, s)
        failed = _factor(panel, s + b, s, native)
        if failed >= 0:
            return start[k] + failed // 3
        _update(panel, s, b, update, 0.0 if update_at[k] > 0 else 1.0, native)
        for i in range(child_start[k], child_start[k + 1]):
            c = child[i]
            places_c = into_parent[boundary_start[c] : boundary_start[c + 1]]
            add_to_update(memory[update_at[c] :], places_c, update, b, s)
    return -1


@numba.njit(cache=True)
def add_block(target, height, blocks, entry):  # type: ignore[no-untyped-def]
    """Add a 3x3 block, transposed if `entry` = -1 - block, to columns of `height`."""
    if entry >= 0:
        for j in range(3):
            for i in range(3):
                target[j * height + i] += blocks[entry, i, j]
    else:
        for j in range(3):
            for i in range(3):
                target[j * height + i] += blocks[-1 - entry, j, i]


@numba.njit(cache=True)
def _runs(places):  # type: ignore[no-untyped-def]
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


@numba.njit(cache=True)
def _add_to_panel(child, places, panel, height, own):  # type: ignore[no-untyped-def]
    """Add the columns of a child's update that belong to a front's own dofs to its panel."""
    runs = _runs(places)
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
            source = strip_at(b, first) + (column - first) * (b - first) - first
            target = (3 * places[node] + d) * height
            for r in range(run, len(runs) - 1):
                shift = target + 3 * (places[runs[r]] - runs[r])
                for i in range(max(3 * runs[r], column), 3 * runs[r + 1]):
                    panel[shift + i] += child[source + i]


@numba.njit(cache=True)
def add_to_update(child, places, update, order, own):  # type: ignore[no-untyped-def]
    """Add the columns of a child's update that belong to a front's boundary to its update."""
    runs = _runs(places)
    b = 3 * len(places)
    run = 0
    for node in range(len(places)):
        if node >= runs[run + 1]:
            run += 1
        if 3 * places[node] < own:
            continue
        for d in range(3):
            column = 3 * node + d
            first = column // STRIP * STRIP
            source = strip_at(b, first) + (column - first) * (b - first) - first
            into = 3 * places[node] + d - own
            top = into // STRIP * STRIP
            target = strip_at(order, top) + (into - top) * (order - top) - top - own
            for r in range(run, len(runs) - 1):
                shift = target + 3 * (places[runs[r]] - runs[r])
                for i in range(max(3 * runs[r], column), 3 * runs[r + 1]):
                    update[shift + i] += child[source + i]


@numba.njit(cache=True)
def _factor(panel, m, s, native):  # type: ignore[no-untyped-def]
    """Cholesky of the first s rows of an (m, s) panel, the rest solved with it; -1 if well."""
    dgemm, _, dpotrf, dtrtri, _ = native
    inverse = np.zeros(_NARROW * _NARROW)
    copy = np.empty(_NARROW * m)
    info = np.zeros(1, np.int32)
    for wide in range(0, s, _WIDE):
        wide_end = min(wide + _WIDE, s)
        for i in range(wide, wide_end, _NARROW):
            end = min(i + _NARROW, wide_end)
            w = end - i
            call(dpotrf, (_L, w, panel[i * m + i :], m, info))
            if info[0] != 0:
                return i + info[0] - 1
            if end == m:
                continue
            for j in range(w):
                for r in range(j):
                    inverse[j * w + r] = 0.0
                for r in range(j, w):
                    inverse[j * w + r] = panel[(i + j) * m + i + r]
            call(dtrtri, (_L, _N, w, inverse, w, info))
            rest = m - end
            for j in range(w):
                copy[j * rest : (j + 1) * rest] = panel[(i + j) * m + end : (i + j + 1) * m]
            call(dgemm, (_N, _T, rest, w, w, 1.0, copy, rest, inverse, w, 0.0,
                         panel[i * m + end :], m))  # fmt: skip
            if end < wide_end:
                call(dgemm, (_N, _T, rest, wide_end - end, w, -1.0, panel[i * m + end :], m,
                             panel[i * m + end :], m, 1.0, panel[end * m + end :], m))  # fmt: skip
        for j in range(wide_end, s, _WIDE):
            call(dgemm, (_N, _T, m - j, min(_WIDE, s - j), wide_end - wide, -1.0,
                         panel[wide * m + j :], m, panel[wide * m + j :], m,
                         1.0, panel[j * m + j :], m))  # fmt: skip
    return -1


@numba.njit(cache=True)
def _update(panel, s, b, update, keep, native):  # type: ignore[no-untyped-def]
    """U = keep U - L L' with L the last b rows of the panel, U packed in strips."""
    dgemm, dsyrk, _, _, _ = native
    m = s + b
    for first in range(0, b, STRIP):
        width, height = min(STRIP, b - first), b - first
        L, U = panel[s + first :], update[strip_at(b, first) :]
        call(dsyrk, (_L, _N, width, s, -1.0, L, m, keep, U, height))
        if height > width:
            call(dgemm, (_N, _T, height - width, width, s, -1.0, L[width:], m, L, m,
                         keep, U[width:], height))  # fmt: skip


@numba.njit(cache=True, nogil=True)
def begin_root(tree, blocks, memory):  # type: ignore[no-untyped-def]
    """Write K_cc to the start of `memory`, packed."""
    start, _, _, entry_start, entry_row, entry_block = tree
    first_kept = start[-1]
    order = 3 * (len(entry_start) - 1 - first_kept)
    memory[: strip_at(order, (order - 1) // STRIP * STRIP) + STRIP * STRIP][:] = 0.0
    for q in range(first_kept, len(entry_start) - 1):
        column = 3 * (q - first_kept)
        top = column // STRIP * STRIP
        at = strip_at(order, top) + (column - top) * (order - top) - top
        for e in range(entry_start[q], entry_start[q + 1]):
            add_block(memory[at + 3 * entry_row[e] :], order - top, blocks, entry_block[e])


@numba.njit(cache=True, nogil=True)
def finish_root(tree, places, memory):  # type: ignore[no-untyped-def]
    """Add the updates of the root's children that are not K_c itself, and spread K_c."""
    start, boundary_start, into_parent, entry_start, _, _ = tree
    child_start, child, _, update_at = places
    order = 3 * (len(entry_start) - 1 - start[-1])
    for i in range(child_start[-2], child_start[-1]):
        c = child[i]
        if update_at[c] > 0:
            places_c = into_parent[boundary_start[c] : boundary_start[c + 1]]
            add_to_update(memory[update_at[c] :], places_c, memory, order, 0)
    unpack(memory, order)


@numba.njit(cache=True)
def unpack(memory, order):  # type: ignore[no-untyped-def]
    """Spread a packed lower triangle at the start of `memory` to the whole symmetric matrix."""
    for column in range(order - 1, -1, -1):
        first = column // STRIP * STRIP
        source = strip_at(order, first) + (column - first) * (order - first) - first
        target = column * order
        for i in range(order - 1, column - 1, -1):
            memory[target + i] = memory[source + i]
    mirror(memory[: order * order].reshape(order, order))


@numba.njit(cache=True, nogil=True)
def mirror(A):  # type: ignore[no-untyped-def]
    """Copy the upper triangle of a row-major matrix to its lower one, in tiles."""
    n = len(A)
    for i0 in range(0, n, 32):
        for j0 in range(i0, n, 32):
            for j in range(j0, min(j0 + 32, n)):
                for i in range(i0, min(i0 + 32, j)):
                    A[j, i] = A[i, j]


@numba.njit(cache=True, nogil=True)
def back_substitute(tree, boundary, panel_at, panels, X, native):  # type: ignore[no-untyped-def]
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
