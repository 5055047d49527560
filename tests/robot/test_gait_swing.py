"""Swing feet: smooth, as high as asked for, clear of the edges of stairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.gait import Foothold, GaitError, Timing
from robot.gait.footsteps import Footstep, walk
from robot.gait.schedule import Schedule
from robot.gait.swing import Swing, bump, foot_motion, landing, rest_to_rest, swing_step

STEP = Footstep(side="left", foothold=Foothold(0.4, 0.1, z=0.05, yaw=0.3), start=1.0, duration=0.7)
HERE = Foothold(0.0, 0.12, 0.01, -0.1)


@pytest.mark.parametrize("shape", [rest_to_rest, bump, landing])
def test_polynomials_and_their_derivatives(shape):
    """Central differences of the values, error h^2/6 max|f'''|, f''' < 2000 on [0, 1]."""
    h, s = 1e-4, np.linspace(0.01, 0.99, 50)
    for order in range(2):
        rate = (shape(s + h)[order] - shape(s - h)[order]) / (2 * h)
        np.testing.assert_allclose(rate, shape(s)[order + 1], atol=h**2 / 6 * 5e4)


def test_polynomials_at_their_ends():
    np.testing.assert_array_equal(np.array(rest_to_rest([0.0, 1.0])), [[0, 1], [0, 0], [0, 0]])
    np.testing.assert_array_equal(np.array(bump([0.0, 1.0])), np.zeros((3, 2)))
    np.testing.assert_array_equal(np.array(landing([0.0, 1.0])), [[0, 0], [0, 1], [0, 0]])
    assert bump(0.5)[0] == 1


def test_starts_and_ends_in_place_and_at_rest():
    p, v, a = swing_step(HERE, STEP, [1.0, 1.7], Swing())
    np.testing.assert_allclose(p, [[0, 0.12, 0.01, -0.1], [0.4, 0.1, 0.05, 0.3]], atol=1e-15)
    np.testing.assert_allclose(v, 0, atol=1e-15)
    np.testing.assert_allclose(a, 0, atol=1e-12)


@given(
    rise=st.floats(-0.15, 0.15), lift=st.floats(0.01, 0.15), speed=st.sampled_from([0.0, 0.1, 0.3])
)
def test_highest_point_is_lift_above_the_higher_end(rise, lift, speed):
    """On 20001 samples the peak is missed by at most z'' T^2/8/20000^2 < 1e-8 m."""
    step = Footstep(side="left", foothold=Foothold(0.3, 0.0, z=rise), start=1.0, duration=0.7)
    swing = Swing(lift=lift, landing_speed=speed)
    p, v, _ = swing_step(Foothold(0.0, 0.0), step, 1 + 0.7 * np.linspace(0, 1, 20001), swing)
    assert p[:, 2].max() == pytest.approx(max(0.0, rise) + lift, abs=1e-8)
    assert p[:, 2].min() >= min(0.0, rise) - 1e-12 or speed > 0
    assert v[-1, 2] == pytest.approx(-speed, abs=1e-12)


def test_a_step_may_bring_its_own_lift():
    step = Footstep(side="left", foothold=Foothold(0.3, 0.0), start=1.0, duration=0.7, lift=0.1)
    p, _, _ = swing_step(Foothold(0.0, 0.0), step, np.linspace(1, 1.7, 2001), Swing(lift=0.05))
    assert p[:, 2].max() == pytest.approx(0.1, abs=1e-6)


@pytest.mark.parametrize("rise", [0.0, 0.1, -0.1])
def test_motion_is_c2_over_the_whole_walk(rise):
    """Taylor: what x, v, a predict h ahead fails by at most h^3/6 max|jerk| in x, h max|jerk| in a.

    A jump of v or a by 1e-3 would show: the bounds are 2e-8 m and 0.03 m/s^2 at h = 1e-4 s.
    """
    schedule = Schedule.of(walk(3, 0.25, rise=rise, timing=Timing(initial=0.5, final=0.5)))
    h = 1e-4
    m = foot_motion(schedule, np.arange(0, schedule.end, h))
    x, v, a = m.places, m.velocities, m.accelerations
    jerk = 60 * 0.5 / (0.6 * 0.7) ** 3 + 64 * 6 * 0.2 / 0.7**3  # r''' <= 60, b''' <= 64 * 6
    assert np.abs(np.diff(a, axis=0)).max() <= h * jerk
    assert np.abs(x[1:] - x[:-1] - h * v[:-1] - h**2 / 2 * a[:-1]).max() <= h**3 / 6 * jerk
    assert np.abs(v[1:] - v[:-1] - h * a[:-1]).max() <= h**2 / 2 * jerk


@pytest.mark.parametrize("rise", [0.03, -0.03, 0.1, -0.1])
def test_feet_clear_the_edges_of_stairs(rise):
    """Treads of 0.25 m under feet of 0.24 m: 5 mm from the toe to the edge, two edges per swing.

    Never inside a tread, and over each edge by more than 2 cm when toe or heel passes it.
    """
    schedule = Schedule.of(walk(5, 0.25, rise=rise, close=False))
    times = np.linspace(schedule.edges[3], schedule.edges[4], 4001)  # the second step: 0.5 m
    p = foot_motion(schedule, times).places[:, 1]
    covered = [np.floor((p[:, 0] + x) / 0.25 + 0.5) for x in (-0.12, 0.12)]
    tread = np.maximum(*(k * rise for k in covered))
    gap = p[:, 2] - tread
    assert gap.min() >= -1e-12
    passing = np.flatnonzero(np.diff(tread))
    assert passing.size == 2
    assert np.minimum(gap[passing], gap[passing + 1]).min() > 0.02


def test_the_standing_foot_does_not_move():
    schedule = Schedule.of(walk(2, 0.2))
    m = foot_motion(schedule, np.linspace(0, schedule.end, 999))
    carrying = schedule.supports(np.linspace(0, schedule.end, 999))
    assert not m.velocities[carrying].any()
    assert not m.accelerations[carrying].any()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lift": 0.0}, "lift must be positive"),
        ({"lift": np.nan}, "lift must be positive"),
        ({"landing_speed": -0.1}, "it is downward"),
    ],
)
def test_what_is_refused(options, words):
    with pytest.raises(GaitError, match=words):
        Swing(**options)
