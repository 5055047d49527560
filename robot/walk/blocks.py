"""Ticks of a walk in blocks: one compiled call for control, steps and senses of many ticks.

Conditions: the stabiliser or plain PD on a plan that lasts, or the stabiliser on an online plan
while nothing happens, with or without offsets on top; the true state, a period of one step, nothing
but the robot and its soles in the simulator; no push, pull or change of the scene until the end of
the block. Soles stick in one run, or all steps are solved by sweeps. A block ends before the first
tick that needs anything else; that one and its like are walked tick by tick. The short steps of a
tick in which a foot lands are a block, too. Where landings are watched, the last step of every
block is looked at; none before it is one.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from robot.control import (
    LARGEST_COMMAND,
    Controller,
    Follower,
    ResidualControl,
    Sensed,
    Stabiliser,
)
from robot.gait import WalkPlan
from robot.online import (
    FASTEST,
    CalmControl,
    CalmPlan,
    OnlineControl,
    OnlinePlan,
    calm_plan,
    take_ticks,
)
from robot.simulator import BufferSimStep, Command, RobotState, Simulator, StepBlock
from robot.walk.block_kernels import (
    BlockControl,
    TickClock,
    no_control,
    walk_block,
)
from robot.walk.landing import NEAR
from robot.walk.scenario import Scenario
from robot.walk.step_senses import StepSenses
from sole.base.arrays import FloatArray, trusted
from sole.base.compiled import packed

AHEAD = 32  # ticks of a block
STEP = Simulator.step  # whoever puts another one in its place is asked for every step
# And for every command.
UPDATE = {kind: kind.update for kind in (Stabiliser, Follower, OnlineControl, ResidualControl)}
UNKNOWN = np.zeros((2, 6))  # wrenches that no controller asks for


class TickBlocks:
    """Makes blocks of the ticks of one walk.

    Parameters
    ----------
    scenario, simulator, controller, senses : of the walk.
    plain : whether nothing else takes part: no sensors or drives.
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
        self.added = controller if isinstance(controller, ResidualControl) else None
        inner = controller if self.added is None else self.added.inner
        self.online = inner if isinstance(inner, OnlineControl) else None
        self.controller = inner if self.online is None else self.online.inner
        plan: Any = getattr(self.controller, "plan", None)
        asked = all(map(_is_ours, (controller, inner, self.controller)))
        known = asked and isinstance(plan, WalkPlan)
        if self.online is not None:
            known = asked and _walks_on(self.online, plan, scenario.dt)
        own = type(simulator).step is STEP and "step" not in vars(simulator)
        self.whole = plain and ahead > 1 and senses.alone and own
        self.allowed = self.whole and known
        self.near = -inf if scenario.shorter == 1 else NEAR
        self.pads = len(senses.pads.sides)
        self.shared = isinstance(self.controller, Stabiliser) and all(
            map(np.array_equal, self.controller.body[0], simulator.dynamics.robot[0])
        )
        tree = simulator.dynamics.robot[0]
        self.nothing = packed(no_control(tree, simulator.dynamics.links))
        self.no_plan = BlockControl(*self.nothing).calm
        self.nothing_added = np.zeros((0, 2, len(tree[4]) - 6))

    def next(self, state: RobotState, sensed: Sensed, most: float = inf) -> StepBlock | None:
        """Return the block of at `most` so many ticks that begins with a state; None: walk one."""
        fused, control, dt = self.simulator.fused, self.controller, self.scenario.dt
        if not self.allowed or fused is None or not self._is_calm(state, self.ahead + 1):
            return None
        if isinstance(control, Stabiliser) and not control.started:
            return None
        calm = None if self.online is None else self._calm(self.online, state.time)
        if self.online is not None and calm is None:
            return None
        most = int(min(self.ahead, most))
        added = self.nothing_added
        if self.added is not None and not (most := len(added := self.added.ahead(most))):
            return None
        block = StepBlock.of(fused, state, dt, most, self.pads)
        if block is None:
            return None
        ticks = np.cumsum([state.time, *[dt] * len(block.arrays.times)])  # as one after the other
        times = ticks + control.period
        if isinstance(control, Follower):
            given = control.rows(times[:-1].tolist())
            inner = given
            if self.added is not None:
                given = given.copy()
                given[:, :2] += added[: len(given)]
            done = self._fill(block, sensed.wrenches, self.nothing, given, near=self.near)
            return self._taken(done, None if done is None else inner[done.count - 1])
        assert isinstance(control, Stabiliser)
        table, plan = control.table(), control.plan
        bundles: dict[str, Any] = control.bundles()
        known = BlockControl(
            tau=table.tau, J=table.J, largest=LARGEST_COMMAND, shared=self.shared,
            calm=self.no_plan if calm is None else packed(calm), added=added,
            inner=np.empty(block.arrays.commands.shape[1:]), **bundles,
        )  # fmt: skip
        if calm is not None:
            assert self.online is not None
            done = self._fill(
                block, sensed.wrenches, packed(known), block.arrays.commands[:0], near=self.near,
                period=control.period, tick=dt,
            )  # fmt: skip
            if done is not None:
                take_ticks(self.online.plan, calm, done.count)
            return self._taken(done, known.inner)
        assert isinstance(plan, WalkPlan)
        if not table.prepare(plan.row(state.time), plan.row(float(times[-1]))):
            self.allowed = False
            return None
        done = self._fill(
            block, sensed.wrenches, packed(known), block.arrays.commands[:0], near=self.near,
            period=control.period, tick=plan.dt, ticks=len(plan.q_ref),
        )  # fmt: skip
        return self._taken(done, known.inner)

    def _taken(self, done: StepBlock | None, inner: FloatArray | None) -> StepBlock | None:
        """Let offsets go on by the ticks of a block; `inner` (3, n): the last command below."""
        if done is not None and self.added is not None and inner is not None:
            self.added.take(done.count, Command.of_rows(inner))
        return done

    def _calm(self, online: OnlineControl, t: float) -> CalmPlan | None:
        """Return the plan for ticks in which nothing happens; None: something is due at once."""
        inner: Any = online.inner
        table = inner.table()
        feed = table.robot, table.links
        control = CalmControl(online.last, FASTEST * online.period, feed)
        return calm_plan(online.plan, control, t, self.ahead)

    def parts(
        self, state: RobotState, wanted: Command, left: float, h: float, count: int
    ) -> list[BufferSimStep]:
        """Return the first of `count` steps of h [s] of one tick: those that are one block.

        The command is meant for `left` [s] after their end.
        """
        fused = self.simulator.fused
        if not self.whole or fused is None or not self._is_calm(state, 1):
            return []
        block = StepBlock.of(fused, state, h, count, self.pads)
        if block is None:
            return []
        given = np.empty_like(block.arrays.commands)
        given[:] = fused.laws.servo.asked(wanted)
        ahead = left + h * (count - 1 - np.arange(len(given)))
        given[:, 0] -= ahead[:, None] * given[:, 1]
        done = self._fill(block, UNKNOWN, self.nothing, given)
        return [] if done is None else [done.step(k) for k in range(done.count)]

    def _fill(
        self, block: StepBlock, measured: FloatArray, control: Any, given: FloatArray, *,
        near: float = -inf, period: float = 1.0, tick: float = 1.0, ticks: int = 1,
    ) -> StepBlock | None:  # fmt: skip
        """Return the block with its steps; None: there is none."""
        clock = TickClock(
            time=block.start.time,
            dt=block.dt,
            theta=self.simulator.options.theta,
            period=period,
            tick=tick,
            ticks=ticks,
            near=near,
            feet=len(self.senses.feet.touching),
        )
        factors, robot, laws, soles, look = block.arguments
        block.count = walk_block(
            packed(clock), block.start.v, measured, control, given, factors, robot, laws, soles,
            look, self.senses.bundle, packed(block.arrays),
        )  # fmt: skip
        return block if block.count else None

    def sensed(self, block: StepBlock, k: int) -> Sensed:
        """Return what is known after step k of a block."""
        state = block.state(k)
        return trusted(
            Sensed,
            q=state.q,
            v=state.v,
            wrenches=block.arrays.wrenches[k],
            switches=block.arrays.switches[k],
        )

    def _is_calm(self, state: RobotState, ticks: int) -> bool:
        """Return whether nobody touches the scene or the robot for so many ticks."""
        s, now = self.scenario, state.time
        if s.change or s.pull:
            return False
        end = now + ticks * s.dt
        return not any(push.start < end and push.start + push.duration > now for push in s.push)


def _is_ours(controller: Controller) -> bool:
    """Return whether a controller is asked by a method of ours."""
    kind: Any = type(controller)
    return kind in UPDATE and kind.update is UPDATE[kind] and "update" not in vars(controller)


def _walks_on(control: OnlineControl, plan: Any, dt: float) -> bool:
    """Return whether a stabiliser follows an online plan, and both have ticks of dt [s]."""
    same = isinstance(control.inner, Stabiliser) and plan is control.plan
    return same and isinstance(plan, OnlinePlan) and plan.T == control.period == dt
