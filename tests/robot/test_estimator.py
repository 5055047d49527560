"""What is made of the readings, against the motion they were taken from."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from robot_cases import G, feet
from sensing_cases import PERFECT, step_of

from robot.gait import GaitOptions, plan_walk, robot_walk
from robot.sensing import Estimator, Noise, Sensors
from robot.sensing.estimator import CALM, UPRIGHT

TICK = 2e-3  # s


@cache
def planned():
    """Two steps with a turn, after standing for long enough to find the biases."""
    steps = robot_walk(feet().robot, 2, 0.2, turn=0.2, close=False)
    return plan_walk(feet().robot, steps, GaitOptions(dt=TICK, sole_thickness=feet().thickness))


def seen(k: int):
    """Tick k of the plan as a step; the feet share the weight by where the ZMP is."""
    on, plan = feet(), planned()
    places = plan.feet[k, :, :2, 3]
    along = places[1] - places[0]
    right = np.clip((plan.zmp[k] - places[0]) @ along / (along @ along), 0.0, 1.0)
    shares = np.array([1.0 - right, right]) if plan.supports[k].all() else plan.supports[k]
    w = np.zeros((2, 6))
    w[:, 2] = shares * G * on.robot.mass
    return step_of(on, plan.q_ref[k], plan.v_ref[k], plan.a_ref[k], wrenches=w)


def followed(noise, seed=1):
    """Errors at every tick: attitude (N, 3) [rad], base (N, 3) [m], velocity (N, 6), wrench."""
    on, plan = feet(), planned()
    sensors = Sensors(on, noise, seed, TICK)
    estimator = Estimator(on.robot, plan.q_ref[0], TICK)
    errors = []
    for k in range(1, len(plan.times)):
        known = estimator.update(sensors.read(seen(k)))
        R, true = (pin.Quaternion(q[3:7]).toRotationMatrix() for q in (known.q, plan.q_ref[k]))
        away = known.q[:3] - plan.q_ref[k, :3], known.v[:6] - plan.v_ref[k, :6]
        errors.append(np.concatenate([pin.log3(true.T @ R), *away]))
    return np.split(np.array(errors), [3, 6], axis=1)


def test_perfect_sensors_tell_where_a_walking_robot_is():
    plan = planned()
    attitude, base, velocity = followed(PERFECT)
    # It moves by far more than what is asked for, lands twice and turns.
    assert np.ptp(plan.q_ref[:, 0]) > 0.2
    assert np.ptp(plan.v_ref[:, :3], axis=0).max() > 0.3
    assert np.rad2deg(np.abs(attitude)).max() < 0.02
    assert np.abs(base).max() < 3e-4
    assert np.abs(velocity[:, :3]).max() < 0.02  # what joint velocities lag in 2 ms
    assert np.abs(velocity[:, 3:]).max() < 1e-3


@pytest.mark.nightly
def test_noisy_sensors_tell_nearly_as_well():
    attitude, base, velocity = followed(Noise())
    assert np.rad2deg(np.abs(attitude)).max() < 0.05
    assert np.abs(base).max() < 1e-3
    assert np.sqrt(np.mean(velocity[:, :3] ** 2, axis=0)).max() < 5e-3


def test_biases_show_while_it_stands():
    on, plan = feet(), planned()
    noise = Noise(gyro_bias=0.02, accelerometer_bias=0.2)
    sensors, estimator = Sensors(on, noise, 3, TICK), Estimator(on.robot, plan.q_ref[0], TICK)
    for _ in range(round(1.2 * CALM / TICK)):
        estimator.update(sensors.read(seen(0)))
    assert estimator.bias[0] == pytest.approx(sensors.gyro_bias, abs=5e-4)
    assert estimator.bias[1] == pytest.approx(sensors.accelerometer_bias, abs=0.01)


@pytest.mark.parametrize("lean", [(0.02, 0.0), (0.0, -0.02)])
def test_a_wrong_attitude_turns_upright(lean):
    on, plan = feet(), planned()
    sensors, estimator = Sensors(on, PERFECT, 1, TICK), Estimator(on.robot, plan.q_ref[0], TICK)
    estimator.stood = 10.0  # long enough on its feet to know its biases
    wrong = pin.exp3(np.array([*lean, 0.0]))
    estimator.q[3:7] = pin.Quaternion(wrong).coeffs()
    seconds = 3.0
    for _ in range(round(seconds / TICK)):
        known = estimator.update(sensors.read(seen(0)))
    left = pin.log3(pin.Quaternion(known.q[3:7]).toRotationMatrix())[:2]
    assert left == pytest.approx(np.exp(-UPRIGHT * seconds) * np.array(lean), rel=0.1, abs=5e-4)


def test_in_flight_it_goes_on_as_a_stone():
    on = feet()
    q, v, a = planned().q_ref[0].copy(), np.zeros(on.robot.model.nv), np.zeros(on.robot.model.nv)
    sensors, estimator = Sensors(on, PERFECT, 1, TICK), Estimator(on.robot, q, TICK)
    start, speed = q[:3].copy(), np.array([0.3, 0.0, 0.5])
    arm = on.robot.model.frames[on.robot.imu].placement.translation
    assert np.linalg.norm(arm) > 0.1
    estimator.speed, a[2] = speed.copy(), -G
    for k in range(1, 101):
        t = k * TICK
        q[:3] = start + t * speed - [0, 0, G * t**2 / 2]
        v[:3] = speed - [0, 0, G * t]
        known = estimator.update(sensors.read(step_of(on, q, v, a)))
    assert known.v[:3] == pytest.approx(v[:3], abs=1e-9)
    assert known.q[:3] == pytest.approx(q[:3], abs=G * 0.1 * TICK)


def test_the_wrench_of_the_ground_is_without_the_weight_of_the_foot():
    on, plan = feet(), planned()
    sensors, estimator = Sensors(on, PERFECT, 1, TICK), Estimator(on.robot, plan.q_ref[0], TICK)
    step = seen(0)
    step.contact.wrenches[:] += np.array([3.0, -2.0, 0.0, 1.0, 2.0, 0.5])
    known = estimator.update(sensors.read(step))
    assert known.wrenches == pytest.approx(step.contact.wrenches, abs=1e-6)
    assert len(known.switches) == 2


def test_an_estimate_goes_on_from_its_arrays():
    on, plan = feet(), planned()
    sensors = Sensors(on, replace(Noise(), delay=0.0), 4, TICK)
    one, other = (Estimator(on.robot, plan.q_ref[0], TICK) for _ in range(2))
    for k in range(1, 40):
        one.update(sensors.read(seen(k)))
    other.restore(one.arrays())
    for k in range(40, 60):
        readings = sensors.read(seen(k))
        a, b = one.update(readings), other.update(readings)
        assert all(np.array_equal(getattr(a, n), getattr(b, n)) for n in ("q", "v", "wrenches"))
