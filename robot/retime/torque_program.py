"""Weak contact stability with torque limits: whether a torque and a wrench within them exist.

A contact is weakly stable if the equations of motion have a solution that keeps it fixed
[CaronPhamNakamura2015, definition 1]. At a given q, v, a that is a linear program in the wrenches
w_k of the feet that carry, about the centres of their treads:

    maximise lambda:   sum_k J_b,k' w_k = ID(q, v, a)_b                    base,
                       A_k w_k + lambda (-A_k c_k) m g/n <= 0              cone of each of n feet,
                       |ID(q, v, a)_j - sum_k J_j,k' w_k| <= (1 - lambda) limit_j.

It is stable if the largest lambda, the margin, is not negative: that share of every drive's limit,
and of the weight as central load on the feet, is to spare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from contact.frames import wrench_matrix
from contact.wrench_cone import WrenchCone
from robot.gait import WalkPlan
from robot.model import SIDES, RobotModel
from robot.retime.retime_choice import ConeChoice
from sole.base.arrays import BoolArray, FloatArray
from sole.base.constants import GRAVITY
from sole.base.errors import SoleError

EVERY = 10  # ticks of a plan from check to check


@dataclass(frozen=True, eq=False, kw_only=True)
class Stability:
    """Whether torques within limits exist.

    Parameters
    ----------
    margin : the largest lambda, at most 1; negative: no torque within limits holds the contact.
    torque : (n,) of the drives at that margin [N m].
    wrenches : (2, 6) of the ground on the left and the right foot, about the centre of each tread
        in its axes [N, N m]; zero for a foot that does not carry.
    limit : in words the constraint that decides: "torque of left_knee", "left foot: tilt about
        toe".
    """

    margin: float
    torque: FloatArray
    wrenches: FloatArray
    limit: str

    @property
    def stable(self) -> bool:
        """Whether the margin is not negative."""
        return self.margin >= 0


def weak_stability(
    robot: RobotModel,
    q: FloatArray,
    v: FloatArray | None = None,
    a: FloatArray | None = None,
    *,
    carrying: tuple[bool, bool] = (True, True),
    cone: ConeChoice | None = None,
    thickness: tuple[float, float] = (0.0, 0.0),
    edges: FloatArray | None = None,
) -> Stability:
    """Return whether torques within limits exist at a posture, or at an instant of a motion.

    Parameters
    ----------
    q (nq,), v (nv,), a (nv,) : configuration, velocity and acceleration; at rest by default.
    carrying : whether the left and the right foot may carry.
    cone : of each foot; by default area 1 with that of `ConeChoice`.
    thickness : of the soles [m]. edges (2, 2, 2) : of the treads, as for `robot.gait.GaitOptions`.

    Raises
    ------
    SoleError
        No foot carries, or the program has no solution.
    """
    return TorqueProgram(robot, cone, thickness, edges).solve(q, v, a, carrying)


def motion_stability(
    robot: RobotModel,
    plan: WalkPlan,
    *,
    cone: ConeChoice | None = None,
    edges: FloatArray | None = None,
    every: int = EVERY,
) -> tuple[FloatArray, tuple[Stability, ...]]:
    """Return times (M,) and the stability at every nth tick of a plan, 2 ms each."""
    program = TorqueProgram(robot, cone, plan.sole_thickness, edges)
    rows = np.arange(0, len(plan.times), every)
    found = tuple(
        program.solve(plan.q_ref[k], plan.v_ref[k], plan.a_ref[k], plan.supports[k]) for k in rows
    )
    return plan.times[rows], found


class TorqueProgram:
    """The linear program of one robot and its treads."""

    def __init__(
        self,
        robot: RobotModel,
        cone: ConeChoice | None,
        thickness: tuple[float, float],
        edges: FloatArray | None,
    ) -> None:
        choice = ConeChoice(area=1.0) if cone is None else cone
        if edges is None:
            edges = np.array([[-foot.half_size, foot.half_size] for foot in robot.feet])
        self.robot, self.data = robot, robot.model.createData()
        self.cones, self.to_sole = [], []
        for side in range(2):
            X, Y = choice.area * np.ptp(edges[side], axis=0) / 2
            made = WrenchCone.of_rectangle(float(X), float(Y), choice.friction, choice.pyramid)
            self.cones.append(made)
            centre = np.array([*edges[side].mean(axis=0), -thickness[side]])
            self.to_sole.append(wrench_matrix(np.eye(3), centre))
        self.limited = np.flatnonzero(np.isfinite(robot.torque))

    def jacobian(self, q: FloatArray, feet: Sequence[int]) -> FloatArray:
        """Return J (6 k, nv) of the centres of the treads of k feet, in their own axes."""
        import pinocchio as pin

        model, frames = self.robot.model, [foot.frame for foot in self.robot.feet]
        return np.vstack(
            [
                self.to_sole[side].T
                @ pin.computeFrameJacobian(model, self.data, q, frames[side], pin.LOCAL)
                for side in feet
            ]
        )

    def solve(
        self,
        q: FloatArray,
        v: FloatArray | None,
        a: FloatArray | None,
        carrying: tuple[bool, bool] | BoolArray,
    ) -> Stability:
        """Return the stability at a posture or an instant; see `weak_stability`."""
        import pinocchio as pin
        from scipy.optimize import linprog

        robot, model, data = self.robot, self.robot.model, self.data
        zero = np.zeros(model.nv)
        gen = pin.rnea(model, data, q, zero if v is None else v, zero if a is None else a).copy()
        feet = [side for side in range(2) if carrying[side]]
        if not feet:
            raise SoleError("no foot carries: a contact that is to be stable needs one")
        J = self.jacobian(q, feet)
        share = robot.mass * GRAVITY / len(feet)
        n, k = len(self.limited), 6 * len(feet)
        rows, names = [], []
        for i, side in enumerate(feet):
            cone = self.cones[side]
            block = np.zeros((len(cone.rows), k + 1))
            block[:, 6 * i : 6 * i + 6] = cone.rows
            block[:, -1] = -(cone.rows @ cone.axis) * share
            rows.append(block)
            names += [f"{SIDES[side]} foot: {word}" for word in cone.words]
        limit = robot.torque[self.limited]
        held, asked = J[:, 6:][:, self.limited].T, gen[6:][self.limited]
        for sign in (1.0, -1.0):
            rows.append(np.column_stack([-sign * held / limit[:, None], np.ones(n)]))
            names += [f"torque of {robot.joints[j]}" for j in self.limited]
        bound = np.concatenate([np.zeros(len(names) - 2 * n), 1 - asked / limit, 1 + asked / limit])
        done: Any = linprog(
            np.append(np.zeros(k), -1.0),
            A_ub=np.vstack(rows),
            b_ub=bound,
            A_eq=np.column_stack([J[:, :6].T, np.zeros(6)]),
            b_eq=gen[:6],
            bounds=[(None, None)] * k + [(None, 1.0)],
            method="highs",
        )
        if done.status != 0:
            raise SoleError(f"the program of weak stability was not solved: {done.message}")
        wrenches = np.zeros((2, 6))
        wrenches[feet] = done.x[:-1].reshape(-1, 6)
        prices = -np.asarray(done.ineqlin.marginals)
        return Stability(
            margin=float(done.x[-1]),
            torque=gen[6:] - J[:, 6:].T @ done.x[:-1],
            wrenches=wrenches,
            limit=names[int(prices.argmax())],
        )
