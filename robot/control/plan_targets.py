"""What the whole-body controller takes from a row of a plan, kept for a second run.

For the feet, about the centres of their treads and in their own axes: rotation, place, twist and
acceleration; of the body: centre of mass with its velocity, and the wrench that all contacts
together exert, by inverse dynamics, in world axes about the centre of mass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robot.gait import MotionPlan
from robot.model import RobotModel
from sole.base.arrays import FloatArray

LARGEST = 2**27  # bytes: rows of a longer plan are computed each time


class BodyTargets(NamedTuple):
    """One row: see the top of this file.

    R (2, 3, 3), p (2, 3), u (2, 6), a (2, 6) of the feet; c, speed (3,) of the centre of mass;
    force, moment (3,); turn (3, 3), spin (3,) and bend (3,): rotation, angular velocity and
    acceleration of the base in the world; q, v, a of the joints (3, n).
    """

    R: FloatArray
    p: FloatArray
    u: FloatArray
    a: FloatArray
    c: FloatArray
    speed: FloatArray
    force: FloatArray
    moment: FloatArray
    turn: FloatArray
    spin: FloatArray
    bend: FloatArray
    joints: FloatArray


class PlanTargets:
    """The rows of a plan, for one robot.

    Parameters
    ----------
    robot : its model with soles. plan : what it follows. thickness : (2,) of the soles [m].
    """

    def __init__(self, robot: RobotModel, plan: MotionPlan, thickness: FloatArray) -> None:
        self.robot, self.plan, self.thickness = robot, plan, thickness
        self.data = robot.model.createData()
        row = 8 * (120 + 3 * len(robot.joints))
        self.keeps = plan.lasting and row * len(plan.q_ref) <= LARGEST
        self.known: dict[int, BodyTargets] = {}

    def row(self, k: int) -> BodyTargets:
        """Return the targets of tick k."""
        found = self.known.get(k)
        if found is None:
            found = self._computed(k)
            if self.keeps:
                self.known[k] = found
        return found

    def _computed(self, k: int) -> BodyTargets:
        import pinocchio as pin

        model, data, plan = self.robot.model, self.data, self.plan
        q, v, a = plan.q_ref[k], plan.v_ref[k], plan.a_ref[k]
        wrench = pin.rnea(model, data, q, v, a)[:6].copy()
        pin.forwardKinematics(model, data, q, v, a)
        pin.centerOfMass(model, data, q, v, False)
        c, speed = data.com[0].copy(), data.vcom[0].copy()
        base = pin.XYZQUATToSE3(q[:7])
        whole = base.act(pin.Force(wrench))
        turn = base.rotation.copy()
        R, p, u, bend = np.empty((2, 3, 3)), np.empty((2, 3)), np.empty((2, 6)), np.empty((2, 6))
        for i, foot in enumerate(self.robot.feet):
            pose, h = pin.updateFramePlacement(model, data, foot.frame), self.thickness[i]
            R[i], p[i] = pose.rotation, pose.translation - h * pose.rotation[:, 2]
            u[i] = pin.getFrameVelocity(model, data, foot.frame, pin.LOCAL).vector
            bend[i] = pin.getFrameAcceleration(model, data, foot.frame, pin.LOCAL).vector
            for x in (u[i], bend[i]):  # from the sole frame to the tread's centre, h below
                x[0] -= h * x[4]
                x[1] += h * x[3]
        return BodyTargets(
            R=R, p=p, u=u, a=bend, c=c, speed=speed,
            force=whole.linear.copy(), moment=whole.angular - pin.skew(c) @ whole.linear,
            turn=turn, spin=turn @ v[3:6], bend=turn @ a[3:6],
            joints=np.stack([q[7:], v[6:], a[6:]]),
        )  # fmt: skip
