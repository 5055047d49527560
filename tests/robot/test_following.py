"""A posture that follows its tasks: what Pinocchio says of the tasks, their rates and the base."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from robot.gait import BodyKinematics, Targets
from robot.gait.following_kernels import FASTEST
from robot.model import load_robot

WORLD = pin.LOCAL_WORLD_ALIGNED
T = 1e-3


@pytest.fixture(scope="module")
def robot():
    return load_robot("hrp2-like")


def tasks(robot, q):
    """Places and turns of both soles, centre of mass, turn of the waist, by Pinocchio."""
    model, data = robot.model, robot.model.createData()
    pin.forwardKinematics(model, data, q)
    frames = [pin.updateFramePlacement(model, data, foot.frame) for foot in robot.feet]
    waist = pin.updateFramePlacement(model, data, robot.waist)
    com = pin.centerOfMass(model, data, q)
    return Targets(
        np.array([f.translation for f in frames]),
        np.array([f.rotation for f in frames]),
        np.array(com),
        waist.rotation.copy(),
    )


def motion(robot, q, v, a):
    """Rates (2, 18) of the tasks, by Pinocchio."""
    model, data = robot.model, robot.model.createData()
    pin.forwardKinematics(model, data, q, v, a)
    pin.updateFramePlacements(model, data)
    rates = np.zeros((2, 18))
    for k, foot in enumerate(robot.feet):
        rows = slice(6 * k, 6 * k + 6)
        rates[0, rows] = pin.getFrameVelocity(model, data, foot.frame, WORLD).vector
        rates[1, rows] = pin.getFrameClassicalAcceleration(model, data, foot.frame, WORLD).vector
    rates[0, 15:] = pin.getFrameVelocity(model, data, robot.waist, WORLD).angular
    rates[1, 15:] = pin.getFrameAcceleration(model, data, robot.waist, WORLD).angular
    pin.centerOfMass(model, data, q, v, a)
    rates[0, 12:15], rates[1, 12:15] = data.vcom[0], data.acom[0]
    return rates


def moving(robot, seed):
    """A posture near half-sitting, with a velocity and an acceleration of base and legs."""
    body, rng = BodyKinematics(robot), np.random.default_rng(seed)
    v, a, way = np.zeros((3, robot.model.nv))
    v[body.moving], a[body.moving] = rng.normal(size=(2, 18)) * [[0.5], [2.0]]
    way[body.moving] = 0.05 * rng.normal(size=18)
    return body, pin.integrate(robot.model, robot.q0, way), v, a


@pytest.mark.parametrize("seed", range(4))
def test_tasks_and_their_rates_are_met(robot, seed):
    """Of a motion whose posture, velocity and acceleration at the end of T are known."""
    body, q, v, a = moving(robot, seed)
    end = pin.integrate(robot.model, q, T * v + T * T / 2 * a)
    v_end, a_end = v + T * a, a.copy()
    goals, rates = tasks(robot, end), motion(robot, end, v_end, a_end)
    start = pin.integrate(robot.model, q, 3e-8 * v)  # one Newton step away, whose J gives rates
    found, new_v, new_a, wrench, left = body.follow(goals, rates, T, start, v, a)
    assert left < 1e-12
    assert np.abs(pin.difference(robot.model, end, found)).max() < 1e-9
    np.testing.assert_allclose(motion(robot, found, new_v, new_a), rates, atol=1e-6)
    assert np.abs(new_v - v_end).max() < 1e-6
    asked = pin.rnea(robot.model, robot.model.createData(), found, new_v, new_a)[:6]
    np.testing.assert_allclose(wrench, asked, atol=1e-9 * robot.mass * 9.81)


def test_a_start_that_is_farther_away_takes_more_steps(robot):
    """A posture 0.02 rad away is found as well; the next tick is one step away again."""
    body, q, v, a = moving(robot, 1)
    goals, rates = tasks(robot, q), np.zeros((2, 18))
    way = np.zeros(robot.model.nv)
    way[body.moving] = 0.02
    start = pin.integrate(robot.model, q, way)
    found, new_v, *_, left = body.follow(goals, rates, T, start, 0 * v, 0 * a)
    assert left < 1e-8 and not new_v.any()
    assert np.abs(pin.difference(robot.model, q, found)).max() < 1e-7
    again, *_ = body.follow(goals, rates, T, found, 0 * v, 0 * a)
    assert np.abs(pin.difference(robot.model, q, again)).max() < 1e-12


def test_joints_are_never_faster_than_the_limit(robot):
    """Rates that ask for more are followed by damped least squares, cut."""
    body, q, v, a = moving(robot, 2)
    rates = np.zeros((2, 18))
    rates[0, 12] = 50.0  # m/s of the centre of mass
    _, new_v, new_a, *_ = body.follow(tasks(robot, q), rates, T, q, 0 * v, 0 * a)
    assert 0.5 * FASTEST < np.abs(new_v).max() <= FASTEST and not new_a.any()


def test_out_of_reach_is_damped_least_squares(robot):
    """A centre of mass far above: the error is told, nothing is thrown."""
    body, q, v, a = moving(robot, 0)
    goals = tasks(robot, q)
    goals.com[2] += 0.3
    found, new_v, new_a, wrench, left = body.follow(goals, np.zeros((2, 18)), T, q, 0 * v, 0 * a)
    assert left > 0.05 and np.isfinite(found).all()
    assert not new_v.any() and not new_a.any()
    asked = pin.rnea(robot.model, robot.model.createData(), found, new_v, new_a)[:6]
    np.testing.assert_allclose(wrench, asked, atol=1e-9 * robot.mass * 9.81)
