"""The reference of the zero-moment point, and the ZMP of a motion of the whole body.

In single support the reference rests at the anchor of the standing foot: the centre of its tread,
shifted by an inset. In double support it moves along the straight line between the anchors. Before
the first step it rests between the feet and moves in the last `transfer` seconds of that phase;
after the last step it moves back in the first `transfer` seconds.

The ZMP of the body follows from inverse dynamics: without other external forces the wrench (f, n)
on the floating base is the sum of the ground's forces. On ground of height p_z, with p_b the base's
origin and n about it,

    n_o = n + (p_b - o) x f,   o = (0, 0, p_z),    p = (-n_oy, n_ox)/f_z.

It differs from the pendulum's ZMP by the change of angular momentum about the centre of mass.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from contact.frames import rotation_of_quaternion
from robot.gait.footholds import GaitError, Stance
from robot.gait.schedule import Schedule
from robot.gait.swing import rest_to_rest
from robot.model import RobotModel
from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel
from sole.base.constants import GRAVITY

TRANSFER = 0.3  # s: duration of the first and the last move of the reference


@inner_kernel
def pendulum_rate(acceleration: float, height: float) -> float:
    """Return omega = sqrt((g + c_z'')/h) [1/s] of a centre of mass h above the ground.

    Infinite in free fall and on the ground: no ZMP moves it, and its DCM is where it is.
    """
    if height > 0.0 and acceleration > -GRAVITY:
        return math.sqrt((GRAVITY + acceleration) / height)
    return math.inf


def anchors(stance: Stance, inset: tuple[float, float] = (0.0, 0.0)) -> FloatArray:
    """Return the points (2, 3) of the feet at which the ZMP rests.

    `inset` : offset forward and inward (towards the other foot), in the axes of each foot [m].
    """
    forward, inward = inset
    return np.array([f.at(forward, s * inward) for f, s in zip(stance.feet, (-1, 1), strict=True)])


def zmp_reference(
    schedule: Schedule,
    times: ArrayLike,
    *,
    inset: tuple[float, float] = (0.0, 0.0),
    transfer: float = TRANSFER,
    smooth: bool = True,
) -> FloatArray:
    """Return the reference (N, 3) of the ZMP on the ground [m].

    Parameters
    ----------
    schedule : support phases of the walk.
    times : (N,) [s].
    inset : see `anchors`.
    transfer : duration of the first and the last transfer [s], at most that of the phase.
    smooth : whether transfers start and end with zero velocity and acceleration; otherwise their
        velocity is constant.
    """
    if not (len(inset) == 2 and all(map(math.isfinite, inset))):
        raise GaitError(f"inset must be two finite numbers, forward and inward, got {inset}")
    if not 0 < transfer < math.inf:
        raise GaitError(f"transfer must be positive, got {transfer:g} s")
    times = np.asarray(times, dtype=float)
    start, end, since, until = _transfers(schedule, inset, transfer)
    k = schedule.phases(times)
    s = np.clip((times - since[k]) / (until[k] - since[k]), 0.0, 1.0)
    s = rest_to_rest(s)[0] if smooth else s
    return np.asarray(start[k] + s[:, None] * (end[k] - start[k]))


def _transfers(
    schedule: Schedule, inset: tuple[float, float], transfer: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return for each phase start point (P, 3), end point (P, 3), start and end time (P,)."""
    walk = schedule.footsteps
    points = [anchors(stance, inset) for stance in walk.stances]
    rests = [points[0].mean(axis=0)]  # at the ends of double supports: middle, feet ..., middle
    for step, before in zip(walk.steps, points, strict=False):
        rests.append(before[1 - step.foot])
    rests.append(points[-1].mean(axis=0))
    start, end = [], []
    for k in range(len(walk.steps) + 1):
        start += [rests[k], rests[k + 1]]
        end += [rests[k + 1], rests[k + 1]]
    since, until = schedule.edges[:-1].copy(), schedule.edges[1:].copy()
    if walk.steps:
        since[0] = max(since[0], until[0] - transfer)
        until[-1] = min(until[-1], since[-1] + transfer)
    return np.array(start[:-1]), np.array(end[:-1]), since, until


def ground_wrenches(robot: RobotModel, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
    """Return the total ground force and its moment about the base (N, 6), world axes.

    `q` (N, nq), `v` (N, nv), `a` (N, nv) as in `WalkPlan`.
    """
    import pinocchio as pin

    model, data = robot.model, robot.model.createData()
    wrenches = np.empty((q.shape[0], 6))
    for k in range(q.shape[0]):
        wrenches[k] = pin.rnea(model, data, q[k], v[k], a[k])[:6]
    R = rotation_of_quaternion(q[:, 3:7])
    return np.asarray(np.einsum("kij,kaj->kai", R, wrenches.reshape(-1, 2, 3))).reshape(-1, 6)


def body_zmp(
    robot: RobotModel, q: FloatArray, v: FloatArray, a: FloatArray, ground: FloatArray
) -> FloatArray:
    """Return the ZMP (N, 2) on ground of height (N,) [m]; q, v, a as in `ground_wrenches`."""
    w = ground_wrenches(robot, q, v, a)
    arm = q[:, :3] - np.column_stack([np.zeros((ground.size, 2)), ground])
    n = w[:, 3:] + np.cross(arm, w[:, :3])
    return np.column_stack([-n[:, 1], n[:, 0]]) / w[:, 2:3]
