"""Coulomb's cone: projections against their definition, for any vector and any friction."""

from __future__ import annotations

import numpy as np
import pytest
from doors import door
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contact import coulomb as cone
from contact.one_contact_kernels import (
    EXACT,
    OPEN,
    SLIP,
    STICK,
    natural_residual,
    prepare_blocks,
    slide_on,
    solve_prepared,
)

number = st.floats(-1e3, 1e3, allow_nan=False, width=32)
vector = st.tuples(number, number, number).map(np.array)
friction = st.one_of(st.just(0.0), st.floats(0.01, 3.0))
few = settings(max_examples=60, deadline=None)


def in_cone(r, mu, slack):
    return np.hypot(r[0], r[1]) <= mu * r[2] + slack


@few
@given(vector, friction)
@example(np.array([0.0, 0.0, -1.0]), 0.0)
def test_moreau(v, mu):
    # v = P_K(v) + P_{-K*}(v), the two parts orthogonal: this characterises the projection.
    slack = 1e-12 * (1 + np.linalg.norm(v))
    p = cone.project(v, mu)
    polar = v - p
    assert in_cone(p, mu, slack) and p[2] >= 0
    assert -polar[2] >= mu * np.hypot(polar[0], polar[1]) - slack  # -polar in K*
    assert abs(p @ polar) <= 1e-12 * (v @ v)
    np.testing.assert_allclose(cone.project(p, mu), p, atol=slack)
    np.testing.assert_allclose(cone.project_dual(-v, mu), -polar, atol=slack)


@few
@given(vector, vector, friction)
def test_projection_does_not_expand(v, w, mu):
    distance = np.linalg.norm(cone.project(v, mu) - cone.project(w, mu))
    assert distance <= np.linalg.norm(v - w) * (1 + 1e-12)


@few
@given(vector, friction)
def test_projection_is_nearest(v, mu):
    # No point on rays of the cone is nearer.
    best = np.linalg.norm(v - cone.project(v, mu))
    for angle in np.linspace(0, 2 * np.pi, 25):
        ray = np.array([mu * np.cos(angle), mu * np.sin(angle), 1.0])
        along = max(0.0, v @ ray) / (ray @ ray)
        assert best <= np.linalg.norm(v - along * ray) + 1e-9


@few
@given(vector, vector, friction, st.floats(0.01, 100))
@example(np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.0, 1.0)
def test_compiled_residual_is_the_vectorised_one(r, u, mu, rho):
    expected = float(cone.residual(r, u, mu, rho))
    assert np.sqrt(door(natural_residual)(*r, *u, mu, rho)) == pytest.approx(
        expected, abs=1e-9, rel=1e-9
    )


def test_natural_map_knows_the_three_states():
    mu = 0.5
    r = np.array([[0.0, 0.0, 0.0], [0.3, 0.1, 2.0], [-0.8, 0.6, 2.0]])
    u = np.array([[0.2, -0.1, 0.4], [0.0, 0.0, 0.0], [1.6, -1.2, 0.0]])
    for rho in (0.1, 10.0):
        np.testing.assert_allclose(cone.natural_map(r, u, mu, rho), 0, atol=1e-14)
    # Wrong: force without touch, pull, slip along the force, slip inside the cone.
    wrong_r = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.8, -0.6, 2.0], [0.1, 0.0, 2.0]])
    wrong_u = np.array([[0.0, 0.0, 0.1], [0.0, 0.0, 0.0], [1.6, -1.2, 0.0], [-1.0, 0.0, 0.0]])
    assert (np.linalg.norm(cone.natural_map(wrong_r, wrong_u, mu, 1.0), axis=1) > 0.05).all()


def test_residual_sees_a_penetration_whatever_the_friction():
    r, u = np.zeros(3), np.array([0.1, 0.0, -1.0])
    for mu in (0.0, 0.7, 1e3):
        assert cone.residual(r, u, mu, 1.0) >= 1.0


def test_violation_is_the_distance_to_the_cone():
    r = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -2.0], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(cone.distance_to_cone(r, 1.0), [0.0, 2.0, np.sqrt(0.5)])


@few
@given(st.integers(0, 10_000), friction)
def test_one_contact_is_solved_exactly(seed, mu):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    W = A @ A.T + 0.05 * np.eye(3)
    q = rng.normal(size=3) * 10.0 ** rng.integers(-6, 3)
    status, *r = door(solve_prepared)(prepare_blocks(W[None], 0.0), 0, *q, mu, 0.0, EXACT)
    r = np.array(r)
    u = W @ r + q
    rho = 3 / np.trace(W)
    assert np.linalg.norm(cone.natural_map(r, u, mu, rho)) <= 1e-12 * rho * np.linalg.norm(q)
    assert status == OPEN or abs(u[2]) <= 1e-12 * np.linalg.norm(q)
    if status == STICK:
        np.testing.assert_allclose(u, 0, atol=1e-12 * np.linalg.norm(q))
    if status == SLIP:
        assert np.hypot(r[0], r[1]) == pytest.approx(mu * r[2], rel=1e-12)


@few
@given(st.integers(0, 10_000))
def test_a_contact_that_goes_on_sliding_converges_to_the_exact_force(seed):
    """`slide_on` changes nothing at the solution and leads there from nearby, a digit a step."""
    rng = np.random.default_rng(seed)
    A = 0.3 * rng.normal(size=(3, 3))
    W, mu = np.eye(3) + 0.1 * A @ A.T, rng.uniform(0.2, 0.8)
    q = np.r_[rng.normal(size=2) * 10, -rng.uniform(1, 3)]
    local = prepare_blocks(W[None], 0.0)
    status, *r = door(solve_prepared)(local, 0, *q, mu, 0.0, EXACT)
    if status != SLIP:
        return
    r = np.array(r)
    near, *same = door(slide_on)(local, 0, *r, *(W @ r + q), mu)
    assert near
    np.testing.assert_allclose(same, r, rtol=1e-12)
    x = r * (1 + 0.02 * rng.uniform(-1, 1, 3))
    for _ in range(12):
        near, *x = door(slide_on)(local, 0, *x, *(W @ x + q), mu)
        assert near
    np.testing.assert_allclose(x, r, rtol=1e-10)
