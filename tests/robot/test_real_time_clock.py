"""The pace of a live scene: naps ahead of the clock, short delays made up, long ones not."""

from __future__ import annotations

import pytest

from robot.live import real_time_clock
from robot.live.real_time_clock import LATE, RealTimeClock

DT = 1e-3


class Time:
    """A clock that only sleeping and working move."""

    def __init__(self):
        self.now, self.naps = 100.0, []

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        self.naps.append(seconds)
        self.now += seconds


@pytest.fixture
def passing(monkeypatch):
    made = Time()
    monkeypatch.setattr(real_time_clock, "time", made)
    return made


def walk(clock, passing, costs, t=0.0):
    """Simulate steps that take `costs` [s]; return by how much each is ahead when it has waited."""
    ahead = []
    for k, cost in enumerate(costs, start=1):
        passing.now += cost
        clock.wait(t + k * DT)
        ahead.append(t + k * DT - (passing.now - 100.0))
    return ahead


def test_it_sleeps_once_in_some_steps_and_keeps_the_pace(passing):
    clock = RealTimeClock(nap=0.004)
    clock.start(0.0)
    ahead = walk(clock, passing, [0.5e-3] * 1000)
    assert max(ahead) <= 0.004 + 1e-9 and min(ahead) >= -1e-9
    assert len(passing.naps) < 1000 / 8 and passing.now == pytest.approx(101.0, abs=0.005)


def test_without_a_nap_every_step_is_in_time(passing):
    clock = RealTimeClock(nap=0.0)
    clock.start(0.0)
    assert max(map(abs, walk(clock, passing, [0.5e-3] * 100))) < 1e-9


def test_a_short_delay_is_made_up_and_a_long_one_is_not(passing):
    clock = RealTimeClock()
    clock.start(0.0)
    walk(clock, passing, [0.9 * LATE] + [0.2e-3] * 999)
    assert passing.now == pytest.approx(101.0, abs=0.005)
    walk(clock, passing, [2 * LATE] + [0.2e-3] * 999, t=1.0)
    assert passing.now == pytest.approx(102.0 + 2 * LATE, abs=0.01)


def test_the_speed_is_that_of_the_last_second(passing):
    clock = RealTimeClock()
    clock.start(0.0)
    for k in range(1, 301):
        passing.now += 0.02
        clock.measure(0.01 * k)
    assert clock.factor == pytest.approx(0.5, rel=0.01) and clock.too_slow
    for k in range(1, 101):
        passing.now += 0.02
        clock.measure(3.0 + 0.02 * k)
    assert clock.factor == pytest.approx(1.0, rel=0.01) and not clock.too_slow


def test_a_chosen_speed_is_kept_and_slow_motion_is_measured_against_it(passing):
    clock = RealTimeClock(nap=0.0, speed=0.25)
    clock.start(0.0)
    for k in range(1, 1001):
        passing.now += 0.5e-3
        clock.wait(k * DT)
        clock.measure(k * DT)
    assert passing.now == pytest.approx(104.0, abs=1e-6)
    assert clock.factor == pytest.approx(0.25, rel=0.01) and not clock.too_slow
    clock.speed = 2.0
    clock.start(1.0)
    for k in range(1, 5001):
        passing.now += 1e-3  # real time at best
        clock.wait(1.0 + k * DT)
        clock.measure(1.0 + k * DT)
    assert clock.factor == pytest.approx(1.0, rel=0.01) and clock.too_slow
