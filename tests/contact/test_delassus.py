"""The kinds of the Delassus operator against each other and against plain matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from soles_apart import two_unequal_soles

from contact.problem import (
    Compliances,
    DenseDelassus,
    Problem,
    SoleDelassus,
    SparseDelassus,
    certify,
    positive_semidefinite,
    solution_of,
)
from sole.base.errors import SoleError


def chain(contacts: int, seed: int = 0) -> sparse.csr_array:
    """W = H'H of contacts that touch their neighbours only: sparse and singular."""
    rng = np.random.default_rng(seed)
    rows = 2 * contacts
    H = sparse.lil_array((rows, 3 * contacts))
    for k in range(contacts):
        H[2 * k : 2 * k + 2, 3 * k : 3 * k + 3] = rng.normal(size=(2, 3))
        if k:
            H[2 * k : 2 * k + 2, 3 * k - 3 : 3 * k] = rng.normal(size=(2, 3))
    H = H.tocsr()
    return (H.T @ H).tocsr()


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 9), st.integers(0, 1000))
def test_sparse_equals_dense(contacts, seed):
    W = chain(contacts, seed)
    r = np.random.default_rng(seed).normal(size=(contacts, 3))
    a, b = SparseDelassus(W), DenseDelassus(W.toarray())
    np.testing.assert_allclose(a.apply(r), b.apply(r), atol=1e-12)
    np.testing.assert_array_equal(a.blocks, b.blocks)
    np.testing.assert_array_equal(a.dense(), b.dense())
    assert a.mean_diagonal == pytest.approx(np.diag(b.matrix).mean())
    start, row, block = a.columns
    rebuilt = np.zeros((contacts, 3, contacts, 3))
    for k in range(contacts):
        for e in range(start[k], start[k + 1]):
            rebuilt[row[e], :, k, :] += block[e]
    np.testing.assert_allclose(rebuilt.reshape(b.matrix.shape), b.matrix, atol=1e-12)


def test_sparse_without_a_diagonal_block_and_with_duplicates():
    values, i, j = [1.0, 2.0, 3.0, 4.0], [0, 0, 1, 2], [0, 0, 1, 2]
    W = sparse.coo_array((values, (i, j)), shape=(6, 6))
    operator = SparseDelassus(W.tocsr())
    np.testing.assert_array_equal(operator.blocks[0], np.diag([3.0, 3.0, 4.0]))
    assert not operator.blocks[1].any()
    assert SparseDelassus(sparse.csr_array((0, 0))).columns[0].tolist() == [0]


def test_asymmetry_is_relative():
    W = np.eye(3) * 5.0
    W[0, 1] = 0.5
    assert DenseDelassus(W).asymmetry == pytest.approx(0.1)
    assert SparseDelassus(sparse.csr_array(W)).asymmetry == pytest.approx(0.1)
    assert Problem(DenseDelassus(W), np.zeros((1, 3)), 0.3).symmetric is False


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(0, 1000), st.booleans())
def test_definiteness_is_told_by_the_smallest_eigenvalue(contacts, seed, singular):
    rng = np.random.default_rng(seed)
    n = 3 * contacts
    A = rng.normal(size=(n, n - 1 if singular else n))
    W = A @ A.T
    assert positive_semidefinite(DenseDelassus(W))
    assert positive_semidefinite(SparseDelassus(sparse.csr_array(W)))
    lowest = np.linalg.eigvalsh(W)[0]
    W -= (lowest + 1e-4 * np.diag(W).max()) * np.eye(n)  # now its smallest is -1e-4 of the largest
    assert not positive_semidefinite(DenseDelassus(W))
    assert not positive_semidefinite(SparseDelassus(sparse.csr_array(W)))


def test_zero_operator_and_empty_problem():
    assert positive_semidefinite(DenseDelassus(np.zeros((3, 3))))
    assert positive_semidefinite(SparseDelassus(sparse.csr_array((3, 3))))
    assert not positive_semidefinite(DenseDelassus(np.eye(3)[[1, 0, 2]] - np.diag([0, 0, 1.0])))
    empty = Problem.sparse(sparse.csr_array((0, 0)), np.zeros(0), 0.5)
    assert empty.contacts == 0 and certify(empty, np.zeros((0, 3))).holds(0.0)


def test_the_same_matrix_is_stored_once():
    C = np.eye(6)
    both = Compliances.of([C, C, 2])
    assert both.flat.size == 36 and both.position.tolist() == [0, 0, -1]
    assert both.nodes == 6 and both.matrix(2) is None
    f = np.arange(18.0)
    np.testing.assert_array_equal(both.apply(f), [*f[:12], *np.zeros(6)])
    with pytest.raises(SoleError, match="compliance"):
        Compliances.of([np.eye(4)])


def test_certificate_by_hand():
    # One contact, W = 2 I (rho = 1/2), mu = 1/2, q = (3, 0, -4); r = (0, 0, 1): u = (3, 0, -2).
    problem = Problem.dense(2 * np.eye(3), np.array([3.0, 0, -4]), 0.5)
    c = certify(problem, np.array([[0.0, 0, 1]]))
    # v = (3, 0, -0.5); r - rho v = (-1.5, 0, 1.25) -> P_K = (-0.8, 0, 1.6).
    scale = 0.5 * 5.0
    assert c.natural_map == pytest.approx(np.hypot(0.8, 0.6) / scale)
    assert c.signorini == pytest.approx(1.0 / scale)  # min(1, -1)
    assert c.cone == 0.0
    # -v = (-3, 0, 0.5) -> P_K = (-0.8, 0, 1.6), the distance of v to the dual cone.
    assert c.dual_cone == pytest.approx(0.5 * np.hypot(0.8, 1.6) / scale)
    assert c.complementarity == pytest.approx(0.5 * 0.5 / scale**2)
    outside = certify(problem, np.array([[2.0, 0, 0]]))
    assert outside.cone == pytest.approx(np.hypot(1.6, 0.8) / scale)  # P_K = (0.4, 0, 0.8)
    broken = certify(problem, np.array([[np.nan, 0, 0]]))
    assert not broken.finite and not broken.holds(1.0) and broken.natural_map == np.inf


def test_sole_operator_without_compliance_is_rigid():
    G = np.random.default_rng(0).normal(size=(12, 6))
    W = SoleDelassus(
        compliances=Compliances.of([4]),
        scale=np.ones(1),
        node=np.arange(4),
        frames=np.tile(np.eye(3), (4, 1, 1)),
        geometry=G,
        support=np.eye(6),
    )
    np.testing.assert_allclose(W.dense(), G @ G.T, atol=1e-14)
    assert np.linalg.matrix_rank(W.dense()) == 6


def test_sole_operator_against_its_definition():
    W, K = two_unequal_soles(), 6
    # P' (3M, 3K) by contacts, C and S as blocks, G of every body in its own columns.
    spread, motions, C = np.zeros((24, 3 * K)), np.zeros((24, 12)), np.zeros((24, 24))
    for k, i in enumerate(W.node):
        spread[3 * i : 3 * i + 3, 3 * k : 3 * k + 3] = W.frames[k].T
    for s, own in enumerate((slice(0, 9), slice(9, 24))):
        C[own, own] = W.scale[s] * W.compliances.matrix(s)
        motions[own, 6 * s : 6 * s + 6] = W.geometry[own]
    formed = spread.T @ (C + motions @ W.support @ motions.T) @ spread
    r = np.random.default_rng(4).normal(size=(K, 3))
    tight = 1e-13 * np.abs(formed).max() * 3 * K  # round-off of sums of 3 K terms
    np.testing.assert_allclose(W.dense(), formed, rtol=0, atol=tight)
    np.testing.assert_allclose(W.apply(r).ravel(), formed @ r.ravel(), rtol=0, atol=tight)
    own_blocks = formed.reshape(K, 3, K, 3)[np.arange(K), :, np.arange(K)]
    np.testing.assert_allclose(W.blocks, own_blocks, rtol=0, atol=tight)
    assert W.mean_diagonal == pytest.approx(np.trace(formed) / (3 * K))
    # A solution tells where the certificate saw the nodes go.
    solution = solution_of(Problem(W, r, np.asarray(0.5)), r, 1.0, "none")
    d = C @ spread @ r.ravel()
    np.testing.assert_allclose(solution.displacements, d, rtol=0, atol=tight)
    np.testing.assert_allclose(
        solution.velocity.ravel(), formed @ r.ravel() + r.ravel(), atol=tight
    )


def test_soles_that_share_a_compliance_move_as_if_they_did_not():
    """Twins are read once, bit for bit as two copies; a rigid body and a third sole beside them."""
    rng = np.random.default_rng(7)
    A = rng.normal(size=(12, 12))
    C = A @ A.T
    shared = Compliances.of([C, C, 3, C])
    apart = Compliances.of([C, C.copy(), 3, C.copy()])
    assert shared.flat.size < apart.flat.size
    scale, f = np.array([0.5, 2.0, 1.0, 3.0]), rng.normal(size=3 * shared.nodes)
    f[:3] = f[12:15] = f[18:21] = 0.0
    moved = shared.apply(f, scale)
    np.testing.assert_array_equal(moved, apart.apply(f, scale))
    np.testing.assert_allclose(moved[12:24], 2.0 * C @ f[12:24], rtol=1e-12)
    np.testing.assert_allclose(moved[:12], 0.5 * C @ f[:12], rtol=1e-12)
