"""Paths through postures and scaled plans: the foot stays, derivatives, ZMP, bad input."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robot.gait import (
    GaitError,
    GaitOptions,
    KeyPosture,
    PlanPath,
    PostureMotion,
    Timing,
    plan_walk,
    robot_walk,
)
from robot.gait.zmp import body_zmp
from robot.model import load_robot
from sole.base.errors import ConfigError, SoleError

ROBOT = load_robot("hrp4-like")
THREE = (
    KeyPosture(),
    KeyPosture(joints={"chest_yaw": 0.4, "left_knee": 0.3}, com=(0.03, 0.01)),
    KeyPosture(joints={"right_shoulder_roll": -0.8}, com=(-0.02, 0.0)),
)


def gait(*postures, **numbers):
    return PostureMotion(posture=postures or THREE, lift=0.05, **numbers)


@pytest.fixture(scope="module")
def walk():
    footsteps = robot_walk(ROBOT, 2, 0.15, timing=Timing(single=0.6, initial=1.0, final=1.0))
    return plan_walk(ROBOT, footsteps, GaitOptions(dt=2e-3, sole_thickness=0.01))


@pytest.mark.parametrize("curve", ["spline", "bezier"])
@pytest.mark.parametrize("leg", ["left", "right"])
def test_the_path_keeps_its_foot_and_its_derivatives(curve, leg):
    path = gait(leg=leg, curve=curve).path(ROBOT, 0.02)
    side, model, h = ("left", "right").index(leg), ROBOT.model, 1e-5
    s = np.array([0.13, 0.31, 0.77])
    q, V, W = path.motion(s)
    data = model.createData()
    for k in range(len(s)):
        pin.framesForwardKinematics(model, data, q[k])
        foot = data.oMf[ROBOT.feet[side].frame]
        hold = path.stance.feet[side]
        assert foot.translation == pytest.approx([hold.x, hold.y, 0.02], abs=1e-12)
        assert foot.rotation == pytest.approx(np.eye(3), abs=1e-12)
    before, after = path.motion(s - h), path.motion(s + h)
    for k in range(len(s)):
        moved = pin.difference(model, before[0][k], after[0][k]) / (2 * h)
        assert moved == pytest.approx(V[k], abs=1e-7)  # h^2 times third derivatives below 1e3
    assert (after[1] - before[1]) / (2 * h) == pytest.approx(W, abs=1e-5)


def test_postures_are_met_with_the_centre_of_mass_where_asked():
    path = gait().path(ROBOT)
    q = path.motion(path.kinks)[0]
    data = ROBOT.model.createData()
    for posture, row in zip(THREE, q, strict=True):
        com = pin.centerOfMass(ROBOT.model, data, row)
        hold = path.stance.left
        assert com[:2] - [hold.x, hold.y] == pytest.approx(posture.com, abs=1e-8)
    assert q[1, 7 + ROBOT.joint("chest_yaw")] - q[0, 7 + ROBOT.joint("chest_yaw")] == (
        pytest.approx(0.4, abs=1e-12)
    )


def test_the_plan_rests_at_both_ends_and_stands_on_one_foot():
    plan = gait(period=0.5, initial=0.2, final=0.3).plan(ROBOT, 5e-3, 0.0)
    assert plan.end == pytest.approx(0.2 + 2 * 0.5 + 0.3)
    assert (plan.supports == [True, False]).all()
    assert np.abs(plan.v_ref[[0, 40, -60, -1]]).max() < 1e-12
    still = np.abs(plan.feet[:, 0] - plan.feet[0, 0]).max()
    assert still < 1e-12


@settings(max_examples=8, deadline=None, derandomize=True)
@given(factor=st.floats(0.4, 2.5))
def test_a_scaled_plan_is_the_same_motion_with_the_zmp_of_inverse_dynamics(factor, walk):
    plan = walk.scaled(factor)
    zmp = body_zmp(ROBOT, plan.q_ref, plan.v_ref, plan.a_ref, plan.ground)
    # accelerations are interpolated linearly over a tick: h^2/8 snap, far below 0.1 mm
    assert plan.zmp == pytest.approx(zmp, abs=1e-4)
    assert plan.schedule.edges == pytest.approx(factor * walk.schedule.edges)
    assert plan.end == pytest.approx(factor * walk.end, abs=plan.dt)
    middle = (plan.v_ref[1:] + plan.v_ref[:-1]) / 2
    k = len(plan.times) // 2
    moved = pin.difference(ROBOT.model, plan.q_ref[k], plan.q_ref[k + 1]) / plan.dt
    assert moved == pytest.approx(middle[k], abs=2e-3)  # a tick of 2 ms at jerks of 1e3


def test_a_factor_of_one_changes_nothing(walk):
    plan = walk.scaled(1.0)
    assert plan.v_ref == pytest.approx(walk.v_ref, abs=1e-9)
    assert plan.q_ref == pytest.approx(walk.q_ref, abs=1e-12)
    assert plan.zmp == pytest.approx(walk.zmp, abs=1e-9)


@pytest.mark.parametrize("factor", [0.0, -1.0, np.nan, np.inf, 1e-9])
def test_bad_factors(walk, factor):
    with pytest.raises(GaitError, match="factor"):
        walk.scaled(factor)


def test_a_plan_as_a_path_gives_its_own_ticks_and_phases(walk):
    path = PlanPath(ROBOT, walk)
    q, V, W = path.motion(walk.times[[0, 200, 500]])
    assert np.array_equal(q, walk.q_ref[[0, 200, 500]])
    assert np.array_equal(V, walk.v_ref[[0, 200, 500]])
    assert np.array_equal(W, walk.a_ref[[0, 200, 500]])
    slow = path.schedule(lambda s: 2 * s)
    assert slow.edges == pytest.approx(2 * np.minimum(walk.schedule.edges, walk.end))


@pytest.mark.parametrize(
    ("postures", "words"),
    [
        ((KeyPosture(),), "at least two postures, got 1"),
        ((KeyPosture(), KeyPosture()), "postures 1 and 2 are the same"),
        (
            (KeyPosture(), KeyPosture(joints={"left_knee": 3.0})),
            r"posture 2.*centre of mass|left_knee",
        ),
        (
            (KeyPosture(), KeyPosture(joints={"chest_yaw": 1.5})),
            "posture 2, joint chest_yaw, 1.5 rad >",
        ),
        ((KeyPosture(), KeyPosture(com=(2.0, 0.0))), "posture 2, the ankle cannot bring"),
        ((KeyPosture(), KeyPosture(joints={"tail": 0.1})), "no joint 'tail'"),
    ],
)
def test_bad_postures(postures, words):
    with pytest.raises(SoleError, match=words):
        gait(*postures).path(ROBOT)


def test_a_stretched_leg_is_singular():
    standing = gait().path(ROBOT).postures[0, ROBOT.joint("left_knee")]
    straight = {"left_knee": 0.005 - standing, "left_hip_pitch": 0.375}
    with pytest.raises(GaitError, match=r"singular left leg.*posture 2"):
        gait(KeyPosture(), KeyPosture(joints=straight)).path(ROBOT)


def test_a_motion_needs_postures_and_a_known_curve():
    with pytest.raises(ConfigError, match=r"needs tables \[\[gait.posture\]\], got none"):
        PostureMotion()
    with pytest.raises(ConfigError, match=r"curve must be one of spline, bezier"):
        gait(curve="circle")
    with pytest.raises(SoleError, match=r"finite"):
        KeyPosture(joints={"chest_yaw": np.inf})
