"""Where the robot is, from encoders, inertial unit and the feet that stand.

Feet that carry do not move (leg odometry, each with the share of the load it carries): they give
place, heading and the velocity v_o of the inertial unit. Attitude R and a velocity v of its own
follow gyro w and accelerometer f, less their biases,

    v' = R f - g z + alpha e,        R' = R [w]x + [mu (alpha/g) z x e + nu psi z]x R,

with e = v_o - v and the heading psi by the feet less that of R. Walking is not taken for tilt:
alpha e is what gravity in wrong axes leaves of the acceleration [BenallegueEtAl2020]. The attitude
at the start is known, so the biases show while the robot stands there (a push in that time spoils
them); later that of the gyro follows what it reads while the feet are at rest [MahonyEtAl2008],
slowly, for soles yield. Joint velocities are differences of the encoders, low-passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from robot.control.controller import Sensed
from robot.modelling.robot_model import RobotModel
from robot.sensing.ankles import Ankles
from robot.sensing.sensors import GRAVITY, Readings
from sole.arrays import FloatArray

G = -GRAVITY[2]
LAG = 2e-3  # s: low-pass of the joint velocities
ALPHA = 20.0  # 1/s: the velocity towards that of leg odometry
UPRIGHT = 0.2  # 1/s: mu
HEADING = 2.0  # 1/s: nu
CALM = 0.5  # s of standing at the start that tell the biases, and then
DRIFT = 0.05  # 1/s: of that of the gyro
LOADED = 0.1  # share of the weight from which a foot counts as standing
PARTS = ("q", "v", "speed", "bias", "stood", "walked", "anchors", "headings")


class Estimator:
    """Estimates q and v of the floating base and the joints.

    Parameters
    ----------
    robot : whose, with its soles. q : (nq,) configuration at the start, known.
    period : between readings [s].
    """

    def __init__(self, robot: RobotModel, q: FloatArray, period: float) -> None:
        self.robot, self.period = robot, period
        self.data, self.ankles = robot.model.createData(), Ankles(robot)
        imu = robot.model.frames[robot.imu].placement
        self.in_base, self.arm = imu.rotation, imu.translation
        self.q, self.v = np.array(q, dtype=float), np.zeros(robot.model.nv)
        self.speed = np.zeros(3)  # of the inertial unit, world
        self.bias = np.zeros((2, 3))  # of gyro and accelerometer, axes of the base
        self.stood = 0.0  # s on the feet so far
        self.walked = np.zeros(3)  # v_o
        places, self.headings, _ = self._feet(self.q, self.v)
        self.anchors = self.q[:3] + places

    def update(self, readings: Readings) -> Sensed:
        """Return the estimate after one more reading."""
        import pinocchio as pin

        T, q, v = self.period, self.q.copy(), self.v.copy()
        v[6:] += ((readings.angles - q[7:]) / T - v[6:]) * (1 - np.exp(-T / LAG))
        q[7:] = readings.angles
        inertial = np.stack([readings.gyro, readings.accelerometer])
        spin, push = inertial @ self.in_base.T - self.bias
        R = pin.Quaternion(q[3:7]).toRotationMatrix() @ pin.exp3(T * spin)
        speed = self.speed + T * (R @ push + GRAVITY)
        turned = R @ np.cross(spin, self.arm)  # of the unit about the base
        q[3:7], v[3:6] = pin.Quaternion(R).coeffs(), spin
        places, headings, rates = self._feet(q, v)
        none = np.zeros(len(v))
        wrenches = self.ankles.to_soles(readings.wrenches + self.ankles.burden(q, none, none))
        load = np.clip(wrenches[:, 2] / (G * self.robot.mass) - LOADED, 0.0, 1.0)
        q[:3] = self.q[:3] + T * (speed - turned)
        if load.any():
            part = load / load.sum()
            velocity, turning = (part @ rates).reshape(2, 3)
            walked = turned - velocity
            e, gained = walked - speed, walked - self.walked
            off = np.remainder(self.headings - headings + np.pi, 2 * np.pi) - np.pi
            speed += (1 - np.exp(-T * ALPHA)) * e
            tilt = UPRIGHT * ALPHA / G
            R = pin.exp3(T * np.array([-tilt * e[1], tilt * e[0], HEADING * (part @ off)])) @ R
            q[:3] = part @ (self.anchors - places)
            self._learn(R.T @ turning, push - R.T @ (gained / T - GRAVITY))
            self.walked = walked
        air = load == 0  # a foot in the air is where the kinematics have it: there it will land
        self.anchors[air], self.headings[air] = q[:3] + places[air], headings[air]
        quaternion = pin.Quaternion(R)
        quaternion.normalize()
        q[3:7] = quaternion.coeffs()
        v[:3] = R.T @ (speed - turned)
        self.q, self.v, self.speed = q, v, speed
        return Sensed(q=q, v=v, wrenches=wrenches, switches=readings.switches)

    def arrays(self) -> dict[str, Any]:
        """Return what the next estimate depends on besides the readings, for `np.savez`."""
        return {name: np.array(getattr(self, name)) for name in PARTS}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Go on from `arrays()`, bit for bit."""
        for name in PARTS:
            setattr(self, name, np.array(arrays[name]))

    def _learn(self, turning: FloatArray, push: FloatArray) -> None:
        """Take for bias what the sensors have more than feet at rest explain."""
        T = self.period
        self.stood += T
        self.bias[0] += max(T / self.stood, T * DRIFT) * turning
        if self.stood <= CALM:
            self.bias[1] += T / self.stood * push

    def _feet(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return places (2, 3), headings (2,) and velocities (2, 6) of the sole frames.

        In world axes, as if the base were at the origin and did not move but turn.
        """
        import pinocchio as pin

        model, data = self.robot.model, self.data
        at = np.concatenate([np.zeros(3), q[3:]]), np.concatenate([np.zeros(3), v[3:]])
        pin.forwardKinematics(model, data, *at)
        places, headings, rates = np.empty((2, 3)), np.empty(2), np.empty((2, 6))
        for k, foot in enumerate(self.robot.feet):
            pose = pin.updateFramePlacement(model, data, foot.frame)
            places[k] = pose.translation
            headings[k] = np.arctan2(pose.rotation[1, 0], pose.rotation[0, 0])
            moving = pin.getFrameVelocity(model, data, foot.frame, pin.LOCAL_WORLD_ALIGNED)
            rates[k] = moving.vector
        return places, headings, rates
