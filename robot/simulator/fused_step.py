"""A step of the simulator in one compiled call, where the soles stick as a whole run or hang free.

Pinocchio's mass matrix, nonlinear terms and frames, then one kernel: servos, M' = L'L, S6, the
affine form of contact (`contact.solvers.affine`), v+ and the motion of all nodes. The numbers are
those of the same functions called one by one; Python between them is what is saved.

Conditions: exact contact on planes of the fixed world, no rigid contact points, no springs, no
penalty; a run of sticking soles; no stop met and no drive at its limit. Else `FusedStep.step`
returns None, and the step is made the general way from the same state.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contact.step import CompliantStep, StepMotion, StuckStart
from robot.simulator.dynamics import Dynamics, Snapshot
from robot.simulator.fused_kernels import (
    FUSED,
    step_fused,
)
from robot.simulator.joint_forces import JointLaws
from robot.simulator.joint_forces_kernels import STOPPING, TORQUES
from robot.simulator.joint_space import JointSpace
from robot.simulator.robot_step import NO_WORK, RobotState, SimStep, Work
from robot.simulator.servo import Command
from robot.simulator.touching import Push
from sole.base.arrays import sealed, trusted

NO_SPRINGS = sealed(np.zeros((0, 6)))


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

    def step(
        self, state: RobotState, command: Command, dt: float, pushes: Sequence[Push]
    ) -> SimStep | None:
        """Step by `dt`; None: a condition is not met."""
        import pinocchio as pin

        soles, affine, q, v = state.soles, self.affine, state.q, state.v
        chosen = affine.flat_run_of(soles)
        if chosen is None:
            return None
        run, maps = chosen
        asked = self.laws.servo.asked(command)
        M, h = self.dynamics.terms(q, v)
        n, into = asked.shape[1], affine.space(run, soles)
        numbers, saturated = np.empty((6, n)), np.empty(n, np.bool_)
        outer = self.dynamics.pushed(pushes)
        terms = M, h, outer, self.dynamics.data.J, self.dynamics.moves, self.dynamics.placed()
        joints = *self.laws.numbers, asked, numbers, saturated, self.first
        answer, *made = step_fused(
            q, v, dt, self.theta, self.space.factors, terms, joints,
            affine.bundles(run, soles, maps, into),
        )  # fmt: skip
        if answer != FUSED:
            return None
        J, R, p, turns, new, way, acceleration, S6, twists, free_twists, pushed = made
        start = StuckStart(R, p, StepMotion(twists, free_twists, S6, dt), None)
        done = affine.result(run, soles, start, into, soles.solid)
        if done is None:
            return None
        after = trusted(
            RobotState,
            q=pin.integrate(self.dynamics.model, q, way),
            v=new,
            soles=done.state,
            time=state.time + dt,
        )
        return trusted(
            SimStep,
            state=after,
            start=trusted(Snapshot, M=M, h=h, J=J, rotations=R, places=p, turns=turns),
            contact=done,
            torques=numbers[TORQUES],
            saturated=saturated,
            stops=numbers[STOPPING],
            couplings=NO_SPRINGS,
            acceleration=acceleration,
            work=Work(0.0, pushed, 0.0) if pushes else NO_WORK,
        )
