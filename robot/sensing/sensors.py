"""Sensor readings: encoders, inertial unit, ankle force sensors, contact switches.

Encoders and switches tell the end of a step. Gyro, accelerometer and force sensors tell means over
the step, as filters against aliasing make them: their sum over time then misses no impact, however
short the simulator's steps are (`robot.simulator.join_steps`).

Readings depend on the last step, the seed, the number of earlier readings and, with a delay, on
past forces. `arrays()` holds the last two, so a restored run repeats them. Each reading k draws its
noise from its own generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np

from robot.model import RobotModel
from robot.sensing.ankles import Ankles
from robot.sensing.noise import Noise
from robot.sensing.pads import pads_of
from robot.simulator import SimStep
from robot.soles import FeetOnSoles
from sole.base.arrays import BoolArray, FloatArray, IntArray, frozen, read_only
from sole.base.compiled import kernel
from sole.base.constants import GRAVITY

FALL = np.array([0.0, 0.0, -GRAVITY])  # m/s^2: acceleration in free fall, world


@dataclass(frozen=True, eq=False, kw_only=True)
class Readings:
    """One reading of every sensor.

    Parameters
    ----------
    angles : (n,) joint angles [rad].
    gyro : (3,) angular velocity [rad/s] and accelerometer : (3,) acceleration minus gravity
        [m/s^2], axes of the inertial unit.
    wrenches : (2, 6) wrenches at the ankle sensors, see `robot.sensing.ankles` [N, N m].
    switches : (P,) whether each pad carries load, in the order of `robot.sensing.Pads`.
    """

    angles: FloatArray
    gyro: FloatArray
    accelerometer: FloatArray
    wrenches: FloatArray
    switches: BoolArray


def foot_wrenches(feet: FeetOnSoles, step: SimStep) -> FloatArray:
    """Return the true mean wrenches (2, 6) on the feet over a step, axes of the sole frames.

    A toe's frame coincides with its foot's while the toe is straight; its wrench is added
    unchanged.
    """
    return sum_wrenches(feet.sides, read_only(step.contact.wrenches))


class Sensors:
    """The sensors of one robot; call `read` once per controller period.

    Parameters
    ----------
    feet : robot and soles. noise : quality of all sensors. seed : seed of noise and biases.
    period : time between two readings [s].
    """

    def __init__(self, feet: FeetOnSoles, noise: Noise, seed: int, period: float) -> None:
        self.feet, self.noise, self.seed = feet, noise, seed
        self.robot: RobotModel = feet.robot
        self.data = self.robot.model.createData()
        bias = np.random.default_rng([seed, 0]).standard_normal(18)
        self.gyro_bias = frozen(noise.gyro_bias * bias[:3])
        self.accelerometer_bias = frozen(noise.accelerometer_bias * bias[3:6])
        scale = np.tile(np.repeat([noise.force_bias, noise.moment_bias], 3), 2)
        self.wrench_bias = frozen((scale * bias[6:]).reshape(2, 6))
        self.ankles, self.pads = Ankles(self.robot), pads_of(feet)
        self.late = Delay(noise.delay, period)
        self.count = 0

    def read(self, step: SimStep) -> Readings:
        """Return the readings of a step from the last reading to now; it may be made of parts."""
        import pinocchio as pin

        n, s, a = self.noise, step.state, step.acceleration
        self.count += 1
        rng = np.random.default_rng([self.seed, self.count])
        model, data, imu = self.robot.model, self.data, self.robot.imu
        v = _mean_velocity(step)[: model.nv]
        pin.forwardKinematics(model, data, s.q, v, a)
        spin = pin.getFrameVelocity(model, data, imu, pin.LOCAL).angular
        push = pin.getFrameClassicalAcceleration(model, data, imu, pin.LOCAL).linear
        R = pin.updateFramePlacement(model, data, imu).rotation
        felt = self.ankles.of_ground(self.feet, data, step.contact.wrenches)
        felt -= self.ankles.burden(s.q, v, a)
        scale = np.repeat([n.force, n.moment], 3)
        angles = s.q[7:]
        if n.encoder > 0:
            angles = n.encoder * np.round(angles / n.encoder)
        return Readings(
            angles=angles,
            gyro=spin + self.gyro_bias + n.gyro * rng.standard_normal(3),
            accelerometer=push
            - R.T @ FALL
            + self.accelerometer_bias
            + n.accelerometer * rng.standard_normal(3),
            wrenches=self.late(felt) + self.wrench_bias + scale * rng.standard_normal((2, 6)),
            switches=self.pads.closed(step, n.switch),
        )

    def arrays(self) -> dict[str, Any]:
        """Return the memory of the sensors, for `np.savez`."""
        return {"count": np.array(self.count), "past": self.late.past}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Continue from `arrays()`, bit for bit."""
        self.count = int(arrays["count"])
        self.late.restore(arrays["past"])


def _mean_velocity(step: SimStep) -> FloatArray:
    """Return the mean over the parts of a step of the velocity at their ends; parts are equal."""
    if not step.parts:
        return step.state.v
    return np.asarray(np.mean([_mean_velocity(part) for part in step.parts], axis=0))


class Delay:
    """A delay line: returns past values, interpolated between two calls.

    Parameters
    ----------
    seconds : delay [s]. period : time between two calls [s]. The first value holds for all times
        before it.
    """

    def __init__(self, seconds: float, period: float) -> None:
        calls = round(seconds / period, 9)
        self.share, self.length = calls - floor(calls), 1 + ceil(calls)
        self.past = np.zeros(0)

    def restore(self, past: FloatArray) -> None:
        """Continue from the `past` of another delay."""
        self.past = np.array(past)

    def __call__(self, value: FloatArray) -> FloatArray:
        """Take the present value and return the delayed one."""
        if not len(self.past):
            self.past = np.stack([value] * self.length)
        self.past = np.concatenate([self.past[1:], value[None]])
        if self.share == 0.0:
            return np.asarray(self.past[0])
        return np.asarray(self.share * self.past[0] + (1.0 - self.share) * self.past[1])


@kernel
def sum_wrenches(sides: IntArray, wrenches: FloatArray) -> FloatArray:
    """Return the sums (2, 6) of `wrenches` (B, 6) over the bodies of each foot, `sides` (B,)."""
    total = np.zeros((2, 6))
    for b in range(len(sides)):
        for i in range(6):
            total[sides[b], i] += wrenches[b, i]
    return total
