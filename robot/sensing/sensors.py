"""What the sensors read: encoders, inertial unit, ankle force sensors, contact switches.

Readings depend on the step that has been made, the seed, how many readings there were before, and
for the delay on what was felt then: `arrays()` holds the last two, so that a restored run repeats
them. The noise of reading k is drawn from a generator of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from robot.modelling.robot_model import RobotModel
from robot.sensing.ankles import Ankles
from robot.sensing.delay import Delay
from robot.sensing.kernels import summed
from robot.sensing.noise import Noise
from robot.sensing.pads import pads_of
from robot.simulate import SimStep
from robot.soles import FeetOnSoles
from sole.arrays import BoolArray, FloatArray, frozen

GRAVITY = np.array([0.0, 0.0, -9.81])  # m/s^2


@dataclass(frozen=True, eq=False, kw_only=True)
class Readings:
    """One reading of every sensor.

    Parameters
    ----------
    angles : (n,) of the joints [rad].
    gyro : (3,) angular velocity [rad/s] and accelerometer : (3,) acceleration minus gravity
        [m/s^2], axes of the inertial unit.
    wrenches : (2, 6) of what is below the ankles on what is above, see `robot.sensing.ankles`
        [N, N m].
    switches : (P,) whether each pad carries load, in the order of `robot.sensing.pads.Pads`.
    """

    angles: FloatArray
    gyro: FloatArray
    accelerometer: FloatArray
    wrenches: FloatArray
    switches: BoolArray


def foot_wrenches(feet: FeetOnSoles, step: SimStep) -> FloatArray:
    """Return (2, 6) the true mean wrenches on the feet over a step, axes of the sole frames.

    A toe's frame coincides with its foot's while the toe is straight; its wrench is added as such.
    """
    return summed(feet.sides, step.contact.wrenches)


class Sensors:
    """The sensors of one robot; call `read` once per controller period.

    Parameters
    ----------
    feet : robot and soles. noise : of all sensors. seed : of noise and biases.
    period : between two readings [s].
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
        """Return the readings at the end of a step."""
        import pinocchio as pin

        n, s, a = self.noise, step.state, step.acceleration
        self.count += 1
        rng = np.random.default_rng([self.seed, self.count])
        model, data, imu = self.robot.model, self.data, self.robot.imu
        pin.forwardKinematics(model, data, s.q, s.v, a)
        spin = pin.getFrameVelocity(model, data, imu, pin.LOCAL).angular
        push = pin.getFrameClassicalAcceleration(model, data, imu, pin.LOCAL).linear
        R = pin.updateFramePlacement(model, data, imu).rotation
        felt = self.ankles.of_ground(self.feet, data, step.contact.wrenches)
        felt -= self.ankles.burden(s.q, s.v, a)
        scale = np.repeat([n.force, n.moment], 3)
        angles = s.q[7:]
        if n.encoder > 0:
            angles = n.encoder * np.round(angles / n.encoder)
        return Readings(
            angles=angles,
            gyro=spin + self.gyro_bias + n.gyro * rng.standard_normal(3),
            accelerometer=push
            - R.T @ GRAVITY
            + self.accelerometer_bias
            + n.accelerometer * rng.standard_normal(3),
            wrenches=self.late(felt) + self.wrench_bias + scale * rng.standard_normal((2, 6)),
            switches=self.pads.closed(step, n.switch),
        )

    def arrays(self) -> dict[str, Any]:
        """Return what the next reading depends on besides the step, for `np.savez`."""
        return {"count": np.array(self.count), "past": self.late.past}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Go on from `arrays()`, bit for bit."""
        self.count, self.late.past = int(arrays["count"]), np.array(arrays["past"])
