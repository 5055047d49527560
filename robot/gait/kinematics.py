"""Inverse kinematics of the whole body by Newton's method, with exact velocities and accelerations.

Unknown are the floating base and six joints per leg, q in 18 dimensions; all other joints stay.
Asked for are as many numbers x(q): the poses of both sole frames (6 + 6), the centre of mass (3)
and the orientation of the waist (3). With J = dx/dq of these rows, world axes,

    J dq = x* - x(q),         q <- q (+) dq,        until |x* - x| <= tolerance,
    J v = dx*/dt,             J a = d2x*/dt2 - (dJ/dt) v,

(dJ/dt) v being the accelerations for a = 0. Rotations enter as vee of the skew part of R* R', which
is the rotation vector up to third order, so Newton stays quadratic.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin
from typing import Any

import numpy as np

from robot.gait.footsteps import GaitError, Stance
from robot.gait.newton_kernels import back, factor, newton, residual
from robot.modelling.robot_model import RobotModel
from sole.arrays import FloatArray

TOLERANCE = 1e-11  # m and rad
LONGEST = 0.3  # rad or m: largest change of a coordinate in one iteration
ROWS = ("left foot", "left foot's turn", "right foot", "right foot's turn",
        "centre of mass", "waist's turn")  # fmt: skip


class OutOfReachError(GaitError):
    """No joint angles put the feet and the centre of mass where they should be.

    `task` says which joint is at its end and which row is missed by how much; q is the closest
    configuration found.
    """

    def __init__(self, task: str, q: FloatArray) -> None:
        super().__init__(f"out of reach: {task}")
        self.task, self.q = task, q


@dataclass(frozen=True, eq=False)
class Targets:
    """Where the tasks should be at one instant; in the world, axes of the world.

    Parameters
    ----------
    places : (2, 3) of the sole frames [m]; turns : (2, 3, 3) their rotations.
    com : (3,) [m]; waist : (3, 3) rotation of the waist's frame.
    """

    places: FloatArray
    turns: FloatArray
    com: FloatArray
    waist: FloatArray


class BodyKinematics:
    """Newton for one robot; keeps work space, so not for several threads.

    Parameters
    ----------
    robot : with at least six joints per leg. Of more, the six that move the foot best in its
        half-sitting posture are used.
    tolerance : on every component of x* - x [m, rad].

    Attributes
    ----------
    moving : (18,) places in v that move.
    joints : the pinocchio ids of the leg joints among them, left then right.
    iterations : of the last call of `solve`.
    """

    def __init__(self, robot: RobotModel, *, tolerance: float = TOLERANCE) -> None:
        self.robot, self.model = robot, robot.model
        self.data: Any = self.model.createData()
        self.tolerance, self.iterations = tolerance, 0
        self.joints = (*self._six(0), *self._six(1))
        columns = [self.model.joints[j].idx_v for j in self.joints]
        self.moving = np.array([0, 1, 2, 3, 4, 5, *columns])
        self.places_in_q = np.array([self.model.joints[j].idx_q for j in self.joints])
        self.zero = np.zeros(self.model.nv)
        self.matrix = np.zeros((18, 18))

    def _six(self, side: int) -> tuple[int, ...]:
        """Return the six joints of a leg whose Jacobian at half-sitting is least singular."""
        import pinocchio as pin

        legs, foot = self.robot.legs[side], self.robot.feet[side]
        if len(legs) < 6:
            raise GaitError(
                f"{self.robot.name}: the {foot.side} leg has {len(legs)} joints; six are needed to "
                "place a foot freely"
            )
        pin.computeJointJacobians(self.model, self.data, self.robot.q0)
        J = pin.computeFrameJacobian(self.model, self.data, self.robot.q0, foot.frame, pin.LOCAL)
        chosen = list(legs)
        while len(chosen) > 6:
            best, worst = -1.0, chosen[0]
            for out in chosen:
                columns = [self.model.joints[j].idx_v for j in chosen if j != out]
                size = float(np.linalg.svd(J[:, columns], compute_uv=False)[-1])
                best, worst = max((best, worst), (size, out))
            chosen.remove(worst)
        return tuple(chosen)

    def solve(self, targets: Targets, start: FloatArray, limit: int = 40) -> FloatArray:
        """Return q (nq,) that meets the targets to the tolerance, next to `start` (nq,).

        Raises
        ------
        OutOfReachError
            Newton did not get there; says which task is how far away.
        """
        import pinocchio as pin

        q, step = start, np.zeros(self.model.nv)
        for k in range(limit):
            error = self._look(q, targets)
            if np.abs(error).max() <= self.tolerance:
                self.iterations = k
                return q
            if not np.isfinite(error).all():
                break
            if not newton(self.matrix, error, self.moving, step, LONGEST):
                break
            q = pin.integrate(self.model, q, step)
        raise self._nearest(targets, start)

    def rates(
        self, q: FloatArray, twists: FloatArray, accelerations: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return v, a (nv,) at a q that `solve` has just returned.

        Parameters
        ----------
        twists : dx*/dt (18,) in the order of the tasks; feet: linear, angular.
        accelerations : d2x*/dt2 (18,) likewise.
        """
        import pinocchio as pin

        model, data = self.model, self.data
        v, a = np.zeros(model.nv), np.zeros(model.nv)
        lu = self.matrix.copy()
        pivots = factor(lu)
        v[self.moving] = back(lu, pivots, twists)
        pin.centerOfMass(model, data, q, v, self.zero)
        drift = np.empty(18)
        for k, foot in enumerate(self.robot.feet):
            drift[6 * k : 6 * k + 6] = pin.getFrameClassicalAcceleration(
                model, data, foot.frame, pin.LOCAL_WORLD_ALIGNED
            ).vector
        drift[12:15] = data.acom[0]
        drift[15:] = pin.getFrameAcceleration(
            model, data, self.robot.waist, pin.LOCAL_WORLD_ALIGNED
        ).angular
        a[self.moving] = back(lu, pivots, accelerations - drift)
        return v, a

    def _look(self, q: FloatArray, targets: Targets) -> FloatArray:
        """Return x* - x (18,) and leave J in `matrix`."""
        import pinocchio as pin

        model, data, world = self.model, self.data, pin.LOCAL_WORLD_ALIGNED
        pin.computeJointJacobians(model, data, q)
        com = pin.jacobianCenterOfMass(model, data, False)
        left, right = self.robot.feet
        frames = (left.frame, right.frame, self.robot.waist)
        L, R, W = (pin.updateFramePlacement(model, data, f) for f in frames)
        J_L, J_R, J_W = (pin.getFrameJacobian(model, data, f, world) for f in frames)
        return residual(
            J_L, J_R, J_W, com, self.moving,
            L.homogeneous, R.homogeneous, W.homogeneous, data.com[0],
            targets.places, targets.turns, targets.com, targets.waist, self.matrix,
        )  # fmt: skip

    def _nearest(self, targets: Targets, start: FloatArray) -> OutOfReachError:
        """Look for the closest configuration (damped least squares) and say what is missed."""
        import pinocchio as pin

        q, step, damping, best = start, np.zeros(self.model.nv), 1e-4, (np.inf, start)
        error = self._look(q, targets)
        for _ in range(200):
            J = self.matrix
            step[self.moving] = J.T @ np.linalg.solve(J @ J.T + damping * np.eye(18), error)
            longest = float(np.abs(step).max())
            q = pin.integrate(self.model, q, step * min(1.0, LONGEST / max(longest, LONGEST)))
            error = self._look(q, targets)
            size = float(np.linalg.norm(error))
            best = min(best, (size, q), key=lambda pair: pair[0])
        error = self._look(best[1], targets)
        sizes = np.linalg.norm(error.reshape(6, 3), axis=1)
        worst = int(sizes.argmax())
        unit = f"{1e3 * sizes[worst]:.3g} mm" if worst in (0, 2, 4) else f"{sizes[worst]:.3g} rad"
        # Of the motion that moves no task any more a stretched knee has the largest part.
        still = np.linalg.svd(self.matrix)[2][-1]
        j = self.joints[int(np.abs(still[6:]).argmax())]
        angle = float(best[1][self.model.joints[j].idx_q])
        return OutOfReachError(
            f"joint {self.model.names[j]} at {angle:.3g} rad, {ROWS[worst]} misses by {unit}",
            best[1],
        )


def vertical(yaw: float) -> FloatArray:
    """Return the rotation (3, 3) about z by `yaw` [rad]."""
    c, s = cos(yaw), sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def stance_of(robot: RobotModel) -> Stance:
    """Return the stance of the half-sitting posture: feet as far apart as there, parallel."""
    import pinocchio as pin

    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, robot.q0)
    left, right = (data.oMf[foot.frame].translation for foot in robot.feet)
    return Stance.parallel(float(left[1] - right[1]))
