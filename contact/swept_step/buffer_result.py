"""State and result of a step that compiled code wrote into a buffer.

Values are views of the buffer, or follow from it, and are made when somebody asks for them: a walk
asks for few. A buffer holds the arrays of `StuckArrays` (`contact.swept_step.buffer_arrays`). What
differs between a step whose nodes all stick, one by sweeps, and several steps joined to one, comes
from the `origin` of the state and the `details` of the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from contact.step import SoleState, StepEnergy, StepResult, StickMemory
from contact.swept_step.buffer_arrays import ENERGIES, LOST, RESIDUAL, STORED
from sole.base.arrays import FloatArray, IntArray
from sole.base.made_later import MadeLater, of_details
from sole.base.sheet import Sheet


class StateOrigin(Protocol):
    """What the step that wrote a state left besides its buffer."""

    def earlier(self, state: BufferSoleState) -> FloatArray:
        """Return `SoleState.earlier`, (M, S, 3) [N]."""

    def run(self, state: BufferSoleState) -> StickMemory | None:
        """Return `SoleState.run`."""


class BufferSoleState(MadeLater, SoleState):
    """A state whose arrays are made when asked for; shapes, units and axes of `SoleState`.

    Attributes
    ----------
    buffer : (F,) what the step wrote. layout : where its arrays are in it.
    origin : `StuckOrigin` or `SweptOrigin`.
    """

    ordinary = SoleState
    layout: Sheet
    buffer: FloatArray
    origin: StateOrigin

    def part(self, name: str) -> FloatArray:
        """Return an array of the buffer by its name in `StuckArrays`."""
        return self.layout.part(self.buffer, name)

    @cached_property
    def displacement(self) -> FloatArray:
        """See `SoleState`, as for the others."""
        return self.part("U")

    @cached_property
    def elastic(self) -> FloatArray:  # noqa: D102
        return self.part("e")

    @cached_property
    def outside(self) -> FloatArray:  # noqa: D102
        return self.part("outside")

    @cached_property
    def forces(self) -> FloatArray:  # noqa: D102
        return self.part("forces")

    @cached_property
    def earlier(self) -> FloatArray:  # noqa: D102
        return self.origin.earlier(self)

    @cached_property
    def run(self) -> StickMemory | None:  # noqa: D102
        return self.origin.run(self)

    @property
    def lost(self) -> float:  # noqa: D102
        return float(self.part("numbers")[LOST])

    @property
    def elastic_energy(self) -> float:
        """See `SoleState.elastic_energy`."""
        return float(self.part("numbers")[STORED])


class BufferStepResult(MadeLater, StepResult):
    """A result whose values are made when asked for; shapes, units and axes of `StepResult`.

    Attributes
    ----------
    details : where they come from, under the same names: `contact.swept_step.stuck_details`,
        `contact.swept_step.swept_details`, or those of joined steps in
        `robot.simulator.joined_steps`.
    """

    ordinary = StepResult
    details: Any
    certified = True

    wrenches = of_details("wrenches")
    twists = of_details("twists")
    mean_twists = of_details("mean_twists")
    energy = of_details("energy")
    gaps = of_details("gaps")
    positions = of_details("positions")
    nodes = of_details("nodes")
    slots = of_details("slots")
    frame = of_details("frame")
    contacts = of_details("contacts")
    solutions = of_details("solutions")
    laws = of_details("laws")
    solved = of_details("solved")
    iterations = of_details("iterations")
    residual = of_details("residual")
    slips = of_details("slips")

    def least_gaps(self, first: IntArray) -> FloatArray:
        """See `StepResult.least_gaps`."""
        return np.asarray(self.details.least_gaps(first))


@dataclass(frozen=True, eq=False, kw_only=True)
class BufferDetails:
    """What all results of one compiled call have in common.

    Parameters
    ----------
    before, after : the states of the soles.
    """

    before: SoleState
    after: BufferSoleState
    solved = True  # the call refuses what it does not solve

    @cached_property
    def wrenches(self) -> FloatArray:
        """See `StepResult`, as for the others."""
        return np.asarray(self.after.part("twists")[0].reshape(-1, 6))

    @cached_property
    def twists(self) -> FloatArray:  # noqa: D102
        return np.asarray(self.after.part("twists")[1])

    @cached_property
    def mean_twists(self) -> FloatArray:  # noqa: D102
        return np.asarray(self.after.part("twists")[2])

    @cached_property
    def energy(self) -> StepEnergy:  # noqa: D102
        friction, push, wrench, elastic, viscous, numerical = self.after.part("numbers")[:ENERGIES]
        return StepEnergy(
            friction=float(friction),
            push=float(push),
            wrench=float(wrench),
            elastic=float(elastic),
            viscous=float(viscous),
            numerical=float(numerical),
        )

    @property
    def residual(self) -> float:
        """The bound of natural map and Signorini's law, relative."""
        return float(self.after.part("numbers")[RESIDUAL])

    def least_gaps(self, first: IntArray) -> FloatArray:
        """Return the least gaps (B,) at the start [m], whose bodies the step knew."""
        return self.after.part("gap")
