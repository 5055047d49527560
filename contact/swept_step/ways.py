"""Where a fast form of the contact step is chosen: the short ways of a `CompliantStep`, in turn.

`AffineStep` takes a step whose touching nodes all stick, `SweptStep` one whose nodes slide, land or
leave. Each checks its case in the state alone and returns None where it does not hold; the general
way of `contact.step.compliant_step` takes what is left. So a way changes no number by more than
round-off, or the tolerance of the solver.
"""

from __future__ import annotations

from collections.abc import Sequence

from contact.ground import Ground
from contact.step import Body, CompliantStep, StepOptions
from contact.swept_step.affine_step import AffineStep
from contact.swept_step.swept_step import SweptStep
from sole.base.errors import SoleError

FAST_WAYS = (AffineStep, SweptStep)


def fast_step(
    bodies: Sequence[Body], ground: Ground | Sequence[Ground], options: StepOptions | None = None
) -> CompliantStep:
    """Return the time step of bodies on a ground with all short ways, as walks use it.

    Arguments as for `contact.step.CompliantStep`.
    """
    return CompliantStep(bodies, ground, options, FAST_WAYS)


def ways_of(stepper: CompliantStep) -> tuple[AffineStep, SweptStep]:
    """Return both short ways of a time step that was made with `FAST_WAYS`.

    Raises
    ------
    SoleError
        It has others.
    """
    match stepper.ways:
        case (AffineStep() as affine, SweptStep() as swept):
            return affine, swept
    kinds = ", ".join(type(way).__name__ for way in stepper.ways) or "none"
    raise SoleError(f"the contact step needs the short ways FAST_WAYS, it has {kinds}")
