"""From tasks over time to joint angles at every tick.

Newton solves at nodes a few ms apart, with exact velocities and accelerations; between them the leg
joints and the place of the base are quintic Hermite interpolants, and the turn of the base is known
in closed form. So v and a are the exact derivatives of q at every tick. Ends of phases are nodes,
for there the jerk of the feet jumps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robot.gait.com import Motion
from robot.gait.footsteps import GaitError
from robot.gait.hermite import hermite
from robot.gait.kinematics import BodyKinematics, OutOfReachError, Targets
from robot.gait.schedule import Schedule
from robot.gait.swing import FootMotion
from robot.modelling.robot_model import RobotModel
from sole.arrays import FloatArray

WITHIN = 1e-9  # rad: by how much a joint limit may be exceeded


@dataclass(frozen=True, eq=False, kw_only=True)
class Tasks:
    """What the body is asked to do: functions of time, in the world.

    Parameters
    ----------
    schedule : of the supports, whose phases end where the motions are not smooth.
    feet : of the treads. com : of the centre of mass.
    thickness : of the left and the right sole: the sole frames are that much over the treads [m].
    breaks : further times at which the motions are not smooth [s].
    """

    schedule: Schedule
    feet: Callable[[FloatArray], FootMotion]
    com: Callable[[FloatArray], Motion]
    thickness: tuple[float, float] = (0.0, 0.0)
    breaks: tuple[float, ...] = ()

    @property
    def lift(self) -> FloatArray:
        """(2, 3) from the treads up to the sole frames [m]."""
        return np.outer(self.thickness, [0.0, 0.0, 1.0])


def body_motion(
    robot: RobotModel,
    tasks: Tasks,
    times: FloatArray,
    *,
    spacing: float = 4e-3,
) -> Motion:
    """Return q (N, nq), v (N, nv), a (N, nv) at the `times` (N,) [s].

    The waist keeps its posture and turns with the mean yaw of the feet; arms and head stay.

    Raises
    ------
    GaitError
        Out of reach or beyond a joint's range: says the step, the joint or task, by how much.
    """
    kinematics = BodyKinematics(robot)
    nodes = _nodes(tasks, times, spacing)
    q, v, a = _at_nodes(robot, kinematics, tasks, nodes)
    return _between(robot, kinematics, tasks, (q, v, a), nodes, times)


def check_limits(
    robot: RobotModel, schedule: Schedule, times: FloatArray, q: FloatArray, v: FloatArray
) -> None:
    """Refuse leg joints beyond their range, or faster than their drives; q (N, nq), v (N, nv).

    Raises
    ------
    GaitError
        With the earliest step, its joint, and what is beyond which limit at the worst.
    """
    joints = [robot.model.joints[j] for leg in robot.legs for j in leg]
    rows = [joint.idx_v - 6 for joint in joints]
    angles, speeds = (
        q[:, [joint.idx_q for joint in joints]],
        v[:, [joint.idx_v for joint in joints]],
    )
    fastest = robot.velocity[rows]
    for x, low, high, what, unit in (
        (angles, robot.lower[rows], robot.upper[rows], "out of reach", "rad"),
        (speeds, -fastest, fastest, "too fast", "rad/s"),
    ):
        beyond = np.maximum(low - x, x - high)
        if not (bad := beyond > WITHIN).any():
            continue
        first = int(bad.any(axis=1).argmax())
        j = int(beyond[first].argmax())
        phases = schedule.phases(times)
        k = int(np.where(phases == phases[first], beyond[:, j], -np.inf).argmax())
        limit = f"> {high[j]:.3g}" if x[k, j] > high[j] else f"< {low[j]:.3g}"
        raise GaitError(
            f"{what}: {when(schedule, float(times[k]))}, joint {robot.joints[rows[j]]}, "
            f"{x[k, j]:.3g} {unit} {limit} {unit}"
        )


def when(schedule: Schedule, time: float) -> str:
    """Return which step a time belongs to, in words; steps are counted from 1."""
    step, count = int(schedule.next_steps(time)), len(schedule.footsteps.steps)
    if not count:
        return f"at {time:.3g} s"
    if step == count:
        return f"after step {count}"
    return f"step {step + 1}" if schedule.steps(time) >= 0 else f"before step {step + 1}"


def _nodes(tasks: Tasks, times: FloatArray, spacing: float) -> FloatArray:
    """Every `spacing`, and where motions are not smooth: there, and at the ticks around it.

    The reference of the ZMP is known at ticks only, so that is where the jerk of the centre of mass
    jumps. No two nodes are closer than a nanosecond.
    """
    if not 1e-5 <= spacing <= 0.05:
        raise GaitError(f"spacing of the nodes must be 1e-5 to 0.05 s, got {spacing:g}")
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
) -> Motion:
    import pinocchio as pin

    feet, com = tasks.feet(nodes), tasks.com(nodes)
    places = feet.places[:, :, :3] + tasks.lift
    yaw = feet.places[:, :, 3]
    turns, waist = _vertical(yaw), _vertical(yaw.mean(axis=1)) @ _waist(robot)
    twists, accelerations = _rates(feet.velocities, com[1]), _rates(feet.accelerations, com[2])
    n, model = nodes.size, robot.model
    q, v, a = np.empty((n, model.nq)), np.empty((n, model.nv)), np.empty((n, model.nv))
    guess = _start(robot, com[0][0], yaw[0], float(places[0, :, 2].mean()))
    for k in range(n):
        try:
            q[k] = kinematics.solve(Targets(places[k], turns[k], com[0][k], waist[k]), guess)
        except OutOfReachError as error:
            where = when(tasks.schedule, float(nodes[k]))
            raise GaitError(
                f"out of reach: {where}, {error.task}; lower com_height or take shorter steps"
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
    at_nodes: Motion,
    nodes: FloatArray,
    times: FloatArray,
) -> Motion:
    """Interpolate from the nodes to the ticks."""
    Q, V, A = at_nodes
    n_q, n_v = kinematics.places_in_q, kinematics.moving[6:]
    joints = hermite(nodes, Q[:, n_q], V[:, n_v], A[:, n_v], times)
    feet = tasks.feet(times)
    yaw, yaw_v, yaw_a = (
        x[:, :, 3].mean(axis=1) for x in (feet.places, feet.velocities, feet.accelerations)
    )
    # the base: velocity R v, acceleration R (a + omega x v) in the world
    at_node = tasks.feet(nodes).places[:, :, 3].mean(axis=1)
    base = _base(robot)
    R = _vertical(at_node) @ base
    speed = np.einsum("kij,kj->ki", R, V[:, :3])
    bend = np.einsum("kij,kj->ki", R, A[:, :3] + np.cross(V[:, 3:6], V[:, :3]))
    p, dp, ddp = hermite(nodes, Q[:, :3], speed, bend, times)
    R = _vertical(yaw) @ base
    N = times.size
    q, v, a = np.tile(robot.q0, (N, 1)), np.zeros((N, V.shape[1])), np.zeros((N, V.shape[1]))
    q[:, :3], q[:, 3:7] = p, _turned(yaw, robot.q0[3:7])
    up = base[2]  # the vertical in the axes of the base, whatever the yaw
    v[:, 3:6], a[:, 3:6] = yaw_v[:, None] * up, yaw_a[:, None] * up
    v[:, :3] = np.einsum("kji,kj->ki", R, dp)
    a[:, :3] = np.einsum("kji,kj->ki", R, ddp) - np.cross(v[:, 3:6], v[:, :3])
    q[:, n_q], v[:, n_v], a[:, n_v] = joints
    return q, v, a


def _rates(feet: FloatArray, com: FloatArray) -> FloatArray:
    """First or second derivatives of all tasks (N, 18) from those of x, y, z, yaw and the CoM."""
    out = np.zeros((com.shape[0], 18))
    for k in range(2):
        out[:, 6 * k : 6 * k + 3], out[:, 6 * k + 5] = feet[:, k, :3], feet[:, k, 3]
    out[:, 12:15], out[:, 17] = com, feet[:, :, 3].mean(axis=1)
    return out


def _vertical(yaw: FloatArray) -> FloatArray:
    """Rotations (..., 3, 3) about z."""
    R = np.zeros((*yaw.shape, 3, 3))
    R[..., 0, 0] = R[..., 1, 1] = np.cos(yaw)
    R[..., 1, 0] = np.sin(yaw)
    R[..., 0, 1] = -R[..., 1, 0]
    R[..., 2, 2] = 1.0
    return R


def _base(robot: RobotModel) -> FloatArray:
    """Rotation (3, 3) of the floating base at half-sitting."""
    import pinocchio as pin

    return np.asarray(pin.Quaternion(robot.q0[3:7].copy()).matrix())


def _waist(robot: RobotModel) -> FloatArray:
    """Rotation (3, 3) of the waist's frame at half-sitting."""
    frame = robot.model.frames[robot.waist]
    if frame.parentJoint != 1:
        raise GaitError(f"{robot.name}: the waist '{frame.name}' is not on the floating link")
    return np.asarray(_base(robot) @ frame.placement.rotation)


def _turned(yaw: FloatArray, quaternion: FloatArray) -> FloatArray:
    """Quaternions (N, 4), x y z w, of a turn about the vertical after `quaternion`."""
    x, y, z, w = quaternion
    s, c = np.sin(yaw / 2), np.cos(yaw / 2)
    return np.column_stack([c * x - s * y, c * y + s * x, c * z + s * w, c * w - s * z])


def _start(robot: RobotModel, com: FloatArray, yaw: FloatArray, height: float) -> FloatArray:
    """Half-sitting, carried over the feet."""
    q = np.array(robot.q0)
    q[:2] = com[:2]
    q[2] += height
    q[3:7] = _turned(np.array([yaw.mean()]), robot.q0[3:7])[0]
    return q
