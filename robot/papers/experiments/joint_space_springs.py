"""The earlier contact model, point springs over joint angles, beside U over the pose of a foot."""

from __future__ import annotations

import numpy as np

from contact.papers.foundation import sole_U
from robot.control import point_springs, springs_U
from robot.model import load_robot
from robot.soles import on_soles
from robot.walk import SoleChoice, material_of, pad_of
from sole.claims import Effort, Findings
from sole.condense import condense

__all__ = ["compare_spaces"]

PAD = SoleChoice(young=2e6, poisson=0.45, size=0.04, element="p1")
TRIALS = 20


def compare_spaces(effort: Effort) -> Findings:
    """Compare -sum (y_i, -x_i, 1)' c_i J_z,i q' with U J_f q' at random joint speeds."""
    import pinocchio as pin

    robot = load_robot("lola-like")
    feet = on_soles(robot, condense(pad_of(PAD, robot), material_of(PAD), element=PAD.element))
    whole = sole_U(feet.soles[0])
    points, c = point_springs(whole, np.ptp(feet.edges[0], axis=0))
    U = springs_U(points, c)
    model, frame = feet.robot.model, feet.robot.feet[0].frame
    data, q = model.createData(), feet.robot.q0
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    J = pin.getFrameJacobian(model, data, frame, pin.LOCAL)
    rng, apart = np.random.default_rng(1), 0.0
    for _ in range(TRIALS):
        v = rng.normal(size=model.nv)
        rate = np.zeros(3)
        for (x, y), stiffness in zip(points, c, strict=True):
            at = pin.SE3(np.eye(3), np.array([x, y, -feet.thicknesses[0]]))
            rise = (at.toActionMatrixInverse() @ J)[2] @ v  # J_z,i q' of the point itself
            rate -= np.array([y, -x, 1.0]) * stiffness * rise
        wanted = U @ J[[3, 4, 2]] @ v
        apart = max(apart, float(np.abs(rate - wanted).max() / np.abs(wanted).max()))
    return Findings(
        numbers={
            "apart": apart,
            "roll": float(whole[0, 0] / U[0, 0]),
            "pitch": float(whole[1, 1] / U[1, 1]),
        }
    )
