"""Ordering, memory plan and multifrontal elimination against dense linear algebra."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sole.base.errors import MeshError, ResourceError
from sole.elimination import (
    SymmetricBlocks,
    check_memory,
    dense_inverse,
    factorise,
    multifrontal,
    nested_dissection,
    schur_complement,
    symmetric_inverse,
)
from sole.elimination.elimination_plan import packed_size, plan_elimination
from sole.elimination.multifrontal import CondensationError


def random_matrix(points: np.ndarray, seed: int, gap: float = np.inf) -> SymmetricBlocks:
    """Random positive definite K over the Delaunay graph of `points`; no edges across x = gap."""
    from scipy.sparse import coo_array, tril
    from scipy.spatial import Delaunay

    n = len(points)
    tets = Delaunay(points).simplices
    beyond = points[tets][:, :, 0] > gap
    tets = tets[beyond.all(axis=1) | ~beyond.any(axis=1)]
    rows = np.concatenate([np.repeat(tets, 4, axis=1).ravel(), np.arange(n)])
    columns = np.concatenate([np.tile(tets, 4).ravel(), np.arange(n)])
    graph = tril(coo_array((np.ones(len(rows)), (rows, columns)), (n, n)).tocsr(), format="csr")
    graph.sort_indices()
    indptr, indices = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    rng = np.random.default_rng(seed)
    blocks = rng.uniform(-1, 1, (len(indices), 3, 3))
    of_row = np.repeat(np.arange(n), np.diff(indptr))
    on_diagonal = indices == of_row
    row_sums = np.zeros((n, 3))
    np.add.at(row_sums, of_row, np.abs(blocks).sum(axis=2))
    np.add.at(row_sums, indices, np.abs(blocks).sum(axis=1))
    D = blocks[on_diagonal]
    # Diagonally dominant, hence positive definite.
    blocks[on_diagonal] = (D + D.swapaxes(1, 2)) / 2 + np.eye(3) * (row_sums[:, None] + 0.1)
    return SymmetricBlocks(indptr, indices, blocks)


def slab(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0, 1, (n, 3)) * [10.0, 5.0, 1.5]


def dense_parts(K: SymmetricBlocks, keep: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return K_c and -K_nn^-1 K_nc by dense algebra, the dofs c and the dofs n."""
    A = K.to_csr().toarray()
    c = (3 * keep[:, None] + np.arange(3)).ravel()
    n = np.setdiff1d(np.arange(len(A)), c)
    X = -np.linalg.solve(A[np.ix_(n, n)], A[np.ix_(n, c)])
    return A[np.ix_(c, c)] + A[np.ix_(c, n)] @ X, X, c, n


def test_blocks_give_the_whole_symmetric_matrix():
    K = random_matrix(slab(40), 1)
    A = K.to_csr().toarray()
    expected = np.zeros_like(A)
    for row, (start, end) in enumerate(pairwise(K.indptr)):
        for k in range(start, end):
            i, j = 3 * row, 3 * K.indices[k]
            expected[i : i + 3, j : j + 3] = K.blocks[k]
            expected[j : j + 3, i : i + 3] = K.blocks[k].T
    np.testing.assert_array_equal(A, expected)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("gap", [np.inf, 4.0], ids=["one part", "two parts"])
def test_condensed_matrix_is_the_dense_schur_complement(threads, gap):
    points = slab(900)
    K = random_matrix(points, 2, gap)
    keep = np.random.default_rng(3).permutation(np.flatnonzero(points[:, 2] < 0.15))
    tree = nested_dissection(K.indptr, K.indices, points, keep)
    K_c = schur_complement(K, tree, threads=threads)
    expected, _, _, _ = dense_parts(K, keep)
    assert np.abs(K_c - expected).max() < 1e-13 * np.abs(expected).max()
    assert (K_c == K_c.T).all()


def test_many_kept_nodes_fill_several_strips():
    points = slab(700)
    K = random_matrix(points, 4)
    keep = np.argsort(points[:, 2])[:450]
    tree = nested_dissection(K.indptr, K.indices, points, keep)
    expected, _, _, _ = dense_parts(K, keep)
    for threads in (1, 2):
        K_c = schur_complement(K, tree, threads=threads)
        assert np.abs(K_c - expected).max() < 1e-13 * np.abs(expected).max()


@pytest.mark.parametrize("threads", [1, 2])
def test_pieces_change_no_bit_and_end_at_an_interrupt(threads, monkeypatch):
    points = slab(900)
    K = random_matrix(points, 2)
    tree = nested_dissection(K.indptr, K.indices, points, np.flatnonzero(points[:, 2] < 0.15))
    whole = schur_complement(K, tree, threads=threads)
    monkeypatch.setattr(multifrontal, "_PIECE", float(np.median(tree.front_flops)))
    told: list[str] = []
    monkeypatch.setattr(multifrontal, "note", told.append)
    np.testing.assert_array_equal(schur_complement(K, tree, threads=threads), whole)
    assert len(set(told)) > 1
    # Ctrl-C raises between two pieces; the other thread ends with its own.
    plan = plan_elimination(tree, threads)
    first = [*plan.branches, plan.trunk][0]
    pieces, kernel = [], multifrontal.kernels.eliminate_fronts

    def interrupted(todo, *rest):
        pieces.append(todo)
        if todo[0] in first and len(pieces) > 1:
            raise KeyboardInterrupt
        time.sleep(0.01)
        return kernel(todo, *rest)

    monkeypatch.setattr(multifrontal.kernels, "eliminate_fronts", interrupted)
    with pytest.raises(KeyboardInterrupt):
        schur_complement(K, tree, threads=threads)
    assert len(pieces) < 8 < len(tree.parent) / 4


@settings(max_examples=25, deadline=None)
@given(st.integers(5, 160), st.integers(0, 10**6), st.data())
def test_any_size_and_any_kept_nodes(n, seed, data):
    points = slab(n, seed)
    K = random_matrix(points, seed)
    m = data.draw(st.integers(1, n))
    keep = np.random.default_rng(seed).permutation(n)[:m]
    tree = nested_dissection(K.indptr, K.indices, points, keep)
    K_c = schur_complement(K, tree, threads=1 + seed % 2)
    expected, _, _, _ = dense_parts(K, keep)
    assert np.abs(K_c - expected).max() < 1e-13 * np.abs(expected).max()


def test_coordinates_only_steer_the_cuts():
    points = slab(400)
    K = random_matrix(points, 5)
    keep = np.arange(30)
    expected, _, _, _ = dense_parts(K, keep)
    for misleading in (np.zeros_like(points), np.random.default_rng(0).uniform(size=(400, 3))):
        tree = nested_dissection(K.indptr, K.indices, misleading, keep)
        assert np.abs(schur_complement(K, tree) - expected).max() < 1e-13 * np.abs(expected).max()


@pytest.mark.parametrize("threads", [1, 2])
def test_interior_follows_the_kept_nodes(threads):
    points = slab(800)
    K = random_matrix(points, 6)
    keep = np.flatnonzero(points[:, 2] < 0.2)
    factor = factorise(K, nested_dissection(K.indptr, K.indices, points, keep), threads=threads)
    expected, X, c, n = dense_parts(K, keep)
    U_c = np.random.default_rng(7).standard_normal((3 * len(keep), 4))
    U = factor.solve_interior(U_c)
    np.testing.assert_array_equal(U[c], U_c)
    assert np.abs(U[n] - X @ U_c).max() < 1e-13
    assert np.abs(factor.K_c - expected).max() < 1e-13 * np.abs(expected).max()


def test_order_separates():
    """No entry couples two fronts unless one is above the other, and boundaries hold them all."""
    points = slab(1500)
    K = random_matrix(points, 8)
    keep = np.flatnonzero(points[:, 2] < 0.1)
    tree = nested_dissection(K.indptr, K.indices, points, keep)
    n = len(points)
    assert len(tree.parent) > 20
    np.testing.assert_array_equal(np.sort(tree.order), np.arange(n))
    np.testing.assert_array_equal(tree.order[n - len(keep) :], keep)
    position = np.argsort(tree.order)
    front = np.searchsorted(tree.start, np.arange(n), side="right") - 1
    boundary = [
        set(tree.boundary[tree.boundary_start[k] : tree.boundary_start[k + 1]])
        for k in range(len(tree.parent))
    ]
    rows = np.repeat(np.arange(n), np.diff(K.indptr))
    for I, J in zip(rows, K.indices, strict=True):
        q, p = sorted((position[I], position[J]))
        if q < tree.start[-1] and front[q] != front[p]:
            assert p in boundary[front[q]]
    for k, parent in enumerate(tree.parent):
        own = set(range(tree.start[parent], tree.start[parent + 1])) if parent >= 0 else set()
        above = boundary[parent] if parent >= 0 else set(range(tree.start[-1], n))
        assert parent == -1 or parent > k
        assert boundary[k] <= own | above


def test_separators_of_a_regular_grid_are_planes():
    """On a 24 x 8 x 4 grid of nodes with all neighbours coupled, a cut costs 32 nodes."""
    shape = (24, 8, 4)
    points = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), -1).reshape(-1, 3)
    offset = np.abs(points[:, None] - points[None]).max(axis=2)
    rows, columns = np.nonzero(np.tril(offset <= 1))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows))])
    tree = nested_dissection(indptr, columns, points.astype(float), np.array([0]))
    top = int(np.argmax(tree.parent == -1))
    assert tree.start[top + 1] - tree.start[top] == 32


def test_separator_is_the_smallest_cover():
    """Two clusters that three nodes separate, where either layer of touching nodes has 22.

    20 nodes of each cluster touch node 0 or 100 of the other, and 1 touches 60, which 0
    touches first: a matching found greedily is not the largest.
    """
    n = 120
    A = np.zeros((n, n), dtype=bool)
    A[:60, :60] = A[60:, 60:] = True
    A[60:80, 0] = True
    A[60, 1] = True
    A[100, 20:40] = True
    rows, columns = np.nonzero(np.tril(A))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows))])
    points = np.where(np.arange(n) < 60, 0.0, 1.0)[:, None] * np.ones(3)
    tree = nested_dissection(indptr, columns, points, np.array([59]))
    separator = set(tree.order[tree.start[-2] : tree.start[-1]])
    assert len(separator) == 3
    assert separator > {0, 100}


def test_plan_never_overlaps_what_is_alive():
    points = slab(1500)
    K = random_matrix(points, 9)
    tree = nested_dissection(K.indptr, K.indices, points, np.flatnonzero(points[:, 2] < 0.1))
    children: dict[int, list[int]] = {}
    for k, parent in enumerate(tree.parent):
        children.setdefault(int(parent), []).append(k)
    for threads in (1, 2):
        plan = plan_elimination(tree, threads)
        s, b = 3 * np.diff(tree.start), 3 * np.diff(tree.boundary_start)
        alive = {-1: (0, packed_size(3 * tree.kept))}
        run = np.concatenate([*plan.branches, plan.trunk])  # any interleaving holds no more
        assert sorted(run) == list(range(len(s)))
        for k in run:
            panel = (int(plan.panel_at[k]), int(s[k] * (s[k] + b[k])))
            update = (int(plan.update_at[k]), packed_size(int(b[k])))
            places = [*alive.values(), panel] + ([update] if update[0] else [])
            places = sorted(p for p in places if p[1])
            assert all(x[0] + x[1] <= y[0] for x, y in pairwise(places))
            assert places[-1][0] + places[-1][1] <= plan.size
            if update[0]:
                alive[int(k)] = update
            for c in children.get(int(k), []):
                alive.pop(c)


def test_memory_stays_near_that_of_the_condensed_matrix():
    """With most nodes kept, the elimination fits into the half of K_c that is filled last."""
    points = slab(1200)
    K = random_matrix(points, 10)
    keep = np.argsort(points[:, 2])[:700]
    tree = nested_dissection(K.indptr, K.indices, points, keep)
    assert plan_elimination(tree, threads=1).size <= 1.05 * (3 * len(keep)) ** 2


def test_job_that_does_not_fit_is_refused():
    points = slab(60)
    K = random_matrix(points, 11)
    tree = nested_dissection(K.indptr, K.indices, points, np.arange(5))
    check_memory(tree)
    with pytest.raises(ResourceError, match=r"needs 1e\+09 GB.*GB are available.*coarsen"):
        check_memory(tree, extra_bytes=1e18)


@pytest.mark.parametrize("threads", [1, 2])
def test_indefinite_stiffness_is_refused(threads):
    points = slab(600)
    K = random_matrix(points, 12)
    keep = np.arange(5)
    blocks = K.blocks.copy()
    blocks[K.indptr[301] - 1] = -np.eye(3)  # the diagonal of node 300
    tree = nested_dissection(K.indptr, K.indices, points, keep)
    with pytest.raises(CondensationError, match="not positive definite at node 300"):
        schur_complement(SymmetricBlocks(K.indptr, K.indices, blocks), tree, threads=threads)


@pytest.mark.parametrize("keep", [[], [3, 3], [-1], [60]])
def test_kept_nodes_must_be_distinct_nodes(keep):
    points = slab(60)
    K = random_matrix(points, 13)
    with pytest.raises(MeshError, match="distinct"):
        nested_dissection(K.indptr, K.indices, points, np.array(keep, dtype=np.int64))


@pytest.mark.parametrize("whole", [250, 0])
def test_inverse_is_exactly_symmetric(whole, monkeypatch):
    monkeypatch.setattr(dense_inverse, "WHOLE", whole)
    monkeypatch.setattr(dense_inverse, "BLOCK", 64)
    told: list[str] = []
    monkeypatch.setattr(dense_inverse, "note", told.append)
    A = np.random.default_rng(14).standard_normal((250, 250))
    K_c = A @ A.T + np.eye(250)
    K_c = (K_c + K_c.T) / 2
    before = K_c.copy()
    C = symmetric_inverse(K_c)
    assert np.abs(C @ K_c - np.eye(250)).max() < 1e-10
    assert (C == C.T).all()
    np.testing.assert_array_equal(K_c, before)
    assert [t.split(", ")[1] for t in told] == ([] if whole else ["0 %", "25 %", "51 %", "76 %"])


@pytest.mark.parametrize("whole", [250, 0])
def test_indefinite_matrix_has_no_inverse(whole, monkeypatch):
    monkeypatch.setattr(dense_inverse, "WHOLE", whole)
    monkeypatch.setattr(dense_inverse, "BLOCK", 3)
    with pytest.raises(CondensationError, match="tread node 1"):
        symmetric_inverse(np.diag([1.0, 1.0, 1.0, 1.0, -1.0, 1.0]))
