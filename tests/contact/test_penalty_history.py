"""Many states at once, thresholds of rank, and the limit without friction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contact.papers.penalty import (
    ContactSpace,
    PenaltyLaw,
    VertexBody,
    VertexState,
    compute_vertex_forces,
    penalty_forces,
    penalty_history,
    required_forces_of_states,
    run_in_steps,
    run_with_events,
)
from sole.base.errors import SoleError

G, MASS = 9.81, 20.0
BOX = VertexBody.box(MASS, (0.2, 0.1, 0.2))
LAW = PenaltyLaw(kp=500.0, kv=250.0, friction=0.3, epsilon=-1e-6)


def states(count: int, seed: int = 0):
    """Boxes in the ground with 0 to 4 vertices, moving and turning."""
    r = np.random.default_rng(seed)
    return [
        BOX.dynamics(
            VertexState.at(
                (0, 0, 0.01 * r.normal()),
                0.1 * r.normal(size=3),
                r.normal(size=3),
                r.normal(size=3),
            )
        )
        for _ in range(count)
    ]


# --- Many states --------------------------------------------------------------------------------


def test_a_history_is_its_states_one_by_one():
    now = states(60)
    W, b = (np.array([getattr(d.space, name) for d in now]) for name in ("operator", "drift"))
    p, v = np.array([d.heights for d in now]), np.array([d.velocities for d in now])
    all_at_once = penalty_history(LAW, W, b, p, v)
    assert set((p <= 0).sum(axis=1)) == {0, 1, 2, 3, 4}
    for k, d in enumerate(now):
        one = penalty_forces(LAW, d.space, p[k], v[k])
        for name in ("forces", "required", "desired", "active", "rank", "residual"):
            np.testing.assert_array_equal(getattr(all_at_once, name)[k], getattr(one, name))
        np.testing.assert_array_equal(
            compute_vertex_forces(LAW, d, p[k] <= 0, v[k, :, 2] < 0), one.forces
        )


@given(seed=st.integers(0, 10_000), v=st.integers(1, 12), m=st.integers(1, 12), lg=st.floats(0, 3))
def test_stacked_required_forces_are_those_of_the_pseudo_inverse(seed, v, m, lg):
    r = np.random.default_rng(seed)
    J = r.normal(size=(5, v, m)) * np.logspace(0, -lg, m)
    W, y = J.swapaxes(1, 2) @ J, r.normal(size=(5, m))
    F, rank, residual = required_forces_of_states(W, y)
    w = np.linalg.eigvalsh(W)
    kept = w > 1e-10 * w[:, -1:]
    np.testing.assert_array_equal(rank, kept.sum(axis=1))
    for k in range(5):
        exact = np.linalg.pinv(W[k], rcond=1e-10, hermitian=True) @ y[k]
        condition = w[k, -1] / w[k][kept[k]].min()  # both solve with that many round-offs
        far = 1e-14 * condition * np.abs(y[k]).max() / w[k][kept[k]].min()
        np.testing.assert_allclose(F[k], exact, rtol=0, atol=100 * far)
        error = np.linalg.norm(W[k] @ exact - y[k])
        assert residual[k] == pytest.approx(error, rel=1e-6, abs=1e-12 * condition)


# --- The threshold ------------------------------------------------------------------------------


def test_a_body_1e11_times_as_heavy_is_lost_visibly_and_found_with_a_smaller_threshold():
    A = np.diag([1e-6] * 3 + [1e5] * 3)
    load = np.array([0, 0, -1e-6 * G, 0, 0, -1e5 * G])
    space = ContactSpace.of_dynamics(A, np.eye(6), load, np.zeros(6))
    lost = penalty_forces(PenaltyLaw(500.0, 250.0), space, np.zeros(2), np.zeros((2, 3)))
    assert lost.forces[:, 2] == pytest.approx([1e-6 * G, 0.0])
    assert (lost.rank, lost.residual) == (3, pytest.approx(G))  # what says so
    law = PenaltyLaw(500.0, 250.0, rcond=1e-13)
    found = penalty_forces(law, space, np.zeros(2), np.zeros((2, 3)))
    assert found.forces[:, 2] == pytest.approx([1e-6 * G, 1e5 * G])
    assert found.rank == 6 and found.residual < 1e-12 * G


def test_the_threshold_of_the_law_reaches_every_run():
    # One so coarse that only the largest eigenvalue of W is left: nothing carries the box.
    coarse = PenaltyLaw(kp=500.0, kv=250.0, rcond=0.99)
    start, times = VertexState.at((0, 0, 0)), np.array([0.0, 1e-3])
    assert BOX.dynamics(start).contact(coarse).forces.sum(axis=0)[2] < 0.5 * MASS * G
    for run in (
        run_with_events(BOX, coarse, start, times),
        run_in_steps(BOX, coarse, start, 1e-3, 1),
    ):
        assert run.forces[0, :, 2].sum() < 0.5 * MASS * G


# --- From A^-1 ----------------------------------------------------------------------------------


def test_space_from_the_inverse_is_the_space_from_the_inertia():
    r = np.random.default_rng(3)
    L, D, force, B = (r.normal(size=s) for s in ((9, 9), (9, 6), 9, 6))
    A = L @ L.T + np.eye(9)
    one = ContactSpace.of_dynamics(A, D, force, B)
    two = ContactSpace.of_inverse(np.linalg.inv(A), D, force, B)
    np.testing.assert_allclose(two.operator, one.operator, rtol=1e-11, atol=1e-12)  # cond(A) < 1e3
    np.testing.assert_allclose(two.drift, one.drift, rtol=1e-11, atol=1e-12)
    with pytest.raises(SoleError, match="A_inverse must be symmetric"):
        ContactSpace.of_inverse(L, D, force, B)


# --- Without friction ---------------------------------------------------------------------------


def test_a_box_without_friction_slides_for_ever_under_its_weight():
    law = PenaltyLaw(kp=500.0, kv=250.0, friction=0.0, epsilon=-1e-6)
    start = VertexState.at((0, 0, -1e-6), velocity=(0.5, 0.2, 0))
    run = run_in_steps(BOX, law, start, 1e-3, 300)
    # Nothing but round-off of 300 steps; kp turns 1e-16 of height into 5e-14 of acceleration.
    assert run.states[:, 12:14] == pytest.approx(np.tile([0.5, 0.2], (301, 1)), abs=1e-12)
    assert run.forces[:, :, 2] == pytest.approx(np.full((301, 4), MASS * G / 4), rel=1e-9)
    assert (run.forces[:, :, :2] == 0).all()
    energies = run.energies(BOX)
    assert np.abs(energies - energies[0]).max() < 1e-12 * MASS * G
    done = BOX.dynamics(start).contact(law)
    assert (done.required[:, :2] == 0).all() and done.rank == 3


# --- What is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, words",
    [
        ({"gaps": np.zeros(4)}, r"gaps must have shape \(N, n\)"),
        ({"drifts": np.zeros((2, 11))}, "drifts must have shape"),
        ({"operators": np.zeros((2, 12, 11))}, "operators must have shape"),
        ({"operators": np.full((2, 12, 12), np.nan)}, "operators must be finite"),
        ({"operators": -np.stack([np.eye(12)] * 2)}, "semidefinite"),
        ({"operators": np.triu(np.ones((2, 12, 12)))}, "symmetric"),
        ({"velocities": np.zeros((2, 4, 2))}, "velocities must have shape"),
        ({"law": None}, "law must be a PenaltyLaw"),
    ],
)
def test_histories_that_are_refused(change, words):
    given = {
        "law": LAW,
        "operators": np.stack([np.eye(12)] * 2),
        "drifts": np.zeros((2, 12)),
        "gaps": np.zeros((2, 4)),
        "velocities": np.zeros((2, 4, 3)),
    }
    with pytest.raises(SoleError, match=words):
        penalty_history(**(given | change))


def test_targets_that_are_refused():
    with pytest.raises(SoleError, match="targets must have shape"):
        required_forces_of_states(np.eye(3), np.zeros(3))
    with pytest.raises(SoleError, match="rcond"):
        required_forces_of_states(np.eye(3)[None], np.zeros((1, 3)), rcond=2.0)
