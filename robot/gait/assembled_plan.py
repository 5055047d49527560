"""A plan from a motion of joints and centre of mass: everything else follows from these."""

from __future__ import annotations

import numpy as np

from robot.gait.com import GaitMotion, pendulum_zmp
from robot.gait.schedule import Schedule
from robot.gait.walk_plan import WalkPlan
from robot.gait.zmp import body_zmp
from robot.model import RobotModel
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY


def assemble_plan(
    robot: RobotModel,
    schedule: Schedule,
    thickness: tuple[float, float],
    times: FloatArray,
    motion: GaitMotion,
    com: GaitMotion,
    *,
    feet: FloatArray,
    ground: FloatArray,
    reference: FloatArray | None = None,
) -> WalkPlan:
    """Return the plan of a motion at the `times` (N,), equally spaced [s].

        omega^2 = (g + c_z'') / (c_z - z),    dcm = c + c'/omega,

    on ground of height z; the body's ZMP is by inverse dynamics.

    Parameters
    ----------
    motion : q (N, nq), v and a (N, nv). com : its centre of mass (N, 3) and two derivatives.
    feet : (N, 2, 4, 4) poses of the sole frames. ground : (N,) height z under the ZMP [m].
    reference : (N, 2) wanted ZMP [m]; None: the body's own.
    """
    q, v, a = motion
    arm = (com[0][:, 2] - ground) / (GRAVITY + com[2][:, 2])  # 1/omega^2
    zmp = body_zmp(robot, q, v, a, ground)
    return WalkPlan(
        robot=robot.name,
        schedule=schedule,
        dt=float(times[1] - times[0]),
        sole_thickness=thickness,
        times=times,
        q_ref=q,
        v_ref=v,
        a_ref=a,
        com=com[0],
        com_velocity=com[1],
        com_acceleration=com[2],
        dcm=com[0][:, :2] + np.sqrt(arm)[:, None] * com[1][:, :2],
        zmp=zmp,
        zmp_pendulum=pendulum_zmp(com, ground, GRAVITY),
        zmp_reference=zmp if reference is None else reference,
        ground=ground,
        feet=feet,
        supports=schedule.supports(times),
        phase=schedule.progress(times),
        step=schedule.steps(times),
    )
