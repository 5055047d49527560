"""Readings against closed forms: inertial unit, ankle sensors, contact switches, delay, noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from robot_cases import DT, G, feet, hold, simulator, standing
from sensing_cases import PERFECT, step_of

from robot.model import load_robot
from robot.sensing import Noise, Sensors, pads_of
from robot.sensing.ankles import Ankles
from robot.sensing.sensors import Delay
from robot.soles import on_soles
from robot.walk import Scenario, SoleChoice
from robot.walk.assembly import choose_soles
from sole.base.errors import ConfigError


def lola():
    robot = load_robot("lola-like")
    return on_soles(
        robot, *choose_soles(Scenario(sole=SoleChoice(size=0.06, element="p1")), robot, None)
    )


def turned_unit(on, rotation, arm):
    """The same feet with the inertial unit elsewhere."""
    model = pin.Model(on.robot.model)
    model.frames[on.robot.imu].placement = pin.SE3(rotation, arm)
    return replace(on, robot=replace(on.robot, model=model))


def test_the_inertial_unit_of_a_turning_accelerating_body():
    rng = np.random.default_rng(1)
    in_base, arm = pin.exp3(np.array([0.3, -1.1, 2.0])), np.array([0.1, -0.2, 0.3])
    on = turned_unit(feet(), in_base, arm)
    q, v, a = standing(on), np.zeros(on.robot.model.nv), np.zeros(on.robot.model.nv)
    R = pin.exp3(rng.standard_normal(3))
    q[3:7] = pin.Quaternion(R).coeffs()
    v[:6], a[:6] = rng.standard_normal((2, 6))
    w, dw = v[3:6], a[3:6]
    # Acceleration of a point of a body in its axes, and gravity felt as a push upwards.
    felt = a[:3] + np.cross(w, v[:3]) + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
    felt += R.T @ [0, 0, G]
    readings = Sensors(on, PERFECT, 1, DT).read(step_of(on, q, v, a))
    assert readings.gyro == pytest.approx(in_base.T @ w, abs=1e-12)
    assert readings.accelerometer == pytest.approx(in_base.T @ felt, abs=1e-12)
    assert np.array_equal(readings.angles, q[7:])
    rounded = Sensors(on, replace(PERFECT, encoder=1e-3), 1, DT).read(step_of(on, q)).angles
    assert np.abs(rounded - q[7:]).max() <= 0.5e-3 + 1e-15
    assert rounded * 1e3 == pytest.approx(np.round(q[7:] * 1e3), abs=1e-9)


def test_what_hangs_below_an_ankle_weighs_and_resists():
    on = feet()
    robot, q = on.robot, standing(feet())
    below = robot.model.inertias[robot.left.joint]
    m, c = below.mass, robot.left.sole_to_joint[:3, :3].T @ below.lever
    sole, mass = on.soles[0].inertia, load_robot("hrp2-like").model.inertias[robot.left.joint].mass
    assert m == pytest.approx(mass + sole.mass)
    sensors = Sensors(on, PERFECT, 1, DT)
    # At rest in the air: minus the weight.
    air = sensors.read(step_of(on, q)).wrenches
    assert air[0] == pytest.approx([0, 0, -m * G, *np.cross(c, [0, 0, -m * G])], abs=1e-12)
    # In free fall nothing is felt; accelerated, the inertia.
    a = np.zeros(robot.model.nv)
    a[2] = -G
    assert sensors.read(step_of(on, q, a=a)).wrenches == pytest.approx(np.zeros((2, 6)), abs=1e-9)
    a[:3] = [2.0, 0.0, -G]
    pushed = sensors.read(step_of(on, q, a=a)).wrenches[1]
    assert pushed[:3] == pytest.approx([-2.0 * m, 0, 0], abs=1e-9)
    # The ground's wrench about the sole frame, at the ankle 105 mm above it.
    w = np.array([[10.0, -20.0, 300.0, 1.0, 2.0, 3.0], [0.0, 0.0, 200.0, 0.0, 0.0, 0.0]])
    felt = sensors.read(step_of(on, q, wrenches=w)).wrenches - air
    assert felt[:, :3] == pytest.approx(w[:, :3], abs=1e-12)
    arm = np.array([0.015, 0.0, -0.105])
    assert felt[0, 3:] == pytest.approx(w[0, 3:] + np.cross(arm, w[0, :3]), abs=1e-12)
    # Standing still, the ground's wrench is found again from the reading.
    ankles, none = Ankles(robot), np.zeros(robot.model.nv)
    assert ankles.to_soles(felt + air + ankles.burden(q, none, none)) == pytest.approx(w, abs=1e-9)


def test_an_ankle_sensor_feels_the_torque_of_its_joint():
    """The last joint turns about an axis of the sensor: drive = -moment, less the rotor's."""
    on = feet(3e6)
    sim, q = simulator(on), standing(feet())
    v = np.zeros(on.robot.model.nv)
    v[6:] = 0.3 * np.random.default_rng(2).standard_normal(len(v) - 6)
    state = sim.at(q, v)
    for _ in range(3):
        step = sim.step(state, hold(q, len(v) - 6), DT)
        before, state = state, step.state
    ankles, data = Ankles(on.robot), on.robot.model.createData()
    pin.forwardKinematics(on.robot.model, data, before.q)
    felt = ankles.of_ground(on, data, step.contact.wrenches)
    felt -= ankles.burden(before.q, before.v, step.acceleration)
    assert np.abs(step.contact.wrenches[:, 2]).min() > 10.0
    for k, foot in enumerate(on.robot.feet):
        j = on.robot.model.joints[foot.joint].idx_v
        rotor = on.robot.model.armature[j] * step.acceleration[j]
        drive = step.torques[j - 6] + step.stops[j - 6] - rotor
        assert felt[k, 3] == pytest.approx(-drive, abs=1e-9 * max(1.0, abs(drive)))


def test_each_pad_has_its_switch():
    on = lola()
    pads = pads_of(on)
    assert np.array_equal(np.bincount(pads.sides), [4, 4])
    corners = [[-0.085, -0.035], [-0.085, 0.035], [0.085, -0.035], [0.085, 0.035]]
    assert pads.centres == pytest.approx(np.array(2 * corners), abs=1e-3)
    assert len(pads_of(feet()).sides) == 2
    sensors = Sensors(on, replace(PERFECT, switch=10.0), 1, DT)
    places = np.concatenate([t.body.points[:, :2] for t in on.touching])
    sides = np.repeat(on.sides, [len(t.body.points) for t in on.touching])
    for k in range(8):
        forces = np.zeros((len(places), 2, 3))
        own = np.abs(places - pads.centres[k]).max(axis=1) < 0.045
        own = np.flatnonzero(own & (sides == pads.sides[k]))
        forces[own[0], 0, 2], forces[own[-1], 1, 2] = 6.0, 3.9
        assert not sensors.read(step_of(on, on.robot.q0, forces=forces)).switches.any()
        forces[own[-1], 1, 2] = 4.1
        closed = sensors.read(step_of(on, on.robot.q0, forces=forces)).switches
        assert np.flatnonzero(closed).tolist() == [k]


def test_wrenches_come_late_by_any_time():
    ramp = [np.array([k, -k]) for k in range(1, 9)]
    for calls in (0.0, 0.2, 1.0, 2.5):
        late = Delay(calls * DT, DT)
        got = [late(value)[0] for value in ramp]
        assert got == pytest.approx([max(1.0, k - calls) for k in range(1, 9)], abs=1e-6)
    on = feet()
    sensors = Sensors(on, replace(PERFECT, delay=1e-3), 1, 5e-3)
    q, w = standing(on), np.zeros((2, 6))
    first = sensors.read(step_of(on, q, wrenches=w)).wrenches
    w[:, 2] = 100.0
    second = sensors.read(step_of(on, q, wrenches=w)).wrenches
    assert (second - first)[:, 2] == pytest.approx([80.0, 80.0])


def test_noise_and_biases_are_as_large_as_stated():
    on, n = feet(), Noise()
    here = step_of(on, standing(on))
    true = Sensors(on, PERFECT, 1, DT).read(here)
    sensors, none = Sensors(on, replace(n, encoder=0.0), 5, DT), replace(n, encoder=0.0)
    read = [sensors.read(here) for _ in range(300)]
    names = ("gyro", "accelerometer", "wrenches")
    sizes = (n.gyro, n.accelerometer, np.tile(np.repeat([n.force, n.moment], 3), (2, 1)))
    for name, size in zip(names, sizes, strict=True):
        spread = np.std([getattr(r, name) for r in read], axis=0) / size
        assert spread == pytest.approx(np.ones_like(spread), abs=0.2), name
    biases = {name: [] for name in names}
    for seed in range(40):
        one = Sensors(on, replace(none, gyro=0, accelerometer=0, force=0, moment=0), seed, DT)
        for name in names:
            found, again = (getattr(one.read(here), name) for _ in range(2))
            assert np.array_equal(found, again)
            biases[name].append(found - getattr(true, name))
    sizes = (
        n.gyro_bias,
        n.accelerometer_bias,
        np.tile(np.repeat([n.force_bias, n.moment_bias], 3), (2, 1)),
    )
    for name, size in zip(names, sizes, strict=True):
        spread = np.sqrt(np.mean(np.square(biases[name]) / np.square(size)))
        assert spread == pytest.approx(1.0, abs=0.2), name


def test_sensors_go_on_from_their_arrays():
    on = feet()
    q, w = standing(on), np.zeros((2, 6))

    def at(k):
        w[:, 2] = 10.0 * k
        return step_of(on, q, wrenches=w)

    one, other = (Sensors(on, Noise(delay=1.7e-3), 4, DT) for _ in range(2))
    for k in range(5):
        one.read(at(k))
    other.restore(one.arrays())
    for k in range(5, 9):
        a, b = one.read(at(k)), other.read(at(k))
        for name in ("angles", "gyro", "accelerometer", "wrenches", "switches"):
            assert np.array_equal(getattr(a, name), getattr(b, name)), name


def test_delays_beyond_all_memory_are_refused():
    with pytest.raises(ConfigError, match="at most 1 s"):
        Noise(delay=1e40)
