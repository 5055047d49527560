"""The state of soles after a step by the affine form: names for the parts of its sheet."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from contact.solvers import StickBase
from contact.step.sheet_result import SheetSoleState
from contact.step.sole_state import StickMemory
from sole.base.arrays import FloatArray


class StuckSoleState(SheetSoleState):
    """A state that remembers its run.

    Attributes
    ----------
    before : the sheet of the step before.
    base : the start of the run. begun : how the step began, which its maker knows again.
    """

    before: FloatArray
    base: StickBase
    begun: tuple[Any, ...]

    @cached_property
    def earlier(self) -> FloatArray:  # noqa: D102
        return self.places.part(self.before, "forces")

    @cached_property
    def run(self) -> StickMemory:  # noqa: D102
        return StickMemory(self.base, self.places.part(self.sheet, "maps"))
