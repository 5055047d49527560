"""Event-aware integration of piecewise smooth laws, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from contact.papers.penalty import integrate_switched
from sole.base.errors import ConvergenceError, SoleError


def test_a_smooth_law_has_no_events():
    t = np.linspace(0, 10, 101)
    path = integrate_switched(lambda t, y, mode: [y[1], -y[0]], lambda t, y: [], [1.0, 0.0], t)
    np.testing.assert_allclose(path.states[:, 0], np.cos(t), atol=1e-10)
    assert path.modes.shape == (101, 0) and not len(path.event_times)
    np.testing.assert_array_equal(path.times, t)


def test_an_elastic_ball_forever():
    """p'' = -1 above, +1 below: two parabolas, period 4 sqrt(2) from p = 1; 300 events."""
    t = np.linspace(0, 400, 1001)
    path = integrate_switched(
        lambda t, y, mode: [y[1], -1.0 if mode[0] else 1.0], lambda t, y: [y[0]], [1.0, 0.0], t
    )
    period, s = 4 * 2**0.5, np.sqrt(2)
    phase = np.mod(t + s, period)
    want = np.where(phase < 2 * s, phase * (2 * s - phase) / 2, 0)
    below = phase - 2 * s
    want = np.where(phase < 2 * s, want, -below * (2 * s - below) / 2)
    np.testing.assert_allclose(path.states[:, 0], want, atol=1e-9)
    events = s + 2 * s * np.arange(len(path.event_times))
    assert len(events) == int((400 - s) / (2 * s)) + 1
    np.testing.assert_allclose(path.event_times, events, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(path.modes[:, 0], path.states[:, 0] > 0)
    np.testing.assert_array_equal(path.event_signs, np.arange(len(events)) % 2 == 1)


def test_a_switch_in_time():
    path = integrate_switched(
        lambda t, y, mode: [1.0 if mode[0] else 0.0], lambda t, y: [t - 0.3], [0.0], [0, 0.3, 1]
    )
    np.testing.assert_allclose(path.states[:, 0], [0, 0, 0.7], atol=1e-14)
    np.testing.assert_allclose(path.event_times, [0.3])


def test_switches_at_the_same_instant_turn_together():
    """Three copies of one switch, and one that turns back and forth twice as often."""
    path = integrate_switched(
        lambda t, y, mode: [-1.0 if m else 1.0 for m in mode[:3]],
        lambda t, y: [y[0], y[1], y[2], 1.0 - t],
        [1.0, 1.0, 1.0],
        [0.0, 0.5, 1.0 - 1e-9],
    )
    np.testing.assert_allclose(path.states[1], 0.5)
    assert not len(path.event_times)
    path = integrate_switched(
        lambda t, y, mode: [-1.0 if m else -2.0 for m in mode[:3]],
        lambda t, y: [y[0], y[1], y[2], 1.0 - t],
        [1.0, 1.0, 1.0],
        [0.0, 2.0],
    )
    np.testing.assert_allclose(path.states[-1], -2.0, rtol=1e-12)
    assert sorted(path.event_switches) == [0, 1, 2, 3]
    np.testing.assert_allclose(path.event_times, 1.0, rtol=1e-12)


@pytest.mark.parametrize("start", [1e-3, -1e-3, 0.0])
def test_a_start_on_the_switch_counts_as_not_positive(start):
    """p' = 1 from just above: never; from below: once; from zero: at once."""
    path = integrate_switched(lambda t, y, mode: [1.0], lambda t, y: [y[0]], [start], [0.0, 1.0])
    assert path.modes[0, 0] == (start > 0)
    assert len(path.event_times) == (0 if start > 0 else 1)
    assert path.modes[-1, 0]


def test_stop_after_events():
    path = integrate_switched(
        lambda t, y, mode: [y[1], -y[0]],
        lambda t, y: [y[0]],
        [1.0, 0.0],
        np.linspace(0, 100, 1001),
        stop=2,
    )
    np.testing.assert_allclose(path.event_times, [np.pi / 2, 3 * np.pi / 2], rtol=1e-11)
    assert path.times[-1] <= 3 * np.pi / 2 < path.times[-1] + 0.1
    assert len(path.states) == len(path.times) == len(path.modes)


def test_chatter_is_an_error():
    """p' = -sign(p) has no solution with a mode at p = 0."""
    with pytest.raises(ConvergenceError, match="both sides"):
        integrate_switched(
            lambda t, y, mode: [-1.0 if mode[0] else 1.0],
            lambda t, y: [y[0]],
            [1.0],
            [0, 2],
            most=500,
        )


def test_bounces_below_the_resolution_of_time_come_to_rest():
    """Restitution 0.1: the 20th flight lasts 1e-20 s."""

    def rhs(t, y, mode):
        return [y[1], -9.81 if mode[0] else -1e4 * y[0] - (0.0 if mode[1] else 500.0) * y[1]]

    path = integrate_switched(rhs, lambda t, y: y, [0.1, 0.0], [0.0, 3.0])
    assert abs(path.states[-1, 0]) < 1e-9
    assert abs(path.states[-1, 1]) < 1e-6


def test_a_departure_too_slow_to_be_seen_is_none():
    """It leaves at 1e-200 m/s and is back before any time has passed: held, and at rest."""
    path = integrate_switched(
        lambda t, y, mode: [y[1], -9.81 if mode[0] else -y[0]],
        lambda t, y: [y[0]],
        [0.0, 1e-200],
        [0.0, 10.0],
        most=20,
    )
    assert np.abs(path.states).max() < 1e-150
    assert not path.modes[-1, 0]


@pytest.mark.parametrize("times", [[0.0], [0.0, 0.0], [1.0, 0.0], [0.0, np.nan], [[0.0, 1.0]]])
def test_times_that_are_refused(times):
    with pytest.raises(SoleError, match="times"):
        integrate_switched(lambda t, y, mode: [0.0], lambda t, y: [], [0.0], times)


def test_other_input_that_is_refused():
    with pytest.raises(SoleError, match="start"):
        integrate_switched(lambda t, y, mode: [0.0], lambda t, y: [], [np.nan], [0, 1])
    with pytest.raises(ConvergenceError, match="integrator failed"):
        integrate_switched(
            lambda t, y, mode: [y[0] ** 2], lambda t, y: [], [1.0], [0, 2]
        )  # blows up at 1
