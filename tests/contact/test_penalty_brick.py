"""The brick on a ramp: closed form against integration, energy and Coulomb's law."""

from __future__ import annotations

from math import cos, pi, radians, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contact.papers.penalty import Brick, ContactSpace, PenaltyLaw, integrate_slide, penalty_forces
from sole.base.errors import SoleError

G = 9.81
LAW = PenaltyLaw(kp=0.0, kv=50.0, friction=0.7)
# angle [deg], mu, p'(0): stops from above and below, slides on, turns round, smooth and flat ramps
CASES = [
    (20, 0.7, 1.0), (20, 0.7, -1.0), (20, 0.7, 0.01), (40, 0.5, 1.0), (40, 0.5, -3.0),
    (40, 0.5, -0.01), (0, 0.5, -1.0), (0, 0.0, -1.0), (30, 0.0, -1.0), (30, 0.0, 1.0),
]  # fmt: skip


def brick(angle=20.0, mu=0.7, velocity=1.0, kv=50.0, **rest):
    return Brick(PenaltyLaw(0.0, kv, mu), radians(angle), velocity, **rest)


@pytest.mark.parametrize("angle, mu, velocity", CASES)
def test_integration_meets_the_closed_form(angle, mu, velocity):
    one, t = brick(angle, mu, velocity), np.linspace(0, 1.5, 301)
    got, want = integrate_slide(one, t), one.motion(t)
    np.testing.assert_allclose(got.states[:, 0], want.way, rtol=0, atol=1e-9)
    np.testing.assert_allclose(got.states[:, 1], want.velocity, rtol=0, atol=1e-9)


@given(
    angle=st.floats(0, 80),
    mu=st.floats(0, 2),
    velocity=st.floats(-5, 5),
    kv=st.floats(0.1, 1e3),
)
def test_force_is_that_of_equation_5(angle, mu, velocity, kv):
    """The force from the motion, f_r = m g sin(alpha) - m p'', by differences; p' is continuous."""
    one = brick(angle, mu, velocity, kv, mass=3.0)
    h = 1e-3 / max(kv, 1.0)
    t = np.linspace(1e-3, 1, 200)
    before, here, after = (one.motion(t + s) for s in (-h, 0.0, h))
    a = (after.velocity - before.velocity) / (2 * h)
    force = 3.0 * (G * sin(radians(angle)) - a)
    scale = 3.0 * (G * (1 + mu) + kv * 5)
    smooth = np.abs(after.force - 2 * here.force + before.force) < 1e-4 * scale
    assert smooth.mean() > 0.95  # f_r has at most two kinks
    np.testing.assert_allclose(force[smooth], here.force[smooth], atol=1e-4 * scale)
    speed = (after.way - before.way) / (2 * h)
    np.testing.assert_allclose(speed, here.velocity, atol=1e-5 * (5 + G * (1 + mu)))
    bound = 3.0 * mu * G * cos(radians(angle)) * (1 + 1e-12) + 1e-300  # subnormal mu, too
    assert (np.abs(here.force) <= bound).all()


def test_the_event_is_at_the_threshold_velocity():
    one = brick()
    found = integrate_slide(one, [0, 2])
    v_s = G / 50 * (0.7 * cos(radians(20)) - sin(radians(20)))
    assert one.threshold == pytest.approx(v_s, rel=1e-14)
    np.testing.assert_array_equal(found.event_switches, [0])
    assert found.event_states[0, 1] == pytest.approx(v_s, rel=1e-10)
    assert found.event_times[0] == pytest.approx((1 - v_s) / (50 * v_s), rel=1e-10)


def test_stop_and_stick_force():
    one, end = brick(mass=2.0), 3.0
    path = one.motion([end])
    a, v_s = one.grip - one.downhill, one.threshold
    assert one.stops
    assert one.stop_way == pytest.approx((1 - v_s**2) / (2 * a) + v_s / 50, rel=1e-14)
    assert path.way[0] == pytest.approx(one.stop_way, rel=1e-12)
    assert path.force[0] == pytest.approx(2 * G * sin(radians(20)), rel=1e-12)
    assert 0 < path.velocity[0] < 1e-20  # never exactly 0
    assert one.stick_force == pytest.approx(2 * G * sin(radians(20)), rel=1e-14)


def test_large_kv_is_coulombs_law():
    """The way to v_0^2/(2a) differs by v_s^2/(2a), which falls with kv^2."""
    for kv in (1e2, 1e3, 1e4):
        one = brick(kv=kv)
        a = one.grip - one.downhill
        assert one.stop_way - 1 / (2 * a) == pytest.approx(one.threshold**2 / (2 * a), rel=1e-6)


@given(angle=st.floats(0, 89), mu=st.floats(0, 3), velocity=st.floats(-5, 5))
def test_it_stops_if_and_only_if_friction_beats_the_slope(angle, mu, velocity):
    one = brick(angle, mu, velocity)
    slope, grip = sin(radians(angle)), mu * cos(radians(angle))
    assert one.stops == (G * grip > G * slope) == np.isfinite(one.stop_way)
    if abs(grip - slope) > 0.01:
        speed = one.motion(2e3).velocity
        assert (abs(speed) < 1e-6) if grip > slope else (speed > 10)


def test_no_threshold_is_needed_at_rest():
    rest = brick(velocity=0.0)
    path = rest.motion(np.linspace(0, 5, 7))
    assert not path.way.any()
    np.testing.assert_allclose(path.force, rest.stick_force, rtol=1e-15)


def test_equation_9_as_printed_is_not_8():
    """(9) keeps friction linear down to -v_s only; by (8) it is, down to the lower threshold."""
    one = brick()
    v = 0.5 * (-one.threshold + one.lower_threshold)
    assert one.lower_threshold < v < -one.threshold
    linear = one.downhill + 50 * v
    printed = -one.grip  # mu m g cos(alpha) sign(p'), as |p'| > v_s
    assert one.force(v) == pytest.approx(linear)
    assert abs(printed - linear) > 1
    flat = brick(angle=0.0)
    assert flat.lower_threshold == -flat.threshold


def test_the_general_law_agrees():
    """Equations (17)-(20) on a point mass in the axes of the ramp are (5)-(8)."""
    one = brick(angle=20, mu=0.7, mass=3.0)
    law = PenaltyLaw(0.0, 50.0, 0.7)
    load = 3 * G * np.array([sin(radians(20)), 0, -cos(radians(20))])
    space = ContactSpace.of_dynamics(3 * np.eye(3), np.eye(3), load, np.zeros(3))
    for v in np.linspace(-1, 1, 41):
        f = penalty_forces(law, space, [0.0], [[v, 0, 0]]).forces[0]
        want = [-one.force(v), 0, 3 * G * cos(radians(20))]
        np.testing.assert_allclose(f, want, rtol=1e-12, atol=1e-12)


def test_shapes_of_times():
    one = brick()
    assert one.motion(0.3).way.shape == ()
    assert one.motion(np.zeros((2, 5))).force.shape == (2, 5)
    assert one.motion(0.3).way == one.motion([0.1, 0.3]).way[1]


@pytest.mark.parametrize(
    "change, words",
    [
        ({"angle": pi / 2}, "angle"),
        ({"angle": -0.1}, "angle"),
        ({"velocity": np.nan}, "finite"),
        ({"mass": 0.0}, "mass"),
        ({"gravity": -9.81}, "gravity"),
        ({"law": PenaltyLaw(1.0, 0.0)}, "kv"),
    ],
)
def test_bricks_that_are_refused(change, words):
    with pytest.raises(SoleError, match=words):
        Brick(**({"law": LAW, "angle": 0.3} | change))


def test_times_that_are_refused():
    for times in (-1.0, np.nan, [0.0, np.inf]):
        with pytest.raises(SoleError, match="times"):
            brick().motion(times)
