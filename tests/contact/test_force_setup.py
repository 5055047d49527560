"""What sweeps by forces prepare, against the operator that they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from doors import door
from structured_soles import structured

from contact.problem import SoleDelassus
from contact.solvers.force_setup_kernels import (
    ROW,
    prepare_all_entries,
    prepare_motions,
    write_velocities,
)
from contact.solvers.one_contact_kernels import NUMBERS, prepare_blocks

EPS = np.finfo(float).eps


def prepared(W: SoleDelassus) -> tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return trace, bodies, A, A S and local numbers as the sweeps have them."""
    K, C = W.contacts, W.compliances
    body, A = np.empty(K, np.int64), np.empty((K, 3, 6))
    turned, local = np.full((3 * K * C.bodies, ROW), np.nan), np.empty((K, NUMBERS))
    trace = door(prepare_motions)(
        W.node,
        C.body,
        W.frames,
        W.geometry,
        W.scale,
        W.support,
        C.diagonal,
        body,
        A.reshape(-1),
        turned,
        local,
    )
    return trace, body, A, turned.reshape(K, C.bodies, 3, ROW), local


@pytest.mark.parametrize("bodies", [1, 3])
def test_motions_blocks_and_trace_are_those_of_the_operator(bodies):
    """Sums of some twenty products: a few tens of round-offs of the largest entry."""
    W = structured(bodies=bodies).operator
    assert isinstance(W, SoleDelassus)
    trace, body, A, turned, local = prepared(W)
    np.testing.assert_array_equal(body, W.body)
    np.testing.assert_allclose(A, W.motions, atol=10 * EPS * np.abs(W.motions).max())
    rows = 6 * body[:, None] + np.arange(6)
    right = np.einsum("kal,klj->kaj", W.motions, W.support[rows])
    right = right.reshape(W.contacts, 3, bodies, 6).transpose(0, 2, 1, 3)
    np.testing.assert_allclose(turned[..., :6], right, atol=50 * EPS * np.abs(right).max())
    assert (turned[..., 6:] == 0.0).all()
    blocks = W.dense().reshape(W.contacts, 3, W.contacts, 3)[
        range(W.contacts), :, range(W.contacts)
    ]
    lower = [blocks[:, a, b] for a, b in ((0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2))]
    atol = 200 * EPS * np.abs(blocks).max()
    np.testing.assert_allclose(local[:, :6], np.stack(lower, axis=1), atol=atol)
    assert trace == pytest.approx(np.trace(W.dense()), rel=1e-13)
    door(prepare_all_entries)(1e-12 / trace, local)
    wanted = prepare_blocks(np.ascontiguousarray(blocks), 1e-12 / trace)
    # Eigenvectors of a nearly round block are free: compare what they make.
    np.testing.assert_allclose(local[:, 9:], wanted[:, 9:], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("bodies", [1, 3])
def test_velocities_are_those_of_the_operator(bodies):
    problem, rng = structured(bodies=bodies), np.random.default_rng(8)
    W, r = problem.operator, rng.normal(size=problem.offset.shape)
    assert isinstance(W, SoleDelassus)
    d, y = W.respond(r)
    u = np.empty(r.shape)
    flat = W.frames.reshape(-1), np.array(W.motions).reshape(-1)
    door(write_velocities)(W.node, np.array(W.body), *flat, d, y, problem.offset, u)
    np.testing.assert_allclose(u, problem.velocity(r), atol=1e-13 * np.abs(u).max())
