"""A step of the simulator of which everything is made when asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from robot.simulator.robot_step import SimStep
from sole.base.arrays import FloatArray, IntArray
from sole.base.made_later import MadeLater, of_details


class BufferSimStep(MadeLater, SimStep):
    """A step whose values are made when asked for; shapes, units and axes of `SimStep`.

    Compiled code wrote it into buffers, alone or as a step of a block, or it consists of several.

    Attributes
    ----------
    details : where its values come from, under the same names: `FusedDetails` or `JoinedDetails`.
    block : the `StepBlock` that it is a step of, as number `index`; None: it was made alone.
    """

    ordinary = SimStep
    block: Any = None
    index: int = 0

    @cached_property
    def details(self) -> Any:
        """Those of a step of a block, made when a value is asked for; others are given theirs."""
        return self.block.details(self.index)

    state = of_details("state")
    start = of_details("start")
    contact = of_details("contact")
    torques = of_details("torques")
    saturated = of_details("saturated")
    stops = of_details("stops")
    couplings = of_details("couplings")
    acceleration = of_details("acceleration")
    work = of_details("work")
    time = of_details("time")
    poses = of_details("poses")
    square = of_details("square")
    contacts = of_details("contacts")
    slips = of_details("slips")
    buffers = of_details("buffers")

    def least_gaps(self, first: IntArray) -> FloatArray:
        """See `SimStep.least_gaps`."""
        return np.asarray(self.details.least_gaps(first))
