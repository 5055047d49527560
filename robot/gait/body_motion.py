"""Joint angles at every tick from tasks over time.

Newton's method solves at nodes a few ms apart, with exact velocities and accelerations. Between the
nodes the leg joints and the position of the base are quintic Hermite interpolants, and the rotation
of the base is known in closed form. So v and a are the exact derivatives of q at every tick. Phase
ends are nodes, since the jerk of the feet jumps there.

On [t_k, t_{k+1}] the interpolant is the polynomial of degree 5 that matches the value and two
derivatives at both ends. It is C2, and for a smooth function its error is at most
h^6 max |f^(6)| / 46080.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robot.gait.com import GaitMotion
from robot.gait.footholds import GaitError
from robot.gait.inverse_kinematics import BodyKinematics, OutOfReachError, Targets
from robot.gait.plan_checks import check_limits, when
from robot.gait.schedule import Schedule
from robot.gait.swing import FootMotion
from robot.model import RobotModel
from sole.base.arrays import FloatArray

SPACING = 4e-3  # s between two solutions of the inverse kinematics
# rows: f_k, h f'_k, h^2 f''_k, then the same at k+1; columns: powers 0..5 of s
BASIS = np.array(
    [
        [1.0, 0, 0, -10, 15, -6],
        [0, 1.0, 0, -6, 8, -3],
        [0, 0, 0.5, -1.5, 1.5, -0.5],
        [0, 0, 0, 10, -15, 6],
        [0, 0, 0, -4, 7, -3],
        [0, 0, 0, 0.5, -1, 0.5],
    ]
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Tasks:
    """The desired motion of the body: functions of time, in the world.

    Parameters
    ----------
    schedule : support phases; motions may be non-smooth at their ends.
    feet : motion of the treads. com : motion of the centre of mass.
    thickness : height of the left and the right sole frame above its tread [m].
    breaks : further times at which the motions are not smooth [s].
    """

    schedule: Schedule
    feet: Callable[[FloatArray], FootMotion]
    com: Callable[[FloatArray], GaitMotion]
    thickness: tuple[float, float] = (0.0, 0.0)
    breaks: tuple[float, ...] = ()

    @property
    def lift(self) -> FloatArray:
        """Vectors (2, 3) from the treads up to the sole frames [m]."""
        return np.outer(self.thickness, [0.0, 0.0, 1.0])


def body_motion(
    robot: RobotModel,
    tasks: Tasks,
    times: FloatArray,
    *,
    spacing: float = SPACING,
) -> GaitMotion:
    """Return q (N, nq), v (N, nv), a (N, nv) at the `times` (N,) [s].

    The waist keeps its posture and turns with the mean yaw of the feet; arms and head do not move.

    Raises
    ------
    GaitError
        A target is out of reach. The message names the step, the joint and the error.
    """
    kinematics = BodyKinematics(robot)
    nodes = _nodes(tasks, times, spacing)
    q, v, a = _at_nodes(robot, kinematics, tasks, nodes)
    q, v, a = _between(robot, kinematics, tasks, (q, v, a), nodes, times)
    return q[:, : robot.model.nq], v[:, : robot.model.nv], a[:, : robot.model.nv]


def _nodes(tasks: Tasks, times: FloatArray, spacing: float) -> FloatArray:
    """Return nodes every `spacing`, where motions are not smooth, and at the ticks around.

    The ZMP reference is known at ticks only, so the jerk of the centre of mass jumps at ticks. No
    two nodes are closer than a nanosecond.
    """
    if not 1e-5 <= spacing <= 0.05:
        raise GaitError(f"spacing must be 1e-5 to 0.05 s, got {spacing:g}")
    grid = np.arange(int(np.ceil(float(times[-1]) / spacing)) + 1) * spacing
    rough = np.concatenate([tasks.schedule.edges, tasks.breaks])
    k = np.searchsorted(times, rough)
    around = [times[np.clip(k + i, 0, times.size - 1)] for i in (-1, 0, 1)]
    nodes = np.sort(np.concatenate([grid, rough, *around]))
    keep = np.append(True, np.diff(nodes) > 1e-9)
    return np.asarray(nodes[keep])


def _at_nodes(
    robot: RobotModel,
    kinematics: BodyKinematics,
    tasks: Tasks,
    nodes: FloatArray,
) -> GaitMotion:
    import pinocchio as pin

    feet, com = tasks.feet(nodes), tasks.com(nodes)
    places = feet.places[:, :, :3] + tasks.lift
    yaw = feet.places[:, :, 3]
    turns, waist = about_vertical(yaw), about_vertical(yaw.mean(axis=1)) @ waist_turn(robot)
    twists, accelerations = _rates(feet.velocities, com[1]), _rates(feet.accelerations, com[2])
    n, model = nodes.size, kinematics.model
    q, v, a = np.empty((n, model.nq)), np.empty((n, model.nv)), np.empty((n, model.nv))
    guess = np.array(kinematics.q0)
    start = start_over(robot, com[0][0], yaw[0], float(places[0, :, 2].mean()))
    guess[: len(start)] = start
    for k in range(n):
        try:
            q[k] = kinematics.solve(Targets(places[k], turns[k], com[0][k], waist[k]), guess)
        except OutOfReachError as error:
            # A joint that left its range before is the earlier cause; speeds grow in any case.
            check_limits(robot, tasks.schedule, nodes[:k], q[:k], np.zeros_like(v[:k]))
            where = when(tasks.schedule, float(nodes[k]))
            raise GaitError(
                f"out of reach: {where}, {error.task}; lower com_height or take shorter steps "
                "(--com-height, --forward)"
            ) from error
        v[k], a[k] = kinematics.rates(q[k], twists[k], accelerations[k])
        if k + 1 < n:
            h = nodes[k + 1] - nodes[k]
            guess = pin.integrate(model, q[k], h * v[k] + h**2 / 2 * a[k])
    return q, v, a


def _between(
    robot: RobotModel,
    kinematics: BodyKinematics,
    tasks: Tasks,
    at_nodes: GaitMotion,
    nodes: FloatArray,
    times: FloatArray,
) -> GaitMotion:
    """Interpolate from the nodes to the ticks."""
    Q, V, A = at_nodes
    n_q, n_v = kinematics.places_in_q, kinematics.moving[6:]
    joints = _interpolate(nodes, Q[:, n_q], V[:, n_v], A[:, n_v], times)
    feet = tasks.feet(times)
    yaw, yaw_v, yaw_a = (
        x[:, :, 3].mean(axis=1) for x in (feet.places, feet.velocities, feet.accelerations)
    )
    # the base: velocity R v, acceleration R (a + omega x v) in the world
    at_node = tasks.feet(nodes).places[:, :, 3].mean(axis=1)
    base = _base(robot)
    R = about_vertical(at_node) @ base
    speed = np.einsum("kij,kj->ki", R, V[:, :3])
    bend = np.einsum("kij,kj->ki", R, A[:, :3] + np.cross(V[:, 3:6], V[:, :3]))
    p, dp, ddp = _interpolate(nodes, Q[:, :3], speed, bend, times)
    R = about_vertical(yaw) @ base
    N = times.size
    q, v, a = np.tile(kinematics.q0, (N, 1)), np.zeros((N, V.shape[1])), np.zeros((N, V.shape[1]))
    q[:, :3], q[:, 3:7] = p, _turned(yaw, robot.q0[3:7])
    up = base[2]  # the vertical in the axes of the base, for any yaw
    v[:, 3:6], a[:, 3:6] = yaw_v[:, None] * up, yaw_a[:, None] * up
    v[:, :3] = np.einsum("kji,kj->ki", R, dp)
    a[:, :3] = np.einsum("kji,kj->ki", R, ddp) - np.cross(v[:, 3:6], v[:, :3])
    q[:, n_q], v[:, n_v], a[:, n_v] = joints
    return q, v, a


def _rates(feet: FloatArray, com: FloatArray) -> FloatArray:
    """Return derivatives of all tasks (N, 18) from those of x, y, z, yaw and the CoM."""
    out = np.zeros((com.shape[0], 18))
    for k in range(2):
        out[:, 6 * k : 6 * k + 3], out[:, 6 * k + 5] = feet[:, k, :3], feet[:, k, 3]
    out[:, 12:15], out[:, 17] = com, feet[:, :, 3].mean(axis=1)
    return out


def about_vertical(yaw: FloatArray) -> FloatArray:
    """Return rotations (..., 3, 3) about z."""
    R = np.zeros((*yaw.shape, 3, 3))
    R[..., 0, 0] = R[..., 1, 1] = np.cos(yaw)
    R[..., 1, 0] = np.sin(yaw)
    R[..., 0, 1] = -R[..., 1, 0]
    R[..., 2, 2] = 1.0
    return R


def _base(robot: RobotModel) -> FloatArray:
    """Return the rotation (3, 3) of the floating base at half-sitting."""
    import pinocchio as pin

    return np.asarray(pin.Quaternion(robot.q0[3:7].copy()).matrix())


def waist_turn(robot: RobotModel) -> FloatArray:
    """Return the rotation (3, 3) of the waist frame at half-sitting."""
    frame = robot.model.frames[robot.waist]
    if frame.parentJoint != 1:
        raise GaitError(f"{robot.name}: waist '{frame.name}' is not on the floating base")
    return np.asarray(_base(robot) @ frame.placement.rotation)


def _turned(yaw: FloatArray, quaternion: FloatArray) -> FloatArray:
    """Return quaternions (N, 4), x y z w: `quaternion` followed by a rotation about z."""
    x, y, z, w = quaternion
    s, c = np.sin(yaw / 2), np.cos(yaw / 2)
    return np.column_stack([c * x - s * y, c * y + s * x, c * z + s * w, c * w - s * z])


def start_over(robot: RobotModel, com: FloatArray, yaw: FloatArray, height: float) -> FloatArray:
    """Return the half-sitting configuration, moved over the feet."""
    q = np.array(robot.q0)
    q[:2] = com[:2]
    q[2] += height
    q[3:7] = _turned(np.array([yaw.mean()]), robot.q0[3:7])[0]
    return q


def _interpolate(
    nodes: FloatArray, f: FloatArray, df: FloatArray, ddf: FloatArray, times: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return value, velocity and acceleration (N, m) at the `times` (N,) within the nodes.

    Parameters
    ----------
    nodes : (n,) increasing, n >= 2 [s].
    f, df, ddf : (n, m) at the nodes.
    """
    k = np.clip(np.searchsorted(nodes, times, side="right") - 1, 0, nodes.size - 2)
    h = (nodes[k + 1] - nodes[k])[:, None]
    s = (times - nodes[k])[:, None] / h
    change = f[k + 1] - f[k]  # only differences of f, so that round-off does not grow with f
    ends = (h * df[k], h**2 * ddf[k], change, h * df[k + 1], h**2 * ddf[k + 1])
    c = [sum(BASIS[i + 1, n] * e for i, e in enumerate(ends)) for n in range(6)]
    value = f[k] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))))
    rate = c[1] + s * (2 * c[2] + s * (3 * c[3] + s * (4 * c[4] + s * 5 * c[5])))
    bend = 2 * c[2] + s * (6 * c[3] + s * (12 * c[4] + s * 20 * c[5]))
    return value, np.asarray(rate / h), np.asarray(bend / h**2)
