"""A stabiliser for position-controlled joints: DCM feedback, foot wrenches, sole feed-forward.

In each period:

1. DCM feedback: divergent component of motion xi = c + c'/omega, omega^2 = g/height, and the
   zero-moment point that returns it to the plan's p_ref, xi_ref [EnglsbergerEtAl2015],

       p = p_ref + (1 + k/omega) (xi - xi_ref) + k_i integral(xi - xi_ref),

   moved inside the support feet (less a margin);
2. foot wrenches w_k for that point: the force m (c'' + g) and the moment about p are shared between
   the feet by the position of p between them [KajitaEtAl2010];
3. sole feed-forward: under w_k a foot moves by delta_k = -K6^-1 w_k relative to the ground, so the
   joints move it there: they tilt it for a moment and lower it for a weight;
4. joint feed-forward: torques of inverse dynamics for these wrenches;
5. admittance: roll, pitch and height of the feet yield to the measured wrenches,

       phi' = (tau - tau_d)/D - phi/T,    z' = -+((f_l - f_r) - (f_l - f_r)_d)/(2 D_z) - z/T.

6. aim: a swing foot moves to its planned pose in the world, which cancels the error of the base
   (d + theta x r and theta); in stance this correction decays, which turns the base upright.
   Without it each foot would land a little earlier and harder than the one before.

The Jacobian of each leg, waist to sole frame, turns 3, 5 and 6 into joint angles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

from robot.control.controller import Sensed
from robot.control.plan_table import PlanTable, table_of
from robot.control.stabiliser_kernels import FeetArrays, Memory, Tuning, stabilise_feet
from robot.gait import MotionPlan
from robot.model import RobotModel, free_axes_of, turns
from robot.simulator import Command
from robot.tree import tree_of, tree_sheet
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import packed
from sole.base.errors import SoleError


@dataclass(frozen=True, kw_only=True)
class StabiliserGains:
    """Gains of the stabiliser.

    Parameters
    ----------
    k : gain of the DCM error, k > 0 [1/s]. k_i : gain of its integral [1/s].
    margin : smallest distance of the zero-moment point from the edges of a foot [m].
    D : admittance damping of roll and pitch [N m s/rad]. D_z : of the height [N s/m]. Infinite: no
        admittance.
    T : decay time of admittance and aim [s]. swing : time constant of the aim of a swing foot [s].
    lag : time constant of the low-pass on the desired wrenches [s].
    """

    k: float = 4.0
    k_i: float = 0.0
    margin: float = 0.01
    D: float = 400.0
    D_z: float = 2e5
    T: float = 1.0
    swing: float = 0.05
    lag: float = 0.004


class Stabiliser:
    """The stabiliser of this module.

    Parameters
    ----------
    robot, plan : the robot and its plan.
    stiffness : K6 (2, 6, 6) of the soles about the centres of their treads (`foot_stiffness`); None
        for rigid feet.
    thickness : thickness of the soles [m], one number or (left, right).
    edges : (2, 2, 2) smallest and largest x and y of each tread in its sole frame [m]; None: those
        of the foot.
    """

    def __init__(
        self,
        robot: RobotModel,
        plan: MotionPlan,
        *,
        stiffness: FloatArray | None = None,
        thickness: float | tuple[float, float] = 0.0,
        edges: FloatArray | None = None,
        gains: StabiliserGains | None = None,
        period: float = 1e-3,
    ) -> None:
        self.robot, self.plan, self.period = robot, plan, period
        self.gains = StabiliserGains() if gains is None else gains
        compliance = np.zeros((2, 6, 6))
        if stiffness is not None:
            if np.shape(stiffness) != (2, 6, 6):
                raise SoleError(f"stiffness has shape {np.shape(stiffness)}, expected (2, 6, 6)")
            compliance[:] = np.linalg.inv(stiffness)
        self.model = model = robot.model
        self.body = packed(tree_of(model)), np.zeros(tree_sheet(model.njoints, model.nv).size)
        self.frames = tuple(foot.frame for foot in robot.feet)
        g, within = self.gains, edges
        if within is None:
            within = np.array([[-foot.half_size, foot.half_size] for foot in robot.feet])
        inner = within + np.array([[g.margin], [-g.margin]])
        if (inner[:, 0] >= inner[:, 1]).any():
            raise SoleError(
                f"a tread of {1e3 * np.ptp(within, axis=1).min():.3g} mm is too small for the "
                f"stabiliser, which keeps {1e3 * g.margin:g} mm from its edges: use larger soles"
            )
        (legs, self.more), height = (
            leg_motions(robot),
            np.array(np.broadcast_to(thickness, 2), float),
        )
        self.feet = FeetArrays(inner, compliance, height, legs)
        self.tuning = Tuning(
            robot.mass, period, g.k, g.k_i, g.D, g.D_z, g.T, g.swing, exp(-period / g.lag)
        )
        self._first = self.tuning._replace(decay=0.0)  # no desired wrench before the first period
        self.reset()

    def reset(self) -> None:
        """Forget everything but the plan."""
        self.started = False
        columns = self.model.nv + self.more.shape[2]
        shapes = (2,), (2, 6), (2, 2), (1,), (2, 6), (columns,)
        self.memory = Memory(*(np.zeros(shape) for shape in shapes))

    def arrays(self) -> dict[str, Any]:
        """Return the memory of the controller, for `np.savez`."""
        kept = {name: np.array(value) for name, value in self.memory._asdict().items()}
        return {"started": np.array(self.started), **kept}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Continue from `arrays()`, bit for bit."""
        self.started = bool(arrays["started"])
        self.memory = Memory(**{name: np.array(arrays[name]) for name in Memory._fields})

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return joint references and feed-forward torques for t + period."""
        plan = self.plan
        now, then = plan.row(t), plan.row(t + self.period)
        tau, J = self.table().row(then, max(1, then - now))
        tuning = self.tuning if self.started else self._first
        self.started = True
        rows = stabilise_feet(
            sensed.q.copy(), sensed.v.copy(), self.body, sensed.wrenches, now, then, tau, J,
            packed(plan.arrays), packed(self.feet), packed(tuning), packed(self.memory),
        )  # fmt: skip
        return Command.of_rows(rows)

    def table(self) -> PlanTable:
        """Return the feed-forward of all ticks of the plan."""
        return table_of(self.plan, self.model, self.frames, self.more)

    def bundles(self) -> dict[str, Bundle]:
        """Return what `stabilise_feet` takes in every period after the first one, by name."""
        return {
            "body": self.body,
            "plan": packed(self.plan.arrays),
            "feet": packed(self.feet),
            "tuning": packed(self.tuning),
            "memory": packed(self.memory),
        }


def leg_columns(robot: RobotModel) -> IntArray:
    """Return the columns (2, n) of the joints from the waist to each foot.

    Raises
    ------
    SoleError
        The legs have fewer than six joints, or different numbers of joints.
    """
    columns, more = leg_motions(robot)
    if more.size:
        raise SoleError(
            f"this controller needs six joints per leg, {robot.name} has {len(robot.legs[0])}: use "
            "the stabiliser (--controller stabiliser)"
        )
    return columns


def leg_motions(robot: RobotModel) -> tuple[IntArray, FloatArray]:
    """Return the columns (2, n) of the joints from the waist to each foot, and further columns.

    The latter (2, 6, k), after those of the joints, are turns about the axes of a sole that follow
    a leg of fewer than six joints: what is asked of these turns, nobody does.

    Raises
    ------
    SoleError
        The legs have fewer than four joints, or different numbers of joints.
    """
    legs = [[robot.model.joints[j].idx_v for j in leg] for leg in robot.legs]
    if len(legs[0]) != len(legs[1]) or len(legs[0]) < 4:
        raise SoleError(
            f"the stabiliser needs at least 4 joints per leg and equal numbers, {robot.name} has "
            f"{len(legs[0])} and {len(legs[1])}: use the plain joint PD"
        )
    free = free_axes_of(robot)
    more = np.zeros((2, 6, sum(map(len, free))))
    at = 0
    for side, axes in enumerate(free):
        more[side, :, at : at + len(axes)] = turns(axes)
        legs[side] += range(robot.model.nv + at, robot.model.nv + at + len(axes))
        at += len(axes)
    return np.array(legs, dtype=np.int64), more
