"""Ticks of a walk in blocks: one compiled call for control, steps and senses of many ticks.

Conditions: the stabiliser on a plan that lasts, the true state, a period of one step, nothing but
the robot and its soles in the simulator; no push, pull or change of the scene until the end of the
block. Soles stick in one run on planes (`robot.simulator.FusedSimStep`). A block ends before the
first tick that needs anything else; that one and its like are walked tick by tick.
"""

from __future__ import annotations

import numpy as np

from robot.control import LARGEST_COMMAND, Controller, Sensed, Stabiliser
from robot.gait import WalkPlan
from robot.simulator import RobotState, Simulator, StepBlock
from robot.walk.block_kernels import BlockArrays, BlockControl, TickClock, walk_block
from robot.walk.scenario import Scenario
from robot.walk.step_senses import StepSenses
from sole.base.arrays import trusted
from sole.base.compiled import packed

AHEAD = 32  # ticks of a block


class TickBlocks:
    """Makes blocks of the ticks of one walk.

    Parameters
    ----------
    scenario, simulator, controller, senses : of the walk.
    plain : whether nothing else takes part: no sensors, drives, or plan that follows the contacts.
    ahead : most ticks of a block.
    """

    def __init__(
        self,
        scenario: Scenario,
        simulator: Simulator,
        controller: Controller,
        senses: StepSenses,
        plain: bool,
        ahead: int,
    ) -> None:
        self.scenario, self.simulator, self.senses, self.ahead = scenario, simulator, senses, ahead
        self.control = controller if type(controller) is Stabiliser else None
        self.allowed = plain and ahead > 1 and senses.alone and scenario.shorter == 1

    def next(self, state: RobotState, sensed: Sensed) -> StepBlock | None:
        """Return the block that begins with a state; None: walk one tick by itself."""
        fused, control = self.simulator.fused, self.control
        if not self.allowed or fused is None or control is None or not self._is_calm(state):
            return None
        plan, dt = control.plan, self.scenario.dt
        if not control.started or not isinstance(plan, WalkPlan):
            return None
        block = StepBlock.of(fused, state, dt, self.ahead)
        if block is None:
            return None
        table, end = control.table(), state.time + self.ahead * dt + control.period
        if not table.prepare(plan.row(state.time), plan.row(end)):
            self.allowed = False
            return None
        clock = TickClock(
            time=state.time,
            dt=dt,
            theta=self.simulator.options.theta,
            period=control.period,
            tick=plan.dt,
            ticks=len(plan.q_ref),
        )
        known = BlockControl(tau=table.tau, J=table.J, largest=LARGEST_COMMAND, **control.bundles())
        block.switches = np.empty((self.ahead, len(sensed.switches)), np.bool_)
        b = block
        into = BlockArrays(
            b.motion, b.seen[0], b.sticking, b.seen[1], b.q, b.times, b.commands, b.wrenches,
            b.switches, b.postures,
        )  # fmt: skip
        factors, robot, laws, soles = block.arguments
        block.count = walk_block(
            packed(clock), state.v, sensed.wrenches, packed(known), factors, robot, laws, soles,
            self.senses.bundle, packed(into),
        )  # fmt: skip
        return block if block.count else None

    def sensed(self, block: StepBlock, k: int) -> Sensed:
        """Return what is known after step k of a block."""
        state = block.state(k)
        return trusted(
            Sensed,
            q=state.q,
            v=state.v,
            wrenches=block.wrenches[k],
            switches=block.switches[k],
        )

    def _is_calm(self, state: RobotState) -> bool:
        """Return whether nobody touches the scene or the robot until the end of a block."""
        s, now = self.scenario, state.time
        if s.change or s.pull:
            return False
        end = now + (self.ahead + 1) * s.dt
        return not any(push.start < end and push.start + push.duration > now for push in s.push)
