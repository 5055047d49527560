"""What a path asks of ground and drives: coefficients of u = s'' and x = s'^2.

    W(s, u, x) = a u + b x + c      the wrench of the ground on the robot, about a support's frame,
    tau(s, u, x)                    the torques of the drives, likewise,

from three inverse dynamics calls [CaronPhamNakamura2015, section 5]:

    c = ID(q, 0, 0),    a = ID(q, 0, V) - c,    b = ID(q, V, V') - c.

The six rows of the floating base give the wrench; with one foot on the ground it is that foot's,
and tau = rows of the joints - J'W. With both, its parts and the torques are not determined.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot.gait import BodyPath, Schedule
from sole.base.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class PathDynamics:
    """Coefficients at N places of a path.

    Parameters
    ----------
    s : (N,) places. q (N, nq), V (N, nv), W (N, nv) : the motion, V = dq/ds, W = dV/ds.
    wrench : (3, N, 6) a, b, c of the total wrench about the base, axes of the base [N, N m].
    torque : (3, N, 2, n) a, b, c of the torques if the left or the right foot carries all [N m].
    joints : (3, N, n) a, b, c of the joints' rows without forces of the ground [N m].
    """

    s: FloatArray
    q: FloatArray
    V: FloatArray
    W: FloatArray
    wrench: FloatArray
    torque: FloatArray
    joints: FloatArray

    def part(self, rows: slice | IntArray) -> PathDynamics:
        """Return the coefficients at some of the places."""
        return PathDynamics(
            s=self.s[rows],
            q=self.q[rows],
            V=self.V[rows],
            W=self.W[rows],
            wrench=self.wrench[:, rows],
            torque=self.torque[:, rows],
            joints=self.joints[:, rows],
        )


def path_dynamics(path: BodyPath, s: FloatArray, sides: tuple[int, ...] = ()) -> PathDynamics:
    """Return the coefficients at places s (N,); torques for the feet in `sides` (0 left, 1 right).

    Torques of other feet are zero.
    """
    import pinocchio as pin

    robot, model = path.robot, path.robot.model
    data, n = model.createData(), len(robot.joints)
    q, V, W = path.motion(s)
    N, zero = len(s), np.zeros(model.nv)
    gen = np.empty((3, N, model.nv))
    torque = np.zeros((3, N, 2, n))
    for k in range(N):
        gen[2, k] = pin.rnea(model, data, q[k], zero, zero)
        gen[0, k] = pin.rnea(model, data, q[k], zero, V[k])
        gen[1, k] = pin.rnea(model, data, q[k], V[k], W[k])
        for side in sides:
            frame = robot.feet[side].frame
            J = pin.computeFrameJacobian(model, data, q[k], frame, pin.LOCAL)
            # J_b' w = rows of the base: J_b changes axes, so J_j' w = (J_b^-1 J_j)' rows.
            held = np.linalg.solve(J[:, :6], J[:, 6:]).T
            torque[:, k, side] = -gen[:, k, :6] @ held.T
    gen[:2] -= gen[2]
    torque[:2] -= torque[2]
    for side in sides:
        torque[:, :, side] += gen[:, :, 6:]
    return PathDynamics(
        s=s,
        q=q,
        V=V,
        W=W,
        wrench=np.ascontiguousarray(gen[:, :, :6]),
        torque=torque,
        joints=np.ascontiguousarray(gen[:, :, 6:]),
    )


def wrench_in(dynamics: PathDynamics, phases: IntArray, frames: FloatArray) -> FloatArray:
    """Return the coefficients (3, N, 6) of the wrench in the frame (P, 4, 4) of each place's phase.

    `phases` (N,) choose the frame, a pose in the world.
    """
    from contact.frames import rotation_of_quaternion

    R, p = rotation_of_quaternion(dynamics.q[:, 3:7]), dynamics.q[:, :3]
    to, at = frames[phases][:, :3, :3], frames[phases][:, :3, 3]
    force = np.einsum("nij,cnj->cni", R, dynamics.wrench[..., :3])
    moment = np.einsum("nij,cnj->cni", R, dynamics.wrench[..., 3:])
    moment = moment + np.cross((p - at)[None], force)
    return np.concatenate(
        [np.einsum("nji,cnj->cni", to, force), np.einsum("nji,cnj->cni", to, moment)], axis=-1
    )


def phases_of(schedule: Schedule, s: FloatArray) -> IntArray:
    """Return the support phase of each interval between the places s (N + 1,): (N,)."""
    return schedule.phases((s[1:] + s[:-1]) / 2)
