"""How well a plan does what it should, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot.gait.walk_plan import WalkPlan
from robot.modelling.robot_model import RobotModel


@dataclass(frozen=True, kw_only=True)
class PlanErrors:
    """How well a plan does what it should; all largest values.

    Parameters
    ----------
    pendulum : |zmp_pendulum - reference| while one foot carries, x or y [m]; without corrections
        the error of the preview control.
    body : |zmp - reference| while one foot carries [m]; body_always: at any time.
    margin : smallest distance of the body's ZMP from the edge of the foot that carries, while one
        carries [m]; negative: outside.
    feet, com : distance of the sole frames and the centre of mass from their places [m].
    """

    pendulum: float
    body: float
    body_always: float
    margin: float
    feet: float
    com: float


def plan_errors(robot: RobotModel, plan: WalkPlan) -> PlanErrors:
    """Measure a plan, by forward kinematics at every tick."""
    import pinocchio as pin

    model, data = robot.model, robot.model.createData()
    places, com = np.empty((plan.times.size, 2, 3)), np.empty((plan.times.size, 3))
    for k, q in enumerate(plan.q_ref):
        com[k] = pin.centerOfMass(model, data, q)
        for i, foot in enumerate(robot.feet):
            places[k, i] = pin.updateFramePlacement(model, data, foot.frame).translation
    zmp, one = plan.zmp, plan.supports.sum(axis=1) == 1
    off = np.abs(zmp - plan.zmp_reference)
    margin = np.inf
    for i, foot in enumerate(robot.feet):
        on = one & plan.supports[:, i]
        pose = plan.feet[on, i]
        local = np.einsum("kji,kj->ki", pose[:, :2, :2], zmp[on] - pose[:, :2, 3])
        margin = min(margin, float((foot.half_size - np.abs(local)).min(initial=np.inf)))
    return PlanErrors(
        pendulum=float(np.abs(plan.zmp_pendulum - plan.zmp_reference)[one].max(initial=0.0)),
        body=float(off[one].max(initial=0.0)),
        body_always=float(off.max()),
        margin=margin,
        feet=float(np.linalg.norm(places - plan.feet[:, :, :3, 3], axis=2).max()),
        com=float(np.linalg.norm(com - plan.com, axis=1).max()),
    )
