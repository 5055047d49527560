"""Steps in a row that one compiled call made, without Python between them.

Their arrays lie one step behind the other. A `BlockStep` is one of them: a fused step of which
everything is made when somebody asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from contact.step import StuckBegin, StuckSoleState
from robot.simulator.fused_sheet import FusedSimStep, FusedStart
from robot.simulator.robot_step import RobotState
from robot.simulator.servo import Command
from sole.base.arrays import BoolArray, Bundle, FloatArray, IntArray, trusted
from sole.base.compiled import packed

if TYPE_CHECKING:
    from robot.simulator.fused_step import FusedStep


@dataclass(eq=False, kw_only=True)
class StepBlock:
    """Room for N steps of a controller and a robot whose soles stick in one run.

    Attributes
    ----------
    fused : what makes single steps of the same kind. start : the state before the first step.
    soles : of that state. contact : the run. dt : time step [s].
    robot, soles_in : arguments of `step_fused` that last: M' and its robot, the soles.
    motion : (N, F) sheets of `open_fused`. sticking : (N, S) sheets of `contact.step.open_sheet`.
    seen : motion, sticking and solids, read-only.
    solids : (N + 1, M, S) pieces of the ground, the first ones at the start; (0, M, S) on planes,
        where they stay.
    q : (N + 1, nq) configurations, the first one at the start. times : (N,) at the ends [s].
    commands : (N, 3, n) as `Command.of_rows`.
    wrenches : (N, 2, 6), switches : (N, P) as in `robot.control.Sensed`; postures : (N, 2) height
        and tilt of the waist.
    count : how many steps were made.
    """

    fused: FusedStep
    start: RobotState
    soles: StuckSoleState
    contact: StuckBegin
    dt: float
    motion: FloatArray
    sticking: FloatArray
    solids: IntArray
    seen: tuple[FloatArray, FloatArray, IntArray]
    q: FloatArray
    times: FloatArray
    commands: FloatArray
    wrenches: FloatArray
    postures: FloatArray
    switches: BoolArray = field(default_factory=lambda: np.empty((0, 0), np.bool_))
    count: int = 0

    @staticmethod
    def of(fused: FusedStep, start: RobotState, dt: float, size: int) -> StepBlock | None:
        """Return room for `size` steps from a state in a run; None: it is in none."""
        soles = start.soles
        if not (isinstance(soles, StuckSoleState) and fused.affine.goes_on(soles)):
            return None
        n, N = len(fused.laws.servo.kp), size
        motion, sticking = np.empty((N, fused.places.size)), np.empty((N, soles.places.size))
        flat, solid = len(fused.affine.flat), soles.solid
        solids = np.empty((0 if flat else N + 1, *solid.shape), np.int64)
        solids[:1] = solid
        seen = motion.view(), sticking.view(), solids.view()
        for array in seen:
            array.setflags(write=False)
        q = np.empty((N + 1, len(start.q)))
        q[0] = start.q
        return StepBlock(
            fused=fused,
            start=start,
            soles=soles,
            contact=cast(StuckBegin, soles.begun),
            dt=dt,
            motion=motion,
            sticking=sticking,
            solids=solids,
            seen=seen,
            q=q,
            times=np.empty(N),
            commands=np.empty((N, 3, n)),
            wrenches=np.empty((N, 2, 6)),
            postures=np.empty((N, 2)),
        )

    @property
    def arguments(self) -> tuple[Bundle, ...]:
        """Factors, robot, laws of the joints with their first place in v, soles, `LookArrays`."""
        fused, contact = self.fused, self.contact
        laws = *fused.laws.numbers, fused.first
        soles = contact.constants, self.soles.sheet, contact.ground, fused.affine.limits
        look = packed(fused.affine.look(contact.run))
        return fused.space.factors, fused.robot, laws, soles, look

    @property
    def contacts(self) -> int:
        """How many nodes touch, or may, in every step."""
        return self.contact.run.contacts

    def state(self, k: int) -> RobotState:
        """Return the state after step k; -1: the start."""
        if k < 0:
            return self.start
        motion, sticking, solids = self.seen
        before = sticking[k - 1] if k else self.soles.sheet
        contact = self.contact._replace(solid=solids[k + 1]) if len(solids) else self.contact
        soles = self.fused.affine.state(contact, self.soles, (before, sticking[k]), k + 1)
        v = motion[k][self.fused.new]
        return trusted(RobotState, q=self.q[k + 1], v=v, soles=soles, time=float(self.times[k]))

    def step(self, k: int) -> BlockStep:
        """Return step k."""
        return trusted(BlockStep, block=self, index=k)

    def command(self, k: int) -> Command:
        """Return the command of step k."""
        return Command.of_rows(self.commands[k])


class BlockStep(FusedSimStep):
    """A step of a block.

    Attributes
    ----------
    block : the block. index : which of its steps.
    """

    block: StepBlock
    index: int
    pushes = False
    slips = False

    @cached_property
    def dynamics(self) -> Any:  # type: ignore[override]
        """See `FusedSimStep`, as for the others."""
        return self.block.fused.dynamics

    @cached_property
    def state(self) -> RobotState:  # noqa: D102
        return self.block.state(self.index)

    @cached_property
    def before(self) -> RobotState:  # type: ignore[override]  # noqa: D102
        return self.block.state(self.index - 1)

    @property
    def time(self) -> float:  # noqa: D102
        return float(self.block.times[self.index])

    @cached_property
    def sheets(self) -> tuple[FloatArray, FloatArray]:  # type: ignore[override]  # noqa: D102
        motion, sticking, _ = self.block.seen
        return motion[self.index], sticking[self.index]

    @cached_property
    def begun(self) -> FusedStart:  # type: ignore[override]  # noqa: D102
        block = self.block
        return FusedStart(block.fused.places, self.sheets[0], block.dt, None)

    @cached_property
    def maker(self) -> Any:  # type: ignore[override]  # noqa: D102
        block = self.block
        return block.fused.affine, block.contact, self.before.soles, self.state.soles
