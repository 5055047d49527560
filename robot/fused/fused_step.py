"""A step of the simulator in one compiled call, or in three.

One, where the soles stick as a whole run or hang free: M, h and the contact frames, servos,
M' = L'L, S6, the affine form of contact (`contact.solvers.affine`), v+ and the motion of all nodes.
Three, where nodes slide, land or leave: before contact, contact (`contact.swept_step.swept_step`),
after it. The numbers are those of the same functions called one by one; Python between them is what
is saved.

Conditions: exact contact with the fixed world, no rigid contact points, no springs, no penalty; no
stop met; contact solved at the first try. Where a drive meets its limit, contact and what comes
after it are made again. Else `FusedStep.step` returns
None, and the step is made the general way from the same state. If the ground is not a plane, it is
asked for the surfaces near the nodes before the compiled call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from contact.step import CompliantStep
from contact.swept_step import BufferSoleState, ways_of, wrenches_in
from robot.fused.fused_details import FusedDetails
from robot.fused.fused_kernels import CONTACT, FUSED, LIMITED, begin_step, end_step, step_fused
from robot.fused.fused_sheet import FusedStart, fused_sheet
from robot.simulator import TRIALS, BufferSimStep, Command, Push, RobotState, SimStep, Simulator
from robot.tree import integrate_motion
from sole.base.arrays import Bundle, FloatArray, sealed, trusted

if TYPE_CHECKING:
    from contact.swept_step import BufferStepResult, StuckBegin


class FusedStep:
    """The fused steps of a `simulator` whose contact step, `stepper`, has the short ways.

    Attributes
    ----------
    first : index of the first joint in v.
    """

    def __init__(self, simulator: Simulator, stepper: CompliantStep) -> None:
        s = simulator
        self.dynamics, self.space, self.laws = dynamics, _, laws = s.dynamics, s.space, s.laws
        self.stepper, self.first = stepper, s.joints.start
        self.affine, self.swept = ways_of(stepper)
        self.theta = stepper.options.theta
        nv = s.model.nv
        self.nothing = np.zeros(nv)
        self.places = fused_sheet(len(dynamics.frames), len(laws.servo.kp), nv)
        start = self.places.places["motion"][0].start
        self.new, self.way = slice(start, start + nv), slice(start + nv, start + 2 * nv)
        self.robot = dynamics.robot, dynamics.links, dynamics.terms, False, self.nothing

    @staticmethod
    def of(simulator: Simulator) -> FusedStep | None:
        """Return the fused steps of a simulator; None: it has springs, objects or penalties."""
        stepper = simulator.stepper
        if simulator.couplings or simulator.moving or not isinstance(stepper, CompliantStep):
            return None
        return FusedStep(simulator, stepper)

    def step(
        self, state: RobotState, command: Command, dt: float, pushes: Sequence[Push]
    ) -> SimStep | None:
        """Step by `dt`; None: a condition is not met."""
        soles, affine, q, v = state.soles, self.affine, state.q, state.v
        sticks = affine.may_begin(soles)
        if not sticks and not self.swept.allowed:
            return None
        asked = self.laws.servo.asked(command)
        dynamics, found = self.dynamics, bool(pushes) or not len(affine.flat)
        if found:
            dynamics.find(q, v)
        outer = dynamics.pushed(pushes) if pushes else self.nothing
        sheet = np.empty(self.places.size)
        joints = *self.laws.numbers, asked, self.first
        robot = dynamics.robot, dynamics.links, dynamics.terms, found, outer
        contact = affine.begin(soles, dynamics.poses) if sticks else None
        if contact is not None:
            before, after = sheets = affine.sheets(contact, soles)
            answer = step_fused(
                q, v, dt, self.theta, self.space.factors, robot, joints,
                (contact.constants, before, contact.ground, affine.limits, after), sheet,
            )  # fmt: skip
            if answer == FUSED:
                done = affine.state(contact, soles, sheets)
                begun = FusedStart(self.places, sheet, dt, contact.near)
                return self._made(state, done, begun, after, pushes, contact)
            if answer != CONTACT:
                return None
            robot = *robot[:3], True, outer
        return self._swept(state, dt, pushes, robot, joints, sheet)

    def _swept(
        self,
        state: RobotState,
        dt: float,
        pushes: Sequence[Push],
        robot: Bundle,
        joints: Bundle,
        sheet: FloatArray,
    ) -> SimStep | None:
        """Step in three compiled calls: nodes slide, land or leave."""
        if not self.swept.allowed:
            return None
        q, v, factors = state.q, state.v, self.space.factors
        if begin_step(q, v, dt, factors, robot, joints, sheet) != FUSED:
            return None
        begun = FusedStart(self.places, sheet, dt, None)
        R, p, motion, _ = begun()
        for _ in range(TRIALS):
            contact = self.swept.step(state.soles, R, p, motion)
            if contact is None:
                return None
            after = contact.state
            assert isinstance(after, BufferSoleState)
            soles = after.buffer
            wrench = wrenches_in(soles, len(p)).copy()
            answer = end_step(q, v, dt, self.theta, factors, robot, joints, wrench, sheet)
            if answer == FUSED:
                return self._made(state, after, begun, soles, pushes, None, contact)
            if answer != LIMITED:
                return None
        return None

    def _made(
        self,
        before: RobotState,
        soles: BufferSoleState,
        begun: FusedStart,
        sheet: FloatArray,
        pushes: Sequence[Push],
        run: StuckBegin | None,
        contact: BufferStepResult | None = None,
    ) -> BufferSimStep:
        """Return the step that is written; its `contact` is made when asked for if not given."""
        moved = trusted(
            RobotState,
            q=integrate_motion(self.dynamics.robot[0], before.q, begun.buffer[self.way]),
            v=sealed(begun.buffer)[self.new],
            soles=soles,
            time=before.time + begun.dt,
        )
        details = trusted(
            FusedDetails,
            stepper=self.stepper,
            dynamics=self.dynamics,
            state=moved,
            before=lambda: before,
            begun=begun,
            run=run,
            buffers=(begun.buffer, sheet),
            pushed=bool(pushes),
        )
        if contact is not None:
            vars(details)["contact"] = contact
        return trusted(BufferSimStep, state=moved, details=details)
