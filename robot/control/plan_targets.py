"""What the whole-body controller takes from a row of a plan, made before the robot moves.

For the feet, about the centres of their treads and in their own axes: rotation, place, twist and
acceleration; of the body: centre of mass with its velocity, and the wrench that all contacts
together exert, by inverse dynamics, in world axes about the centre of mass.

A row is one array, `read_aims` names its parts. Rows of a plan that is made while the robot walks
change, so they are computed when they are asked for.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from robot.gait import MotionPlan
from robot.model import RobotModel
from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import kernel

LARGEST = 2**27  # bytes: rows of a longer plan are computed each time
MOST = 4  # robots whose tables of one plan are kept
FIXED = 77  # numbers of a row beside those of the joints


class Aims(NamedTuple):
    """One row: see the top of this file.

    R (2, 3, 3), p (2, 3), u (2, 6), a (2, 6) of the feet; c, speed (3,) of the centre of mass;
    force, moment (3,); turn (3, 3), spin (3,) and bend (3,): rotation, angular velocity and
    acceleration of the base in the world; carries (2,): 1 of feet that carry, else 0; q, v, a of
    the joints (3, n).
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
    carries: FloatArray
    joints: FloatArray


@kernel
def read_aims(row: FloatArray) -> Bundle:
    """Return the parts of a row (77 + 3 n,) as views: `Aims` as a plain tuple."""
    n = (len(row) - FIXED) // 3
    return Aims(
        R=row[0:18].reshape((2, 3, 3)), p=row[18:24].reshape((2, 3)), u=row[24:36].reshape((2, 6)),
        a=row[36:48].reshape((2, 6)), c=row[48:51], speed=row[51:54], force=row[54:57],
        moment=row[57:60], turn=row[60:69].reshape((3, 3)), spin=row[69:72], bend=row[72:75],
        carries=row[75:77], joints=row[FIXED:].reshape((3, n)),
    )[:]  # fmt: skip


_tables: WeakKeyDictionary[MotionPlan, list[tuple[RobotModel, bytes, FloatArray]]] = (
    WeakKeyDictionary()
)


class PlanTargets:
    """The rows of a plan, for one robot; a second controller of the plan shares them.

    Parameters
    ----------
    robot : its model with soles. plan : what it follows. thickness : (2,) of the soles [m].
    """

    def __init__(self, robot: RobotModel, plan: MotionPlan, thickness: FloatArray) -> None:
        self.robot, self.plan, self.thickness = robot, plan, thickness
        self.data = robot.model.createData()
        self.width = FIXED + 3 * len(robot.joints)
        self.table = np.empty((0, self.width))
        if plan.lasting and 8 * self.width * len(plan.q_ref) <= LARGEST:
            self.table = self._shared()

    def row(self, k: int) -> FloatArray:
        """Return the targets of tick k, for `read_aims`."""
        return self.table[k] if len(self.table) else self._written(k, np.empty(self.width))

    def _shared(self) -> FloatArray:
        """Return all rows, made once."""
        known, size = _tables.setdefault(self.plan, []), self.thickness.tobytes()
        for robot, thickness, table in known:
            if robot is self.robot and thickness == size:
                return table
        table = np.empty((len(self.plan.q_ref), self.width))
        for k, row in enumerate(table):
            self._written(k, row)
        known.append((self.robot, size, table))
        del known[:-MOST]
        return table

    def _written(self, k: int, row: FloatArray) -> FloatArray:
        """Write the targets of tick k into `row`, and return it."""
        import pinocchio as pin

        model, data, plan = self.robot.model, self.data, self.plan
        q, v, a = plan.q_ref[k], plan.v_ref[k], plan.a_ref[k]
        aims = Aims(*read_aims(row))
        base = pin.XYZQUATToSE3(q[:7])
        whole = base.act(pin.Force(pin.rnea(model, data, q, v, a)[:6]))
        pin.forwardKinematics(model, data, q, v, a)
        pin.centerOfMass(model, data, q, v, False)
        aims.c[:], aims.speed[:] = data.com[0], data.vcom[0]
        aims.force[:] = whole.linear
        aims.moment[:] = whole.angular - np.cross(aims.c, aims.force)
        aims.turn[:] = base.rotation
        aims.spin[:], aims.bend[:] = aims.turn @ v[3:6], aims.turn @ a[3:6]
        for i, foot in enumerate(self.robot.feet):
            pose, h = pin.updateFramePlacement(model, data, foot.frame), self.thickness[i]
            aims.R[i], aims.p[i] = pose.rotation, pose.translation - h * pose.rotation[:, 2]
            aims.u[i] = pin.getFrameVelocity(model, data, foot.frame, pin.LOCAL).vector
            aims.a[i] = pin.getFrameAcceleration(model, data, foot.frame, pin.LOCAL).vector
            for x in (aims.u[i], aims.a[i]):  # from the sole frame to the tread's centre, h below
                x[0] -= h * x[4]
                x[1] += h * x[3]
        aims.carries[:] = plan.supports[k]
        aims.joints[:] = q[7:], v[6:], a[6:]
        return row
