"""Contact lost because the law knows the load a step late: the rule for epsilon, both sides."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contact.papers.penalty import (
    PenaltyLaw,
    VertexBody,
    VertexState,
    ramp_overshoot,
    release_overshoot,
    run_in_steps,
)
from contact.rigid_bodies import RigidBody
from contact.step import Body
from sole.base.errors import ConvergenceError, SoleError

G = 9.81
LAW, REST = PenaltyLaw(kp=500.0, kv=250.0), VertexState.at((0, 0, 0))
NEAR = 1e-6  # part of |epsilon| above or below the rule


def point(mass: float) -> VertexBody:
    return VertexBody(
        RigidBody(contact=Body(points=np.zeros((1, 3))), mass=mass, inertia=np.full(3, mass))
    )


def kept(body: VertexBody, kp: float, depth: float, dt: float, count: int, load, delay=1) -> bool:
    """Whether all vertices stay in contact from rest at epsilon = -depth; overdamped downward."""
    law = PenaltyLaw(kp=kp, kv=0.5 / dt, epsilon=-depth)
    start = VertexState.at((0, 0, -depth))
    run = run_in_steps(body, law, start, dt, count, load=load, delay=delay)
    return bool(run.touching.min() == len(body.vertices))


def released(force: float):
    """A push `force` [N] that ends after the first step."""
    return lambda t: np.array([0, 0, -force if t == 0 else 0, 0, 0, 0])


# --- The rule -----------------------------------------------------------------------------------


@pytest.mark.nightly
@given(
    lg_dt=st.floats(-6, -1),
    angle=st.floats(0.02, 1.4),
    lg_mass=st.floats(-2, 3),
    share=st.floats(1e-4, 0.9),
)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_a_release_is_survived_from_the_derived_depth_on(lg_dt, angle, lg_mass, share):
    """Five decades of dt and mass, ten of kp, four of dF: lost just below, kept just above."""
    dt, mass = 10**lg_dt, 10**lg_mass
    kp = (angle / dt) ** 2
    # Within what weight can pull back, kp |epsilon| < g: there dF = share of m g/angle.
    force = share * mass * G / angle / 1.5
    depth = release_overshoot(kp, dt, force * dt / mass)
    assert kp * depth < G
    count = math.ceil(math.pi / 2 / angle) + 3
    body, load = point(mass), released(force)
    assert not kept(body, kp, depth * (1 - NEAR), dt, count, load)
    assert kept(body, kp, depth * (1 + NEAR), dt, count, load)
    # The continuous rule dF dt/(m sqrt(kp)) is its limit, for some k has sin(k a) >= cos(a/2).
    rule = force * dt / mass / math.sqrt(kp)
    assert 1 - 1e-12 < depth / rule < 1 / math.sqrt(1 - angle**2 / 4) + 1e-12
    # A law that knows the load at once is not lifted at all.
    assert kept(body, kp, depth * NEAR, dt, count, load, delay=0)


@pytest.mark.parametrize(
    "kp, dt, slope", [(500.0, 1e-3, 900.0), (1e6, 1e-4, 3e4), (1e4, 5e-3, 9.0)]
)
def test_a_load_that_falls_steadily_lifts_by_twice_its_lag(kp, dt, slope):
    mass = 40.0
    depth = ramp_overshoot(kp, dt, slope * dt / mass)
    assert kp * depth < G
    count = math.ceil(math.pi / dt / math.sqrt(kp)) + 3
    body = point(mass)

    def load(t):
        return np.array([0, 0, slope * t - 1e4, 0, 0, 0])

    assert not kept(body, kp, depth * (1 - NEAR), dt, count, load)
    assert kept(body, kp, depth * (1 + NEAR), dt, count, load)
    angle = math.sqrt(kp) * dt
    assert depth == pytest.approx(2 * slope * dt / (mass * kp), rel=angle**2)


def test_four_vertices_and_an_offset_release_follow_the_same_rule():
    # A force over one edge lifts the others' vertices too: each by W's own dv.
    body = VertexBody.box(40.0, (0.2, 0.1, 0.3), com=(0, 0, -0.15))  # level: no sideways motion
    kp, dt, force, at = 500.0, 1e-3, 20.0, np.array([0.05, 0.0, 0.0])
    wrench = np.array([0, 0, -force, *np.cross(at, [0, 0, -force])])

    def load(t):
        return wrench if t == 0 else np.zeros(6)

    q_a = body.inverse @ -wrench
    dv = q_a[2] - body.vertices[:, 0] * q_a[4]
    depth = release_overshoot(kp, dt, dt * dv.max())
    count = math.ceil(math.pi / 2 / dt / math.sqrt(kp)) + 3
    # Rotations of 1e-5 rad couple the rest: beyond NEAR, so bracketed to a thousandth.
    assert not kept(body, kp, depth * 0.999, dt, count, load)
    assert kept(body, kp, depth * 1.001, dt, count, load)


def test_one_micrometre_suffices_up_to_steps_of_4_6_microseconds():
    # The paper's kp and epsilon, half the weight released: dt = |epsilon| sqrt(kp) / (g/2).
    limit = 1e-6 * math.sqrt(500.0) / (G / 2)
    assert limit == pytest.approx(4.56e-6, rel=1e-3)
    for dt, enough in ((0.99 * limit, True), (1.01 * limit, False), (1e-3, False)):
        assert (release_overshoot(500.0, dt, G / 2 * dt) <= 1e-6) == enough
    # As a simulator has it, 1 ms: two hundred times too little.
    body = point(40.0)
    assert not kept(body, 500.0, 1e-6, 1e-3, 5, released(20 * G))
    assert kept(body, 500.0, 220e-6, 1e-3, 90, released(20 * G))


def test_without_steady_penetration_every_release_is_a_false_impact():
    body, dt = point(40.0), 1e-3
    run = run_in_steps(body, LAW, REST, dt, 60, load=released(20 * G), delay=1)
    assert run.heights[2, 0] == pytest.approx(20 * G * dt**2 / 40.0)  # dv dt
    weight = 40.0 * G
    # Off the ground there is no force; back on it, m g and the blow m kv v of a false impact.
    assert (run.forces[run.touching == 0] == 0).all()
    assert run.forces[2:, 0, 2].max() > 1.05 * weight
    assert run.forces[-1, 0, 2] == pytest.approx(weight, rel=0.02)


def test_weight_pulls_back_no_harder_than_g():
    # Beyond kp |epsilon| = g saturation takes over: a longer way up, g/(2 kp) + dv^2/(2 g).
    kp, dt, mass = 1e4, 1e-4, 40.0
    dv = 3 * G / math.sqrt(kp)
    depth = release_overshoot(kp, dt, dv)
    count = 600
    body, load = point(mass), released(mass * dv / dt)
    assert not kept(body, kp, depth * 1.2, dt, count, load)
    # First order in dt over the time dv/g of the way up: 1e-4 of 3e-2 s.
    need = G / (2 * kp) + dv**2 / (2 * G)
    assert not kept(body, kp, need * 0.99, dt, count, load)
    assert kept(body, kp, need * 1.01, dt, count, load)


# --- What is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: release_overshoot(0.0, 1e-3, 1.0), "kp must be positive"),
        (lambda: release_overshoot(500.0, 0.0, 1.0), "dt must be positive"),
        (lambda: ramp_overshoot(1e6, 2e-3, 1.0), "must be below 2"),
        (lambda: run_in_steps(point(1.0), LAW, REST, 0.0, 3), "dt must be positive"),
        (lambda: kept(point(1.0), 500.0, 0.0, 1e-3, -1, None), "must not be negative"),
        (lambda: kept(point(1.0), 500.0, 0.0, 1e-3, 1, None, delay=-1), "must not be negative"),
        (lambda: kept(point(1.0), 500.0, 0.0, 1e-3, 1, lambda t: np.zeros(5)), "loads must have"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(SoleError, match=words):
        call()


def test_a_step_too_long_for_kv_is_named():
    # Stopped 25 times over in every step; friction without bound does not cut that.
    law = PenaltyLaw(kp=500.0, kv=5000.0, friction=1e12)
    start = VertexState.at((0, 0, -1e-3), velocity=(0.1, 0, 0))
    with pytest.raises(ConvergenceError, match=r"2/kv = 0\.0004 s"):
        run_in_steps(point(1.0), law, start, 5e-3, 400)
    assert run_in_steps(point(1.0), law, start, 1e-4, 10).touching.min() == 1
