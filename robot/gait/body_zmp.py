"""The zero-moment point of a motion of the whole body, by inverse dynamics.

The wrench (f, n) that moves the floating base, with nothing else pushing, is the sum of what the
ground exerts. On ground of height p_z, with p_b the base's origin and n about it,

    n_o = n + (p_b - o) x f,   o = (0, 0, p_z),    p = (-n_oy, n_ox)/f_z.

It differs from the pendulum's by the change of angular momentum about the centre of mass.
"""

from __future__ import annotations

import numpy as np

from robot.modelling.robot_model import RobotModel
from sole.arrays import FloatArray


def ground_wrenches(robot: RobotModel, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
    """Return the sum of the ground's forces and their moment about the base (N, 6), world axes.

    `q` (N, nq), `v` (N, nv), `a` (N, nv) as of `WalkPlan`.
    """
    import pinocchio as pin

    model, data = robot.model, robot.model.createData()
    wrenches = np.empty((q.shape[0], 6))
    for k in range(q.shape[0]):
        wrenches[k] = pin.rnea(model, data, q[k], v[k], a[k])[:6]
    R = rotations(q[:, 3:7])
    return np.asarray(np.einsum("kij,kaj->kai", R, wrenches.reshape(-1, 2, 3))).reshape(-1, 6)


def body_zmp(
    robot: RobotModel, q: FloatArray, v: FloatArray, a: FloatArray, ground: FloatArray
) -> FloatArray:
    """Return the ZMP (N, 2) on ground of height (N,) [m]; the motion as in `ground_wrenches`."""
    w = ground_wrenches(robot, q, v, a)
    arm = q[:, :3] - np.column_stack([np.zeros((ground.size, 2)), ground])
    n = w[:, 3:] + np.cross(arm, w[:, :3])
    return np.column_stack([-n[:, 1], n[:, 0]]) / w[:, 2:3]


def rotations(quaternions: FloatArray) -> FloatArray:
    """Return the rotations (N, 3, 3) of unit quaternions (N, 4), x y z w."""
    x, y, z, w = quaternions.T
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    return np.moveaxis(R, 2, 0)
