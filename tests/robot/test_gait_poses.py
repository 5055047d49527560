"""Standing, squatting, one leg; and the centre of mass on stairs."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from robot.gait import GaitError, GaitOptions, plan_balance, plan_errors, plan_squat, plan_standing
from robot.gait.com import com_motion, height_profile, pendulum_zmp
from robot.gait.footholds import Stance
from robot.gait.footsteps import walk
from robot.gait.plan import ticks
from robot.gait.schedule import Schedule
from robot.gait.zmp import zmp_reference
from robot.gait.zmp_preview import preview_gains
from robot.model import load_robot

ROBOT = load_robot("hrp2-like")


def test_standing_stands_still():
    """All at rest, the ZMP under the centre of mass between the feet."""
    plan = plan_standing(ROBOT, 0.5, GaitOptions(sole_thickness=0.02))
    assert plan.end == 0.5
    np.testing.assert_allclose(plan.q_ref, plan.q_ref[:1] + np.zeros((501, 1)), atol=1e-12)
    assert not plan.v_ref.any()
    np.testing.assert_allclose(plan.zmp, 0, atol=1e-10)
    np.testing.assert_allclose(plan.feet[:, :, 2, 3], 0.02)
    com = pin.centerOfMass(ROBOT.model, ROBOT.model.createData(), ROBOT.q0)
    np.testing.assert_allclose(plan.com[:, 2], com[2] + 0.02)


def test_squat_follows_its_heights():
    plan = plan_squat(ROBOT, [(0.2, 0.0), (1.0, -0.12), (1.5, -0.12), (2.0, -0.05)])
    z = plan.com[:, 2] - plan.com[0, 2]
    np.testing.assert_allclose(
        z[[0, 200, 1000, 1250, 1500, 2000]], [0, 0, -0.12, -0.12, -0.12, -0.05], atol=1e-12
    )
    assert plan.supports.all()
    np.testing.assert_allclose(np.diff(z) / 1e-3, plan.com_velocity[1:, 2], atol=2e-3)
    errors = plan_errors(ROBOT, plan)
    assert errors.feet < 1e-10
    assert errors.body_always < 0.01


def test_balance_on_each_leg():
    """The centre of mass comes over the standing foot, the other one stays `lift` above ground."""
    for side, k in (("left", 0), ("right", 1)):
        plan = plan_balance(ROBOT, side, hold=1.0, lift=0.04)
        held = (plan.times > 3.1) & (plan.times < 3.9)
        np.testing.assert_allclose(plan.feet[held, 1 - k, 2, 3], 0.04, atol=1e-12)
        np.testing.assert_allclose(plan.feet[held, k, 2, 3], 0.0)
        assert (plan.supports[held, k] & ~plan.supports[held, 1 - k]).all()
        foot = plan.feet[0, k, :2, 3]
        assert np.abs(plan.com[held, :2] - foot).max() < 5e-3
        assert plan_errors(ROBOT, plan).margin > 0.06
        np.testing.assert_allclose(plan.q_ref[-1], plan.q_ref[0], atol=1e-9)


@pytest.mark.parametrize("rise", [0.03, -0.05])
def test_zmp_on_stairs_follows_as_on_the_flat(rise):
    """With the height's acceleration in the formula; less than twice the error on flat ground."""
    errors = []
    for r in (0.0, rise):
        schedule = Schedule.of(walk(4, 0.25, rise=r))
        times = ticks(schedule, 2e-3)
        reference = zmp_reference(schedule, times)
        motion = com_motion(schedule, times, reference, preview_gains(2e-3, 0.8), height=0.8)
        zmp = pendulum_zmp(motion(times), reference[:, 2], 9.81)
        one = schedule.supports(times).sum(axis=1) == 1
        errors.append(np.abs(zmp - reference[:, :2])[one].max())
    assert errors[0] < 2e-3
    assert errors[1] < 2 * errors[0]


def test_height_profile_is_smooth_and_ends_on_the_last_step():
    """Taylor over 1e-4 s, as for the feet: r''' <= 60, so jerk <= 60 rise/T^3."""
    schedule, h = Schedule.of(walk(3, 0.25, rise=0.04)), 1e-4
    z, v, a = height_profile(schedule, np.arange(0, schedule.end, h), 0.8)
    jerk = 60 * 0.04 / 0.7**3
    assert np.abs(z[1:] - z[:-1] - h * v[:-1] - h**2 / 2 * a[:-1]).max() <= h**3 / 6 * jerk + 1e-15
    assert z[0] == 0.8
    assert z[-1] == pytest.approx(0.8 + 0.12)


def test_com_between_ticks_is_the_same_motion():
    """Constant jerk in between: as by Taylor, also over the fading at the end."""
    schedule = Schedule.of(walk(1, 0.1))
    times = ticks(schedule, 2e-3)
    reference = zmp_reference(schedule, times)
    motion = com_motion(schedule, times, reference, preview_gains(2e-3, 0.8), height=0.8)
    x, v, a = motion(np.arange(0, schedule.end, 1e-3))
    jerk = np.abs(np.diff(a, axis=0)).max() / 1e-3
    assert jerk < 100
    miss = x[1:] - x[:-1] - 1e-3 * v[:-1] - 1e-6 / 2 * a[:-1]
    assert np.abs(miss).max() <= 1e-9 / 6 * 2 * jerk
    end = motion(np.array([schedule.end]))
    np.testing.assert_allclose(end[0][0, :2], reference[-1, :2], atol=1e-15)
    assert not end[1].any()
    assert not end[2].any()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: plan_squat(ROBOT, [(0, 0), (1, -0.5)]),
            r"out of reach: at 0\.\d+ s, joint left_knee, \d\.\d+ rad > 2\.62 rad",
        ),
        (lambda: plan_squat(ROBOT, [(0, 0), (1, 0.2)]), r"out of reach: at .* misses by"),
        (lambda: plan_squat(ROBOT, [(1, 0), (0.5, 0)]), "times of heights must increase"),
        (lambda: plan_squat(ROBOT, [(0, np.nan)]), "list of .*finite"),
        (lambda: plan_standing(ROBOT, 0.0), "times of heights must increase"),
        (lambda: plan_balance(ROBOT, "both"), "must be 'left' or 'right', got 'both'"),
        (lambda: plan_balance(ROBOT, hold=-1.0), "hold must not be negative"),
        (lambda: plan_balance(ROBOT, lift=0.0), "lift must be positive"),
        (
            lambda: plan_standing(ROBOT, stance=Stance.parallel(0.1)),
            "feet overlap before the first step",
        ),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(GaitError, match=words):
        call()
