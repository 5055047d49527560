"""Where the robot is, from encoders, inertial unit and the feet that stand.

Joint velocities: difference of the encoders, low-passed. Attitude of the inertial unit: gyro,
corrected towards the vertical that the accelerometer sees (complementary filter [MahonyEtAl2008]);
nothing corrects the yaw. Place and velocity of the base: the feet that carry do not move (leg
odometry), each with the share of the load it carries. What soles yield is taken for motion.
"""

from __future__ import annotations

import numpy as np

from robot.control.controller import Sensed
from robot.modelling.robot_model import RobotModel
from robot.sensing.sensors import Readings
from sole.arrays import FloatArray

LAG = 2e-3  # s: low-pass of the joint velocities
UPRIGHT = 0.5  # 1/s: gain towards the accelerometer's vertical
LOADED = 0.1  # share of the weight from which a foot counts as standing


class Estimator:
    """Estimates q and v of the floating base and the joints.

    Parameters
    ----------
    robot : whose. q : (nq,) configuration at the start, known. period : between readings [s].
    """

    def __init__(self, robot: RobotModel, q: FloatArray, period: float) -> None:
        import pinocchio as pin

        self.robot, self.period = robot, period
        self.data = robot.model.createData()
        self.q, self.v = np.array(q, dtype=float), np.zeros(robot.model.nv)
        self.anchors = [np.array(p.translation) for p in self._feet(pin, self.q)]
        self.share = np.zeros(2)
        self.weight = 9.81 * robot.mass
        self.in_base = robot.model.frames[robot.imu].placement.rotation

    def update(self, readings: Readings) -> Sensed:
        """Return the estimate after one more reading."""
        import pinocchio as pin

        T, _model = self.period, self.robot.model
        q, v = self.q.copy(), self.v.copy()
        speed = (readings.angles - q[7:]) / T
        v[6:] += (speed - v[6:]) * (1 - np.exp(-T / LAG))
        q[7:] = readings.angles
        spin = self.in_base @ readings.gyro
        R = pin.Quaternion(q[3:7]).toRotationMatrix()
        up = self.in_base @ readings.accelerometer
        size = float(np.linalg.norm(up))
        lean = np.cross(up / size, R[2]) if size > 0 else np.zeros(3)
        steady = 1.0 if abs(size - 9.81) < 2.0 else 0.0
        R = R @ pin.exp3(T * (spin + steady * UPRIGHT * lean))
        quaternion = pin.Quaternion(R)
        quaternion.normalize()
        q[3:7] = quaternion.coeffs()
        v[3:6] = spin
        q[:3] = 0.0
        feet = self._feet(pin, q)
        load = np.clip(readings.wrenches[:, 2] / self.weight, 0.0, 1.0)
        load = np.where(load > LOADED, load, 0.0)
        if not load.any():  # in flight: what is known of the velocity goes on
            q[:3] = self.q[:3] + T * (R @ v[:3])
            v[:3] += T * (up - 9.81 * R[2])
        else:
            for k in range(2):
                if load[k] > 0 and self.share[k] == 0:  # landed: it stands where it is now
                    self.anchors[k] = self._base_before(T) + feet[k].translation
            part = load / load.sum()
            q[:3] = sum(part[k] * (self.anchors[k] - feet[k].translation) for k in range(2))
            v[:3] = self._velocity(pin, q, v, part)
        self.share = load
        for k in range(2):  # a foot in the air is where the kinematics have it
            if load[k] == 0:
                self.anchors[k] = q[:3] + feet[k].translation
        self.q, self.v = q, v
        return Sensed(q=q, v=v, wrenches=readings.wrenches)

    def _base_before(self, T: float) -> FloatArray:
        R = self._rotation(self.q)
        return self.q[:3] + T * (R @ self.v[:3])

    @staticmethod
    def _rotation(q: FloatArray) -> FloatArray:
        import pinocchio as pin

        return np.asarray(pin.Quaternion(q[3:7]).toRotationMatrix())

    def _feet(self, pin, q: FloatArray):  # type: ignore[no-untyped-def]
        pin.forwardKinematics(self.robot.model, self.data, q)
        return [
            pin.SE3(pin.updateFramePlacement(self.robot.model, self.data, foot.frame))
            for foot in self.robot.feet
        ]

    def _velocity(self, pin, q: FloatArray, v: FloatArray, part: FloatArray) -> FloatArray:  # type: ignore[no-untyped-def]
        """Velocity of the base in its axes such that the loaded feet rest on average."""
        model, data = self.robot.model, self.data
        moving = v.copy()
        moving[:3] = 0.0
        pin.forwardKinematics(model, data, q, moving)
        R = self._rotation(q)
        rest = np.zeros(3)
        for k, foot in enumerate(self.robot.feet):
            if part[k] > 0:
                at = pin.getFrameVelocity(model, data, foot.frame, pin.LOCAL_WORLD_ALIGNED)
                rest -= part[k] * at.linear
        return np.asarray(R.T @ rest)
