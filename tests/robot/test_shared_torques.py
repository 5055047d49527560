"""Torque limits while both feet carry: rows from a linear program, met and no wider than needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robot.gait import PlanPath, plan_squat
from robot.model import load_robot
from robot.retime import ConeChoice, DriveLimits, motion_stability, retime
from robot.retime.shared_torques import SharedTorques
from sole.base.errors import SoleError

ROBOT = load_robot("hrp4-like")
CONE, LIMITS = ConeChoice(area=0.9), DriveLimits(fastest=3.0)
HEIGHTS = ((0.3, 0.0), (0.8, -0.1), (0.9, -0.1), (1.4, 0.0))


@pytest.fixture(scope="module")
def plan():
    return plan_squat(ROBOT, HEIGHTS)


def squat(plan, share):
    """The squat of a robot with a share of its torques."""
    return PlanPath(replace(ROBOT, torque=share * ROBOT.torque), plan)


@pytest.fixture(scope="module")
def weak(plan):
    return retime(squat(plan, 0.2), CONE, LIMITS, points=200)


def test_a_squat_is_as_fast_as_its_knees_allow_and_no_slower(plan, weak):
    """Definition 1 holds at all instants of the plan, by a program that knows no rows."""
    strong = retime(squat(plan, 1.0), CONE, LIMITS, points=200)
    assert weak.duration > 1.1 * strong.duration
    assert weak.share_active >= 0.95
    assert any("torque of" in word for word in weak.limiting)
    law = weak.plan(dt=5e-3)
    _, found = motion_stability(weak.path.robot, law, cone=CONE, every=4)
    margins = np.array([one.margin for one in found])
    assert margins.min() > -5e-3  # second order: 1e-2 with 120 points, 2e-4 with 400
    assert np.sort(margins)[len(margins) // 10] < 2e-2  # the limit is used
    assert 0.98 < weak.check.torque < 1.005


def test_where_torques_limit_the_least_share_is_one_at_an_end_of_the_interval(weak):
    from robot.retime.path_coefficients import path_dynamics, phases_of

    phases = phases_of(weak.maker.cones.schedule, weak.s)
    dynamics = path_dynamics(weak.path, weak.s, weak.maker.sides)
    shared = SharedTorques(weak.path, weak.maker, dynamics, phases)
    limited = [i for i, row in enumerate(weak.active) if "torque" in weak.word(int(row), 0)]
    assert len(limited) > 10
    x = weak.rate**2
    for i in limited[::4]:
        ends = [shared.least(i + end, float(weak.u[i]), float(x[i + end])).share for end in (0, 1)]
        assert max(ends) == pytest.approx(1.0, abs=1e-5)


def test_slopes_are_those_of_differences(weak):
    from robot.retime.path_coefficients import path_dynamics, phases_of

    phases = phases_of(weak.maker.cones.schedule, weak.s)
    dynamics = path_dynamics(weak.path, weak.s, weak.maker.sides)
    shared = SharedTorques(weak.path, weak.maker, dynamics, phases)
    here = shared.least(50, -7.0, 3.0)
    h = 1e-3
    for slope, du, dx in ((here.slope_u, h, 0.0), (here.slope_x, 0.0, h)):
        up = shared.least(50, -7.0 + du, 3.0 + dx).share
        down = shared.least(50, -7.0 - du, 3.0 - dx).share
        assert slope == pytest.approx((up - down) / (2 * h), rel=1e-4, abs=1e-7)


def test_knees_too_weak_to_stand_are_named(plan):
    with pytest.raises(SoleError, match=r"no timing meets the torque limits: .* joint \w+_knee"):
        retime(squat(plan, 0.1), CONE, LIMITS, points=60)


def test_toppra_alone_gives_up_on_a_squat():
    """At 2160 places of this squat its solver finds no number, although the plan itself is one."""
    plan = plan_squat(load_robot("hrp2-like"), ((1.6, 0.0), (2.6, -0.15), (3.6, 0.0)))
    fast = retime(PlanPath(load_robot("hrp2-like"), plan), CONE, LIMITS, points=1000)
    assert fast.duration < 0.5 * plan.end
    assert fast.check.margin > -1e-3
