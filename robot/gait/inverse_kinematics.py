"""Whole-body inverse kinematics by Newton's method, with exact velocities and accelerations.

The unknowns are the floating base and six joints per leg, q in 18 dimensions; all other joints keep
their angles. A leg of fewer joints has joints without mass under its foot for the axes that follow
(`robot.model.free_axes`). The 18 tasks x(q) are the poses of both sole frames (6 + 6), the centre
of mass (3) and the orientation of the waist (3). With J = dx/dq of these rows, world axes,

    J dq = x* - x(q),         q <- q (+) dq,        until |x* - x| <= tolerance,
    J v = dx*/dt,             J a = d2x*/dt2 - (dJ/dt) v,

where (dJ/dt) v are the accelerations for a = 0. Rotations enter as vee of the skew part of R* R',
which is the rotation vector up to third order, so Newton's method converges quadratically.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from robot.gait.following_kernels import (
    FASTEST,
    ITERATIONS,
    LONGEST,
    NEAR,
    TaskFrames,
    follow_tasks,
)
from robot.gait.footholds import GaitError, Stance
from robot.gait.newton_kernels import TaskRows, factor_lu, solve_lu, step_newton, write_tasks
from robot.model import RobotModel, with_free_joints
from robot.tree import link_frames, tree_of, tree_sheet
from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import packed

TOLERANCE = 1e-11  # m and rad
DAMPING = 1e-4  # of the least squares out of reach [m^2/rad^2]
ROWS = ("left foot", "left foot's turn", "right foot", "right foot's turn",
        "centre of mass", "waist's turn")  # fmt: skip


class OutOfReachError(GaitError):
    """No joint angles meet the targets of the feet and the centre of mass.

    `task` names the singular joint and the task with the largest error; q is the closest
    configuration found.
    """

    def __init__(self, task: str, q: FloatArray) -> None:
        super().__init__(f"out of reach: {task}")
        self.task, self.q = task, q


@dataclass(frozen=True, eq=False)
class Targets:
    """Target values of the tasks at one instant, in world axes.

    Parameters
    ----------
    places : (2, 3) positions of the sole frames [m]. turns : (2, 3, 3) their rotations.
    com : (3,) centre of mass [m]. waist : (3, 3) rotation of the waist frame.
    """

    places: FloatArray
    turns: FloatArray
    com: FloatArray
    waist: FloatArray


class BodyKinematics:
    """Newton's method for one robot. It keeps work space, so it is not thread-safe.

    Parameters
    ----------
    robot : needs at least four joints per leg. Of more than six, those that move the foot best in
        the half-sitting posture are used.
    tolerance : bound on every component of x* - x [m, rad].

    Attributes
    ----------
    model : the robot's, with joints for axes of the feet that follow; they come last in q and v.
    q0 : its half-sitting posture.
    moving : (18,) indices into v of the unknowns.
    joints : Pinocchio ids of the leg joints among them, left then right.
    iterations : number of iterations of the last call of `solve`.
    """

    def __init__(self, robot: RobotModel, *, tolerance: float = TOLERANCE) -> None:
        self.robot = robot
        self.model, self.soles, self._free = with_free_joints(robot)
        self.q0 = self._whole(np.array(robot.q0))
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
        if len(legs) < 4:
            raise GaitError(
                f"{self.robot.name}: the {foot.side} leg has {len(legs)} joints; four are needed "
                "to place a foot"
            )
        pin.computeJointJacobians(self.model, self.data, self.q0)
        J = pin.computeFrameJacobian(self.model, self.data, self.q0, self.soles[side], pin.LOCAL)
        chosen = [*legs, *self._free[side]]
        while len(chosen) > 6:
            best, worst = -1.0, chosen[0]
            for out in chosen:
                columns = [self.model.joints[j].idx_v for j in chosen if j != out]
                size = float(np.linalg.svd(J[:, columns], compute_uv=False)[-1])
                best, worst = max((best, worst), (size, out))
            chosen.remove(worst)
        return tuple(chosen)

    def _whole(self, q: FloatArray) -> FloatArray:
        """Return a configuration of the robot (nq,) as one of `model`."""
        return np.append(q, np.zeros(self.model.nq - len(q)))

    def solve(self, targets: Targets, start: FloatArray, limit: int = 40) -> FloatArray:
        """Return q near `start` that meets the targets to the tolerance.

        start : (nq,) of the robot or of `model`; q has the same shape.

        Raises
        ------
        OutOfReachError
            Newton's method did not converge; the message names the largest error.
        """
        import pinocchio as pin

        if len(start) < self.model.nq:
            return self.solve(targets, self._whole(start), limit)[: len(start)]
        q, step = start, np.zeros(self.model.nv)
        for k in range(limit):
            error = self._look(q, targets)
            if np.abs(error).max() <= self.tolerance:
                self.iterations = k
                return q
            if not np.isfinite(error).all():
                break
            if not step_newton(self.matrix, error, self.moving, step, LONGEST):
                break
            q = pin.integrate(self.model, q, step)
        raise self._nearest(targets, start)

    def rates(
        self, q: FloatArray, twists: FloatArray, accelerations: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return v, a (nv,) at the q that `solve` has just returned.

        Parameters
        ----------
        twists : dx*/dt (18,) in the order of the tasks; for the feet linear, then angular.
        accelerations : d2x*/dt2 (18,) likewise.
        """
        v, a = np.zeros(self.model.nv), np.zeros(self.model.nv)
        lu = self.matrix.copy()
        pivots = factor_lu(lu)
        v[self.moving] = solve_lu(lu, pivots, twists)
        a[self.moving] = solve_lu(lu, pivots, accelerations - self._drift(q, v))
        return v, a

    def follow(
        self, targets: Targets, rates: FloatArray, T: float,
        q: FloatArray, v: FloatArray, a: FloatArray,
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, float]:  # fmt: skip
        """Return q, v, a T [s] later, the wrench (6,) on the base, and what is left of |x* - x|.

        For ticks that follow each other: see `robot.gait.following_kernels`. Out of reach, or where
        joints would be too fast, it returns the posture, velocity and (zero) acceleration of damped
        least squares and does not raise.

        Parameters
        ----------
        rates : (2, 18) dx*/dt and d2x*/dt2 in the order of the tasks; of feet linear, then angular.
        q, v, a : those of now. The wrench is that of inverse dynamics, in the axes of the base.
        """
        if self.model is not self.robot.model:
            raise GaitError(
                f"{self.robot.name}: an online plan needs six joints per leg: use a fixed one "
                "(--plan fixed)"
            )
        new, wrench, t = (np.array(q), np.array(v), np.array(a)), np.empty(6), targets
        left = follow_tasks(
            self.tree, self.frames, (t.places, t.turns, t.com, t.waist, rates), T, *new,
            self.links, wrench,
        )  # fmt: skip
        if left >= 0.0:
            return *new, wrench, float(left)
        import pinocchio as pin

        start = pin.integrate(self.model, q, T * v + T * T / 2 * a)
        q, v, a, left = self._damped(t, start, rates[0])
        return q, v, a, pin.rnea(self.model, self.data, q, v, a)[:6], left

    @cached_property
    def tree(self) -> Bundle:
        """`LinkArrays` of the model, packed."""
        return packed(tree_of(self.model))

    @cached_property
    def links(self) -> FloatArray:
        """Work space of `open_tree`."""
        return np.zeros(tree_sheet(self.model.njoints, self.model.nv).size)

    @cached_property
    def frames(self) -> Bundle:
        """`TaskFrames`, packed."""
        ids = [*self.soles, self.robot.waist]
        arrays, model = link_frames(self.model, ids, [0, 0, 0]), self.model
        behind = [j for j in range(1, model.njoints) for _ in range(model.joints[j].nv)]
        frames = TaskFrames(
            np.array(arrays.carriers[0]), np.array(arrays.placements[0]), np.array(arrays.moves),
            self.moving, np.array(behind)[self.moving],
        )  # fmt: skip
        return packed(frames)

    def _damped(
        self, targets: Targets, start: FloatArray, twists: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, float]:
        """Return q, v and no acceleration by damped least squares, and the error left."""
        import pinocchio as pin

        q, step, v = start, np.zeros(self.model.nv), np.zeros(self.model.nv)
        for _ in range(ITERATIONS):
            error = self._look(q, targets)
            J = self.matrix
            normal = J @ J.T + DAMPING * np.eye(18)
            step[self.moving] = J.T @ np.linalg.solve(normal, error)
            q = pin.integrate(self.model, q, step / max(1.0, float(np.abs(step).max()) / NEAR))
        v[self.moving] = J.T @ np.linalg.solve(normal, twists)
        v *= min(1.0, FASTEST / max(float(np.abs(v).max()), 1e-9))
        return q, v, np.zeros(self.model.nv), float(np.abs(self._look(q, targets)).max())

    def _drift(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Return (dJ/dt) v (18,)."""
        import pinocchio as pin

        model, data = self.model, self.data
        pin.centerOfMass(model, data, q, v, self.zero)
        drift = np.empty(18)
        for k, sole in enumerate(self.soles):
            drift[6 * k : 6 * k + 6] = pin.getFrameClassicalAcceleration(
                model, data, sole, pin.LOCAL_WORLD_ALIGNED
            ).vector
        drift[12:15] = data.acom[0]
        drift[15:] = pin.getFrameAcceleration(
            model, data, self.robot.waist, pin.LOCAL_WORLD_ALIGNED
        ).angular
        return drift

    def _look(self, q: FloatArray, targets: Targets) -> FloatArray:
        """Return x* - x (18,) and leave J in `matrix`."""
        import pinocchio as pin

        model, data, world = self.model, self.data, pin.LOCAL_WORLD_ALIGNED
        pin.computeJointJacobians(model, data, q)
        com = pin.jacobianCenterOfMass(model, data, False)
        frames = (*self.soles, self.robot.waist)
        L, R, W = (pin.updateFramePlacement(model, data, f) for f in frames)
        J_L, J_R, J_W = (pin.getFrameJacobian(model, data, f, world) for f in frames)
        now = TaskRows(J_L, J_R, J_W, com, L.homogeneous, R.homogeneous, W.homogeneous, data.com[0])
        t = targets
        return write_tasks(tuple(now), self.moving, t.places, t.turns, t.com, t.waist, self.matrix)

    def _nearest(self, targets: Targets, start: FloatArray) -> OutOfReachError:
        """Find the closest configuration by damped least squares and describe its error."""
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
        # In the null motion of the tasks a stretched knee has the largest component.
        still = np.linalg.svd(self.matrix)[2][-1]
        j = self.joints[int(np.abs(still[6:]).argmax())]
        angle = float(best[1][self.model.joints[j].idx_q])
        return OutOfReachError(
            f"joint {self.model.names[j]} at {angle:.3g} rad, {ROWS[worst]} misses by {unit}",
            best[1],
        )


def stance_of(robot: RobotModel) -> Stance:
    """Return the stance of the half-sitting posture, with parallel feet."""
    import pinocchio as pin

    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, robot.q0)
    left, right = (data.oMf[foot.frame].translation for foot in robot.feet)
    return Stance.parallel(float(left[1] - right[1]))
