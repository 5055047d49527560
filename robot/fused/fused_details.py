"""What is known of a step of a block: what compiled code wrote into two buffers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from contact.swept_step import BufferSoleState, BufferStepResult, least_gaps_in, ways_of
from robot.fused.fused_sheet import FusedStart
from robot.simulator import NO_WORK, SATURATED, STOPPING, TORQUES, RobotState
from sole.base.arrays import BoolArray, FloatArray, IntArray, sealed

if TYPE_CHECKING:
    from contact.step import CompliantStep
    from contact.swept_step import StuckBegin
    from robot.simulator import Dynamics, Snapshot

NO_SPRINGS = sealed(np.zeros((0, 6)))


@dataclass(frozen=True, eq=False, kw_only=True)
class FusedDetails:
    """The details of a `BufferSimStep` that is a step of a block.

    Parameters
    ----------
    stepper, dynamics : of the simulator.
    state : of the robot at its end. before : returns that at its start.
    begun : its start, with the buffer of the robot.
    run : that of its soles; None: a step by sweeps.
    buffers : (F,) of the robot, as in `FusedParts`, and (S,) of the soles, as in
        `contact.swept_step.buffer_arrays.StuckArrays`.
    """

    stepper: CompliantStep
    dynamics: Dynamics
    state: RobotState
    before: Callable[[], RobotState]
    begun: FusedStart
    run: StuckBegin | None
    buffers: tuple[FloatArray, FloatArray]
    couplings, work = NO_SPRINGS, NO_WORK

    @cached_property
    def contact(self) -> BufferStepResult:
        """See `SimStep`, as for the others."""
        before, after = self.before().soles, self.state.soles
        assert isinstance(after, BufferSoleState)
        if self.run is not None:
            return ways_of(self.stepper)[0].result(self.run, before, after, self.begun)
        R, p, motion, _ = self.begun()
        return ways_of(self.stepper)[1].result(after, before, R, p, motion)

    @property
    def contacts(self) -> int:  # noqa: D102
        return self.contact.contacts if self.run is None else self.run.run.contacts

    @property
    def slips(self) -> bool:  # noqa: D102
        return self.run is None

    @cached_property
    def start(self) -> Snapshot:  # noqa: D102
        before = self.before()
        return self.dynamics.at(before.q, before.v)

    @property
    def poses(self) -> tuple[FloatArray, FloatArray]:  # noqa: D102
        return self.begun.part("R"), self.begun.part("p")

    @cached_property
    def torques(self) -> FloatArray:  # noqa: D102
        return np.asarray(self.begun.part("joints")[TORQUES])

    @cached_property
    def stops(self) -> FloatArray:  # noqa: D102
        return np.asarray(self.begun.part("joints")[STOPPING])

    @cached_property
    def saturated(self) -> BoolArray:  # noqa: D102
        return np.asarray(self.begun.part("joints")[SATURATED] > 0.0)

    @cached_property
    def acceleration(self) -> FloatArray:  # noqa: D102
        return np.asarray(self.begun.part("motion")[2])

    @property
    def square(self) -> float:  # noqa: D102
        return float(self.begun.part("work")[1])

    def least_gaps(self, first: IntArray) -> FloatArray:  # noqa: D102
        return least_gaps_in(self.buffers[1], self.begun.layout.places["p"][1][0])
