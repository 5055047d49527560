"""State estimation from encoders, inertial unit and the standing feet.

Leg odometry assumes that loaded feet do not move. Weighted by their load, they give position,
heading and the velocity v_o of the inertial unit. The attitude R and a separate velocity estimate v
follow gyro w and accelerometer f, less their biases,

    v' = R f - g z + alpha e,        R' = R [w]x + [mu (alpha/g) z x e + nu psi z]x R,

with e = v_o - v and psi the heading of the feet minus that of R. Walking is not mistaken for tilt:
alpha e is the residual acceleration due to gravity in wrong axes [BenallegueEtAl2020]. The initial
attitude is known, so the biases can be estimated while the robot stands at first (a push in that
time spoils them). Later the gyro bias slowly follows the readings while the feet are at rest
[MahonyEtAl2008]; slowly, because soles yield. Joint velocities are low-passed encoder differences.

With the `compliance` C of the soles it is the treads that do not move. A foot is d from its tread
under the wrench w = -C^-1 (d + eta d'), so that the waist is not mistaken for still while soles
yield, nor the blow of a viscous sole for its motion. Over a period T,

    d+ = (eta d - T C w)/(T + eta).

Treads also lie as at the start: their normals n, weighted by load, lead R to the n_0 of then by the
turn lambda n x n_0 instead of mu, for less than `EDGE` between both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from robot.control import Sensed
from robot.model import RobotModel
from robot.sensing.ankles import Ankles
from robot.sensing.sensors import FALL, Readings
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY

LAG = 2e-3  # s: low-pass of the joint velocities
ALPHA = 20.0  # 1/s: rate of the velocity towards that of leg odometry
UPRIGHT = 0.2  # 1/s: mu
HEADING = 2.0  # 1/s: nu
LEVEL = 5.0  # 1/s: lambda
EDGE = 0.02  # rad: a tread that is inclined by more stands on an edge
CALM = 0.5  # s of initial standing that determine the biases
DRIFT = 0.05  # 1/s: rate of the gyro bias after that
LOADED = 0.1  # share of the weight above which a foot counts as standing
PARTS = ("q", "v", "speed", "bias", "stood", "walked", "anchors", "headings", "sunk")


class Estimator:
    """Estimator of q and v of the floating base and the joints.

    Parameters
    ----------
    robot : the robot with its soles. q : (nq,) known initial configuration.
    period : time between readings [s].
    compliance : (2, 6, 6) K6^-1 of the soles about the centres of their treads, axes of the feet;
        None: they are not known, and feet count as unmoved. thickness : (2,) of the soles [m].
    eta : Kelvin-Voigt time of the soles [s].
    """

    def __init__(
        self,
        robot: RobotModel,
        q: FloatArray,
        period: float,
        compliance: FloatArray | None = None,
        thickness: FloatArray | None = None,
        eta: float = 0.0,
    ) -> None:
        self.robot, self.period = robot, period
        self.data, self.ankles = robot.model.createData(), Ankles(robot)
        imu = robot.model.frames[robot.imu].placement
        self.in_base, self.arm = imu.rotation, imu.translation
        self.q, self.v = np.array(q, dtype=float), np.zeros(robot.model.nv)
        self.speed = np.zeros(3)  # of the inertial unit, world
        self.bias = np.zeros((2, 3))  # of gyro and accelerometer, axes of the base
        self.stood = 0.0  # s of standing so far
        self.walked = np.zeros(3)  # v_o
        self.compliance = compliance
        self.thickness = np.zeros(2) if thickness is None else np.asarray(thickness)
        self.sunk = np.zeros((2, 6))  # d
        self.yields = period / (period + eta)  # by this share of -C w - d it grows in a period
        places, self.headings, _, normals = self._feet(self.q, self.v, np.zeros((2, 6)))
        self.normal = normals.mean(axis=0)  # n_0
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
        speed = self.speed + T * (R @ push + FALL)
        turned = R @ np.cross(spin, self.arm)  # velocity of the unit relative to the base
        q[3:7], v[3:6] = pin.Quaternion(R).coeffs(), spin
        none = np.zeros(len(v))
        wrenches = self.ankles.to_soles(readings.wrenches + self.ankles.burden(q, none, none))
        places, headings, rates, normals = self._feet(q, v, wrenches)
        load = np.clip(wrenches[:, 2] / (GRAVITY * self.robot.mass) - LOADED, 0.0, 1.0)
        q[:3] = self.q[:3] + T * (speed - turned)
        if load.any():
            part = load / load.sum()
            velocity, turning = (part @ rates).reshape(2, 3)
            walked = turned - velocity
            if self.compliance is not None and self.stood == 0.0:
                self.walked = walked  # it comes down: no acceleration of the readings
            e, gained = walked - speed, walked - self.walked
            off = np.remainder(self.headings - headings + np.pi, 2 * np.pi) - np.pi
            speed += (1 - np.exp(-T * ALPHA)) * e
            level, tipped = self._tipped(part, normals)
            tilt = (1.0 - level) * UPRIGHT * ALPHA / GRAVITY
            turn = np.array([-tilt * e[1], tilt * e[0], HEADING * (part @ off)]) + LEVEL * tipped
            R = pin.exp3(T * turn) @ R
            q[:3] = part @ (self.anchors - places)
            self._learn(R.T @ turning, push - R.T @ (gained / T - FALL))
            self.walked = walked
        air = load == 0  # the kinematics place a foot in the air: there it will land
        self.anchors[air], self.headings[air] = q[:3] + places[air], headings[air]
        quaternion = pin.Quaternion(R)
        quaternion.normalize()
        q[3:7] = quaternion.coeffs()
        v[:3] = R.T @ (speed - turned)
        self.q, self.v, self.speed = q, v, speed
        return Sensed(q=q, v=v, wrenches=wrenches, switches=readings.switches)

    def arrays(self) -> dict[str, Any]:
        """Return the memory of the estimator, for `np.savez`."""
        return {name: np.array(getattr(self, name)) for name in PARTS}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Continue from `arrays()`, bit for bit."""
        for name in PARTS:
            setattr(self, name, np.array(arrays[name]))

    def _learn(self, turning: FloatArray, push: FloatArray) -> None:
        """Take the excess of the readings over those of a robot at rest as the bias."""
        T = self.period
        self.stood += T
        self.bias[0] += max(T / self.stood, T * DRIFT) * turning
        if self.stood <= CALM:
            self.bias[1] += T / self.stood * push

    def _feet(
        self, q: FloatArray, v: FloatArray, wrenches: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return positions (2, 3), headings (2,), velocities (2, 6), normals (2, 3) of the feet.

        They are those of sole frames or treads in world axes, for a base that rotates at the origin
        without translation.
        """
        import pinocchio as pin

        model, data = self.robot.model, self.data
        at = np.concatenate([np.zeros(3), q[3:]]), np.concatenate([np.zeros(3), v[3:]])
        pin.forwardKinematics(model, data, *at)
        places, headings, rates = np.empty((2, 3)), np.empty(2), np.empty((2, 6))
        normals = np.empty((2, 3))
        for k, foot in enumerate(self.robot.feet):
            pose = pin.updateFramePlacement(model, data, foot.frame)
            places[k] = pose.translation
            headings[k] = np.arctan2(pose.rotation[1, 0], pose.rotation[0, 0])
            moving = pin.getFrameVelocity(model, data, foot.frame, pin.LOCAL_WORLD_ALIGNED)
            rates[k], normals[k] = moving.vector, pose.rotation[:, 2]
            if self.compliance is not None:
                h, w, R = float(self.thickness[k]), wrenches[k].copy(), pose.rotation
                w[3:5] += h * np.array([-w[1], w[0]])
                d = -self.compliance[k] @ w
                slow = np.concatenate([R @ d[:3], R @ d[3:]])
                slow = (1.0 - self.yields) * self.sunk[k] + self.yields * slow
                places[k] -= h * R[:, 2] + slow[:3]
                headings[k] -= slow[5]
                normals[k] -= np.cross(slow[3:], R[:, 2])
                rates[k, :3] -= h * np.cross(moving.angular, R[:, 2])
                rates[k] -= (slow - self.sunk[k]) / self.period
                self.sunk[k] = slow
        return places, headings, rates, normals

    def _tipped(self, part: FloatArray, normals: FloatArray) -> tuple[float, FloatArray]:
        """Return the share of the load on treads that lie flat, and their mean n x n_0 (3,)."""
        if self.compliance is None:
            return 0.0, np.zeros(3)
        out = np.cross(normals, self.normal)
        flat = part * (np.linalg.norm(out, axis=1) < EDGE)
        return float(flat.sum()), flat @ out
