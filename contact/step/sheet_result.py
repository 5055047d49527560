"""A state and a result of soles that one compiled call wrote: names for the parts of its sheet."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from contact.step.energy import StepEnergy
from contact.step.sole_state import SoleState
from contact.step.step_results import ExactStepResult
from contact.step.stuck_arrays import ENERGIES, LOST, RESIDUAL, STORED
from sole.base.arrays import FloatArray, IntArray
from sole.base.made_later import MadeLater
from sole.base.sheet import Sheet


class SheetSoleState(MadeLater, SoleState):
    """A state whose arrays are made when asked for.

    Attributes
    ----------
    places, sheet : what the step wrote, `contact.step.stuck_arrays.open_sheet`.
    """

    ordinary = SoleState
    places: Sheet
    sheet: FloatArray

    @cached_property
    def displacement(self) -> FloatArray:
        """See `SoleState`, as for the others."""
        return self.places.part(self.sheet, "U")

    @cached_property
    def elastic(self) -> FloatArray:  # noqa: D102
        return self.places.part(self.sheet, "e")

    @cached_property
    def outside(self) -> FloatArray:  # noqa: D102
        return self.places.part(self.sheet, "outside")

    @cached_property
    def forces(self) -> FloatArray:  # noqa: D102
        return self.places.part(self.sheet, "forces")

    @property
    def lost(self) -> float:  # noqa: D102
        return float(self.places.part(self.sheet, "numbers")[LOST])

    @property
    def elastic_energy(self) -> float:
        """See `SoleState.elastic_energy`."""
        return float(self.places.part(self.sheet, "numbers")[STORED])


class SheetStepResult(MadeLater, ExactStepResult):
    """The end of a step of which everything is taken from its sheet when asked for."""

    ordinary = ExactStepResult
    state: SheetSoleState

    def part(self, name: str) -> FloatArray:
        """Return a part of the sheet."""
        return self.state.places.part(self.state.sheet, name)

    @cached_property
    def wrenches(self) -> FloatArray:
        """See `StepResult`, as for the twists and the energy."""
        return np.asarray(self.part("twists")[0].reshape(-1, 6))

    @cached_property
    def twists(self) -> FloatArray:  # noqa: D102
        return np.asarray(self.part("twists")[1])

    @cached_property
    def mean_twists(self) -> FloatArray:  # noqa: D102
        return np.asarray(self.part("twists")[2])

    @cached_property
    def energy(self) -> StepEnergy:  # noqa: D102
        friction, push, wrench, elastic, viscous, numerical = self.part("numbers")[:ENERGIES]
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
        return float(self.part("numbers")[RESIDUAL])

    @property
    def lowest(self) -> FloatArray:
        """Least gaps (B,) at the start."""
        return self.part("gap")

    def least_gaps(self, first: IntArray) -> FloatArray:
        """See `StepResult.least_gaps`."""
        return self.lowest
