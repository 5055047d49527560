"""The bouncing ball: closed form against the differential equation and against integration."""

from __future__ import annotations

from math import acos, acosh, exp, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contact.papers.penalty import (
    BouncingBall,
    ContactSpace,
    Linearised,
    PenaltyLaw,
    contact_time,
    drop,
    peak_acceleration,
    penalty_forces,
    restitution,
    turn_time,
)
from sole.base.errors import SoleError

# (kp, kv): the paper's three of figures 4 and 5 and its foot, then zeta = 1, 1/2, 0.1, 0; stuck
LAWS = [(0, 5000), (1, 5000), (5, 5000), (500, 250), (1e4, 200), (1e4, 100), (1e4, 20), (1e4, 0)]
stiffness = st.floats(1e-3, 1e6)
damping = st.floats(1e-3, 1e4)


def formula(zeta):
    """Restitution as the design's sheet derives it, case by case."""
    if zeta < 1:
        return exp(-zeta / sqrt(1 - zeta**2) * acos(zeta))
    return exp(-zeta / sqrt(zeta**2 - 1) * acosh(zeta)) if zeta > 1 else exp(-1)


@pytest.mark.parametrize("zeta", [0.0, 0.1, 0.5, 0.99, 1.0, 1.01, 2.0, 30.0, 1e3])
def test_restitution_is_the_formula_of_the_damping_ratio(zeta):
    omega = 7.0
    got = restitution(PenaltyLaw(omega**2, 2 * zeta * omega))
    assert got == pytest.approx(formula(zeta), rel=1e-12)


def test_restitution_far_from_critical():
    assert restitution(PenaltyLaw(1.0, 5000.0)) == pytest.approx(1 / 5000, rel=1e-6)
    assert restitution(PenaltyLaw(0.0, 1.0)) == 0.0
    assert restitution(PenaltyLaw(0.0, 0.0)) == 0.0
    assert restitution(PenaltyLaw(1e12, 1e-3)) == pytest.approx(1.0, abs=1e-8)


def test_restitution_passes_critical_damping_without_a_step():
    """Both branches meet: zeta = 1 -+ 1e-9 differ by de/dzeta 2e-9, |de/dzeta| = 2/(3 e)."""
    below, above = (restitution(PenaltyLaw(1.0, 2 * (1 + s))) for s in (-1e-9, 1e-9))
    assert below - above == pytest.approx(2e-9 * 2 / (3 * np.e), rel=1e-3)


@given(kp=stiffness, kv=damping, scale=st.floats(1e-3, 1e3))
def test_restitution_depends_on_kp_over_kv_squared_alone(kp, kv, scale):
    """Not on kp/kv, as printed: with kp/kv = 1 it is 0.976, 0.546 and 0.031."""
    law, other = PenaltyLaw(kp, kv), PenaltyLaw(kp * scale**2, kv * scale)
    assert restitution(law) == pytest.approx(restitution(other), rel=1e-9)
    printed = [restitution(PenaltyLaw(k, k)) for k in (1e-3, 1.0, 1e3)]
    np.testing.assert_allclose(sorted(printed), [0.031, 0.546, 0.976], atol=5e-4)


@given(kp=stiffness, kv=damping)
def test_restitution_grows_with_stiffness_and_falls_with_damping(kp, kv):
    e = restitution(PenaltyLaw(kp, kv))
    assert 0 < e < 1
    assert restitution(PenaltyLaw(2 * kp, kv)) > e > restitution(PenaltyLaw(kp, 2 * kv))


@pytest.mark.parametrize("kp, kv", LAWS)
def test_motion_obeys_the_differential_equation(kp, kv):
    """Central differences of height and velocity, away from jumps, over the first contact."""
    ball = BouncingBall(PenaltyLaw(kp, kv), mass=2.0)
    span = min(contact_time(ball.law), 5e-3)
    t = ball.impact_time + np.linspace(0.02, 0.98, 401) * span
    h = 1e-4 * span
    before, here, after = (ball.motion(t + s) for s in (-h, 0.0, h))
    turn = ball.impact_time + turn_time(ball.law)
    smooth = np.abs(t - turn) > 2 * h  # the acceleration has a kink there
    slope = (after.height - before.height) / (2 * h)
    np.testing.assert_allclose(slope, here.velocity, rtol=1e-5, atol=1e-5)
    slope = (after.velocity - before.velocity)[smooth] / (2 * h)
    want = (here.force / 2.0 - 9.81)[smooth]
    np.testing.assert_allclose(slope, want, rtol=1e-5, atol=1e-5 * np.abs(want).max())


@pytest.mark.parametrize("kp, kv", LAWS)
def test_integration_meets_the_closed_form(kp, kv):
    """To 1e-9 m and 1e-9 m/s through all bounces: rtol 1e-12 over up to 25 impacts of 4.4 m/s."""
    law, times = PenaltyLaw(kp, kv), np.linspace(0, 1.6, 401)
    got, want = drop(Linearised(law), times, mass=3.0), BouncingBall(law, mass=3.0).motion(times)
    np.testing.assert_allclose(got.height, want.height, rtol=0, atol=1e-9)
    np.testing.assert_allclose(got.velocity, want.velocity, rtol=0, atol=1e-9)
    peak = 3.0 * (kp + kv + 1)  # what an error of 1e-9 makes of the force
    np.testing.assert_allclose(got.force, want.force, rtol=0, atol=1e-9 * peak)


def test_impacts_are_where_integration_finds_them():
    law = PenaltyLaw(1e4, 100)
    times, speeds = BouncingBall(law).impacts(2.4)
    found = drop(Linearised(law), [0, 1.5])
    many = len(found.touches)
    assert many >= 4
    np.testing.assert_allclose(found.touches, times[:many], rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.touch_speeds, speeds[:many], rtol=0, atol=1e-9)


@given(kp=stiffness, kv=damping, u=st.floats(1e-3, 10), g=st.floats(0.1, 20))
def test_one_impact(kp, kv, u, g):
    """Depth, duration and departure, whatever the speed and the weight."""
    law = PenaltyLaw(kp, kv)
    ball = BouncingBall(law, mass=0.3, height=0.0, velocity=-u, gravity=g)
    assert ball.impact_time == pytest.approx(0, abs=1e-12)
    tau = ball.impact_time + np.linspace(0, 1, 101) * contact_time(law)
    path = ball.motion(tau[:-1])
    assert path.height.min() >= -ball.penetration * (1 + 1e-9)
    turned = ball.motion(ball.impact_time + turn_time(law))
    assert turned.height == pytest.approx(-ball.penetration, rel=1e-8)
    assert abs(turned.velocity) <= 1e-8 * u
    left = ball.motion(ball.impact_time + contact_time(law) * (1 - 1e-9))
    assert left.velocity == pytest.approx(restitution(law) * u, rel=1e-5)
    assert (path.force >= 0.3 * g * (1 - 1e-9)).all()  # never adhesive, never less than the weight
    assert contact_time(law) <= pi / sqrt(kp) * (1 + 1e-12)  # without damping


@given(kp=stiffness, kv=damping)
def test_peak_force(kp, kv):
    """Largest of 4001 samples; the paper's m kv u only while kp <= kv^2."""
    law = PenaltyLaw(kp, kv)
    ball = BouncingBall(law, mass=2.0, height=0.0, velocity=-3.0)
    span = min(turn_time(law), pi / sqrt(kp))
    force = ball.motion(ball.impact_time + np.linspace(0, 1, 4_001) * span).force
    assert force.max() == pytest.approx(ball.peak_force, rel=1e-6)
    at_touch = 2.0 * (9.81 + kv * 3.0)
    assert ball.peak_force >= at_touch * (1 - 1e-12)
    if kp > 1.01 * kv**2:
        assert ball.peak_force > at_touch
    assert peak_acceleration(law, 3.0) == pytest.approx(ball.peak_force / 2.0 - 9.81, rel=1e-9)


def test_without_stiffness_the_ball_stays_in_the_ground():
    ball = BouncingBall(PenaltyLaw(0.0, 5000.0))
    end = ball.motion(2.4)
    assert end.height == pytest.approx(-ball.impact_speed / 5000, rel=1e-12)
    assert end.height == pytest.approx(-0.8859e-3, abs=5e-8)
    assert ball.penetration == pytest.approx(-end.height, rel=1e-12)
    assert end.force == 9.81 and end.velocity == 0
    u = ball.impact_speed
    tau = np.array([1e-5, 1e-4, 1e-3])
    want = 9.81 + 5000 * u * np.exp(-5000 * tau)
    np.testing.assert_allclose(ball.motion(ball.impact_time + tau).force, want, rtol=1e-11)


def test_without_damping_nothing_is_lost():
    ball = BouncingBall(PenaltyLaw(1e4, 0.0))
    t = np.linspace(0, 5, 500)
    path = ball.motion(t)
    potential = np.where(path.height > 0, 9.81 * path.height, 1e4 * path.height**2 / 2)
    np.testing.assert_allclose(potential + path.velocity**2 / 2, 9.81, rtol=1e-11)


def test_the_numbers_of_figures_4_and_5():
    """Quoted by the design's sheet for m = 1 kg dropped from 1 m."""
    one, five = (BouncingBall(PenaltyLaw(kp, 5000.0)) for kp in (1.0, 5.0))
    assert one.impact_time == pytest.approx(0.45152, abs=5e-6)
    assert one.impact_speed == pytest.approx(4.42945, abs=5e-6)
    assert one.motion(0.46).force == pytest.approx(9.8109, abs=5e-5)
    assert five.motion(0.46).force == pytest.approx(9.8144, abs=5e-5)
    for ball, surfaces in ((one, 2.0257), (five, 1.1571)):
        assert ball.impact_time + contact_time(ball.law) == pytest.approx(surfaces, abs=5e-5)
        assert ball.motion(surfaces - 1e-3).height < 0 < ball.motion(surfaces + 3e-4).force + 1
    assert one.peak_force == pytest.approx(22_157, abs=1)


def test_the_motion_does_not_know_the_mass():
    law, t = PenaltyLaw(1e4, 100), np.linspace(0, 1, 201)
    light, heavy = (drop(Linearised(law), t, mass=m) for m in (1.0, 1000.0))
    np.testing.assert_allclose(light.height, heavy.height, rtol=0, atol=1e-9)
    in_contact = light.force > 0
    np.testing.assert_allclose(heavy.force[in_contact], 1e3 * light.force[in_contact], rtol=1e-7)


def test_the_general_law_agrees():
    """Equations (17)-(20) on a point mass are (3) and (4)."""
    law, ball = PenaltyLaw(1e4, 100), BouncingBall(PenaltyLaw(1e4, 100), mass=3.0)
    t = np.linspace(0, 1, 60)
    path = ball.motion(t)
    space = ContactSpace.of_dynamics(3 * np.eye(3), np.eye(3), [0, 0, -3 * 9.81], np.zeros(3))
    for p, v, f in zip(path.height, path.velocity, path.force, strict=True):
        got = penalty_forces(law, space, [p], [[0, 0, v]]).forces[0]
        np.testing.assert_allclose(got, [0, 0, f], rtol=1e-12)


def test_steady_penetration_goes_to_epsilon():
    law = PenaltyLaw(500.0, 250.0, epsilon=-1e-3)
    end = drop(Linearised(law), [0, 20.0], height=-2e-3, velocity=0.0)
    assert not len(end.departures)
    assert -2e-3 * (1 + 1e-9) <= end.height[-1] < 0  # undamped on the way up, damped down


def test_a_pull_of_less_than_the_weight_moves_nothing_and_more_lifts_at_once():
    law, t = Linearised(PenaltyLaw(500.0, 250.0)), np.linspace(0, 1, 101)
    held = drop(law, t, height=0.0, pull=5.0, pull_time=0.5)
    assert not held.height.any()
    np.testing.assert_allclose(held.force, np.where(t < 0.5, 9.81, 4.81), rtol=1e-12)
    lifted = drop(law, t, height=0.0, pull=20.0, pull_time=0.5)
    late = np.maximum(0, t - 0.5)
    np.testing.assert_allclose(lifted.height, (20 - 9.81) * late**2 / 2, rtol=1e-9, atol=1e-12)
    assert lifted.departures == pytest.approx([0.5]) and lifted.departure_speeds == [0]
    assert (lifted.force[t >= 0.5] == 0).all() and (lifted.force >= 0).all()


@pytest.mark.parametrize(
    "change, words",
    [
        ({"mass": 0.0}, "mass"),
        ({"mass": np.nan}, "finite"),
        ({"gravity": 0.0}, "gravity"),
        ({"height": -1e-9}, "above ground"),
        ({"law": PenaltyLaw(1.0, 1.0, epsilon=-1e-6)}, "epsilon"),
    ],
)
def test_balls_that_are_refused(change, words):
    with pytest.raises(SoleError, match=words):
        BouncingBall(**({"law": PenaltyLaw(1.0, 1.0)} | change))


def test_times_that_are_refused():
    ball = BouncingBall(PenaltyLaw(1e6, 1e-3))
    for times in (-1.0, np.nan, [0.0, np.inf]):
        with pytest.raises(SoleError, match="times"):
            ball.motion(times)
    with pytest.raises(SoleError, match="impacts"):
        BouncingBall(PenaltyLaw(1e20, 1e10)).impacts(1e3)
    for change in ({"mass": -1.0}, {"gravity": -1.0}, {"pull": np.nan}, {"pull_time": np.nan}):
        with pytest.raises(SoleError):
            drop(Linearised(PenaltyLaw(1.0, 1.0)), [0, 1], **change)
