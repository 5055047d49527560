"""A step of the simulator in one compiled call, where the soles stick as a whole run or hang free.

One kernel: M, h and the contact frames, servos, M' = L'L, S6, the affine form of contact
(`contact.solvers.affine`), v+ and the motion of all nodes. The numbers are those of the same
functions called one by one; Python between them is what is saved.

Conditions: exact contact with the fixed world, no rigid contact points, no springs, no penalty; a
run of sticking soles; no stop met and no drive at its limit. Else `FusedStep.step` returns None,
and the step is made the general way from the same state. Where the ground is no plane it is asked
for the surfaces near the nodes before the compiled call.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contact.step import CompliantStep
from robot.simulator.dynamics import Dynamics
from robot.simulator.fused_kernels import FUSED, step_fused
from robot.simulator.fused_sheet import FusedSimStep, FusedStart, fused_sheet
from robot.simulator.joint_forces import JointLaws
from robot.simulator.joint_space import JointSpace
from robot.simulator.robot_step import RobotState, SimStep
from robot.simulator.servo import Command
from robot.simulator.touching import Push
from sole.base.arrays import sealed, trusted


class FusedStep:
    """The fused step of one simulator.

    Parameters
    ----------
    dynamics, space, laws, stepper : the parts of the simulator.
    first : place of the first joint in v.
    """

    def __init__(
        self,
        dynamics: Dynamics,
        space: JointSpace,
        laws: JointLaws,
        stepper: CompliantStep,
        first: int,
    ) -> None:
        self.dynamics, self.space, self.laws, self.first = dynamics, space, laws, first
        self.affine, self.theta = stepper.affine, stepper.options.theta
        nv = dynamics.model.nv
        self.nothing = np.zeros(nv)
        self.places = fused_sheet(len(dynamics.frames), len(laws.servo.kp), nv)
        start = self.places.places["motion"][0].start
        self.new, self.way = slice(start, start + nv), slice(start + nv, start + 2 * nv)

    def step(
        self, state: RobotState, command: Command, dt: float, pushes: Sequence[Push]
    ) -> SimStep | None:
        """Step by `dt`; None: a condition is not met."""
        import pinocchio as pin

        soles, affine, q, v = state.soles, self.affine, state.q, state.v
        if not affine.may_begin(soles):
            return None
        asked = self.laws.servo.asked(command)
        dynamics, found = self.dynamics, bool(pushes) or not len(affine.flat)
        if found:
            dynamics.find(q, v)
        contact = affine.begin(soles, dynamics.poses)
        if contact is None:
            return None
        before, after = sheets = affine.sheets(contact, soles)
        sheet = np.empty(self.places.size)
        outer = dynamics.pushed(pushes) if pushes else self.nothing
        answer = step_fused(
            q, v, dt, self.theta, self.space.factors,
            (dynamics.robot, dynamics.links, dynamics.terms, found, outer),
            (*self.laws.numbers, asked, self.first),
            (contact.constants, before, contact.ground, affine.limits, after), sheet,
        )  # fmt: skip
        if answer != FUSED:
            return None
        done = affine.state(contact, soles, sheets)
        moved = trusted(
            RobotState,
            q=pin.integrate(self.dynamics.model, q, sheet[self.way]),
            v=sealed(sheet)[self.new],
            soles=done,
            time=state.time + dt,
        )
        return trusted(
            FusedSimStep,
            state=moved,
            begun=FusedStart(self.places, sheet, dt, contact.near),
            maker=(affine, contact, soles, done),
            sheets=(sheet, after),
            before=state,
            dynamics=dynamics,
            pushes=bool(pushes),
        )
