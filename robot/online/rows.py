"""One row of a plan from feet and centre of mass: posture, rates, ZMP and DCM.

The posture follows from the tasks by `BodyKinematics.follow`. Its ZMP is that of
`robot.gait.zmp`: with the wrench (f, n) on the base that inverse dynamics asks for, n about the
base's origin p_b, and ground of height p_z,

    n_o = n + (p_b - o) x f,   o = (0, 0, p_z),    p = (-n_oy, n_ox)/f_z,

and the DCM is xi = c + c'/omega, omega^2 = (g + c_z'')/(c_z - p_z). In free fall both are c.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from robot.gait import BodyKinematics, GaitError, Targets, pendulum_rate
from robot.model import RobotModel
from robot.online.memory import RING, Ring, WalkProgress
from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import kernel

REACHED = 1e-3  # m and rad: a posture that misses a task by more is out of reach


class PostureRows:
    """Fills rows of a ring; it keeps work space.

    Parameters
    ----------
    robot : the robot. thickness : of its left and right sole [m]. T : time between rows [s].
    """

    def __init__(self, robot: RobotModel, thickness: tuple[float, float], T: float) -> None:
        import pinocchio as pin

        self.T = T
        self.kinematics = BodyKinematics(robot)
        frame = robot.model.frames[robot.waist]
        if frame.parentJoint != 1:
            raise GaitError(f"{robot.name}: waist '{frame.name}' is not on the floating base")
        upright = pin.Quaternion(robot.q0[3:7].copy()).matrix()
        self.waist_at_zero = np.ascontiguousarray(upright @ frame.placement.rotation)
        self.thickness = np.array(thickness, dtype=float)
        self.targets = Targets(np.zeros((2, 3)), np.zeros((2, 3, 3)), np.zeros(3), np.eye(3))
        self.rates = np.zeros((2, 18))

    @property
    def bundle(self) -> Bundle:
        """Tree, frames of the tasks, thickness, turn of the waist at zero yaw, work space."""
        body = self.kinematics
        return body.tree, body.frames, self.thickness, self.waist_at_zero, body.links

    def fill(
        self, now: WalkProgress, ring: Ring, carrying: tuple[bool, bool], ground: float
    ) -> bool:
        """Write the row of the present tick; return whether its posture reaches the tasks.

        `carrying` : which feet carry load. `ground` : height of the ground under the ZMP [m].
        """
        k, goals = now.row % RING, self.targets
        set_tasks(
            now.foot, now.foot_v, now.foot_a, now.com, now.height, self.thickness,
            self.waist_at_zero, goals.places, goals.turns, goals.com, goals.waist, self.rates,
        )  # fmt: skip
        now.q, now.v, now.a, wrench, left = self.kinematics.follow(
            goals, self.rates, self.T, now.q, now.v, now.a
        )
        ring.q[k], ring.v[k], ring.a[k] = now.q, now.v, now.a
        ring.supports[k] = carrying
        write_balance(
            now.q, wrench, now.com, now.height, ground, goals.places, goals.turns,
            ring.com[k], ring.com_acceleration[k], ring.dcm[k], ring.zmp[k], ring.feet[k],
        )  # fmt: skip
        return left <= REACHED


@kernel
def set_tasks(
    foot: FloatArray, foot_v: FloatArray, foot_a: FloatArray, com: FloatArray, height: FloatArray,
    thickness: FloatArray, at_zero: FloatArray,
    places: FloatArray, turns: FloatArray, c: FloatArray, waist: FloatArray, rates: FloatArray,
) -> None:  # fmt: skip
    """Write the targets and their rates (2, 18) from treads (2, 4) and the centre of mass."""
    yaw = (foot[0, 3] + foot[1, 3]) / 2
    for k in range(2):
        cy, sy = cos(foot[k, 3]), sin(foot[k, 3])
        turns[k] = 0.0
        turns[k, 0, 0] = turns[k, 1, 1] = cy
        turns[k, 0, 1], turns[k, 1, 0], turns[k, 2, 2] = -sy, sy, 1.0
        for i in range(3):
            places[k, i] = foot[k, i]
            rates[0, 6 * k + i], rates[1, 6 * k + i] = foot_v[k, i], foot_a[k, i]
        places[k, 2] += thickness[k]
        rates[0, 6 * k + 5], rates[1, 6 * k + 5] = foot_v[k, 3], foot_a[k, 3]
    rates[0, 17] = (foot_v[0, 3] + foot_v[1, 3]) / 2
    rates[1, 17] = (foot_a[0, 3] + foot_a[1, 3]) / 2
    for i in range(2):
        c[i], rates[0, 12 + i], rates[1, 12 + i] = com[0, i], com[1, i], com[2, i]
    c[2], rates[0, 14], rates[1, 14] = height[0], height[1], height[2]
    cy, sy = cos(yaw), sin(yaw)
    for j in range(3):
        waist[0, j] = cy * at_zero[0, j] - sy * at_zero[1, j]
        waist[1, j] = sy * at_zero[0, j] + cy * at_zero[1, j]
        waist[2, j] = at_zero[2, j]


@kernel
def write_balance(
    q: FloatArray, wrench: FloatArray, com: FloatArray, height: FloatArray, ground: float,
    places: FloatArray, turns: FloatArray,
    c: FloatArray, ddc: FloatArray, dcm: FloatArray, zmp: FloatArray, feet: FloatArray,
) -> None:  # fmt: skip
    """Write the centre of mass, DCM, ZMP and the poses of the sole frames of a row."""
    x, y, z, w = q[3], q[4], q[5], q[6]
    R = np.empty((3, 3))
    R[0, 0], R[1, 1], R[2, 2] = (
        1 - 2 * (y * y + z * z), 1 - 2 * (x * x + z * z), 1 - 2 * (x * x + y * y)
    )  # fmt: skip
    R[0, 1], R[1, 0] = 2 * (x * y - z * w), 2 * (x * y + z * w)
    R[0, 2], R[2, 0] = 2 * (x * z + y * w), 2 * (x * z - y * w)
    R[1, 2], R[2, 1] = 2 * (y * z - x * w), 2 * (y * z + x * w)
    f, n = np.zeros(3), np.zeros(3)
    for i in range(3):
        for j in range(3):
            f[i] += R[i, j] * wrench[j]
            n[i] += R[i, j] * wrench[3 + j]
    up = q[2] - ground
    n_x = n[0] + q[1] * f[2] - up * f[1]
    n_y = n[1] + up * f[0] - q[0] * f[2]
    zmp[0], zmp[1] = com[0, 0], com[0, 1]  # in free fall
    if f[2] != 0.0:
        zmp[0], zmp[1] = -n_y / f[2], n_x / f[2]
    omega = pendulum_rate(height[2], height[0] - ground)
    for i in range(2):
        c[i], ddc[i], dcm[i] = com[0, i], com[2, i], com[0, i] + com[1, i] / omega
    c[2], ddc[2] = height[0], height[2]
    for k in range(2):
        feet[k] = 0.0
        feet[k, 3, 3] = 1.0
        for i in range(3):
            feet[k, i, 3] = places[k, i]
            for j in range(3):
                feet[k, i, j] = turns[k, i, j]
