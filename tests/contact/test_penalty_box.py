"""A free body on vertices: its equations against mechanics written down another way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contact.papers.penalty import PenaltyLaw, VertexBody, VertexState
from contact.rigid_bodies import RigidBody
from contact.step import Body
from sole.base.errors import SoleError

G = 9.81
SIDES = (0.2, 0.1, 0.3)  # m
LAW = PenaltyLaw(kp=500.0, kv=250.0, friction=0.7)


def lopsided() -> VertexBody:
    """A body with nothing zero: offset centre of mass, full inertia, vertices off one plane."""
    points = np.array([[0.1, 0.05, 0], [-0.1, 0.06, 0.01], [0.02, -0.07, -0.01], [0, 0.1, 0.2]])
    L = np.array([[0.5, 0, 0], [0.1, 0.4, 0], [-0.2, 0.1, 0.6]])
    body = RigidBody(
        contact=Body(points=points), mass=7.0, inertia=L @ L.T, com=np.array([0.03, -0.02, 0.11])
    )
    return VertexBody(body)


def random_state(seed: int) -> VertexState:
    r = np.random.default_rng(seed)
    return VertexState.at(r.normal(size=3), *r.normal(size=(3, 3)))


# --- The equations ------------------------------------------------------------------------------


@given(seed=st.integers(0, 10_000))
@settings(max_examples=50, deadline=None, derandomize=True)
def test_equation_10_is_newton_and_euler_about_the_centre_of_mass(seed):
    model, state, r = lopsided(), random_state(seed), np.random.default_rng(seed)
    load, F = r.normal(size=6), r.normal(size=(4, 3))
    q_a = model.dynamics(state, load).accelerations(F)
    # The same in the world: m a_c = sum f, d(I_w w)/dt = sum of moments about the centre of mass.
    R, m, c, w = state.rotation, model.body.mass, model.body.com, state.twist[3:]
    arms = (model.vertices - c) @ R.T
    force = R @ load[:3] + F.sum(axis=0) + m * np.array([0, 0, -G])
    moment = R @ (load[3:] - np.cross(c, load[:3])) + np.cross(arms, F).sum(axis=0)
    I, w_world = R @ model.body.inertia @ R.T, R @ w
    spin = np.linalg.solve(I, moment - np.cross(w_world, I @ w_world))
    arm = R @ c
    origin = force / m - np.cross(spin, arm) - np.cross(w_world, np.cross(w_world, arm))
    # Two solves of condition ~ 1e2 in double precision.
    scale = 1 + np.abs(q_a).max()
    assert q_a[:3] == pytest.approx(R.T @ origin, abs=1e-12 * scale)
    assert q_a[3:] == pytest.approx(R.T @ spin, abs=1e-12 * scale)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=50, deadline=None, derandomize=True)
def test_equations_11_and_15_are_the_derivatives_they_say(seed):
    model, state, r = lopsided(), random_state(seed), np.random.default_rng(seed)
    q_a, y, h = r.normal(size=6), state.flat, 1e-5
    now = model.dynamics(state)

    def along(t):
        # Second order in t: dy/dt at the middle of a step along constant q_a.
        half = y + t / 2 * model.rate(y, q_a)
        return y + t * model.rate(half, q_a)

    ahead, behind = along(h), along(-h)
    speeds = [model.dynamics_of_flat(x, np.zeros(6)).velocities for x in (ahead, behind)]
    measured = (speeds[0] - speeds[1]) / (2 * h)
    P_aa = (now.D.T @ q_a + now.B).reshape(-1, 3)
    # Central difference: h^2/6 times third derivatives of order |w|^3 + ... < 1e2; round-off 1e-10.
    scale = (1 + np.abs(state.twist).max()) ** 4
    assert measured == pytest.approx(P_aa, abs=1e-8 * scale)
    velocity = [x[3:12].reshape(3, 3) @ x[12:15] for x in (ahead, behind)]
    assert (velocity[0] - velocity[1]) / (2 * h) == pytest.approx(
        state.rotation @ q_a[:3], abs=1e-8 * scale
    )
    # D^T q_v is the speed of the vertices themselves.
    places = [x[:3] + model.vertices @ x[3:12].reshape(3, 3).T for x in (ahead, behind)]
    assert now.velocities == pytest.approx((places[0] - places[1]) / (2 * h), abs=1e-8 * scale)
    assert (now.D.T @ state.twist).reshape(-1, 3) == pytest.approx(
        now.velocities, abs=1e-13 * scale
    )
    w = state.rotation @ state.twist[3:]
    arms = model.vertices @ state.rotation.T
    assert now.B.reshape(-1, 3) == pytest.approx(np.cross(w, np.cross(w, arms)), abs=1e-13 * scale)


# --- Rest ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("com", [(0, 0, 0), (0.03, -0.02, 0.1), (-0.04, 0.01, -0.1), (0.05, 0, 0)])
def test_rest_forces_on_four_vertices(com):
    box = VertexBody.box(40.0, SIDES, com=com)
    done = box.dynamics(VertexState.at((0, 0, 0))).contact(LAW)
    sx, sy = np.array([1, 1, -1, -1]), np.array([1, -1, 1, -1])
    share = 1 + sx * com[0] / 0.1 + sy * com[1] / 0.05
    weight = 40.0 * G
    # Eigenvalues of W down to 1e-2 of the largest: a few hundred round-offs.
    expected = np.stack([0 * share, 0 * share, weight / 4 * share], axis=1)
    assert done.forces == pytest.approx(expected, abs=1e-12 * weight)
    assert done.rank == 6
    assert done.residual < 1e-12 * G


def test_a_penetrating_edge_and_the_centre_of_mass_beyond_it():
    # Two vertices have 6 components of force and 5 of motion: nothing turns the box about the edge.
    box = VertexBody.box(40.0, SIDES)
    tilted = VertexState.at((0, 0, 0.1 * np.sin(0.2)), (0, 0.2, 0))
    done = box.dynamics(tilted).contact(LAW)
    assert done.active.tolist() == [True, True, False, False]
    assert done.rank == 5
    assert done.residual < 1e-12 * G
    # An offset beyond the face asks for pulling vertices, which saturation lets go.
    outside = VertexBody.box(40.0, SIDES, com=(0.15, 0, 0))
    done = outside.dynamics(VertexState.at((0, 0, 0))).contact(LAW)
    assert (done.required[2:, 2] < 0).all()
    assert (done.forces[2:] == 0).all()


# --- What is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: VertexBody.box(0.0, SIDES), "mass must be positive"),
        (lambda: VertexBody.box(1.0, (0.2, -0.1, 0.3)), "sides of a box must be positive"),
        (lambda: VertexBody.box(1.0, (0.2, 0.1)), "sides must have shape"),
        (lambda: VertexBody.box(1.0, SIDES, com=(0, 0, np.nan)), "com must be finite"),
        (lambda: VertexBody.box(1.0, SIDES, gravity=(0, 1)), "gravity must have shape"),
        (lambda: VertexState.at((0, 0, np.inf)), "place must be finite"),
        (
            lambda: VertexState(place=(0, 0, 0), rotation=2 * np.eye(3), twist=np.zeros(6)),
            "is not a rotation",
        ),
        (lambda: VertexState.of_flat(np.zeros(17)), "flat state must have shape"),
        (lambda: lopsided().dynamics(VertexState.at((0, 0, 0)), np.zeros(5)), "load must have"),
        (
            lambda: lopsided().dynamics(VertexState.at((0, 0, 0))).accelerations(np.zeros(3)),
            "forces must have shape",
        ),
    ],
)
def test_bad_bodies_and_states_are_refused(make, words):
    with pytest.raises(SoleError, match=words):
        make()


def test_a_body_on_a_sole_is_refused():
    contact = Body(points=np.zeros((1, 3)), compliance=1e-6 * np.eye(3))
    body = RigidBody(contact=contact, mass=1.0, inertia=np.ones(3))
    with pytest.raises(SoleError, match="rigid vertices"):
        VertexBody(body)
