"""Ticks of a walk in blocks: one compiled call for control, steps and senses of many ticks.

Conditions: the stabiliser or plain PD on a plan that lasts, or the stabiliser on an online plan
while nothing happens, with or without offsets on top; the true state, a period of one step, nothing
but the robot and its soles in the simulator; no push, pull or change of the scene until the end of
the block. Soles stick in one run, or all steps are solved by sweeps. A block ends before the first
tick that needs anything else; that one and its like are walked tick by tick. Where landings are
watched, the last step of every block is looked at; none before it is one. (The short steps of a
landing in one call were 0.9 to 1.6 times as fast, mostly below 1.2: they are made one by one.)

Case and factor: walks on a plane, 4.4, 4.2 and 2.7 times as fast as tick by tick at 50, 104 and 300
nodes a foot; on a step of 5 mm with the online plan 3.3, 2.9 and 2.2, on gravel 3.5, 1.9 and 1.8
(`python benchmarks/fast_forms.py`).
"""

from __future__ import annotations

from collections.abc import Callable
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
from robot.fused.block_parts import BlockParts
from robot.fused.buffer_senses import BufferSenses
from robot.fused.step_block import StepBlock
from robot.fused.walk_block_kernels import BlockControl, TickClock, no_control, walk_block
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
from robot.sensing import StepSenses
from robot.simulator import RobotState, Simulator
from sole.base.arrays import FloatArray, trusted
from sole.base.compiled import packed

STEP = Simulator.step  # whoever puts another one in its place is asked for every step
# And for every command.
UPDATE = {kind: kind.update for kind in (Stabiliser, Follower, OnlineControl, ResidualControl)}


class TickBlocks:
    """Makes blocks of the ticks of one walk.

    Parameters
    ----------
    simulator, controller, senses : of the walk.
    dt : its time step [s].
    ahead : most ticks of a block.
    plain : whether nothing else takes part: no sensors or drives.
    near : gap of a foot without contact at which a block ends, for landings [m]; -inf: at none.
    disturbed : whether anything but the ground acts on the robot from a time to another [s].
    """

    def __init__(
        self,
        simulator: Simulator,
        controller: Controller,
        senses: StepSenses,
        *,
        dt: float,
        ahead: int,
        plain: bool,
        near: float,
        disturbed: Callable[[float, float], bool],
    ) -> None:
        self.simulator, self.ahead, self.dt, self.near = simulator, ahead, dt, near
        self.disturbed = disturbed
        self.block_parts = BlockParts.of(simulator)
        self.added = controller if isinstance(controller, ResidualControl) else None
        inner = controller if self.added is None else self.added.inner
        self.online = inner if isinstance(inner, OnlineControl) else None
        self.controller = inner if self.online is None else self.online.inner
        plan: Any = getattr(self.controller, "plan", None)
        asked = all(map(_is_ours, (controller, inner, self.controller)))
        known = asked and isinstance(plan, WalkPlan)
        if self.online is not None:
            known = asked and _walks_on(self.online, plan, dt)
        own = type(simulator).step is STEP and "step" not in vars(simulator)
        self.allowed = plain and ahead > 1 and senses.alone and own and known
        assert isinstance(senses, BufferSenses)
        self.senses, self.pads = senses, len(senses.pads.sides)
        self.shared = isinstance(self.controller, Stabiliser) and all(
            map(np.array_equal, self.controller.body[0], simulator.dynamics.robot[0])
        )
        tree = simulator.dynamics.robot[0]
        self.nothing = packed(no_control(tree, simulator.dynamics.links))
        self.no_plan = BlockControl(*self.nothing).calm
        self.nothing_added = np.zeros((0, 2, len(tree[4]) - 6))

    def next(self, state: RobotState, sensed: Sensed, most: float = inf) -> StepBlock | None:
        """Return the block of at `most` so many ticks that begins with a state; None: walk one."""
        parts, control, dt = self.block_parts, self.controller, self.dt
        if not self.allowed or parts is None or not self._is_calm(state, self.ahead + 1):
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
        block = StepBlock.of(parts, state, dt, most, self.pads)
        if block is None:
            return None
        ticks = np.cumsum([state.time, *[dt] * len(block.arrays.times)])  # as one after the other
        times = ticks + control.period
        if isinstance(control, Follower):
            given = control.rows(times[:-1].tolist())
            if self.added is not None:
                given = given.copy()
                given[:, :2] += added[: len(given)]
            done = self._fill(block, sensed.wrenches, self.nothing, given, near=self.near)
            return self._taken(done)
        assert isinstance(control, Stabiliser)
        table, plan = control.table(), control.plan
        bundles: dict[str, Any] = control.bundles()
        known = BlockControl(
            tau=table.tau, J=table.J, largest=LARGEST_COMMAND, shared=self.shared,
            calm=self.no_plan if calm is None else packed(calm), added=added, **bundles,
        )  # fmt: skip
        if calm is not None:
            assert self.online is not None
            done = self._fill(
                block, sensed.wrenches, packed(known), block.arrays.commands[:0], near=self.near,
                period=control.period, tick=dt,
            )  # fmt: skip
            if done is not None:
                take_ticks(self.online.plan, calm, done.count)
            return self._taken(done)
        assert isinstance(plan, WalkPlan)
        if not table.prepare(plan.row(state.time), plan.row(float(times[-1]))):
            self.allowed = False
            return None
        done = self._fill(
            block, sensed.wrenches, packed(known), block.arrays.commands[:0], near=self.near,
            period=control.period, tick=plan.dt, ticks=len(plan.q_ref),
        )  # fmt: skip
        return self._taken(done)

    def _taken(self, done: StepBlock | None) -> StepBlock | None:
        """Let offsets go on by the ticks of a block."""
        if done is not None and self.added is not None:
            self.added.take(done.count)
        return done

    def _calm(self, online: OnlineControl, t: float) -> CalmPlan | None:
        """Return the plan for ticks in which nothing happens; None: something is due at once."""
        inner: Any = online.inner
        table = inner.table()
        feed = table.robot, table.links
        control = CalmControl(online.last, FASTEST * online.period, feed)
        return calm_plan(online.plan, control, t, self.ahead)

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
        """Return whether nothing but the ground acts on the robot for so many ticks."""
        return not self.disturbed(state.time, state.time + ticks * self.dt)


def _is_ours(controller: Controller) -> bool:
    """Return whether a controller is asked by a method of ours."""
    kind: Any = type(controller)
    return kind in UPDATE and kind.update is UPDATE[kind] and "update" not in vars(controller)


def _walks_on(control: OnlineControl, plan: Any, dt: float) -> bool:
    """Return whether a stabiliser follows an online plan, and both have ticks of dt [s]."""
    same = isinstance(control.inner, Stabiliser) and plan is control.plan
    return same and isinstance(plan, OnlinePlan) and plan.T == control.period == dt
