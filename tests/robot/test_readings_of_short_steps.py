"""Sensors read once per period of the controller: no impact between two readings is lost."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from sensing_cases import PERFECT

from robot.gait import Walking
from robot.sensing import Sensors
from robot.sensing.sensors import FALL
from robot.walk import Scenario, SoleChoice, assemble_walk
from robot.walk.scenario_tables import Sensing


@pytest.mark.parametrize(
    ("dt", "landing_dt"), [(1e-3, 1.25e-4), pytest.param(5e-4, 2.5e-4, marks=pytest.mark.nightly)]
)
def test_accelerometer_and_gyro_add_up_to_the_motion(dt, landing_dt, monkeypatch):
    """Sums of T (R f - g z) and T w over a landing are the changes of velocity and attitude.

    Attitudes differ by products of two turns within a reading, (T w)^2 = 1e-9 of changing axes.
    Changes of velocity within a reading, 1e-3 m/s, are turned by T w = 3e-5 at most: 3e-8 each.
    Readings of the last short step alone lack 1e-4 m/s and 1e-6 rad.
    """
    made = assemble_walk(
        Scenario(
            dt=dt,
            landing_dt=landing_dt,
            sole=SoleChoice(young=3e7, size=0.06, element="p1"),
            gait=Walking(steps=1, forward=0.1, initial=0.6, final=0.9, single=0.5),
            sensing=Sensing(kind="noisy", noise=PERFECT),
            settle=0.1,
        )
    )
    model, imu = made.feet.robot.model, made.feet.robot.imu
    data, T = model.createData(), made.scenario.control.period
    speeds, pushes, turns, gyros, loads = [], [], [], [], []
    read = Sensors.read

    def kept(sensors, step):
        readings = read(sensors, step)
        q, v = step.state.q, step.state.v
        pin.forwardKinematics(model, data, q, v)
        R = pin.updateFramePlacement(model, data, imu).rotation.copy()
        speeds.append(pin.getFrameVelocity(model, data, imu, pin.LOCAL_WORLD_ALIGNED).linear.copy())
        pushes.append(T * (R @ readings.accelerometer + FALL))
        turns.append(R)
        gyros.append(T * readings.gyro)
        loads.append(step.contact.wrenches[:, 2])
        return readings

    monkeypatch.setattr(Sensors, "read", kept)
    touched = 0
    for _ in made.steps():
        touched = touched or (len(loads) > 800 and (loads[-1] > 0).all() and len(loads))
        if touched and len(loads) == touched + 60:
            break
    assert 800 < touched < len(loads)  # a foot lands
    a, b = touched - 20, touched + 60
    gained = np.sum(pushes[a + 1 : b], axis=0)
    assert gained == pytest.approx(speeds[b - 1] - speeds[a], abs=2e-7)
    R = turns[a]
    for turn in gyros[a + 1 : b]:
        R = R @ pin.exp3(turn)
    assert pin.log3(turns[b - 1].T @ R) == pytest.approx(np.zeros(3), abs=1e-10)
