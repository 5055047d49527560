"""A step of the simulator of which everything is made when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from robot.simulator.robot_step import RobotState, SimStep
from sole.base.arrays import FloatArray, IntArray
from sole.base.made_later import MadeLater, of_details


class BufferSimStep(MadeLater, SimStep):
    """A step whose values are made when asked for; shapes, units and axes of `SimStep`.

    Compiled code wrote it into buffers, alone or as a step of a block, or it consists of several.

    Attributes
    ----------
    block : the `StepBlock` that it is a step of, as number `index`; None: it was made alone.
    details : where its values come from, under the same names: `FusedDetails` or `JoinedDetails`.
        Like the state, a step of a block has them made when asked for; others are given theirs.
    """

    ordinary = SimStep
    block: Any = None
    index: int = 0

    @cached_property
    def state(self) -> RobotState:
        """See `SimStep`, as for the others."""
        return self.block.state(self.index)  # type: ignore[no-any-return]

    @cached_property
    def details(self) -> Any:  # noqa: D102
        return self.block.details(self.index, self.state)

    start = of_details("start")
    contact = of_details("contact")
    torques = of_details("torques")
    saturated = of_details("saturated")
    stops = of_details("stops")
    couplings = of_details("couplings")
    acceleration = of_details("acceleration")
    work = of_details("work")
    poses = of_details("poses")
    square = of_details("square")
    contacts = of_details("contacts")
    slips = of_details("slips")
    buffers = of_details("buffers")

    def least_gaps(self, first: IntArray) -> FloatArray:
        """See `SimStep.least_gaps`."""
        return np.asarray(self.details.least_gaps(first))


def leading_block(steps: Sequence[SimStep]) -> tuple[Any, int, int] | None:
    """Return the `StepBlock` that `steps` begin with, and its steps in them: `first` to `end`.

    None: the first step is of no block.
    """
    block, first = steps[0].block, steps[0].index
    if block is None:
        return None
    end = first
    for step in steps:
        if step.block is not block or step.index != end:
            break
        end += 1
    return block, first, end
