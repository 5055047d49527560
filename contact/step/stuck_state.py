"""The state of soles after a step by the affine form: names for the parts of its sheet."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from contact.solvers import StickBase
from contact.step.sole_state import SoleState, StickMemory
from contact.step.stuck_arrays import STORED
from sole.base.arrays import FloatArray
from sole.base.made_later import MadeLater
from sole.base.sheet import Sheet


class StuckSoleState(MadeLater, SoleState):
    """A state whose arrays are made when asked for.

    Attributes
    ----------
    places, sheet : what the step wrote, `contact.step.stuck_arrays.open_sheet`.
    before : the sheet of the step before.
    base : the start of the run. begun : how the step began, which its maker knows again.
    """

    ordinary = SoleState
    places: Sheet
    sheet: FloatArray
    before: FloatArray
    base: StickBase
    begun: tuple[Any, ...]

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

    @cached_property
    def earlier(self) -> FloatArray:  # noqa: D102
        return self.places.part(self.before, "forces")

    @cached_property
    def run(self) -> StickMemory:  # noqa: D102
        return StickMemory(self.base, self.places.part(self.sheet, "maps"))

    @property
    def elastic_energy(self) -> float:
        """See `SoleState.elastic_energy`."""
        return float(self.places.part(self.sheet, "numbers")[STORED])
